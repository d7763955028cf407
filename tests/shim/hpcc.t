#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hpcc.t - the HPC Challenge benchmarks (Debian's hpcc, linked with Open MPI),
# which check their own results: matrix transposition, random access, Fourier
# transforms, Linpack.
#
# Runs without the shim, and under these tables: hand-written, simplest
# variants, random (seeds 1 to 8, or SEEDS="1 2 3"), and measured here
# (measured.sh).
. "$(dirname "$0")/helpers.sh"
. "$(dirname "$0")/measured.sh"

command -v hpcc >/dev/null 2>&1 || skip_all "no hpcc"
"$MPICC" -show 2>/dev/null | grep -qi open ||
    skip_all "built for another MPI than hpcc, Open MPI"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
application_tables

input() { # ROWS COLUMNS
    cat >hpccinf.txt <<END
HPLinpack benchmark input file
Chorale, a small system
HPL.out
8            device out (file)
1            number of N
200          N
1            number of NB
20           NB
0            row-major mapping
1            number of grids
$1           P
$2           Q
16.0         threshold
1            panel factorizations
2            PFACT
1            stopping criteria
4            NBMIN
1            panels in recursion
2            NDIV
1            recursive factorizations
1            RFACT
1            broadcasts
1            BCAST
1            lookahead depths
1            DEPTH
2            SWAP
64           swapping threshold
0            L1
0            U
1            equilibration
8            alignment
##### (this line is a separator) #####
0            more sizes for PTRANS
1200         N
0            more block sizes for PTRANS
40           NB
END
}

# All its checks passed, and there were some of each kind. Checks that are too
# short for its clock print no line; random access may have some errors.
passed() {
    [ $status -eq 0 ] && grep -qx 'Success=1' hpccoutf.txt &&
        [ "$(grep -c 'PASSED' hpccoutf.txt)" -ge 6 ] &&
        [ "$(grep -c '(passed)' hpccoutf.txt)" -ge 4 ] &&
        [ "$(grep -c ' 0 tests completed and failed' hpccoutf.txt)" -ge 2 ] &&
        ! grep -q -e FAILED -e '(failed)' hpccoutf.txt
}
try() { # LABEL [VAR=VALUE...]: one run of $P ranks
    label=$1
    shift
    rm -f hpccoutf.txt
    run $P "$shim" CHORALE_VERBOSE=1 CHORALE_AFTER=1 "$@" hpcc
    passed && grep '^chorale: ' err | grep -qv -e '-> library' &&
        ! grep -q 'left to the library' err
    ok $? "P=$P: hpcc is right under $label"
}

for grid in "1 2" "2 2" "2 3"; do
    input ${grid% *} ${grid#* }
    P=$((${grid% *} * ${grid#* }))
    rm -f hpccoutf.txt
    run $P "" hpcc
    passed
    alone=$?
    ok $alone "P=$P: hpcc is right without the shim"
    [ $alone -eq 0 ] || continue
    try "the hand-written table" CHORALE_DISPATCH="$work/good.so"
    for seed in $seeds; do
        try "table $seed" CHORALE_DISPATCH="$work/$seed.so"
    done
    [ -f fastest.so ] && [ $P -le 4 ] || continue
    try "the table of the fastest variants" CHORALE_DISPATCH="$work/fastest.so"
    rm -f hpccoutf.txt # decide may choose the library everywhere
    run $P "$shim" CHORALE_AFTER=1 CHORALE_DISPATCH="$work/decided.so" hpcc
    passed && ! grep -q 'left to the library' err
    ok $? "P=$P: the table decided from measurements is right"
done
finish
