#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shim.t - the shim's main promises to a program unaware of Chorale: right
# results for every kind of call, one decision of all ranks, settings, and no
# effect where it cannot help.
. "$(dirname "$0")/helpers.sh"

for name in app blocks comm_lifetimes bcasts; do
    program "$name" || skip_all "$MPICC does not compile $name.c"
done
program threads -lpthread
table good
on="CHORALE_DISPATCH=$work/good.so CHORALE_VERBOSE=1"
line='^chorale: [a-z_]* \(n=[0-9]* \)\{0,1\}P=[0-9]* -> '
right() { [ $status -eq 0 ] && grep -q 'wrong=0' "$work/out"; }
served() { # served COLLECTIVE ...: a variant ran it
    for coll in "$@"; do
        grep "^chorale: $coll [nP]=" "$work/err" | grep -qv -e '-> library'
        ok $? "a variant runs $coll"
    done
}

# The programs check all values.
for way in "1 app" "1 blocks" "2 comm_lifetimes" "2 threads" "2 blocks" \
           "4 blocks" "4 app" "2 app"; do
    P=${way% *}
    name=${way#* }
    run $P "$shim" $on APP_MIXED=1 "$work/$name"
    [ $status -eq 77 ] && { skip "$name, P=$P" "no threads"; continue; }
    right && ! grep -v "$line" "$work/err" | grep -q chorale &&
        { [ $P -eq 1 ] || [ "$(lines "$line")" -gt 0 ]; }
    ok $? "P=$P: $name gets right values from variants"
    [ "$way" = "2 blocks" ] &&
        served reduce_scatter gatherv scatterv allgatherv alltoallv
done
served barrier bcast reduce allreduce reduce_scatter_block gather scatter \
    allgather alltoall scan exscan
sort "$work/err" | uniq -c | awk '$1 > 5 { bad = 1 } END { exit bad }'
ok $? "a choice is printed once per communicator (there are five)"
for name in app blocks; do
    run 4 "$shim" $on CHORALE_AFTER=1 APP_MIXED=1 "$work/$name" quick
    right
    ok $? "P=4: $name gets right values from the first call on"
done
run 3 "$shim" CHORALE_VERBOSE=1 CHORALE_AFTER=1 \
    CHORALE_FORCE=gather=linear_sync:first_segsize=100 "$work/app"
right && [ "$(lines 'gather .* -> linear_sync first_segsize=100')" -gt 0 ]
ok $? "blocks arrive in two parts, to MPI_BOTTOM too"

# CHORALE_VERBOSE.
run 2 "$shim" CHORALE_VERBOSE=1 "$work/bcasts"
[ "$(grep -c '^chorale: table .* chooses nothing: .*DISPATCH' "$work/told")" \
    -eq 1 ] && [ "$(lines chorale:)" -eq 0 ]
ok $? "CHORALE_VERBOSE reports that no table chooses"

# CHORALE_AFTER.
run 2 "$shim" $on CHORALE_AFTER=10 "$work/bcasts"
right && [ "$(lines '-> binomial')" -eq 1 ] &&
    [ "$(grep -c '^chorale: table by hand of ' "$work/told")" -eq 1 ]
ok $? "CHORALE_AFTER=10: a variant runs the tenth broadcast"
run 2 "$shim" $on CHORALE_AFTER=12 "$work/bcasts"
right && [ "$(lines "$line")" -eq 0 ]
ok $? "CHORALE_AFTER=12: the library runs all eleven calls"

# CHORALE_DISABLE, CHORALE_FORCE, invalid settings.
run 2 "$shim" $on CHORALE_DISABLE=bcast "$work/bcasts"
[ "$(lines 'bcast n=1024 P=2 -> library')" -eq 1 ] &&
    [ "$(lines 'allreduce n=4 P=2 -> recursive_doubling')" -eq 1 ]
ok $? "CHORALE_DISABLE leaves that collective alone"
run 2 "$shim" $on CHORALE_FORCE=bcast=scatter_ring_allgather,allreduce=library \
    "$work/bcasts"
[ "$(lines 'bcast n=1024 P=2 -> scatter_ring_allgather')" -eq 1 ] &&
    [ "$(lines 'allreduce n=4 P=2 -> library')" -eq 1 ]
ok $? "CHORALE_FORCE beats the table"
for bad in "FORCE=bcast=nonesuch DISABLE=nonesuch AFTER=0 MAX_COMMS=-1" \
           "FORCE=nonesuch=linear AFTER=4x MAX_COMMS=4x MAX_SCRATCH=1T" \
           "FORCE=scatter=linear_nb:bogus=3 MAX_SCRATCH=-1" \
           "FORCE=allreduce=swing_lat" "FORCE=bcast"; do
    set --
    for setting in $bad; do set -- "$@" "CHORALE_$setting"; done
    run 2 "$shim" $on "$@" "$work/bcasts"
    right && [ "$(lines '-> binomial')" -eq 1 ] &&
        [ "$(lines '^chorale: CHORALE_')" -eq $# ]
    bad=$?
    for setting; do
        [ "$(lines "^chorale: ${setting%%=*}: ")" -eq 1 ] || bad=1
    done
    ok $bad "each invalid setting costs one line: $*"
done

run 2 "$shim" $on CHORALE_DISPACH=x CHORALE_VERBOS=1 CHORAL_AFTER=2 \
    CHORALE_FRCE=x CHORALE_MY_OWN=x "$work/bcasts"
right && [ "$(lines 'unknown and ignored')" -eq 4 ]
bad=$?
for word in DISPACH:DISPATCH VERBOS:VERBOSE FRCE:FORCE; do
    [ "$(lines "^chorale: CHORALE_${word%:*}: .*did you mean CHORALE_${word#*:}?$")" \
        -eq 1 ] || bad=1
done
[ "$(lines '^chorale: CHORAL_AFTER: .*did you mean CHORALE_AFTER?$')" -eq 1 ] ||
    bad=1
ok $bad "each misspelt name costs one line with the right name"

# The launcher of another library starts each process as a world of its own. The
# right launcher would set a variable to the size of that world.
for verbose in 1 0; do
    run 1 "$shim" OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 \
        CHORALE_VERBOSE=$verbose env -u PMI_FD -u PMI_RANK -u PMI_SIZE \
        "$work/bcasts"
    [ "$(lines '2 processes were started, but each is alone in MPI_COMM_WORLD; .* library, \(MPICH\|Open MPI [0-9]*\)$')" -eq $verbose ]
    ok $? "processes that are alone: $verbose line with CHORALE_VERBOSE=$verbose"
done
run 1 "$shim" OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 CHORALE_VERBOSE=1 \
    "$work/bcasts"
[ "$(lines 'is alone')" -eq 0 ]
ok $? "only the first of them prints the line"

# Tables that cannot be used; table_guards.t has more.
table foreign '-DLIBRARY="Some MPI 1.0"'
echo "not a shared object" >"$work/text.so"
for bad in foreign:"measured under" text:"not a" missing:"No such"; do
    run 2 "$shim" CHORALE_DISPATCH="$work/${bad%%:*}.so" CHORALE_VERBOSE=1 \
        "$work/bcasts"
    right && [ "$(lines "^chorale: .*/${bad%%:*}.so: .*${bad#*:}")" -eq 1 ] &&
        [ "$(lines chorale:)" -eq 1 ]
    ok $? "a bad table (${bad%%:*}) costs one line, the library runs all calls"
done

# Ranks with different settings, tables, catalogue or memory: all stay with the
# library, and one line reports it.
table other '-DDIGEST="another"'
table edited -DSHAPED # an edit by hand keeps the digest
cp "$shim" "$work/other_shim.so"
sed -i 's/scatter_ring_allgather/scatter_rinG_allgather/g' "$work/other_shim.so"
$CC -shared -fPIC "$top_srcdir/tests/shim/programs/out_of_memory.c" -o "$work/poor.so" -ldl
disagree() { # disagree NAME [VAR=VALUE ...]: settings of the last rank
    name=$1
    shift
    run_two "LD_PRELOAD=$with $on" "LD_PRELOAD=$with $*" "$work/comm_lifetimes"
    right && [ "$(lines "left to the library: $why")" -eq 1 ] &&
        [ "$(lines "$line")" -eq 0 ]
    ok $? "all ranks stay with the library if one rank has $name"
}
why=tables
disagree "another table" "CHORALE_DISPATCH=$work/other.so"
disagree "no table"
disagree "an edited table" "CHORALE_DISPATCH=$work/edited.so"
disagree "a text as its table" "CHORALE_DISPATCH=$work/text.so"
for set in DISABLE=bcast CHECK=1 DETERMINISTIC=1 MAX_SCRATCH=1M; do
    disagree "CHORALE_$set" $on CHORALE_$set
done
disagree "another catalogue" $on \
    "LD_PRELOAD=$work/other_shim.so${yield:+:$yield}"
why="a rank cannot take part"
disagree "no memory" $on POOR=comm "LD_PRELOAD=$with:$work/poor.so"
run 2 "$shim $work/poor.so" $on "$work/bcasts"
right && [ "$(lines '-> binomial')" -eq 1 ]
ok $? "the preload that takes the memory changes no result"
run_two "LD_PRELOAD=$with $on CHORALE_AFTER=1" \
    "LD_PRELOAD=$with $on CHORALE_AFTER=5" "$work/bcasts"
right
ok $? "ranks with different CHORALE_AFTER do not hang"

# Symbols and dependencies of the files.
needed() { readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'; }
for file in "$shim" "$(lib_of libchorale.so)"; do
    [ -f "$file" ] || continue
    name=$(basename "$file")
    ! needed "$file" | grep -v -e '^libc\.so' -e '^libdl\.so' \
        -e '^libpthread\.so' -e '^ld-' | grep -q .
    ok $? "$name needs libc only"
    ! readelf --dyn-syms -W "$file" | grep ' UND ' | grep -q 'MPI'
    ok $? "$name has no undefined MPI symbol"
    # 8 bytes: one address, which the compiler adds.
    [ "$(readelf -d "$file" | sed -n \
        's/.*INIT_ARRAYSZ)  *\([0-9]*\) (bytes)/\1/p')" = 8 ]
    ok $? "$name has no constructor"
    readelf -d "$file" | grep -q NODELETE
    ok $? "$name stays loaded when its program is unloaded"
done
! readelf --dyn-syms -W "$shim" | awk '$7 ~ /^[0-9]+$/ && $5 == "GLOBAL" &&
    $4 != "NOTYPE" { print $8 }' | grep -vi '^MPI_' | grep -qvx chorale_shim_ran
ok $? "the shim exports MPI_ names, and one for checkers"

# Processes without MPI, and processes that start others.
for cmd in 'bash -c true' 'sh -c true' 'srun --version' 'perl -e 1' \
           'python3 -c pass' 'env true' "$MPIEXEC --version" 'cat /dev/null'; do
    timeout 300 $cmd >/dev/null 2>&1 || {
        skip "the preload is silent in ${cmd%% *}" "it does not run here"
        continue
    }
    for bind in '' 1; do
        LD_PRELOAD=$shim LD_BIND_NOW=$bind CHORALE_VERBOSE=1 CHORALE_CHECK=1 \
            timeout 300 $cmd >/dev/null 2>"$work/err"
        [ $? -eq 0 ] && ! [ -s "$work/err" ]
        ok $? "the preload is silent in ${cmd%% *}${bind:+ with LD_BIND_NOW=1}"
    done
done
run 2 "$shim" $on LD_BIND_NOW=1 "$work/bcasts"
right && [ "$(lines '-> binomial')" -eq 1 ]
ok $? "LD_BIND_NOW=1 changes nothing"
finish
