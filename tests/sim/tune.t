#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tune on a simulated LogGP cluster writes all products, and reproduces them
# from scratch. tune_all.t checks the choices of all collectives.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"

platform "$work/flat.xml" 0.5 1250000000 16
tune() { # folder
    mkdir -p "$work/$1"
    (cd "$work/$1" &&
         timeout 3000 "$chorale" tune sim.db --launcher smpirun \
             --platform ../flat.xml --network loggp -m 8:32K:x16 -P 4,7 \
             -c bcast,allreduce,gatherv,barrier \
             >out.txt 2>err.txt)
}

tune a
ok $? "tune runs to the end"
is "$(cat "$work/a/err.txt")" "" \
    "tune prints nothing to standard error when piped"
# By default it measures until 0.5 % is expected to be lost. Which end it comes to
# depends on the version of SimGrid.
end=$(sed -n 's/.*expected to lose \([0-9.]*\) %.*/\1/p' "$work/a/out.txt" |
    awk '{ print ($1 > 0.5 ? "its time" : "measuring") }')
like "$(cat "$work/a/out.txt")" \
    "measured for .* of 360 s; the table is expected to lose [0-9.]* % .*, [0-9.]* \
% after half of the rounds; no further point is worth $end" \
    "tune states what it spent, the loss that is expected to remain, how it fell, \
and whether more time is useful"
for f in sim.db sim-dispatch.c sim-dispatch.h sim-summary.md sim-plots/bcast_P7.png; do
    [ -s "$work/a/$f" ]
    ok $? "$f is written"
    grep -q "sim-${f#sim-}\|sim.db\|sim-plots" "$work/a/out.txt"
    ok $? "$f is named in the output"
done
db=$work/a/sim.db
is "$(sqlite3 "$db" "SELECT sum(planned) = sum(done) FROM v_progress")" 1 \
    "all planned runs are done"
is "$(sqlite3 "$db" "SELECT count(*) FROM run JOIN cell USING (cell_id)
    WHERE provider = 'chorale' AND status NOT IN ('ok', 'inapplicable')")" 0 \
    "no variant is wrong"
# The summary covers the whole table, with units.
page=$(cat "$work/a/sim-summary.md")
n=$(sqlite3 "$db" "SELECT count(*) FROM decision WHERE provider <> 'library'
    AND target = 'dispatch' AND NOT (4 BETWEEN comm_size AND comm_size_hi
    OR 7 BETWEEN comm_size AND comm_size_hi)")
like "$page" "Between the measured process counts the table has $n more range" \
    "the summary counts the ranges between measured process counts"
is "$(printf '%s\n' "$page" | grep -c '^| [0-9-]* |')" \
    "$(sqlite3 "$db" "SELECT count(*) FROM decision WHERE
    target = 'dispatch' AND (4 BETWEEN comm_size AND comm_size_hi
    OR 7 BETWEEN comm_size AND comm_size_hi)")" \
    "the summary has each row with a measured process count"
like "$page" '. overlapped . any .* . largest messages sent side by side .' \
    "the summary describes the port model"
! printf '%s\n' "$page" | grep -E '^. (gap|alpha|[a-z]*_overhead)' | grep -q /B
ok $? "only times per byte have the unit /B"
# A question that a user asks with the sqlite3 shell.
like "$(sqlite3 "$db" "SELECT variant, speedup FROM v_best
    WHERE coll = 'bcast' AND msg_size = 2048 AND comm_size = 7")" \
    '^[a-z_]+\|[0-9.]+$' "v_best answers in one SELECT"
$CC -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -c \
    -o "$work/a/t.o" "$work/a/sim-dispatch.c"
ok $? "the dispatch file compiles alone"

tune b
ok $? "tune runs again from scratch"
cmp -s "$work/a/sim-dispatch.c" "$work/b/sim-dispatch.c"
ok $? "the dispatch file is the same to the byte"
cmp -s "$work/a/sim-dispatch.h" "$work/b/sim-dispatch.h"
ok $? "the header is the same to the byte"
# The heading names the last campaign, however many started in its second.
cp "$work/b/sim.db" "$work/b/second.db"
sqlite3 "$work/b/second.db" "UPDATE campaign SET
    created = '2020-01-01T00:00:00Z', uuid = printf('%036d', campaign_id)"
"$chorale" generate "$work/b/second.db" -o "$work/b/second.c" >"$work/out.txt" 2>&1
is "$(grep '^ \* Campaign' "$work/b/second.c")" \
    "$(sqlite3 "$work/b/second.db" "SELECT ' * Campaign  ' || max(uuid)
        FROM campaign WHERE NOT validates HAVING count(*) > 1")" \
    "a table of several campaigns of one second names the last"
sqlite3 "$work/b/second.db" "UPDATE campaign SET seed = 1000 + campaign_id"
last=$(sqlite3 "$work/b/second.db" "SELECT max(seed) FROM campaign
    WHERE NOT validates")
"$chorale" validate "$work/b/second.db" -q >"$work/out.txt" 2>&1 ||
    diag "$(cat "$work/out.txt")"
is "$(sqlite3 "$work/b/second.db" "SELECT seed FROM campaign
    ORDER BY campaign_id DESC LIMIT 1")" $((last + 1)) \
    "validate measures with the settings of the last"
table="SELECT coll, comm_size, ppn, shape, dtype, op, n_lo, n_hi, provider,
    variant, params, basis, seconds, speedup, reason FROM decision ORDER BY 1, 2, 7"
is "$(sqlite3 "$work/a/sim.db" "$table" | cksum)" \
    "$(sqlite3 "$work/b/sim.db" "$table" | cksum)" \
        "the decision table is the same"
before=$(sqlite3 "$db" "SELECT count(*) FROM run")
tune a
ok $? "tune on a finished database exits with 0"
is "$(sqlite3 "$db" "SELECT count(*) FROM run")" "$before" \
    "tune on a finished database measures no run"
finish
