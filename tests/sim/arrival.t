#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# An application whose ranks arrive late and meet again after the collective is
# faster with the table decided by arrival patterns than with the one for ranks
# that arrive together. The table comes from `chorale`, the time from the
# application (late_app.c). Both are in simulated time, which is exact.
. "$(dirname "$0")/../lib.sh"
program=$top_builddir/tests/sim/late_app_sim
[ -e "$program" ] || skip_all "built without SimGrid"

ranks=16
m=2560 # allreduce; recursive doubling wins if all ranks arrive together
steps=100
platform "$work/flat.xml" 0.5 1250000000 $ranks
for i in $(seq 0 15); do echo "n$i"; done >"$work/hosts"
app() { # pattern, skew in us, meets, variants: prints a variant and its time
    pattern=$1
    skew=$2
    meets=$3
    shift 3
    timeout 3000 smpirun -np $ranks -hostfile "$work/hosts" \
        -platform "$work/flat.xml" --log=root.threshold:error \
        --cfg=smpi/simulate-computation:no --cfg=smpi/host-speed:1Gf \
        --cfg=smpi/wtime:0 --cfg=smpi/privatization:no \
        --cfg=contexts/stack-size:512 --cfg=surf/precision:1e-12 \
        --cfg=network/model:CM02 --cfg=network/crosstraffic:0 \
        --cfg=network/TCP-gamma:1e15 \
        --cfg=smpi/send-is-detached-thresh:2147483647 \
        --cfg=smpi/async-small-thresh:2147483647 --cfg=smpi/os:0:3e-7:0 \
        --cfg=smpi/ois:0:3e-7:0 --cfg=smpi/or:0:2e-7:0 \
        --cfg=smpi/coll-selector:mpich \
        "$program" allreduce $m "$pattern" "$skew" $steps \
        "$meets" "$@" \
        2>"$work/err.txt" </dev/null || sed 's/^/# /' "$work/err.txt"
}

# What CHORALE_TRACE writes for this application: its last rank is 20 us late.
cat >"$work/app.trace" <<EOF
chorale-trace 2
mpi MPICH Version: 4.0.2
program late_app
started 2026-01-31T12:00:00Z
comm_size $ranks
ranks $ranks
wall_seconds 0.11 0.11
unlisted 0 0
columns coll n comm_size shape type op root ran rank_calls calls seconds max_seconds skew late trend latest
allreduce $m $ranks one-per-node double sum - library 1600 100 0.05 0.004 2e-05 0.0625 0.33 15
end 1
EOF
db=$work/a.db
{
    "$chorale" import "$db" "$work/app.trace" -q &&
        "$chorale" plan "$db" -q --launcher smpirun \
            --platform "$work/flat.xml" --network loggp --from-trace \
            --arrival traced,robust &&
        timeout 3000 "$chorale" run "$db"
} >"$work/out.txt" 2>"$work/err.txt" || sed 's/^/# /' "$work/err.txt"
is "$(sqlite3 "$db" "SELECT group_concat(arrival, ' ') FROM (SELECT DISTINCT
    arrival FROM cell ORDER BY arrival)")" \
    "ascending:1 last:1 last:20us sync" \
    "a plan from a trace has the trace's arrival pattern"
is "$(sqlite3 "$db" "SELECT group_concat(DISTINCT round(1e6 * skew, 3)) FROM run
    JOIN cell USING (cell_id) WHERE arrival = 'last:20us'")" 20.0 \
    "the last rank is late by the delay in microseconds"
choice() { # arrival: NAME[:PARAMETERS] of the table
    "$chorale" decide "$db" --arrival "$1" >/dev/null 2>"$work/say.txt"
    sqlite3 "$db" "SELECT CASE provider WHEN 'library' THEN 'library' ELSE
        variant || iif(params = '', '', ':' || params) END FROM decision"
}
sync=$(choice sync)
traced=$(choice traced)
like "$(cat "$work/say.txt")" '1 of 1 point is decided by arrival traced$' \
    "decide reports how many points have the traced pattern"
"$chorale" validate "$db" >"$work/out.txt" 2>"$work/err.txt"
is "$? $(sqlite3 "$db" "SELECT arrival, speedup > 1, slower FROM validation")" \
    "0 last:20us|1|0" "a traced table is validated in the traced pattern"
robust=$(choice robust)
[ "$sync" != "$robust" ] && [ "$sync" != "$traced" ] && [ -n "$traced" ]
ok $? "tables differ: sync $sync, traced $traced, robust $robust"
is "$(sqlite3 "$db" "SELECT arrival FROM v_decision")" robust \
    "the table names the patterns that decided"
"$chorale" generate "$db" -o "$work/t.c" >/dev/null 2>&1
is "$(grep -c -e 'decided by: --arrival=robust' -e 'arrival of ranks: robust' \
    "$work/t.c")" 2 "so does the heading of the C file"

faster() { # pattern, skew, meets, of the two variants the faster one, name
    app "$1" "$2" "$3" "$4" "$5" >"$work/times.txt"
    sed "s/^/# $1 $2 us, meets $3: /" "$work/times.txt"
    awk 'NR == 1 { a = $2 } NR == 2 { b = $2 }
        END { exit !(NR == 2 && a < b - 1e-3) }' "$work/times.txt"
    ok $? "$6"
}
faster last 20 1 "$robust" "$sync" \
    "last rank late by 20 us: the robust table is faster than the sync table"
faster last 20 1 "$traced" "$sync" \
    "last rank late by 20 us: the traced table is faster than the sync table"
faster ascending 20 1 "$robust" "$sync" \
    "ranks late in order: the robust table is faster than the sync table"
faster sync 0 1 "$sync" "$robust" \
    "all ranks together: the sync table is faster than the robust table"
# A limit of the tables (MEASURING.md): if ranks do not meet, the late rank's
# own time matters, not the time until the last rank is out.
faster last 20 0 "$sync" "$robust" \
    "ranks that do not meet: the sync table is faster"
finish
