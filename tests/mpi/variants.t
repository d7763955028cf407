#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The correctness matrix: under the MPI library, with counts cut in pieces,
# and in simulation. One TAP stream of them all.
here=${top_builddir:-.}
source=${top_srcdir:-$(dirname "$0")/../..}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
count=0

# result "ok"|"not ok" "text"
result()
{
    count=$((count + 1))
    echo "$1 $count - $2"
}

# report LABEL LOG: the launch's TAP with LABEL, its status in $status. Of a
# launch that did not print its plan, the end of its output.
report()
{
    awk -v label="$1" -v count="$count" '
        /^(not )?ok [0-9]+ - / {
            not = /^not /
            sub(/^(not )?ok [0-9]+ - /, "")
            printf "%sok %d - %s: %s\n", not ? "not " : "", ++count, label, $0
            next
        }
        /^# / { print }' "$2" >"$tmp/tap"
    cat "$tmp/tap"
    count=$((count + $(grep -c '^\(not \)\{0,1\}ok ' "$tmp/tap")))
    if ! grep -q '^1\.\.[1-9]' "$2"; then
        result "not ok" "$1: ended early, status $status"
        tail -n 5 "$2" | sed 's/^/# /'
    elif [ "$status" -ne 0 ] && ! grep -q '^not ok' "$2"; then
        result "not ok" "$1: status $status"
        tail -n 5 "$2" | sed 's/^/# /'
    fi
}

# real PROGRAM P...: under the MPI library.
real()
{
    program=$1
    shift
    for p in "$@"; do
        "$limit" 60 env LD_PRELOAD="$preload" "$MPIEXEC" -n "$p" \
            "$here/tests/mpi/$program" >"$tmp/log" 2>&1 </dev/null
        status=$?
        report "$program P=$p" "$tmp/log"
    done
}

# simulated P...: one port, full duplex, exact alpha and beta.
simulated()
{
    i=0
    while [ $i -lt 64 ]; do
        echo "n$i"
        i=$((i + 1))
    done >"$tmp/hosts"
    for p in "$@"; do
        "$limit" 60 "$SMPIRUN" -np "$p" -hostfile "$tmp/hosts" \
            -platform "$source/tests/mpi/flat.xml" \
            --log=root.threshold:error --cfg=network/model:CM02 \
            --cfg=network/crosstraffic:0 --cfg=network/TCP-gamma:1e15 \
            --cfg=smpi/simulate-computation:no --cfg=smpi/host-speed:1Gf \
            --cfg=smpi/wtime:0 --cfg=smpi/send-is-detached-thresh:0 \
            --cfg=surf/precision:1e-12 --cfg=smpi/privatization:no \
            "$here/tests/mpi/variants_sim" >"$tmp/log" 2>&1 </dev/null
        status=$?
        report "simulated P=$p" "$tmp/log"
    done
}

limit=$(command -v timeout) || {
    echo "1..0 # SKIP no timeout command (coreutils)"
    exit 0
}
: "${MPIEXEC:=$(command -v mpiexec.mpich || command -v mpiexec)}"
: "${SMPIRUN:=$(command -v smpirun)}"

# More ranks than cores: yield while waiting. The variables are Open MPI's
# way to the same, the preload works under UCX.
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_mpi_yield_when_idle=1
OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
export OMPI_MCA_mpi_yield_when_idle OMPI_MCA_rmaps_base_oversubscribe
# In a sanitizer build: the preload comes first, and the MPI library leaks.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
export ASAN_OPTIONS
preload=$(cd "$here" && pwd)/tests/mpi/.libs/libyield.so
[ -f "$preload" ] || preload=

if ! command -v "$MPIEXEC" >/dev/null 2>&1; then
    result ok "under the MPI library # SKIP no mpiexec"
elif [ ! -x "$here/tests/mpi/variants" ]; then
    result "not ok" "$here/tests/mpi/variants is not built: make check"
else
    real variants 1 2 3 5 8
    real variants_pieces 1 4
fi

if [ ! -e "$here/tests/mpi/variants_sim" ]; then
    result ok "in simulation # SKIP built without SimGrid"
elif ! command -v "$SMPIRUN" >/dev/null 2>&1; then
    result ok "in simulation # SKIP no smpirun"
else
    simulated 1 2 3 4 5 7 8 13 16 17
fi
echo "1..$count"
