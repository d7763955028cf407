#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The main job on a simulated LogGP cluster: all products are there, and twice
# from scratch they are the same.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"

platform "$work/flat.xml" 0.5 1250000000 16
tune() { # folder
    mkdir -p "$work/$1"
    (cd "$work/$1" &&
         timeout 300 "$chorale" tune sim.db --launcher smpirun \
             --platform ../flat.xml --network loggp -m 8:32K:x16 -P 4,7,16 \
             >out.txt 2>err.txt)
}

tune a
ok $? "tune runs to the end"
is "$(cat "$work/a/err.txt")" "" "it says nothing on standard error when piped"
for f in sim.db sim-dispatch.c sim-dispatch.h sim-summary.md sim-plots/bcast_P16.png; do
    [ -s "$work/a/$f" ]
    ok $? "$f is written"
    grep -q "sim-${f#sim-}\|sim.db\|sim-plots" "$work/a/out.txt"
    ok $? "and named at the end"
done
db=$work/a/sim.db
is "$(sqlite3 "$db" "SELECT sum(planned) = sum(done) FROM v_progress")" 1 \
    "all that was planned is done"
is "$(sqlite3 "$db" "SELECT count(*) FROM run JOIN cell USING (cell_id)
    WHERE provider = 'chorale' AND status NOT IN ('ok', 'inapplicable')")" 0 \
    "no variant is wrong"
is "$(sqlite3 "$db" "SELECT count(DISTINCT coll) FROM decision")" 16 \
    "every collective is decided"
is "$(sqlite3 "$db" "SELECT count(*) > 0 FROM decision WHERE provider = 'chorale'")" 1 \
    "some choice beats the library"
# The page for people tells of all of it, in the units that things have.
page=$(cat "$work/a/sim-summary.md")
n=$(sqlite3 "$db" "SELECT count(*) FROM decision WHERE provider <> 'library'
    AND target = 'dispatch' AND comm_size NOT IN (4, 7, 16)")
like "$page" "Between the measured process counts the table has $n more ranges" \
    "the summary says how much lies between the measured process counts"
is "$(printf '%s\n' "$page" | grep -c '^| [0-9]* |')" \
    "$(sqlite3 "$db" "SELECT count(*) FROM decision WHERE
    target = 'dispatch' AND comm_size IN (4, 7, 16)")" \
    "and has each row of the measured ones"
like "$page" 'overlapped: sends and receives ' "ports are told of in words"
! printf '%s\n' "$page" | grep -E '^- (gap|alpha|[a-z]*_overhead)' | grep -q /B
ok $? "what is no time of a byte is not called that"
# The choice at a measured point is the fastest one measured there, or costs no
# more than 1 % for the sake of fewer ranges; but where ranks do not know n.
is "$(sqlite3 "$db" "SELECT count(*) FROM v_best b JOIN decision d
    ON d.coll = b.coll AND d.comm_size = b.comm_size
    AND b.n BETWEEN d.n_lo AND d.n_hi
    JOIN v_summary s ON s.coll = b.coll AND s.comm_size = b.comm_size
    AND s.n = b.n AND s.variant = d.variant AND s.params = d.params
    WHERE s.seconds > b.seconds * 1.010001
    AND b.coll NOT IN ('gatherv', 'scatterv', 'alltoallv')")" 0 \
    "each choice is the fastest measured, or as good as that"
# There the choice of a process count is never slower than the library.
is "$(sqlite3 "$db" "SELECT count(*) FROM (SELECT 1 FROM decision
    WHERE coll IN ('gatherv', 'scatterv', 'alltoallv') AND basis <> 'modelled'
    GROUP BY coll, comm_size HAVING count(DISTINCT variant || params) > 1)")" 0 \
    "where ranks do not know the size, there is one choice for all sizes"
is "$(sqlite3 "$db" "SELECT count(*) FROM decision d
    JOIN v_summary s ON s.coll = d.coll AND s.comm_size = d.comm_size
     AND s.variant = d.variant AND s.params = d.params
     AND s.provider = d.provider AND s.n BETWEEN d.n_lo AND d.n_hi
    JOIN v_summary l ON l.coll = s.coll AND l.comm_size = s.comm_size
     AND l.n = s.n AND l.provider = 'library'
    WHERE s.seconds > l.seconds * 1.000001")" 0 \
    "no choice is slower than the library at a measured point"
# The question of a user with the sqlite3 shell.
like "$(sqlite3 "$db" "SELECT variant, speedup FROM v_best
    WHERE coll = 'bcast' AND msg_size = 2048 AND comm_size = 16")" \
    '^[a-z_]+\|[0-9.]+$' "v_best answers in one SELECT"
$CC -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -c \
    -o "$work/a/t.o" "$work/a/sim-dispatch.c"
ok $? "the dispatch file compiles alone"

tune b
ok $? "tune runs again from scratch"
cmp -s "$work/a/sim-dispatch.c" "$work/b/sim-dispatch.c"
ok $? "the dispatch file is the same to the byte"
cmp -s "$work/a/sim-dispatch.h" "$work/b/sim-dispatch.h"
ok $? "and so is its header"
table="SELECT coll, comm_size, ppn, shape, dtype, op, n_lo, n_hi, provider,
    variant, params, basis, seconds, speedup, reason FROM decision ORDER BY 1, 2, 7"
is "$(sqlite3 "$work/a/sim.db" "$table" | cksum)" \
    "$(sqlite3 "$work/b/sim.db" "$table" | cksum)" "the same decision table"
before=$(sqlite3 "$db" "SELECT count(*) FROM run")
tune a
ok $? "tune on a finished database goes through"
is "$(sqlite3 "$db" "SELECT count(*) FROM run")" "$before" \
    "and measures nothing again"
finish
