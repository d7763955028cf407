# SPDX-License-Identifier: BSD-3-Clause
# How the correctness matrix is launched. Sourced with $source and $here, the
# tops of the sources and of the build.

# Seconds a launch may take.
: "${LAUNCH_SECONDS:=900}" "${SIMULATED_OPTIONS:=}"
limit=$(command -v timeout)
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
: "${YIELD_PATIENCE:=4}"
export YIELD_PATIENCE
# Of simulations: clocks that nobody needs stand still, after what is preloaded.
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
# All ranks share one process and its variables: the programs have none.
# The GNU library keeps memory that a call gave back for the next one: to return
# it to the system and fault it in again took a third of the time of bcast at 33
# ranks, a fourteenth of that of all there.
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

# run_eager P ARGUMENT...: the same, but no send waits for its receive. What
# leaves a barrier too early may be held up by its own sends otherwise.
run_eager()
{
    (
        SIMULATED_OPTIONS="$SIMULATED_OPTIONS \
            --cfg=smpi/send-is-detached-thresh:2147483647 \
            --cfg=smpi/async-small-thresh:2147483647"
        run_simulated "$@"
    )
}
