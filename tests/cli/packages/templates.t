#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ci/templates: they parse, no text of strangers enters a shell, and their
# scripts work, on simulated networks and stubs.
. "$(dirname "$0")/../../lib.sh"
chorale=$(cd "$top_builddir" && pwd)/chorale
t=$(cd "$top_srcdir" && pwd)/ci/templates
cd "$work" || exit 99
unset GITHUB_STEP_SUMMARY SLURM_JOB_ID

# Syntax of each file.
for script in "$t"/*.sh; do
    sh -n "$script"
    ok $? "${script##*/} has valid shell syntax"
done
if command -v bash >/dev/null 2>&1; then
    bash -n "$t/nightly.sbatch"
    ok $? "nightly.sbatch has valid bash syntax"
else
    skip "no bash" "nightly.sbatch"
fi
like "$(sed -n 's/^#SBATCH //p' "$t/nightly.sbatch" | tr '\n' ' ')" \
    '--time=[0-9:]+ .*--signal=B:TERM@[0-9]+' \
        "nightly.sbatch requests a signal before its end"
cp "$t/chorale_reframe.py" . && python3 -m py_compile chorale_reframe.py
ok $? "chorale_reframe.py has valid Python syntax"
# With a stub of ReFrame: the command, and the performance from a report.
cat >framework.py <<'END'
import json, os, shlex, subprocess, sys, types
def mark(*args, **kw):
    return lambda f: f
class Meta(type):
    @classmethod
    def __prepare__(cls, name, bases):
        return {"variable": lambda kind, value=None: value, "run_before": mark,
                "sanity_function": lambda f: f, "deferrable": lambda f: f,
                "performance_function": mark}
class Test(metaclass=Meta):
    job = types.SimpleNamespace()
def module(name, **names):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(names)
    return sys.modules[name]
sanity = module("reframe.utility.sanity", assert_eq=lambda a, b, msg: a == b)
utility = module("reframe.utility", sanity=sanity)
backends = module("reframe.core.backends", getlauncher=lambda name: object)
module("reframe.core", backends=backends)
module("reframe", simple_test=lambda c: c, RunOnlyRegressionTest=Test, utility=utility)
import chorale_reframe
test = chorale_reframe.CollectivesAB()
test.templates, test.head_side = os.getcwd(), "env:A='x y'"
test.prepare()
line = " ".join([test.executable] + test.executable_opts)
print(subprocess.run(["sh", "-c", line], capture_output=True, text=True).stdout.strip())
test.stagedir = os.getcwd()
os.makedirs("reports")
for verdict, red in ("slower", 1), ("same", 0):
    with open("reports/report.json", "w") as out:
        json.dump({"red": red, "cells": [{"verdict": verdict}]}, out)
    print(test.not_slower(), test.slower())
END
printf '#!/bin/sh\necho "$CHORALE_PROGRAM|$CHORALE_PLAN|$CHORALE_REPORTS|$1|$2"\n' \
    >compare.sh
chmod +x compare.sh
is "$(python3 framework.py | tr '\n' ';')" \
    "chorale|-c bcast,allreduce,barrier -m 8:64K:x8 -P 2 --batch 8|reports|this|env:A='x y';False 1;True 0;" \
    "chorale_reframe.py runs the command and reads the report"

if python3 -c 'import yaml' 2>/dev/null; then
    out=$(python3 - "$t" <<'END'
import re, sys, yaml
bad = []
github = yaml.safe_load(open(sys.argv[1] + "/github.yml"))
gitlab = yaml.safe_load(open(sys.argv[1] + "/gitlab.yml"))
on = github[True]  # YAML 1.1 reads "on" so
if list(on) != ["pull_request"]:
    bad.append("triggers: %s" % list(on))
if github["permissions"] != {"contents": "read"}:
    bad.append("permissions: %s" % github["permissions"])
if "secrets" in open(sys.argv[1] + "/github.yml").read().replace("No secret", ""):
    bad.append("secrets")
for name, job in github["jobs"].items():
    if "permissions" in job or "timeout-minutes" not in job:
        bad.append("%s: permissions of its own, or no timeout" % name)
    for step in job["steps"]:
        if "${{" in step.get("run", ""):
            bad.append("an expression in a shell: %s" % step["run"])
        uses = step.get("uses", "")
        if uses and not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", uses):
            bad.append("not pinned: %s" % uses)
        if "checkout" in uses and step["with"].get("persist-credentials"):
            bad.append("the token is kept")
        if "checkout" in uses and not step["with"]["ref"].endswith(".sha }}"):
            bad.append("a ref that is no hash")
for name, job in gitlab.items():
    for line in job["script"]:
        if re.search(r"CI_[A-Z_]*(TITLE|NAME|BRANCH|MESSAGE|DESCRIPTION|REF)", line):
            bad.append("a stranger's words: %s" % line)
        for use in re.finditer(r'(.)\$CI_\w+', line):
            if use.group(1) != '"':
                bad.append("not quoted: %s" % line)
    if "junit" not in job["artifacts"]["reports"]:
        bad.append("no JUnit report")
print("; ".join(bad))
END
    )
    is "$?$out" 0 \
        "the workflows are read-only, pinned, and use no text of strangers"
else
    skip "no python3-yaml" "the workflows are read-only and pinned"
fi
for file in $(sed -n 's/.*templates\/\([a-z]*\.sh\).*/\1/p' "$t"/*.yml "$t"/*.sbatch | sort -u); do
    [ -x "$t/$file" ]
    ok $? "$file, which they call, is executable"
done
for script in compare build nightly; do
    "$t/$script.sh" >out.txt 2>err.txt
    is $? 2 "$script.sh without arguments exits with 2"
    like "$(head -n 1 err.txt)" "^Usage: $script.sh " \
        "$script.sh prints its usage"
done

# build.sh, with stub sources.
mkdir -p src && cat >src/configure <<'END'
#!/bin/sh
for word; do case $word in --prefix=*) prefix=${word#*=} ;; esac; done
printf 'generated:\n\techo made >gen\ninstall: gen\n\tmkdir -p %s/bin && cp gen %s/bin/chorale\n' \
    "$prefix" "$prefix" >Makefile
echo "$*" >"$prefix.options"
END
chmod +x src/configure
"$t/build.sh" src out --without-simgrid >log.txt 2>&1
is "$? $(cat out/bin/chorale) $(cat out.options)" \
    "0 made -q --prefix=$work/out --without-simgrid" \
        "build.sh configures, builds and installs"

# The Slurm job, with stubs: it resubmits itself, stops in time, is requeued.
if command -v bash >/dev/null 2>&1; then
    mkdir bin job
    printf '#!/bin/sh\necho sbatch "$@" >>%s/slurm.txt\n' "$work" >bin/sbatch
    printf '#!/bin/sh\necho scontrol "$@" >>%s/slurm.txt\n' "$work" >bin/scontrol
    cat >job/nightly.sh <<'END'
#!/bin/sh
told= n=0
trap 'told=yes' TERM
mkdir -p "$CHORALE_REPORTS" && echo '### of the night' >"$CHORALE_REPORTS/summary.md"
case $STUB in
stop)
    touch up
    while [ -z "$told" ] && [ $n -lt 3000 ]; do sleep 0.1; n=$((n + 1)); done
    [ -z "$told" ] || exit 75 ;;
*) exit "$STUB" ;;
esac
END
    chmod +x bin/* job/nightly.sh
    night() { # exit code of the stub
        rm -f slurm.txt
        env PATH="$work/bin:$PATH" STUB="$1" SLURM_JOB_ID=7 \
            SLURM_SUBMIT_DIR="$work/job" bash "$t/nightly.sbatch" >out.txt 2>&1
    }
    night 1
    is $? 1 "a slower night fails the job"
    like "$(cat out.txt)" '^### of the night' "the job prints the summary"
    like "$(cat slurm.txt)" "^sbatch --begin=now.24hours .*job/nightly.sbatch$" \
        "the job submits itself for tomorrow"
    ! grep -q scontrol slurm.txt
    ok $? "a completed job is not requeued"
    rm -f up slurm.txt
    env PATH="$work/bin:$PATH" STUB=stop SLURM_JOB_ID=7 SLURM_RESTART_COUNT=1 \
        SLURM_SUBMIT_DIR="$work/job" bash "$t/nightly.sbatch" >out.txt 2>&1 &
    job=$!
    n=0
    while [ ! -e up ] && [ $n -lt 3000 ]; do sleep 0.1; n=$((n + 1)); done
    kill -TERM $job
    wait $job
    is $? 75 "an interrupted job exits with 75"
    is "$(cat slurm.txt)" "scontrol requeue 7" \
        "an interrupted job requeues itself once"
else
    skip "no bash" "a slower night fails the job"
fi

# compare.sh and nightly.sh.
if "$chorale" --version | grep -q simgrid=yes; then
    platform p1.xml 1 1250000000 4
    plan='-c bcast -m 16K -P 4 --launcher smpirun --platform p1.xml'
    export CHORALE_PROGRAM="$chorale" CHORALE_PLAN="$plan" CHORALE_THRESHOLD=0
    CHORALE_REPORTS=same GITHUB_STEP_SUMMARY=summary.md \
        "$t/compare.sh" this this >out.txt 2>err.txt
    is $? 0 "compare.sh of equal sides exits with 0"
    like "$(cat summary.md)" '^### Collectives: not slower' \
        "compare.sh writes the job's summary"
    is "$(sed -n 1p same/chorale.tap)" "TAP version 13" "compare.sh writes TAP"
    like "$(cat same/junit.xml)" '<testsuite .*failures="0"' \
        "compare.sh writes JUnit"
    is "$(python3 -c 'import json
print(json.load(open("same/report.json"))["red"])')" 0 "JSON"
    mkdir night
    CHORALE_REPORTS=n1 "$t/nightly.sh" night one >out.txt 2>err.txt
    is $? 0 "nightly.sh exits with 0 on the first night"
    like "$("$chorale" baseline list night/perf.db)" '^nightly .*label one' \
        "the first night becomes the baseline"
    CHORALE_REPORTS=n2 "$t/nightly.sh" night two >out.txt 2>err.txt
    is $? 0 "an equal night exits with 0"
    like "$(cat n2/summary.md)" '^### Collectives: not slower' \
        "an equal night's summary is green"
    [ -s n2/history.txt ] && [ ! -e night/night.db ]
    ok $? "an equal night is merged into the long-term database"
    # A night interrupted after measuring, 1 % slower.
    # shellcheck disable=SC2086 # options are words
    "$chorale" plan -q night/night.db $plan --label three &&
        "$chorale" run -q night/night.db &&
        sqlite3 night/night.db 'UPDATE run_summary SET median = median * 1.01'
    ok $? "an interrupted night is prepared"
    CHORALE_NIGHTLY='--threshold 0.1%' CHORALE_REPORTS=n3 \
        "$t/nightly.sh" night three >out.txt 2>err.txt
    is $? 1 "a slower night exits with 1"
    like "$(cat n3/junit.xml)" '<testsuite .*failures="[1-9]' \
        "its report has failures"
    "$chorale" baseline set nightly night/perf.db --label three >/dev/null
    like "$("$chorale" baseline list night/perf.db)" \
        '^nightly .* 1 campaign, label three$' \
            "an accepted night becomes the baseline"
else
    skip "no SimGrid" "compare.sh and nightly.sh"
fi
finish
