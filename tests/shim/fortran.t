#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fortran.t - Fortran programs under the shim, by each of the three interfaces.
# MPICH's Fortran layer calls MPI's C names. Open MPI's does not, so its shim
# interposes the Fortran names, too.
. "$(dirname "$0")/helpers.sh"

MPIF90=$(echo "$MPICC" | sed 's/mpicc/mpif90/')
command -v "$MPIF90" >/dev/null 2>&1 || skip_all "no MPI Fortran compiler"
table good
on="CHORALE_DISPATCH=$work/good.so CHORALE_VERBOSE=1"
all="barrier bcast reduce allreduce reduce_scatter_block reduce_scatter gather
    gatherv scatter scatterv allgather allgatherv alltoall alltoallv scan
    exscan"
compile() { # PROGRAM [OPTION]: of $interface; mpif.h declares no arguments, so
            # that calls differ in their types
    "$MPIF90" -w -fallow-argument-mismatch -D"${interface%.h}" $2 -J"$work" \
        "$top_srcdir/tests/shim/$1.F90" -o "$work/$1-$interface$2" \
        >"$work/out" 2>"$work/err"
}
for interface in mpif.h USE_MPI USE_F08; do
    if ! compile fortran || ! compile fortran_comms; then
        skip "$interface" "$MPIF90 does not compile it"
        continue
    fi
    for P in 1 2 4; do
        run $P "" "$work/fortran-$interface"
        [ $status -eq 0 ] && grep -q "fortran: wrong=0" "$work/out"
        ok $? "$interface is right without the shim, P=$P"
        run $P "$shim" $on "$work/fortran-$interface"
        [ $status -eq 0 ] && grep -q "fortran: wrong=0" "$work/out"
        ok $? "$interface is right under the shim, P=$P"
        [ $P -gt 1 ] || continue
        for coll in $all; do
            grep "^chorale: $coll [nP]=" "$work/err" | grep -qv 'library$'
            ok $? "$interface: a variant runs $coll, P=$P"
        done
        [ "$(lines "allreduce n=4800 P=$P -> recursive_doubling")" -eq 1 ]
        ok $? "$interface: a variant runs an allreduce of MPI_REAL8, P=$P"
    done
    run 2 "$shim" $on CHORALE_AFTER=9 "$work/fortran-$interface"
    [ $status -eq 0 ] && ! grep -q '^chorale: \(barrier\|bcast\|reduce\) ' "$work/err" &&
        grep -q '^chorale: allreduce .* -> reduce_bcast' "$work/err"
    ok $? "$interface: CHORALE_AFTER=9 holds, each call counts once"

    # Programs that make and free communicators.
    comms=$work/fortran_comms-$interface
    for P in 1 2 3; do
        run $P "" "$comms"
        [ $status -eq 0 ] && grep -q 'fortran_comms: wrong=0' "$work/out"
        ok $? "$interface: communicators work without the shim, P=$P"
        cp "$work/out" "$work/plain"
        run $P "$shim" $on CHORALE_AFTER=1 "$comms"
        [ $status -eq 0 ] && cmp -s "$work/plain" "$work/out" &&
            { [ $P -eq 1 ] || grep -q '^chorale: bcast .*-> linear' "$work/err"; }
        ok $? "$interface: communicators work the same under the shim, P=$P"
    done
    run 2 "$shim" CHORALE_TRACE="$work/end-$interface" "$comms" abort it
    grep -q 'MPI_Abort' "$work/end-$interface.rank0" 2>/dev/null
    ok $? "$interface: MPI_Abort writes a rank's trace"
    run 2 "" "$comms" full
    plain=$(grep communicators "$work/out")
    run 2 "$shim" $on CHORALE_AFTER=1 "$comms" full
    [ $status -eq 0 ] && grep -q 'fortran_comms: wrong=0' "$work/out"
    [ $? -eq 0 ] && [ "$(grep communicators "$work/out")" = "$plain" ]
    ok $? "$interface: as many communicators as without the shim: $plain"
done

# Large counts: only in mpi_f08, and not in Open MPI 4.1.
interface=USE_F08
if compile fortran -DLARGE; then
    run 2 "" "$work/fortran-USE_F08-DLARGE"
    [ $status -eq 0 ] && grep -q 'fortran: wrong=0' "$work/out"
    ok $? "large counts are right without the shim"
    run 2 "$shim" $on "$work/fortran-USE_F08-DLARGE"
    [ $status -eq 0 ] && grep -q 'fortran: wrong=0' "$work/out"
    ok $? "large counts are right under the shim"
    for coll in $all; do
        grep "^chorale: $coll [nP]=" "$work/err" | grep -qv 'library$'
        ok $? "large counts: a variant runs $coll"
    done
else
    skip "large counts" "mpi_f08 of this library does not declare them"
fi
finish
