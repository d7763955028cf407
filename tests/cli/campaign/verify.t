#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# verify.t - wrong data of the library are found before, during and after
# timing, for each root; a barrier that does not wait is invalid; the first call
# is not a repetition.
. "$(dirname "$0")/../../lib.sh"
. "$here/../kill.sh"
. "$here/../faulty.sh"

# Wrong from the first call on: not timed.
campaign "wrong data" 1 64 "" FAULT=spoil AFTER=1
is "$(library "status || ' ' || (reason LIKE 'wrong result%')")" "invalid 1" \
    "wrong data: the library's run is invalid, with the reason"

# Right at first: found after the repetitions.
single spoil 10 64 -i 20 --min-iterations 20
is "$(library "status || ' ' || (reason LIKE 'after the repetitions: wrong%')")" \
    "invalid 1" "spoil: invalid, although right at first"
is "$(library "count(s.run_id)")" 0 "spoil: no times are kept"
is "$(sqlite3 "$db" "SELECT status FROM run JOIN cell USING (cell_id)
    WHERE provider = 'chorale'")" ok "spoil: other runs are ok"
"$chorale" decide "$db" -q
is "$(sqlite3 "$db" "SELECT count(*) FROM v_best WHERE provider = 'library'")" 0 \
    "spoil: the library is never best"

# The first call and two warm-up calls take two seconds more.
single first 3 64 -i 5 --min-iterations 5 --batch 1 -x 2
is "$(library "(first_call >= 2) || ' ' || (max < first_call / 2) || ' ' || nrep")" \
    "1 1 5" "first: the first call and warm-up calls are not timed"
is "$(sqlite3 "$db" "SELECT count(DISTINCT first_call) || ' ' || sum(first_call
    < (SELECT max(first_call) FROM run)) FROM run")" "2 1" \
    "first: each cell stores its own first call"

# A barrier must wait for each of its ranks.
yield=$top_builddir/tests/mpi/.libs/libyield.so
if [ -r "$yield" ]; then
    for faulty in 0 1 2; do
        rm -f "$db"
        "$chorale" plan "$db" -q -P 3 -c barrier --variants dissemination \
            --launches 1 -i 5 --min-iterations 5 --batch 1
        env FAULT=alone FAULTY=$faulty LD_PRELOAD="$work/faults.so $yield" \
            timeout 900 "$chorale" run "$db" -q
        like "$(library "status || ' ' || reason")" \
            '^invalid .*a rank left before the last one came$' \
            "alone: a barrier not waiting for rank $faulty of 3 is invalid"
        is "$(sqlite3 "$db" "SELECT group_concat(DISTINCT status) FROM run
            JOIN cell USING (cell_id) WHERE provider = 'chorale'")" ok \
            "alone: Chorale's barrier is ok"
    done
else
    skip "built without shared libraries" \
        "a barrier that does not wait is invalid"
fi

# Right for the first root only: all roots are checked again.
rm -f "$db"
"$chorale" plan "$db" -q -P 2 -m 64 -c bcast --variants binomial --launches 1 \
    -i 6 --min-iterations 6 --batch 1 --root rotate
env FAULT=root FAULTY=0 AFTER=12 LD_PRELOAD="$work/faults.so" \
    timeout 900 "$chorale" run "$db" -q
ok $? "root: a campaign runs"
is "$(library "status || ' ' || (reason LIKE 'after the repetitions: wrong%')")" \
    "invalid 1" "root: wrong for the last root only is found"
finish
