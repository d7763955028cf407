#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `chorale ab`: two sides measured in turn. Exact results are checked in
# simulation. For real runs only their order and plan are checked, and a delay
# larger than any noise.
. "$(dirname "$0")/../../lib.sh"
chorale=$(cd "$top_builddir" && pwd)/chorale
shim=$(cd "$top_builddir" && pwd)/.libs/libchorale_pmpi.so
top=$(cd "$top_srcdir" && pwd)
cd "$work" || exit 99
unset CHORALE_DISPATCH CHORALE_AFTER CHORALE_SITE
sql() { sqlite3 "$1" "$2"; }

# Bad options: the error is one line with the reason.
bad() { # exit code, pattern, options...
    code=$1 pattern=$2
    shift 2
    "$chorale" ab "$@" >out.txt 2>err.txt
    is $? "$code" "$*: exit $code"
    is "$(grep -c . err.txt)" 1 "$*: the error is one line"
    like "$(cat err.txt)" "$pattern" "$*: the error gives the reason"
}
bad 2 '--base A=1: unknown side' --base A=1 --head this
bad 2 '--head shell:ls: unknown side' --base this --head shell:ls
bad 2 'env:1A=2: .1A=2. is no NAME=VALUE' --base this --head env:1A=2
bad 2 'env:A=1 B: .B. is no NAME' --base this --head 'env:A=1 B'
bad 2 'cannot be split into words' --base this --head "with:echo 'a"
bad 2 'cannot be split into words' --base this --head "with:echo \$(touch bad)"
for word in LD_PRELOAD=/nowhere/libchorale_pmpi.so CHORALE_FORCE=bcast=linear \
    CHORALE_DISPATCH=/t.so; do
    bad 2 ".${word%%=*}. has no effect .*; name a table with table:FILE.so" \
        --base this --head "env:A=1 $word"
    bad 2 ".${word%%=*}. has no effect" --base "with:env $word" --head this
done
bad 3 'table:none.so: No such file' --base this --head table:none.so
bad 2 'one program; a command in front' --base this --head "build:$chorale -v"
bad 3 'no program no-such-one in PATH' --base this --head with:no-such-one
bad 2 '--adaptive: both sides measure the same' --base this --head this \
    --adaptive
bad 2 "--label: a side's label is its SIDE text" --base this --head this --label x
bad 2 '--fail-on red: unknown' --base this --head this --fail-on red
bad 2 'one word too many' --base this --head this a b
[ ! -e bad ] && [ -z "$(ls -- *.db 2>/dev/null)" ]
ok $? "bad options run no command and make no file"

# A shim that is preloaded into chorale itself has no effect either.
LD_PRELOAD=/nowhere/libchorale_pmpi.so:/nowhere/other.so CHORALE_TRACE=t \
    "$chorale" plan forget.db -c bcast -m 8 -P 2 -q 2>err.txt
is "$? $(grep -c '^chorale: LD_PRELOAD: the shim is removed, .*table:FILE.so' \
    err.txt) $(grep -c '^chorale' err.txt)" "0 1 1" \
    "a command under the shim reports that it removes the shim"
CHORALE_TRACE=t "$chorale" plan forget.db -c bcast -m 16 -P 2 -q 2>err.txt
is "$? $(cat err.txt)" "0 " "variables of an absent shim are no message"
rm forget.db

# Sides that do not do what a side must.
bad 3 '--head with:false: its plan failed without a message' --base this \
    --head with:false -c bcast -m 8 -P 2
rm -f ab-*-base.db
bad 3 '--head build:true: it succeeded without planning anything' --base this \
    --head build:true -c bcast -m 8 -P 2
rm -f ab-*-base.db
bad 2 '--base this: --collectives beast: unknown' --base this --head this -c beast -P 2

if "$chorale" --version | grep -q simgrid=yes; then
    platform p1.xml 1 1250000000 4
    platform p2.xml 1.001 1250000000 4
    cat >slower.sh <<'END'
#!/bin/sh
# Plans on a network that is 0.1 % slower.
for word; do
    shift
    [ "$word" != --platform=p1.xml ] || word=--platform=p2.xml
    set -- "$@" "$word"
done
exec "$@"
END
    cat >log.sh <<'END'
#!/bin/sh
# log.sh NAME COMMAND...: log NAME's turn and run the command.
name=$1
shift
[ "$2" != run ] || echo "$name" >>turns.txt
exec "$@"
END
    cat >stop.sh <<'END'
#!/bin/sh
# Interrupt the command above once, at base's second launch.
[ "$2" != run ] || echo base >>turns.txt
if [ "$2" = run ] && [ "$(grep -c base turns.txt)" -eq 2 ] && [ ! -e stopped ]; then
    touch stopped
    kill -TERM "$PPID"
    sleep 600 # until it is ended
fi
exec "$@"
END
    chmod +x slower.sh log.sh stop.sh
    set -- --launcher smpirun --platform p1.xml --network hockney --system sim \
        -c bcast,scatter -m 16K,64K -P 4

    out=$("$chorale" ab --base this --head this "$@" aa 2>err.txt)
    is $? 0 "equal sides exit with 0"
    like "$out" '^[1-9][0-9]* same, of [0-9]+ cells: green$' \
        "equal sides: all cells are the same"
    like "$(cat err.txt)" '^chorale: aa-base.db .this. and aa-head.db .this. are measured in turn$' \
        "ab prints what it measures"
    for db in aa-base aa-head; do
        is "$(sql $db.db 'SELECT sum(planned) = sum(done), sum(done) > 0
            FROM v_progress')" "1|1" "$db.db is complete"
    done
    is "$(sql aa-head.db 'SELECT label FROM campaign')" this \
        "a campaign is labelled with its side"
    out=$("$chorale" ab --base this --head this "$@" aa 2>/dev/null)
    is $? 0 "the same command exits with 0 once all is measured"
    is "$(sql aa-base.db 'SELECT count(*) FROM launch')" 1 "it starts no launch"
    bad 2 'aa-head.db: it has another plan .*name another prefix' --base this \
        --head env:A=1 "$@" aa
    bad 2 'aa-base.db: it has another plan' --base this --head this "$@" \
        --seed 2 aa

    # Without a prefix each pair of sides and each plan has its own files.
    mkdir own && cp p1.xml own/
    for head in this env:A=1 "this --seed 2" this; do
        # shellcheck disable=SC2086
        (cd own && "$chorale" ab --base this --head $head "$@" \
            >/dev/null 2>>err.txt)
        is $? 0 "--head $head without a prefix exits with 0"
    done
    is "$(ls own/ab-????????-base.db | wc -l) $(ls own/ab-????????-head.db |
        wc -l)" "3 3" "other sides or options are measured into other files"
    like "$(tail -n 1 own/err.txt)" \
        '^chorale: ab-[0-9a-f]{8}-base.db .this. and ab-[0-9a-f]{8}-head.db .this. are measured' \
        "ab names the files"

    out=$("$chorale" ab --base this --head with:./slower.sh "$@" slow 2>/dev/null)
    is $? 1 "a slower head exits with 1"
    like "$out" '^slower +\+0\.[0-9]+ %.* bcast binomial' \
        "the slower cell is named"
    out=$("$chorale" ab --base with:./slower.sh --head this "$@" fast \
        --format json 2>/dev/null)
    is $? 0 "a faster head exits with 0"
    is "$(printf '%s' "$out" | python3 -c 'import json, sys
print({c["verdict"] for c in json.load(sys.stdin)["cells"]})')" "{'faster'}" \
        "a faster head is reported faster"
    "$chorale" ab --base this --head with:./slower.sh "$@" within \
        --threshold 1% >/dev/null 2>&1
    is $? 0 "a difference below --threshold exits with 0"
    "$chorale" ab --base this --head "build:$chorale" "$@" b --format junit \
        -o b.xml 2>/dev/null
    is $? 0 "a side may be the program of another build"
    like "$(cat b.xml)" '<testsuite .*failures="0"' \
        "the JUnit report has no failure"
    bad 2 'no table can be preloaded in a simulation' --base this \
        --head "table:$shim" "$@"

    # The order of four launches per side.
    shift 12
    set -- --launcher smpirun --platform p1.xml --network hockney --system sim \
        -c bcast --variants binomial -m 1K -P 2 --launches 4
    "$chorale" ab --base 'with:./log.sh base' --head 'with:./log.sh head' "$@" \
        turns >/dev/null 2>&1
    is $? 0 "four launches per side exit with 0"
    is "$(tr '\n' ' ' <turns.txt)" "base head head base base head head base " \
        "sides alternate, and the first side changes"
    rm turns.txt
    "$chorale" ab --base with:./stop.sh --head 'with:./log.sh head' "$@" stop \
        >out.txt 2>err.txt
    is $? 75 "stopped: exit 75"
    like "$(tail -n 1 err.txt)" 'stopped; repeat the command to continue' \
        "which it says"
    is "$(sql stop-base.db "SELECT count(*) FROM launch WHERE status = 'done'") $(
        sql stop-head.db "SELECT count(*) FROM launch WHERE status = 'done'")" \
        "1 2" "base has one launch fewer"
    out=$("$chorale" ab --base with:./stop.sh --head 'with:./log.sh head' "$@" \
        stop 2>/dev/null)
    is $? 0 "the same command resumes"
    is "$(tr '\n' ' ' <turns.txt)" \
        "base head head base base base head head base " \
            "it resumes with the interrupted launch"
    like "$out" ' same, of [0-9]+ cells: green$' \
        "the resumed comparison is complete"
else
    skip "no SimGrid" "simulated sides"
fi

# Real runs: each library broadcast takes 30 ms longer in head.
cat >slow.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>
int PMPI_Bcast(void *buf, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    static int (*next)(void *, int, MPI_Datatype, int, MPI_Comm);

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Bcast");
    usleep(30000);
    return next(buf, n, type, root, comm);
}
END
"${MPICC:-mpicc.mpich}" -shared -fPIC -o slow.so slow.c -ldl &&
    ! nm -D "$shim" | grep -q '__[aut]*san_'
if [ $? -eq 0 ]; then
    set -- -c bcast -m 8 -P 2 --variants linear --launches 5 -i 5 \
        --min-iterations 2 --cell-time 0.01 --sync barrier -x 0 --again 10
    out=$(timeout 900 "$chorale" ab --base this \
        --head "env:LD_PRELOAD=$work/slow.so" "$@" real 2>err.txt)
    is $? 1 "30 ms longer exits with 1"
    like "$out" '^slower .* bcast library; m = 8 B, P = 2.*measured again ([89]|10) times' \
        "the slower library broadcast is named"
    like "$out" '^note: 1 setting differs: LD_PRELOAD: not set in base, .* in head' \
        "the differing environment variable is reported"
    like "$(cat err.txt)" 'cells? looks? slower; 10 launches of each are planned in real-base.db and real-head.db' \
        "slower cells are remeasured on both sides"
    is "$(for db in real-base real-head; do sql $db.db 'SELECT batch, again,
        count(*), sum(l.status = '"'done'"') FROM launch l JOIN campaign USING
        (campaign_id) GROUP BY again'; done | tr '\n' ' ')" \
        "8|0|5|5 8|1|10|10 8|0|5|5 8|1|10|10 " \
        "both sides have the same batch and all runs"
    is "$(sql real-base.db "SELECT count(*), sum(CAST(value AS REAL)
        BETWEEN 1e-13 AND 1e-6)
        FROM environment WHERE key = 'copy_beta_s'")" "15|15" \
        "each launch stores the time of a copied byte"
    for db in real-base real-head; do
        sql $db.db "SELECT started FROM launch ORDER BY launch_id" >$db.txt
    done
    is "$(paste real-base.txt real-head.txt | awk '{
            first = NR <= 5 ? NR : NR - 5
            a = first % 2 ? $1 : $2; b = first % 2 ? $2 : $1
            if (a < last || b < a) bad++
            last = b
        } END { print NR, bad + 0 }')" "15 0" \
        "launches alternate, and the first side changes"
else
    skip "no preloads here" "a real slowdown"
fi

# Launches that are too few: no verdict, and the repeated command measures more.
if command -v "$MPIEXEC" >/dev/null 2>&1; then
    set -- -c bcast -m 80 -P 2 --providers library --launches 2 -i 5 \
        --min-iterations 2 --cell-time 0.01 --sync barrier
    timeout 900 "$chorale" ab --base this --head this "$@" few >out.txt 2>err.txt
    is $? 75 "two launches of each side give no verdict"
    like "$(tail -n 1 err.txt)" '^chorale: no verdict: too few launches count.*; repeat the command to measure more launches$' \
        "the last line has the reason and the remedy"
    is "$(for db in few-base few-head; do sql $db.db 'SELECT count(*) FROM launch'
        done | tr '\n' ' ')" "2 2 " "two launches of each are made"
    timeout 900 "$chorale" ab --base this --head \
        env:MPIR_CVAR_BCAST_INTRA_ALGORITM=binomial "$@" other >out.txt 2>err.txt
    if "${MPICC:-mpicc.mpich}" -show | grep -qi mpich; then
        like "$(cat err.txt)" 'has no variable MPIR_CVAR_BCAST_INTRA_ALGORITM; did you mean MPIR_CVAR_BCAST_INTRA_ALGORITHM\?' \
            "a variable that the library lacks is named"
    fi
    timeout 900 "$chorale" ab --base this --head this "$@" few >out.txt 2>err.txt
    like "$(cat err.txt)" 'no cell has a verdict yet: as many launches again' \
        "the repeated command measures as many again"
    is "$(for db in few-base few-head; do sql $db.db 'SELECT count(*) FROM launch'
        done | tr '\n' ' ')" "4 4 " "four launches of each are made"
else
    skip "no $MPIEXEC" "launches that are too few"
fi

# A table as a side, and one that cannot be loaded.
if [ -f "$shim" ] && ! nm -D "$shim" | grep -q '__[aut]*san_' &&
    "$CC" -shared -fPIC -I"$top" -o table.so "$top/tests/shim/table.c"; then
    set -- -c bcast -m 80 -P 2 --launches 1 -i 5 --min-iterations 2 \
        --cell-time 0.01 --sync barrier
    timeout 900 "$chorale" ab --base this --head table:./table.so "$@" \
        --fail-on none t >out.txt 2>err.txt
    is $? 0 "a table as a side exits with 0"
    is "$(for db in t-base t-head; do sql $db.db "SELECT provider, r.status,
        reason, (SELECT count(*) FROM environment WHERE key = 'env:LD_PRELOAD'
        AND value LIKE '%libchorale_pmpi.so%') FROM run r JOIN cell USING
        (cell_id)"; done | tr '\n' ' ')" "library|ok||0 library|ok||1 " \
        "only that side runs the library's default through the shim"
    echo "no table" >bad.so
    timeout 900 "$chorale" ab --base this --head table:./bad.so "$@" u \
        >out.txt 2>err.txt
    is $? 1 "a table that cannot be loaded exits with 1"
    like "$(sql u-head.db 'SELECT r.status, reason FROM run r')" \
        '^inapplicable.the shim serves no table' "its runs have the reason"
    bad 2 'leave --variants and --set out' --base this --head table:./table.so \
        "$@" --set all
else
    skip "no shim" "a table as a side"
fi
finish
