#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ci/templates: they parse, nothing of a stranger's enters a shell, and the
# scripts that they call do what they say, on simulated networks and stubs.
. "$(dirname "$0")/../../lib.sh"
chorale=$(cd "$top_builddir" && pwd)/chorale
t=$(cd "$top_srcdir" && pwd)/ci/templates
cd "$work" || exit 99
unset GITHUB_STEP_SUMMARY SLURM_JOB_ID

# What each file is made of.
for script in "$t"/*.sh; do
    sh -n "$script"
    ok $? "${script##*/}: a shell reads it"
done
if command -v bash >/dev/null 2>&1; then
    bash -n "$t/nightly.sbatch"
    ok $? "nightly.sbatch: bash reads it"
else
    skip "no bash" "nightly.sbatch"
fi
like "$(sed -n 's/^#SBATCH //p' "$t/nightly.sbatch" | tr '\n' ' ')" \
    '--time=[0-9:]+ .*--signal=B:TERM@[0-9]+' "its job is told before its end"
cp "$t/chorale_reframe.py" . && python3 -m py_compile chorale_reframe.py
ok $? "chorale_reframe.py: Python reads it"
# On a stub of ReFrame's names: what it runs, and what it makes of a report.
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
    "and does as it says"

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
    is "$?$out" 0 "the workflows: reading alone, pinned, no words of strangers"
else
    skip "no python3-yaml" "the workflows"
fi
for file in $(sed -n 's/.*templates\/\([a-z]*\.sh\).*/\1/p' "$t"/*.yml "$t"/*.sbatch | sort -u); do
    [ -x "$t/$file" ]
    ok $? "$file, which they call, can be called"
done
for script in compare build nightly; do
    "$t/$script.sh" >out.txt 2>err.txt
    is $? 2 "$script.sh without words: exit 2"
    like "$(head -n 1 err.txt)" "^Usage: $script.sh " "$script.sh says what it takes"
done

# build.sh, on sources that are a stub.
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
    "0 made -q --prefix=$work/out --without-simgrid" "build.sh installs"

# The Slurm job, on stubs: it is handed in again, stops in time and is requeued.
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
    night() { # stub's verdict
        rm -f slurm.txt
        env PATH="$work/bin:$PATH" STUB="$1" SLURM_JOB_ID=7 \
            SLURM_SUBMIT_DIR="$work/job" bash "$t/nightly.sbatch" >out.txt 2>&1
    }
    night 1
    is $? 1 "a slower night: the job fails"
    like "$(cat out.txt)" '^### of the night' "and shows why"
    like "$(cat slurm.txt)" "^sbatch --begin=now.24hours .*job/nightly.sbatch$" \
        "it is handed in for tomorrow"
    ! grep -q scontrol slurm.txt
    ok $? "and not requeued"
    rm -f up slurm.txt
    env PATH="$work/bin:$PATH" STUB=stop SLURM_JOB_ID=7 SLURM_RESTART_COUNT=1 \
        SLURM_SUBMIT_DIR="$work/job" bash "$t/nightly.sbatch" >out.txt 2>&1 &
    job=$!
    n=0
    while [ ! -e up ] && [ $n -lt 3000 ]; do sleep 0.1; n=$((n + 1)); done
    kill -TERM $job
    wait $job
    is $? 75 "stopped before its end: 75"
    is "$(cat slurm.txt)" "scontrol requeue 7" "it goes back into the queue, once"
else
    skip "no bash" "the Slurm job"
fi

# compare.sh and nightly.sh themselves.
if "$chorale" --version | grep -q simgrid=yes; then
    platform p1.xml 1 1250000000 4
    plan='-c bcast -m 16K -P 4 --launcher smpirun --platform p1.xml'
    export CHORALE_PROGRAM="$chorale" CHORALE_PLAN="$plan" CHORALE_THRESHOLD=0
    CHORALE_REPORTS=same GITHUB_STEP_SUMMARY=summary.md \
        "$t/compare.sh" this this >out.txt 2>err.txt
    is $? 0 "compare.sh: the same twice"
    like "$(cat summary.md)" '^### Collectives: not slower' "the job's summary"
    is "$(sed -n 1p same/chorale.tap)" "TAP version 13" "TAP"
    like "$(cat same/junit.xml)" '<testsuite .*failures="0"' "JUnit"
    is "$(python3 -c 'import json
print(json.load(open("same/report.json"))["red"])')" 0 "JSON"
    mkdir night
    CHORALE_REPORTS=n1 "$t/nightly.sh" night one >out.txt 2>err.txt
    is $? 0 "nightly.sh: the first night"
    like "$("$chorale" baseline list night/perf.db)" '^nightly .*label one' \
        "is the baseline"
    CHORALE_REPORTS=n2 "$t/nightly.sh" night two >out.txt 2>err.txt
    is $? 0 "a night that is as good"
    like "$(cat n2/summary.md)" '^### Collectives: not slower' "says so"
    [ -s n2/history.txt ] && [ ! -e night/night.db ]
    ok $? "and is kept in the database that lives long"
    # A night that was stopped after measuring; a hundredth slower.
    # shellcheck disable=SC2086 # options are words
    "$chorale" plan -q night/night.db $plan --label three &&
        "$chorale" run -q night/night.db &&
        sqlite3 night/night.db 'UPDATE run_summary SET median = median * 1.01'
    ok $? "a night is under way"
    CHORALE_NIGHTLY='--threshold 0.1%' CHORALE_REPORTS=n3 \
        "$t/nightly.sh" night three >out.txt 2>err.txt
    is $? 1 "a slower one is red"
    like "$(cat n3/junit.xml)" '<testsuite .*failures="[1-9]' "in its report"
    "$chorale" baseline set nightly night/perf.db --label three >/dev/null
    like "$("$chorale" baseline list night/perf.db)" \
        '^nightly .* 1 campaign, label three$' "unless it is accepted"
else
    skip "no SimGrid" "compare.sh and nightly.sh"
fi
finish
