#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tune --arrival robust measures late ranks, decides by the largest loss over the
# arrival patterns, and validates its table by the same rule. At 2560 bytes the
# robust choice is slower than the library if all ranks enter together.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"

CHORALE_DATADIR=$top_srcdir/plots
export CHORALE_DATADIR
cd "$work" || exit 99
platform flat.xml 0.5 1250000000 16
grid="--launcher smpirun --platform flat.xml --network loggp -c allreduce
    -m 2560,10240 -P 16"
run() { timeout 3000 "$chorale" "$@" >out.txt 2>err.txt; }
sql() { sqlite3 a.db "$1"; }
row() { # columns of the table at 2560 bytes
    sql "SELECT $1 FROM decision WHERE 2560 BETWEEN n_lo AND n_hi"
}
validated() { # columns of the last validation at 2560 bytes
    sql "SELECT $1 FROM validation WHERE n = 2560 AND digest = (SELECT digest
        FROM validation ORDER BY validation_id DESC LIMIT 1)"
}
# shellcheck disable=SC2086
run tune a.db $grid --set core
is "$? $(row arrival)" "0 sync" "a table without --arrival is decided by sync"
run decide a.db --arrival robust -q
is "$(cat err.txt)" "chorale: a.db: system flat-loggp: 0 of 2 points are \
decided by arrival robust, 2 by sync, since last and ascending are not measured \
there; \`chorale tune a.db --arrival robust\` measures them" \
    "decide names the command that measures the patterns"
sync=$(row "variant || params")

# shellcheck disable=SC2086
run tune a.db $grid --set core --arrival robust
is "$? $(cat err.txt)" "0 " "tune --arrival robust exits with 0"
is "$(sql "SELECT group_concat(DISTINCT k) FROM (SELECT count(*) AS k FROM cell
    WHERE provider <> 'table' GROUP BY provider, variant, params, n)")" 3 \
    "it measures each candidate in three patterns"
is "$(row arrival) $(sql "SELECT arrival FROM policy")" "robust robust" \
    "it decides by these patterns"
[ "$(row "variant || params")" != "$sync" ]
ok $? "the robust choice differs: $(row variant), and $sync by sync"
is "$(validated "group_concat(arrival, ' ')")" \
    "robust sync ascending:1 last:1" "it validates them"
is "$(validated "group_concat(slower AND arrival = 'sync' OR speedup > 1)")" \
    "1,0,1,1" "the choice wins, though it is slower in sync"
is "$(sql "SELECT count(*) FROM cell WHERE metric = 'throughput'")" 0 \
    "simulated calls are not made back to back"
is "$(validated "abs(speedup - best_speedup) < 1e-6 * speedup" | head -1)" 1 \
    "the validated gain is that of the best candidate"
like "$(cat out.txt)" 'arrival last:1: x1\.[0-9]* over 2 points' \
    "the summary lists each pattern"

run validate a.db
is $? 0 "validate exits with 0"
like "$(cat out.txt)" '^sync +2 ' "it prints the pattern sync"
like "$(cat out.txt)" '^last:1 +2 ' "it prints the pattern last"
run validate a.db --json --points
is "$(python3 -c 'import json; p = json.load(open("out.txt"))
print(len(p["patterns"]), sorted({x["arrival"] for x in p["points"]}))')" \
    "6 ['robust']" "JSON has the judged points and their patterns"

# shellcheck disable=SC2086
run tune a.db $grid --set core
is "$? $(row arrival)" "0 robust" "tune keeps the patterns of the table"
# shellcheck disable=SC2086
run tune a.db $grid --set core --arrival sync
is "$? $(row arrival) $(row "variant || params")" "0 sync $sync" \
    "tune --arrival sync returns to sync"

# Rounds choose candidates of the whole catalogue by their predicted times for
# late ranks, and find the choice that exhaustive measurements would make.
best() { # database, its options: choice and its time in ns
    # shellcheck disable=SC2086
    run tune "$@" --launcher smpirun --platform flat.xml --network loggp \
        -c allreduce -m 1648 -P 8 --arrival robust
    sqlite3 "$1" "SELECT variant || ' ' || params || round(seconds * 1e9)
        FROM decision"
}
few=$(best few.db)
is "$few" "$(best all.db --set all)" "rounds find the robust choice: $few"
count() { sqlite3 "$1" "SELECT count(*) FROM cell WHERE provider <> 'table'"; }
[ "$(count few.db)" -lt $(($(count all.db) / 5)) ]
ok $? "with $(count few.db) instead of $(count all.db) cells"
is "$(sqlite3 few.db "SELECT count(DISTINCT arrival) FROM cell
    WHERE provider <> 'table' GROUP BY provider, variant, params, n
    HAVING count(DISTINCT arrival) <> 3")" "" \
    "each of them in three patterns"
# The best candidate is measured, so no loss remains to a table by the largest
# loss. The one that sync would choose would lose to it by late ranks.
run plan few.db --launcher smpirun --platform flat.xml --network loggp \
    -c allreduce -m 1648 -P 8 --arrival robust --adaptive --budget 60
is "$? $(sed -n 's/.*\(expected regret is [0-9.]* %\).*/\1/p' err.txt)" \
    "1 expected regret is 0.00 %" \
    "the expected loss is that of the robust table"

# A choice that loses in the worst case is slower, and is not chosen again, but
# only by arrival robust.
run decide a.db --arrival robust -q
sql "UPDATE decision SET variant = 'ring', params = '', provider = 'chorale'"
run validate a.db
is $? 1 "a table with a large loss exits with 1"
like "$(cat err.txt)" 'slower with the table by more than 3 %, at worst allreduce, n = 2560 B, P = 16, arrival robust: x0.* with ring' \
    "the message names the patterns"
run decide a.db --arrival robust --explain allreduce 2560 16
like "$(cat out.txt)" 'ring .*never: slower than the library when validated' \
    "that choice is barred in a robust table"
run decide a.db --arrival sync --explain allreduce 2560 16
! grep -q 'never: slower than the library when validated' out.txt
ok $? "it is not barred in a table by sync"
finish
