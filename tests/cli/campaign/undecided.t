#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tune reports points whose gain is not significant yet, and with --confirm
# measures them in further launches. Times are replaced, so that the test does
# not depend on this machine.
. "$(dirname "$0")/../../lib.sh"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"

cd "$work" || exit 99
options="-P 2 -m 2K,4K -c bcast --variants binomial --launches 4 -i 15"
tune() { # further options
    # shellcheck disable=SC2086
    timeout 900 "$chorale" tune m.db $options --no-validate "$@" >out.txt \
        2>err.txt
    rc=$?
}
launches() { # msg_size
    sqlite3 m.db "SELECT DISTINCT count(*) FROM run JOIN cell USING (cell_id)
        WHERE msg_size = $1 GROUP BY cell_id"
}
# shellcheck disable=SC2086
"$chorale" plan m.db $options -q && timeout 900 "$chorale" run m.db -q
ok $? "bcast is measured at two sizes"
# At 2 KiB one variant gains in two launches of four. At 4 KiB all variants are
# slower.
sqlite3 m.db "UPDATE run SET validity = '';
    UPDATE run_summary SET median = (SELECT
    CASE WHEN provider = 'library' THEN 1e-4
         WHEN params <> 'segsize=1024' OR msg_size = 4096 THEN 2e-4
         ELSE 1e-4 / CASE ordinal WHEN 0 THEN 1.35 WHEN 1 THEN 0.95
                                  WHEN 2 THEN 1.30 ELSE 1.02 END END
    FROM run JOIN cell USING (cell_id) JOIN launch USING (launch_id)
    WHERE run.run_id = run_summary.run_id)"
tune
is "$rc $(sqlite3 m.db "SELECT DISTINCT provider FROM decision")" "0 library" \
    "an uncertain gain leaves the library"
like "$(cat out.txt)" '^1 point is left undecided; --confirm with about .* it$' \
    "tune reports the undecided point"
tune --confirm 0.01
is "$rc $(launches 2048) $(grep -c 'runs made' out.txt)" "0 4 1" \
    "a time below one launch adds no launch"
tune --confirm 10m
is "$rc" 0 "tune --confirm exits with 0"
diag "$(cat err.txt)"
like "$(cat out.txt)" 'the gain at 1 point is not significant yet; further launches' \
    "tune reports the further launches"
[ "$(launches 2048)" -gt 4 ]
ok $? "the undecided point has more launches: $(launches 2048)"
is "$(launches 4096)" 4 "the other point keeps its launches"
is "$(sqlite3 m.db "SELECT sum(planned) = sum(done) FROM v_progress")" 1 \
    "all planned runs are done"
sqlite3 m.db "UPDATE run SET validity = '';
    UPDATE run_summary SET median = (SELECT iif(provider = 'library', 1e-4, 2e-4)
    FROM run JOIN cell USING (cell_id) WHERE run.run_id = run_summary.run_id)"
tune
is "$(grep undecided out.txt)" "no point is left undecided" \
    "tune reports that no point is undecided"
finish
