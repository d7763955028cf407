#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Clock synchronisation compared with the true simulated time. Clocks are off by
# up to 100 s, drift by up to 20 us/s, change their rates, and are read with
# delays in one direction.
. "$(dirname "$0")/../lib.sh"
program=$top_builddir/tests/sim/clock_sim
[ -e "$program" ] || skip_all "built without SimGrid"
for i in 0 1 2 3 4 5 6 7; do echo "n$i"; echo "n$i"; done >"$work/hosts"

for ranks in 2 5 16; do
    timeout 3000 smpirun -np $ranks -hostfile "$work/hosts" \
        -platform "$top_srcdir/tests/mpi/flat.xml" \
        --log=root.threshold:error --cfg=smpi/simulate-computation:no \
        --cfg=smpi/host-speed:1Gf --cfg=smpi/wtime:0 \
        --cfg=smpi/privatization:no --cfg=surf/precision:1e-12 \
        "$program" >"$work/out" 2>&1 </dev/null
    ok $? "P=$ranks: the program exits with 0"
    sed 's/^/# /' "$work/out"
    # Ranks of one node share a clock, so their error is 0.
    awk -v one=$((ranks <= 2)) '
        $1 == "agreed" { ok = $2 == 0 && (one ? $3 == 0 : $3 < 2e-6) }
        END { exit !ok }' "$work/out"
    ok $? "P=$ranks: clocks agree within 2 us after the first synchronisation"
    # Drift is estimated at once: 1 s later it is corrected.
    awk '$1 == "check" && $4 > 1e-6 { bad = 1 }
        $1 == "check" { n++ } END { exit bad || n != 12 }' "$work/out"
    ok $? "P=$ranks: clocks agree within 1 us at each check"
    awk '$1 == "end" && $3 < 5e-7 && $4 < 2e-7 { ok = 1 }
        END { exit !ok }' "$work/out"
    ok $? "P=$ranks: clocks finally agree within 0.5 us, drift within 0.2 us/s"
    # The residual must equal the true error, within a microsecond.
    awk '$1 == "check" && ($5 < $4 / 2 - 1e-6 || $5 > 3 * $4 + 1e-6) {
            bad = 1 }
        END { exit bad }' "$work/out"
    ok $? "P=$ranks: the residual equals the error"
    # Clocks whose rates change by 50 us/s are lost; the next check reports it.
    awk -v one=$((ranks <= 2)) '
        $1 == "bent" && $5 < $4 / 2 - 1e-6 { bad = 1 }
        $1 == "bent" && $2 == 0 { seen = one || $4 > 2e-5 }
        END { exit bad || !seen }' "$work/out"
    ok $? "P=$ranks: a lost clock is detected by the next check"
done
finish
