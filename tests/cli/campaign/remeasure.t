#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A choice that a validation found slower than the library is not chosen again.
# Times are replaced, so that the test does not depend on this machine.
. "$(dirname "$0")/../../lib.sh"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
"$chorale" --version | grep -q 'sanitizer=no' ||
    skip_all "built with a sanitizer, which cannot be preloaded"

cd "$work" || exit 99
options="-P 2 -m 2K,4K -c bcast --variants binomial --launches 4 -i 15"
tune() { # further options
    # shellcheck disable=SC2086
    timeout 900 "$chorale" tune m.db $options "$@" >out.txt 2>err.txt
    rc=$?
}
chosen() { # size
    sqlite3 m.db "SELECT group_concat(variant || ' ' || params) FROM decision
        WHERE n_lo <= $1 AND n_hi >= $1 AND provider <> 'library'"
}
# shellcheck disable=SC2086
"$chorale" plan m.db $options -q && timeout 900 "$chorale" run m.db -q
ok $? "bcast is measured at two sizes"
# Make one parameter of binomial ten times faster than all others in each
# launch, and mark all launches valid, whatever the load of this machine.
invent() {
    sqlite3 m.db "UPDATE run SET validity = '';
        UPDATE run_summary SET median = (SELECT
        CASE WHEN params = 'segsize=1024' THEN 1e-4 ELSE 1e-3 END
            * (1 + ordinal / 100.0)
        FROM run JOIN cell USING (cell_id) JOIN launch USING (launch_id)
        WHERE run.run_id = run_summary.run_id) WHERE run_id IN
        (SELECT run_id FROM run JOIN cell USING (cell_id)
            WHERE provider <> 'table')"
}
invent
tune --no-validate
is "$rc" 0 "decide exits with 0"
is "$(sqlite3 m.db "SELECT group_concat(DISTINCT params) FROM decision
    WHERE provider <> 'library'")" "segsize=1024" \
        "the fastest parameter is chosen"

# Replace validations: the table takes a multiple of the library's time.
falsify() { # factor at 2 KiB, at 4 KiB, of calls back to back
    sqlite3 m.db "UPDATE run SET validity = '';
        UPDATE run_summary SET median = (SELECT
        CASE WHEN variant = 'library' THEN 1e-4
             WHEN metric = 'throughput' THEN 1e-4 * $3
             WHEN msg_size = 4096 THEN 1e-4 * $2 ELSE 1e-4 * $1 END
            * (1 + ordinal / 1000.0)
        FROM run JOIN cell USING (cell_id) JOIN launch USING (launch_id)
        WHERE run.run_id = run_summary.run_id) WHERE run_id IN
        (SELECT run_id FROM run JOIN cell USING (cell_id)
            WHERE provider = 'table')"
}
validate() { # as falsify
    timeout 900 "$chorale" validate m.db -q 2>err.txt
    falsify "$@"
    timeout 900 "$chorale" validate m.db >out.txt 2>err.txt
    rc=$?
}
validate 0.5 2 0.5
is "$rc" 1 "validate: the table is slower at a point"
like "$(cat err.txt)" '1 of 2 points is slower with the table by more than 3 %, at worst bcast, n = 4 KiB' \
    "the point is named"
like "$(cat out.txt)" 'calls back to back, where the table chooses a variant:' \
    "calls back to back have a table of their own"
"$chorale" decide m.db -q
is "$(chosen 4096)" "" "that choice is not chosen there again"
is "$(chosen 2048)" "binomial segsize=1024" "the other point keeps its choice"
like "$("$chorale" decide m.db --explain bcast 4K 2)" \
    'segsize=1024.*never: slower than the library when validated' \
    "decide --explain gives the reason"
validate 0.5 0.5 2
is "$rc" 1 "validate: calls back to back are slower"
like "$(cat err.txt)" 'slower with the table in calls back to back by more than 3 %, at worst bcast, n = 2 KiB' \
    "the message says so"
is "$(sqlite3 m.db "SELECT metric || ' ' || slower FROM validation
    WHERE msg_size = 2048 ORDER BY validation_id DESC LIMIT 2")" \
    "throughput 1
duration 0" "both results are stored"
"$chorale" decide m.db -q
is "$(chosen 2048)" "" "neither is this choice chosen again"

# tune decides without slower choices.
sqlite3 m.db "DELETE FROM validation"
tune --no-validate
validate 0.5 2 0.5
sqlite3 m.db "DELETE FROM validation"
tune
[ "$rc" -le 1 ]
ok $? "tune exits with 0 or 1"
diag "$(cat err.txt)"
like "$(cat out.txt)" 'slower than the library in 1 comparison; deciding again without these choices' \
    "tune decides again"
is "$(chosen 4096)" "" "tune: the slower choice is not in the table"
is "$(sqlite3 m.db "SELECT sum(planned) = sum(done) FROM v_progress")" 1 \
    "all planned runs are done"
[ -s m-dispatch.c ] && [ -s m-summary.md ]
ok $? "table and summary are written"

# A point between measured sizes is measured with the candidates next to it.
sqlite3 m.db "DELETE FROM validation"
tune --no-validate
validate 0.5 2 0.5
sqlite3 m.db "DELETE FROM validation;
    UPDATE cell SET msg_size = 3000, n = 3000
    WHERE provider = 'table' AND msg_size = 4096"
tune
is "$(sqlite3 m.db "SELECT count(DISTINCT params) > 1, min(launches)
    FROM cell WHERE provider = 'chorale' AND msg_size = 3000")" "1|4" \
    "a slower point that was not measured is measured"

# So is a point where the table seems slower, by 4 %, but not significantly so.
invent
sqlite3 m.db "DELETE FROM validation"
tune --no-validate
validate 0.5 0.5 0.5
sqlite3 m.db "DELETE FROM validation;
    UPDATE run_summary SET median = (SELECT 1.04e-4 *
        (1 + (ordinal - 2) / 100.0) FROM run JOIN launch USING (launch_id)
        WHERE run.run_id = run_summary.run_id) WHERE run_id IN
        (SELECT run_id FROM run JOIN cell USING (cell_id)
            WHERE provider = 'table' AND variant <> 'library'
            AND metric = 'duration' AND msg_size = 4096);
    UPDATE cell SET msg_size = 3500, n = 3500
    WHERE provider = 'table' AND msg_size = 4096"
tune
like "$(cat out.txt)" 'measuring 1 size where the table seems slower' \
    "tune: a size without measurements seems slower"
is "$(sqlite3 m.db "SELECT count(DISTINCT params) > 1, min(launches)
    FROM cell WHERE provider = 'chorale' AND msg_size = 3500")" "1|4" \
    "that size is measured"

# A table slower only by the shim's overhead stays.
sqlite3 m.db "UPDATE run_summary SET median = 1e-3 WHERE run_id IN
    (SELECT run_id FROM run JOIN cell USING (cell_id)
        WHERE provider = 'library' OR variant = 'library');
    UPDATE run_summary SET median = 1e-2 WHERE run_id IN
    (SELECT run_id FROM run JOIN cell USING (cell_id)
        WHERE provider = 'chorale')"
before=$(sqlite3 m.db "SELECT count(*) FROM run JOIN cell USING (cell_id)
    WHERE provider <> 'table'")
tune
is "$rc" 0 "a table that leaves all calls to the library exits with 0"
is "$(sqlite3 m.db "SELECT count(*) FROM run JOIN cell USING (cell_id)
    WHERE provider <> 'table'")" "$before" "no run is measured for it"
finish
