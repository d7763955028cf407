#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# out_of_memory.t - a rank that finds no memory during a collective goes on
# with reserved memory, because other ranks cannot know.
. "$(dirname "$0")/helpers.sh"

for name in app blocks comm_lifetimes gapped; do
    program "$name" || skip_all "$MPICC does not compile $name.c"
done
$CC -shared -fPIC "$top_srcdir/tests/shim/programs/out_of_memory.c" -o "$work/poor.so" -ldl ||
    skip_all "$CC does not make a preload"
table good
tables=good
for seed in simplest 1; do
    [ -x "$top_builddir/chorale" ] || break
    drawn "$seed"
    ok $? "table $seed compiles"
    tables="$tables $seed"
done

# launch P POOR_RANK SETTINGS PROGRAM...: memory is refused to that rank;
# $refused is how often.
launch() {
    ranks=$1
    poor=$2
    settings=$3
    shift 3
    run_apart "$ranks" "$poor" \
        "LD_PRELOAD=$work/poor.so:$with CHORALE_VERBOSE=1 $settings POOR=scratch" \
        "LD_PRELOAD=$with CHORALE_VERBOSE=1 $settings" "$@"
    refused=$(sed -n 's/^poor: \([0-9]*\) times$/\1/p' "$work/err")
}
for P in 2 3 5; do
    for table in $tables; do
        # Random tables leave mixed calls to Open MPI, which fails in them.
        [ $table = good ] && mixed=APP_MIXED=1 || mixed=NOTHING=1
        for name in app blocks; do
            poor=$((P % 2 * (P - 1)))
            for above in 0 3000; do
                launch $P $poor "CHORALE_DISPATCH=$work/$table.so \
                    CHORALE_AFTER=1 $mixed POOR_ABOVE=$above" \
                    "$work/$name"
                [ $status -eq 0 ] && grep -q "^$name: wrong=0" "$work/out" &&
                    [ "${refused:-0}" -gt 0 ] &&
                    ! grep -q 'left to the library' "$work/err"
                ok $? "table $table: $name, P=$P, rank $poor finds no more \
than $above bytes, ${refused:-0} times"
            done
        done
    done
done
launch 3 2 "CHORALE_DISPATCH=$work/good.so" "$work/comm_lifetimes" 300 30
[ $status -eq 0 ] && grep -q '^comm_lifetimes: wrong=0' "$work/out" &&
    [ "${refused:-0}" -gt 0 ] && [ "$(lines 'bcast n=4 P=3 -> ')" -gt 300 ]
ok $? "communicators are made and freed while a rank finds no memory"

# A reserve that one rank cannot make is noticed before the ranks agree.
room="LD_PRELOAD=$with CHORALE_MAX_SCRATCH=8192G CHORALE_VERBOSE=1"
room="$room CHORALE_DISPATCH=$work/good.so"
for kib in unlimited 1000000000; do
    run_apart 2 1 "$room KIB=$kib" "$room KIB=unlimited" \
        sh -c "ulimit -v \$KIB; exec $work/comm_lifetimes"
    served=$(lines 'bcast n=4 P=2 -> ')
    if [ $kib = unlimited ]; then
        reached=$served
        continue
    fi
    if [ "$reached" -eq 0 ]; then
        skip "addresses run out" "this system cannot reserve 8 TiB"
        continue
    fi
    [ $status -eq 0 ] && grep -q '^comm_lifetimes: wrong=0' "$work/out" &&
        [ "$served" -eq 0 ] &&
        [ "$(lines 'left to the library: a rank cannot take part')" -eq 1 ]
    ok $? "if one rank cannot reserve memory, the library runs all calls"
done

# A type map of one rank needs more memory than all ranks reserved: that rank's
# communicator gets the error.
set="CHORALE_FORCE=reduce=linear,allreduce=library CHORALE_AFTER=1"
launch 3 0 "$set POOR_ABOVE=999999999" "$work/gapped" return
[ $status -eq 0 ] && [ "$(grep -c ': done, handled 0 of 0' "$work/out")" -eq 3 ]
ok $? "a reduction of elements far apart succeeds with memory"
launch 3 0 "$set" "$work/gapped" return
[ $status -eq 0 ] && [ "${refused:-0}" -gt 0 ] &&
    grep -qx 'rank 0: no memory, handled 1 of 1' "$work/out" &&
    [ "$(grep -c ': done, handled 0 of 0' "$work/out")" -eq 2 ]
ok $? "without memory that rank's handler gets MPI_ERR_NO_MEM"
launch 3 0 "$set" "$work/gapped"
[ $status -ne 0 ] && [ $status -ne 124 ] && ! grep -q '^rank 0: ' "$work/out"
ok $? "MPI_ERRORS_ARE_FATAL ends the program ($status)"
finish
