#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Plans that are refused because they would measure nothing meaningful, and
# cells that are planned again: a point is timed in one way, a launch measures
# in one way, and each launch has its own order of points.
. "$(dirname "$0")/../../lib.sh"
cd "$work" || exit 99

refused() { # what, pattern, options of plan...
    what=$1 pattern=$2
    shift 2
    err=$("$chorale" plan none.db "$@" 2>&1)
    is "$? $(printf '%s\n' "$err" | wc -l)" "2 1" \
        "$what: exits with 2 and one line"
    like "$err" "$pattern" "$what: the error gives the reason"
}

# Of many calls only the first would see the arrival pattern.
refused "throughput of late ranks" '--arrival last: .*throughput' \
    -P 2 --metric throughput --arrival last --batch 32
refused "batches of late ranks" '--arrival sync,last: .*--batch 32' \
    -P 2 --arrival sync,last --batch 32
refused "throughput of cold caches" '--buffers cold: .*throughput' \
    -P 2 --metric throughput --buffers cold
refused "batches in cold caches" '--buffers cold: .*--batch 32' \
    -P 2 --buffers cold --batch 32
# Options of simulations.
refused "a charge without simulation" '--charge-tau: only for simulations' \
    -P 2 --charge-tau 1e-9
refused "a selector without simulation" '--sim-selector: only for simulations' \
    -P 2 --sim-selector ompi
# Siblings of communicators with one rank, or without room for siblings.
refused "siblings of one rank" '--siblings 2: .*-P' -P 1 --siblings 2
refused "siblings of one rank among others" '--siblings 2: .*-P' \
    -P 1,2 --siblings alone,2
[ ! -e none.db ]
ok $? "refused plans make no database"

if [ -x "$top_builddir/chorale-runner-sim" ]; then
    platform flat.xml 0.5 1250000000 4
    sim="--launcher smpirun --platform flat.xml -P 2 -m 8 -c bcast"
    for words in '-i 5' '--min-iterations 5' '-x 0' '--width 1%' \
                 '--cell-time 1' --no-racing '--sync roundtime' \
                 '--sync window' '--buffers cold' '--buffers rotate'; do
        # shellcheck disable=SC2086
        refused "simulated, $words" 'has no effect in simulation' $sim $words
    done
    # shellcheck disable=SC2086
    "$chorale" plan sim.db $sim --sync barrier --buffers warm -q &&
        "$chorale" plan sim.db $sim -q && "$chorale" run sim.db -q
    ok $? "simulated: options with their default values are accepted"
    is "$(sqlite3 sim.db "SELECT group_concat(DISTINCT sync) FROM run
        WHERE status = 'ok'")" barrier \
            "simulated: runs store their synchronisation"
else
    skip "built without SimGrid" "simulated plans"
fi

# Options without an effect on the collectives are reported.
void() { # pattern, name, options...
    pattern=$1 name=$2
    shift 2
    err=$("$chorale" plan void.db --dry-run -q -P 2 --launches 6 "$@" 2>&1)
    like "$? $err" "^0 chorale: $pattern" "$name"
}
void '--root last has no effect.*barrier has a root$' "a root of barriers" \
    -c barrier --root last
void '-m 8 has no effect.*barrier moves data$' "sizes of barriers" \
    -c barrier -m 8
void '--op sum has no effect.*bcast reduces$' "an operation of bcast" \
    -c bcast -m 8 --op sum
err=$("$chorale" plan void.db --dry-run -q -P 2 --launches 6 \
    -c barrier,reduce -m 8 --op sum --root last 2>&1)
is "$? $err" "0 " "an option that affects one collective is not reported"

# Fewer launches give wider intervals.
one="-P 2 -m 8 -c bcast --variants linear"
said() { # launches
    # shellcheck disable=SC2086
    "$chorale" plan said.db $one --dry-run --launches "$1" | tail -n +2
}
like "$(said 1 2>/dev/null)" '^one launch has no 95 % interval; .*adds' \
    "--launches 1: a missing interval is announced"
like "$(said 2 2>/dev/null)" '^2 launches .* 8\.6 times as wide' \
    "--launches 2: the width of intervals is announced"
like "$(said 4 2>&1)" '^4 launches .* 1\.5 times as wide' \
    "--launches 4: the width of intervals is announced"
is "$(said 6 2>&1)" "" "--launches 6: no message"
for few in 1 2; do
    like "$(said $few 2>&1 >/dev/null)" \
        "^chorale: --launches $few: no table can come of it, .* needs 3 .*" \
        "--launches $few: a warning that no decision is possible"
done
is "$(said 3 2>&1 >/dev/null)" "" "--launches 3: no warning"
# shellcheck disable=SC2086
is "$("$chorale" plan said.db $one --dry-run --launches 2 -q 2>&1)" "" \
    "--quiet: no warning"

# Planning again: until a run is stored the last options count.
count() { sqlite3 r.db "SELECT $1"; }
plan() {
    "$chorale" plan r.db -q -P 2 -m 8 -c bcast --launches "${launches-2}" "$@"
}
plan --variants linear --batch 3 --sync barrier -i 5
err=$(plan --variants linear --batch 2 --sync barrier -i 5 2>&1)
ok $? "a plan without runs can be changed"
like "$err" 'planned with --batch 3 have --batch 2 from now on' \
    "a changed plan is reported"
err=$(plan --variants linear --batch 2 --sync barrier -i 5 2>&1)
is "$err" "" "an unchanged plan prints no message"
# Long lists with a common beginning are different lists.
long=$(printf 'sde:::chorale::messages,%.0s' 1 2 3 4)
plan --variants linear --batch 2 --sync barrier -i 5 --counters "${long}a" \
    2>/dev/null
err=$(plan --variants linear --batch 2 --sync barrier -i 5 \
    --counters "${long}b" 2>&1 | grep 'planned with')
like "$err" "with --counters ${long}a have --counters ${long}b" \
    "counters that differ only at the end of a long list are different"
plan --variants linear --batch 2 --sync barrier -i 5 2>/dev/null
cells=$(count "count(*) FROM cell")
err=$(plan --variants binomial --batch 4 --sync barrier -i 5 2>&1)
is $? 2 "another variant of the same point, timed in another way, is refused"
like "$err" 'planned there with --sync barrier and --batch 2.*another database' \
    "the error names the planned options and the remedy"
is "$(count "count(*) FROM cell") $(count "count(*) FROM campaign")" \
    "$cells 6" "a refused plan stores no cell or campaign"
plan --variants linear,binomial --batch 2 -i 5
ok $? "the same cells and more can be planned with another --sync"
plan --variants linear,binomial --batch 2 --sync barrier -i 5
# Equal candidates are planned once, under the simplest name.
"$chorale" plan equal.db -q -P 1,2,5 -m 1K -c bcast,reduce --launches 6
names() { # database, condition
    sqlite3 "$1" "SELECT group_concat(variant, ' ') FROM (SELECT DISTINCT
        variant FROM cell WHERE provider = 'chorale' AND $2 ORDER BY 1)"
}
is "$(sqlite3 equal.db "SELECT group_concat(DISTINCT provider), count(*)
    FROM cell WHERE comm_size = 1")" "library|2" \
    "one rank: only the library is planned"
is "$(sqlite3 equal.db "SELECT count(*) FROM cell WHERE coll = 'bcast' AND
    comm_size = 2 AND variant IN ('binary', 'knomial', 'pipeline') AND
    params LIKE '%segsize=0'") $(names equal.db "coll = 'bcast' AND
    comm_size = 2 AND params = 'segsize=0'")" "0 binomial" \
    "two ranks: whole messages of all trees are planned as binomial"
like "$(names equal.db "coll = 'bcast' AND comm_size = 5")" \
    'binary binomial.* knomial pipeline' "five ranks: different trees are planned"
"$chorale" plan named.db -q -P 1,2 -m 1K -c bcast --launches 6 --set core \
    --variants binary,binomial,knomial
is "$(names named.db 'comm_size = 1')/$(names named.db 'comm_size = 2')" \
    "binary binomial knomial/binary binomial knomial" \
    "named variants are planned as named"
quick='-P 1,2 -m 8:512K:x4 --launches 6'
quick="$quick -c bcast,reduce,allreduce,reduce_scatter_block,gather,scatter"
# shellcheck disable=SC2086
"$chorale" plan quick.db -q $quick,allgather
few=$(sqlite3 quick.db 'SELECT count(*) FROM cell')
[ "$few" -le 450 ]
ok $? "the core set of the quick start on two processors has at most 450 cells \
($few)"
command -v "$MPIEXEC" >/dev/null 2>&1 || { finish; exit; }

# Two compatible plans: each has its own launches.
"$chorale" plan r.db -q -P 2 -m 64 -c bcast --launches 2 --batch 5 \
    --sync barrier --variants linear -i 7 --min-iterations 7
timeout 900 "$chorale" run r.db -q
ok $? "two plans of one database run"
is "$(count "group_concat(w, ' ') FROM (SELECT DISTINCT c.msg_size || ':' ||
    r.batch || ':' || k.nrep_max || ':' || l.ordinal AS w FROM run r
    JOIN cell c USING (cell_id) JOIN launch l USING (launch_id)
    JOIN campaign k ON k.campaign_id = l.campaign_id ORDER BY 1)")" \
    "64:5:7:0 64:5:7:1 8:2:5:0 8:2:5:1" \
    "each cell is measured by its own plan"
is "$(count "count(*) FROM launch")" 4 "each plan has its own launches"
err=$(plan --variants linear --batch 3 --sync barrier -i 5 2>&1)
like "$? $err" '^2 .*d there with --sync barrier and --batch 2' \
    "a measured cell cannot be planned with other options"
err=$(plan --variants binomial --batch 2 -i 5 2>&1)
like "$? $err" '^2 .*with --sync barrier' \
    "a measured point cannot be planned with other options"
launches=3
err=$(plan --variants linear --batch 2 --sync barrier -i 9 2>&1)
ok $? "more launches and repetitions can be planned"
like "$err" 'planned with --iterations 5 .*have --iterations 9 .*before stays' \
    "the changed options are reported"
timeout 900 "$chorale" run r.db -q
is "$(count "group_concat(w, ' ') FROM (SELECT DISTINCT k.nrep_max || ':' ||
    l.ordinal AS w FROM run r JOIN cell c USING (cell_id)
    JOIN launch l USING (launch_id) JOIN campaign k
    ON k.campaign_id = l.campaign_id WHERE c.variant = 'linear'
    AND c.msg_size = 8 ORDER BY 1)")" "5:0 5:1 9:2" \
    "the remaining launches follow the new plan"

# The order of points is random for each launch, by the campaign's seed.
order() { # database, ordinal
    sqlite3 "$1" "SELECT group_concat(msg_size) FROM (SELECT c.msg_size,
        min(r.run_id) AS first FROM run r JOIN cell c USING (cell_id)
        JOIN launch l USING (launch_id) WHERE l.ordinal = $2
        GROUP BY c.msg_size ORDER BY first)"
}
for name in a b; do
    "$chorale" plan $name.db -q -P 2 -m 8:2K -c bcast --variants linear \
        --launches 2 -i 2 --seed 7
    timeout 900 "$chorale" run $name.db -q
done
is "$(order a.db 0 | tr , '\n' | sort -n | paste -sd , -)" \
    8,16,32,64,128,256,512,1024,2048 "all points are measured"
[ "$(order a.db 0)" != 8,16,32,64,128,256,512,1024,2048 ] &&
    [ "$(order a.db 0)" != "$(order a.db 1)" ]
ok $? "each launch has its own order of points"
is "$(order b.db 0) $(order b.db 1)" "$(order a.db 0) $(order a.db 1)" \
    "the seed reproduces the orders"
diag "$(order a.db 0)"
# A range whose steps miss its end is reported, once per option.
range() { # options of plan
    "$chorale" plan ranges.db --dry-run -c bcast "$@" | grep ' stops at '
}
is "$(range -m 8:1K:x8 -P 1,2)" \
    "-m 8:1K:x8 stops at 512; write -m 8:1K:x8,1K to have 1K measured, too" \
    "sizes that miss their end are reported"
is "$(range -m 8:1K:x8,1K -P 2:7)" \
    "-P 2:7 stops at 4; write -P 2:7,7 to have 7 measured, too" \
    "process counts that miss their end are reported, completed ranges not"
is "$(range -m 8:1K:x8,1K -P 2:8) $(range -m 8:1K:x8 -P 2:7 -q)" " " \
    "complete ranges and --quiet print no message"
finish
