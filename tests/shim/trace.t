#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# trace.t - CHORALE_TRACE counts exactly the calls that an application makes.
. "$(dirname "$0")/helpers.sh"
. "$(dirname "$0")/traced.sh"
# Open MPI needs no network here, but prints lines on interfaces.
export OMPI_MCA_btl=^tcp

for P in 1 2 3 5; do
    name="P=$P"
    case $P in
    1) last=first middle=first ;;
    2) last=last middle=last ;;
    *) last=last middle=middle ;;
    esac
    rm -f "$file"
    run $P "$shim" CHORALE_TRACE="$file" "$work/traced" calls
    [ $status -eq 0 ] && [ ! -s "$work/err" ] && whole
    ok $? "the trace is whole, $name"
    on="$P single-node"
    head_is "chorale-trace 2"
    head_is "comm_size $P"
    head_is "ranks $P"
    head_is "program traced"
    head_is "unlisted 0 0"
    if [ $P -eq 1 ]; then
        is "bcast 800 $on double - first library" 12 12
    else
        is "bcast 800 $on double - first library" $((11 * P)) 11
        is "bcast 800 1 single-node double - first library" $P $P
    fi
    is "bcast 33 $on byte - $last library" $((4 * P)) 4
    is "reduce 24 $on int sum $middle library" $P 1
    is "gather $((12 * P)) $on int - first library" $P 1
    is "scatter $((40 * P)) $on int64 - first library" $P 1
    is "allreduce 80 $on float max - library" $((7 * P)) 7
    is "allgather $((5 * P)) $on byte - - library" $P 1
    is "reduce_scatter_block $((16 * P)) $on int64 bxor - library" $P 1
    is "bcast 24 $on derived - first library" $P 1
    is "allreduce 4 $on other user - library" $P 1
    is "allreduce 8 $on other other - library" $P 1
    ints=$((4 * P * (P + 1) / 2)) # of blocks of 1, 2, ... P
    is "barrier 0 $on byte - - library" $P 1
    is "alltoall $((16 * P)) $on double - - library" $P 1
    is "scan 36 $on int min - library" $P 1
    is "exscan 36 $on int min - library" $P 1
    is "reduce_scatter $ints $on int sum - library" $P 1
    is "allgatherv $ints $on int - - library" $P 1
    is "gatherv $ints $on int - first library" $P 1
    is "scatterv $ints $on int - $last library" $P 1
    is "alltoallv $((P * ints)) $on int - - library" $P 1
    case $P in
    2) is "allreduce 8 1 single-node double sum - library" 2 2 ;;
    3) is "allreduce 8 1 single-node double sum - library" 1 1
       is "allreduce 8 2 single-node double sum - library" 2 1 ;;
    5) is "allreduce 8 2 single-node double sum - library" 2 1
       is "allreduce 8 3 single-node double sum - library" 3 1 ;;
    esac
    ! grep -q "^allreduce 616 " "$file"
    ok $? "calls on an inter-communicator are not traced, $name"
    awk '$1 == "wall_seconds" { mean = $2; longest = $3 }
         $1 == "ranks" { ranks = $2 }
         seen && $1 != "end" { all += $11 } $1 == "columns" { seen = 1 }
         END { exit !(all > 0 && all / ranks <= mean && mean <= longest) }' \
        "$file"
    ok $? "calls took at most the program's time, $name"
done
name=

# The library and a variant have a row each.
run 2 "$shim" CHORALE_TRACE="$file" CHORALE_DISPATCH="$work/good.so" \
    CHORALE_FORCE=bcast=binomial:segsize=64 "$work/traced" calls
is "bcast 800 2 single-node double - first library" 8 4
is "bcast 800 2 single-node double - first binomial:segsize=64" 14 7

# The shape is that of the nodes that the library reports.
if "$MPICC" -show 2>/dev/null | grep -qi mpich; then
    run 4 "$shim" CHORALE_TRACE="$file" MPIR_CVAR_NUM_CLIQUES=2 \
        "$work/traced" calls
    is "allreduce 80 4 cyclic float max - library" 28 7
    run 4 "$shim" CHORALE_TRACE="$file" MPIR_CVAR_NUM_CLIQUES=2 \
        MPIR_CVAR_CLIQUES_BY_BLOCK=1 "$work/traced" calls
    is "allreduce 80 4 block float max - library" 28 7
else
    skip "nodes as the library reports them" "not MPICH"
fi

# Which rank is late: the other ranks wait 0.1 s for it, or leave before it.
# This must also hold if ranks seem to be on nodes with different clocks.
late_is() { # late_is COLL LATEST: that rank alone is late in its row
    awk -v coll="$1" -v latest="$2" '
        $1 == coll && $13 > 0.05 && $14 < 0.45 && $16 == latest { n++ }
        END { exit n != 1 }' "$file"
    ok $? "$1: rank $2 alone is late, $name"
}
for cliques in 1 2; do
    name="$cliques nodes"
    run 4 "$shim" CHORALE_TRACE="$file" MPIR_CVAR_NUM_CLIQUES=$cliques \
        "$work/traced" late
    whole
    ok $? "the trace is whole, $name"
    late_is allreduce 2
    late_is bcast 0
done
name=
run 4 "$shim" CHORALE_TRACE="$file" "$work/traced" calls
awk '$1 == "allreduce" && $3 == 2 { n++; bad += $13 $14 $15 $16 != "----" }
    END { exit bad || n == 0 }' "$file"
ok $? "the arrival is unknown on a smaller communicator"

# Threads, many rows, wrong arguments, decimal commas.
run 2 "$shim" CHORALE_TRACE="$file" "$work/traced" threads
if [ $status -eq 77 ]; then
    skip "threads" "no threads"
else
    name=threads
    is "bcast 32 2 single-node int - first library" 4000 2000
    is "bcast 32 2 single-node byte - first library" 8 4
    [ "$(grep -c '^bcast .* byte .* 8 4 ' "$file")" -eq 500 ] && whole
    ok $? "four threads fill 500 rows"
    name=
fi
run 2 "$shim" CHORALE_TRACE="$file" "$work/traced" many
[ "$(grep -c '^bcast .* 2 1 [0-9.e-]* [0-9.e-]* [0-9.e-]* [0-9.e-]* [-0-9.e]* [01]$' "$file")" -eq 2000 ] && whole
ok $? "one thread fills 2000 rows"
run 2 "$shim" CHORALE_TRACE="$file" "$work/traced" wrong
[ $status -eq 0 ] && grep -q '^unlisted 4 [0-9.e-]*$' "$file" && whole
ok $? "wrong calls are counted in no row"
comma=$(locale -a 2>/dev/null | grep -i -m 1 -e '^de_DE' -e '^fr_FR')
if [ -n "$comma" ]; then
    run 2 "$shim" CHORALE_TRACE="$file" LC_ALL="$comma" "$work/traced"
    ! grep -q , "$file" && whole
    ok $? "numbers have points in $comma"
else
    skip "numbers have points in every locale" "no locale with commas"
fi
finish
