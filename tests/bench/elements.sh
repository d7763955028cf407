#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How many elements of a job array can run at once without disturbing each
# other's network. On the fat tree and the dragonfly of ci/platforms, 16 nodes
# of four ranks are divided among elements of 2, 4 or 8 nodes. One element is
# timed alone, and while all others exchange blocks of 64 KiB without a pause,
# the worst case. Prints how much longer calls take, geometric mean and maximum
# over twelve: bcast, allreduce, allgather and alltoall of 8 B, 4 KiB and 64
# KiB. Times are simulated, so exact.
here=$(cd "${top_builddir:-.}" && pwd)
platforms=$(cd "$(dirname "$0")/../../ci/platforms" && pwd)
program=$here/tests/bench/elements_sim
[ -x "$program" ] || {
    echo "elements.sh: make tests/bench/elements_sim first (needs SimGrid)" >&2
    exit 3
}
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
ppn=4 nodes=16
i=0
while [ $i -lt $((nodes * ppn)) ]; do
    echo "node$((i / ppn))"
    i=$((i + 1))
done >"$work/hosts"
code=0
for fabric in fattree16 dragonfly16; do
    for each in 2 4 8; do
        for how in block cyclic; do
            timeout 900 smpirun -np $((nodes * ppn)) -hostfile "$work/hosts" \
                -platform "$platforms/$fabric.xml" \
                --log=root.threshold:error --cfg=smpi/simulate-computation:no \
                --cfg=smpi/host-speed:1Gf --cfg=surf/precision:1e-12 \
                --cfg=network/model:CM02 --cfg=network/crosstraffic:0 \
                --cfg=network/TCP-gamma:1e15 --cfg=smpi/coll-selector:mpich \
                "$program" $nodes $ppn $each $how \
                >"$work/out" 2>"$work/err" </dev/null || {
                echo "elements.sh: $(tail -n 1 "$work/err")" >&2
                code=1
                continue
            }
            awk -v what="$fabric, $((nodes / each)) elements of $each nodes, $how" \
                '{ r = $4 / $3; sum += log(r); n++
                   if (r > worst) { worst = r; at = $1 " of " $2 " B" }
                   if ($1 == "alltoall" && $2 == 65536) all = r }
                 END { printf "%s: x%.3f, worst x%.2f (%s)\n", what,
                       exp(sum / n), worst, at }' "$work/out"
        done
    done
done
exit $code
