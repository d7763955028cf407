#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# If the table proves slower than the library, tune measures these points again.
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
launches() { # msg_size
    sqlite3 m.db "SELECT DISTINCT count(*) FROM run JOIN cell USING (cell_id)
        WHERE provider <> 'table' AND msg_size = $1 GROUP BY cell_id"
}
# shellcheck disable=SC2086
"$chorale" plan m.db $options -q && timeout 900 "$chorale" run m.db -q
ok $? "bcast is measured at two sizes"
# Make one parameter of binomial ten times faster than all others in each
# launch, and mark all launches valid, whatever the load of this machine.
sqlite3 m.db "UPDATE run SET validity = '';
    UPDATE run_summary SET median = (SELECT
    CASE WHEN params = 'segsize=1024' THEN 1e-4 ELSE 1e-3 END
        * (1 + ordinal / 100.0)
    FROM run JOIN cell USING (cell_id) JOIN launch USING (launch_id)
    WHERE run.run_id = run_summary.run_id)"
tune --no-validate
is "$rc" 0 "decide exits with 0"
is "$(sqlite3 m.db "SELECT group_concat(DISTINCT params) FROM decision
    WHERE provider <> 'library'")" "segsize=1024" \
        "the fastest parameter is chosen"

timeout 900 "$chorale" validate m.db -q 2>err.txt
[ $? -le 1 ]
ok $? "the table is validated"
# Replace the validation: twice as slow at 4 KiB, faster at 2 KiB.
sqlite3 m.db "UPDATE run SET validity = '' WHERE cell_id IN
        (SELECT cell_id FROM cell WHERE provider = 'table');
    UPDATE run_summary SET median = (SELECT
    CASE WHEN variant = 'library' THEN 1e-4 WHEN msg_size = 4096 THEN 2e-4
         ELSE 0.5e-4 END * (1 + ordinal / 1000.0)
    FROM run JOIN cell USING (cell_id) JOIN launch USING (launch_id)
    WHERE run.run_id = run_summary.run_id) WHERE run_id IN
    (SELECT run_id FROM run JOIN cell USING (cell_id)
        WHERE provider = 'table')"
tune
[ "$rc" -le 1 ]
ok $? "tune with the same options exits with 0 or 1"
diag "$(cat err.txt)"
like "$(cat out.txt)" 'slower than the library at 1 point; measuring it' \
    "tune reports the new measurement"
[ "$(launches 4096)" -ge 8 ]
ok $? "the slower point has twice the launches"
if [ "$(grep -c 'deciding again' out.txt)" -eq 1 ]; then
    is "$(launches 2048)" 4 "other points keep their launches"
else
    skip "the new table was slower at another point" "no more launches"
fi
is "$(sqlite3 m.db "SELECT sum(planned) = sum(done) FROM v_progress")" 1 \
    "all planned runs are done"
[ -s m-dispatch.c ] && [ -s m-summary.md ]
ok $? "table and summary are written"

# Each time the launches are doubled, at most twice per run of tune; a point
# that stays slower is reported.
falsify() { # replace the times of the validation
    sqlite3 m.db "UPDATE run SET validity = '';
        UPDATE run_summary SET median = (SELECT
        CASE WHEN provider = 'table' THEN CASE WHEN variant = 'library'
            THEN 1e-4 ELSE 2e-4 END WHEN params = 'segsize=1024' THEN 1e-4
            ELSE 1e-3 END * (1 + ordinal / 1000.0)
        FROM run JOIN cell USING (cell_id) JOIN launch USING (launch_id)
        WHERE run.run_id = run_summary.run_id)"
}
falsify
"$chorale" decide m.db -q
most=$(sqlite3 m.db "SELECT max(launches) FROM cell WHERE provider <> 'table'
    AND msg_size = 4096")
timeout 900 "$chorale" validate m.db -q 2>err.txt
falsify
tune
[ "$rc" -le 1 ] && [ "$(launches 4096)" -ge $((2 * most)) ]
ok $? "slower once more, the point has twice the launches again: $(launches 4096)"

# A point between measured sizes is measured with the candidates next to it.
falsify
sqlite3 m.db "UPDATE cell SET msg_size = 3000, n = 3000
    WHERE provider = 'table' AND msg_size = 4096"
tune
is "$(sqlite3 m.db "SELECT count(DISTINCT params) > 1, min(launches) >= 8
    FROM cell WHERE provider = 'chorale' AND msg_size = 3000")" "1|1" \
    "a slower point that was not measured is measured"

# A validation slower only by the shim's pass-through is not remeasured.
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
