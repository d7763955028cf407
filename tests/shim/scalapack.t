#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# scalapack.t - ScaLAPACK's own testers (LU, QR, Cholesky; real and complex; C
# and Fortran above MPI), which check their residuals.
#
# Runs without the shim, and under these tables: hand-written, simplest
# variants, random (seeds 1 to 8, or SEEDS="1 2 3"), and measured here
# (measured.sh).
. "$(dirname "$0")/helpers.sh"
. "$(dirname "$0")/measured.sh"

home=
for dir in /usr/lib/*/scalapack/mpich-tests /usr/lib/scalapack/mpich-tests; do
    [ -x "$dir/xdlu" ] && home=$dir
done
[ -n "$home" ] || skip_all "no ScaLAPACK tests (Debian: scalapack-mpi-test)"
"$MPICC" -show 2>/dev/null | grep -qi mpich ||
    skip_all "built for another MPI than these programs, MPICH"
application_tables

# Input: all grids of few processes, a few small matrices. No condition
# estimates: with them xdlu and xdllt hang or abort in every fourth run on two
# processes, also without the shim.
cat >LU.dat <<'END'
'Chorale, LU factorization'
'two processes'
'LU.out'
6       device out
2       problem sizes
24 61   M
24 50   N
2       block sizes
3 8     NB
2       right-hand sides
1 9     NRHS
1       their blocks
3       NBRHS
2       process grids
1 2     P
2 1     Q
1.0     threshold
F       no condition estimates
END
cat >LLT.dat <<'END'
'Chorale, Cholesky factorization'
'two processes'
'LLT.out'
6       device out
'U'     upper
2       problem sizes
24 61   N
2       block sizes
3 8     NB
2       right-hand sides
1 9     NRHS
1       their blocks
3       NBRHS
2       process grids
1 2     P
2 1     Q
3.0     threshold
F       no condition estimates
END
cat >QR.dat <<'END'
'Chorale, orthogonal factorizations'
'two processes'
'QR.out'
6       device out
6       factorizations
'QR' 'QL' 'LQ' 'RQ' 'QP' 'TZ'
2       problem sizes
20 35   M
30 61   N
2       block sizes
4 8     MB
4 8     NB
2       process grids
1 2     P
2 1     Q
5.0     threshold
END

passed() { # all its residuals were right, and there were some
    [ $status -eq 0 ] && grep -q PASSED out && ! grep -qw FAILED out &&
        grep -q '^ *0 tests completed and failed' out
}

grids() { # NUMBER "ROWS" "COLUMNS": of processes, in all inputs
    for dat in LU.dat LLT.dat QR.dat; do
        sed -i "/process grids/,+2c\\
$1       process grids\\
$2     P\\
$3     Q" $dat
    done
}

on="CHORALE_DISPATCH=$work/good.so CHORALE_VERBOSE=1"
try() { # P PROGRAM
    run "$1" "" "$home/$2"
    passed
    alone=$?
    plain=$(grep -c PASSED out)
    ok $alone "$2 without the shim, P=$1: $plain residuals"
    [ $alone -eq 0 ] || return
    for after in 4 1; do
        run "$1" "$shim" $on CHORALE_AFTER=$after "$home/$2"
        passed && [ "$(grep -c PASSED out)" -eq "$plain" ]
        ok $? "$2 under the shim, P=$1, CHORALE_AFTER=$after"
        [ "$(grep '^chorale: ' err | grep -cv -e '-> library')" -gt 0 ] &&
            ! grep -q 'left to the library' err
        ok $? "variants ran its collectives" \
            "($(grep -c '^chorale: ' err) lines)"
    done
    for seed in $seeds; do
        run "$1" "$shim" CHORALE_DISPATCH="$work/$seed.so" \
            CHORALE_VERBOSE=1 CHORALE_AFTER=1 "$home/$2"
        passed && [ "$(grep -c PASSED out)" -eq "$plain" ] &&
            [ "$(grep '^chorale: ' err | grep -cv -e '-> library')" -gt 0 ]
        ok $? "$2 under the shim, P=$1, table $seed"
    done
    for made in decided fastest; do
        [ -f $made.so ] && [ "$1" -le 4 ] || continue
        run "$1" "$shim" CHORALE_DISPATCH="$work/$made.so" \
            CHORALE_VERBOSE=1 CHORALE_AFTER=1 "$home/$2"
        passed && [ "$(grep -c PASSED out)" -eq "$plain" ] &&
            ! grep -q 'left to the library' err
        ok $? "$2 under the shim, P=$1, the $made table" \
            "($(grep '^chorale: ' err | grep -cv -e '-> library') choices)"
    done
    [ -f fastest.so ] && [ "$1" -le 4 ] || return
    grep "^chorale: .* P=$1 -> " err | grep -qv -e '-> library'
    ok $? "variants ran under the fastest table, P=$1"
}

for P in 2 4 6; do
    case $P in
        4) grids 3 "1 2 4" "4 2 1" ;;
        6) grids 2 "2 3" "3 2" ;;
    esac
    for name in xdlu xdqr xdllt xzlu; do
        try $P $name
    done
done
finish
