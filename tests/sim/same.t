#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Chorale's variants are no slower than the same algorithms of SimGrid, nor than
# its best ones at a few points: those where they once were slower, and those
# where SimGrid's algorithm differs slightly (order of a tree's children, empty
# blocks, sharing of a port). tests/bench/results/simgrid.md has all of them.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"

cd "$work" || exit 99
mkdir tmp
TMPDIR=$work/tmp
export TMPDIR
platform flat.xml 0.5 1250000000 16

# compare P SIZES COLL VARIANT PARAMS THEIRS
compare() {
    db=$1.$3.$4.$6.db
    "$chorale" plan "$db" -q -c "$3" -m "$2" -P "$1" --launcher smpirun \
        --platform flat.xml --network loggp --set all \
        --providers chorale,native --variants "$3:$4,$3:$6" 2>err.txt &&
        sqlite3 "$db" "DELETE FROM cell
            WHERE NOT (variant = '$4' AND params = '$5' OR variant = '$6')" &&
        timeout 3000 "$chorale" run "$db" -q 2>>err.txt
    is "$? $(sqlite3 "$db" "SELECT count(*) FROM v_summary o
            JOIN v_summary t USING (msg_size)
            WHERE o.variant = '$4' AND o.provider = 'chorale'
              AND t.variant = '$6' AND t.provider = 'native'
              AND o.seconds <= 1.02 * t.seconds")" \
        "0 $(($(echo "$2" | tr -cd , | wc -c) + 1))" \
        "P = $1: $3 $4 $5 is as fast as $6, at all of $2"
    diag "$(cat err.txt)" "$(sqlite3 "$db" "SELECT msg_size, provider,
        printf('%.3f us', 1e6 * seconds) FROM v_summary ORDER BY 1, 2")"
}

compare 13 8,512 bcast knomial radix=4,segsize=0 mvapich2_knomial_intra_node
compare 13 8,512 reduce knomial radix=4,segsize=0 mvapich2_knomial
compare 8 8,256K allgatherv ring segsize=262144 mpich_ring
compare 16 8,256K allgatherv shift_exchange '' ring
compare 8 512,32K alltoallv pairwise_xor empty=send pair
compare 13 4K,32K alltoallv pairwise_shift empty=send ring
compare 8 512,32K alltoallv pairwise_barrier \
    empty=send,kind=once,order=shift ring_one_barrier
compare 8 512,32K alltoallv pairwise_barrier \
    empty=send,kind=once,order=xor pair_one_barrier

# Two measures that speed up simulations without changing simulated times:
# memory that malloc keeps, and a preload that stops clocks of processor time,
# after other preloads. smpirun gets both.
mkdir bin
cat >bin/smpirun <<END
#!/bin/sh
printf '%s|%s\n' "\$LD_PRELOAD" "\$GLIBC_TUNABLES" >>"$work/given"
exec "$(command -v smpirun)" "\$@"
END
chmod +x bin/smpirun
still=$(cd "$top_builddir" && pwd)/.libs/libchorale_still.so
[ -f "$still" ]
ok $? "the preload is built"
given() { # print the distinct environments of smpirun with the preload
    rm -f e.db given
    PATH=$work/bin:$PATH
    "$chorale" plan e.db -q -c bcast -m 8,1K -P 5 --launcher smpirun \
        --platform flat.xml --network loggp &&
        "$chorale" run e.db -q && sort -u given | grep libchorale_still
}
is "$(given 2>&1)" "$still|glibc.malloc.hugetlb=1:$(
    )glibc.malloc.trim_threshold=68719476736:glibc.malloc.mmap_threshold=33554432" \
    "a simulation has the preload and the tunables"
times="SELECT coll, variant, params, msg_size, seconds FROM v_summary ORDER BY 1, 2, 3, 4"
sqlite3 e.db "$times" >with.txt
ln -s "$still" other.so
is "$(LD_PRELOAD=$work/other.so GLIBC_TUNABLES=glibc.malloc.perturb=1 given 2>&1)" \
    "$work/other.so:$still|glibc.malloc.perturb=1" \
    "the preload follows others, and the user's tunables are kept"
[ -s with.txt ] && sqlite3 e.db "$times" | cmp -s - with.txt
ok $? "the times are the same after another preload"
sed -i '2i unset LD_PRELOAD' bin/smpirun
given >/dev/null 2>&1
sqlite3 e.db "$times" | cmp -s - with.txt
ok $? "the times are the same without the preload"
finish
