#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Clocks that are off by up to 100 s, drift by up to 20 us/s, change their rates
# and are read with delays on one way: what the agreement makes of them,
# against the truth.
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
    ok $? "P=$ranks: it ends"
    sed 's/^/# /' "$work/out"
    # Ranks of one node share a clock: nothing to be off.
    awk -v one=$((ranks <= 2)) '
        $1 == "agreed" { ok = $2 == 0 && (one ? $3 == 0 : $3 < 2e-6) }
        END { exit !ok }' "$work/out"
    ok $? "P=$ranks: within 2 us at once"
    # The agreement knows the drift: 1 s later it is corrected.
    awk '$1 == "check" && $4 > 1e-6 { bad = 1 }
        $1 == "check" { n++ } END { exit bad || n != 12 }' "$work/out"
    ok $? "P=$ranks: within 1 us between checks, from the first on"
    awk '$1 == "end" && $3 < 5e-7 && $4 < 2e-7 { ok = 1 }
        END { exit !ok }' "$work/out"
    ok $? "P=$ranks: in the end within 0.5 us, drift within 0.2 us/s"
    # The residual is what it says: how far it was off, to a microsecond.
    awk '$1 == "check" && ($5 < $4 / 2 - 1e-6 || $5 > 3 * $4 + 1e-6) {
            bad = 1 }
        END { exit bad }' "$work/out"
    ok $? "P=$ranks: the residual tells the error"
    # Clocks whose rates change by 50 us/s are lost, and the next check says so.
    awk -v one=$((ranks <= 2)) '
        $1 == "bent" && $5 < $4 / 2 - 1e-6 { bad = 1 }
        $1 == "bent" && $2 == 0 { seen = one || $4 > 2e-5 }
        END { exit bad || !seen }' "$work/out"
    ok $? "P=$ranks: a lost clock is seen at once"
done
finish
