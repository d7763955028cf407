# SPDX-License-Identifier: BSD-3-Clause
# Launch the programs of the correctness matrix on real or simulated ranks.
# Sourced with $source and $here, the tops of the source and build trees.

# Seconds a launch may take.
: "${LAUNCH_SECONDS:=900}" "${SIMULATED_OPTIONS:=}"
limit=$(command -v timeout)
: "${MPIEXEC:=$(command -v mpiexec.mpich || command -v mpiexec)}"
: "${SMPIRUN:=$(command -v smpirun)}"

# More ranks than cores: yield while waiting. The variables do this under Open
# MPI, the preload under UCX.
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_mpi_yield_when_idle=1
OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
export OMPI_MCA_mpi_yield_when_idle OMPI_MCA_rmaps_base_oversubscribe
# In a sanitizer build the preload precedes its runtime; the library leaks.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
export ASAN_OPTIONS
preload=$(cd "$here" && pwd)/tests/mpi/.libs/libyield.so
[ -f "$preload" ] || preload=
: "${YIELD_PATIENCE:=4}"
export YIELD_PATIENCE
# Preload for simulations, after others: stop clocks that no code needs.
still=$(cd "$here" && pwd)/.libs/libchorale_still.so
[ -f "$still" ] || still=

# run_real P PROGRAM ARGUMENT...: under the MPI library.
run_real()
{
    ranks=$1 program=$2
    shift 2
    "$limit" "$LAUNCH_SECONDS" env LD_PRELOAD="$preload" "$MPIEXEC" \
        -n "$ranks" "$here/tests/mpi/$program" "$@"
}

# run_simulated P ARGUMENT...: one port, full duplex, exact alpha and beta.
# All ranks share one process and its global variables, so state of a rank is
# indexed by rank. The malloc variables make the GNU C library keep freed
# memory: returning it to the system and faulting it in again took, at 33 ranks,
# a third of the time of bcast and 7 % of the time of all collectives.
run_simulated()
{
    ranks=$1
    shift
    hosts=$(mktemp) || return 99
    host=0
    while [ $host -lt 64 ]; do
        echo "n$host"
        host=$((host + 1))
    done >"$hosts"
    # shellcheck disable=SC2086
    "$limit" "$LAUNCH_SECONDS" \
        env LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}$still" \
        MALLOC_TRIM_THRESHOLD_=2000000000 MALLOC_MMAP_THRESHOLD_=33554432 \
        "$SMPIRUN" -np "$ranks" -hostfile "$hosts" \
        -platform "$source/tests/mpi/flat.xml" \
        --log=root.threshold:error --cfg=network/model:CM02 \
        --cfg=network/crosstraffic:0 --cfg=network/TCP-gamma:1e15 \
        --cfg=smpi/simulate-computation:no --cfg=smpi/host-speed:1Gf \
        --cfg=smpi/wtime:0 --cfg=smpi/send-is-detached-thresh:0 \
        --cfg=surf/precision:1e-12 --cfg=smpi/privatization:no \
        $SIMULATED_OPTIONS "$here/tests/mpi/variants_sim" "$@"
    ended=$?
    rm -f "$hosts"
    return $ended
}

# run_eager P ARGUMENT...: the same, but no send waits for its receive, so that
# its own sends cannot delay a rank that leaves a barrier too early.
run_eager()
{
    (
        SIMULATED_OPTIONS="$SIMULATED_OPTIONS \
            --cfg=smpi/send-is-detached-thresh:2147483647 \
            --cfg=smpi/async-small-thresh:2147483647"
        run_simulated "$@"
    )
}
