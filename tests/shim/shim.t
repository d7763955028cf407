#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shim.t - programs that know nothing of Chorale, with and without the shim.
. "$(dirname "$0")/helpers.sh"

for name in app blocks life bcasts; do
    program "$name" || skip_all "$MPICC does not compile $name.c"
done
program threads -lpthread
table good
on="CHORALE_DISPATCH=$work/good.so CHORALE_VERBOSE=1"
line='^chorale: [a-z_]* \(n=[0-9]* \)\{0,1\}P=[0-9]* -> '

# Every kind of call, checked by value.
for P in 1 2 4; do
    for name in app blocks life threads bcasts; do
        run $P "" "$work/$name"
        [ $status -eq 77 ] && { skip "$name alone, P=$P" "no threads"; continue; }
        grep -q "^$name: wrong=0" "$work/out" && [ $status -eq 0 ]
        ok $? "$name alone, P=$P"
        run $P "$shim" $on APP_MIXED=1 "$work/$name"
        grep -q "^$name: wrong=0" "$work/out" && [ $status -eq 0 ]
        ok $? "$name under the shim, P=$P"
        if [ $P -gt 1 ]; then
            [ "$(lines "$line")" -gt 0 ] && ! grep -v "$line" "$work/err" |
                grep -q chorale
            ok $? "$name was run by the catalogue, P=$P"
        fi
    done
    for name in app blocks; do
        run $P "$shim" $on CHORALE_AFTER=1 APP_MIXED=1 "$work/$name"
        grep -q "^$name: wrong=0" "$work/out" && [ $status -eq 0 ]
        ok $? "$name from the first call on, P=$P"
    done
done

served() { # served COLLECTIVE ...: a variant ran it
    for coll in "$@"; do
        grep "^chorale: $coll [nP]=" "$work/err" | grep -qv -e '-> library'
        ok $? "$coll was run by a variant"
    done
}
run 2 "$shim" $on "$work/blocks"
served reduce_scatter gatherv scatterv allgatherv alltoallv
run 2 "$shim" $on "$work/app"
served barrier bcast reduce allreduce reduce_scatter_block gather scatter \
    allgather alltoall scan exscan
sort "$work/err" | uniq -c | awk '$1 > 5 { bad = 1 } END { exit bad }'
ok $? "a choice is told once per communicator (there are five)"

# Communicators: more than the library has. Open MPI has 65532 of them and
# takes far longer for each.
lived=5000 at_once=1500
"$MPICC" -show 2>/dev/null | grep -qi openmpi && lived=2000 at_once=300
# The heap's least piece is 32 bytes, and where threads may call MPI addresses
# of 64 MiB are set aside for each. The library's own heap grows at times.
more() {
    sed -n 's/^life: \([-0-9]*\) bytes and \([-0-9]*\) MiB of .*/\1 \2/p' \
        "$work/out"
}
# They yield: if two that wait share a processor beside other tests, each of
# hundreds of thousands of messages takes a turn of the system's.
for how in "" threads; do
    run 2 "$yield" "$work/life" $lived 10 $how
    plain=$(more)
    run 2 "$shim $yield" $on "$work/life" $lived 10 $how
    [ $status -eq 0 ] && grep -q "life: finalize wrong=0" "$work/out" &&
        [ "$(lines 'bcast n=4 P=2 -> linear')" -gt $lived ]
    ok $? "$lived short-lived communicators, each with its own context $how"
    echo "$(more) $plain" | awk -v n=$lived '{
        bad = NF != 4 || $1 > $3 + n / 2 * 28 || $2 > $4 + n / 2 * 30 }
        END { exit bad }'
    ok $? "which leave nothing behind: $(more), without the shim $plain"
    most=$(sed -n 's/.* the most communicators of ours at once: //p' \
        "$work/told")
    [ "${most:-99}" -le 14 ]
    ok $? "of which at most ${most:-?} were held at once"
done
run 2 "$yield" "$work/life" 1 $at_once
plain=$status
run 2 "$shim $yield" $on "$work/life" 1 $at_once
[ $plain -eq 0 ] && [ $status -eq 0 ] && grep -q "life: wrong=0" "$work/out" &&
    [ "$(lines 'left to the library: a rank cannot take part')" -eq 1 ]
ok $? "$at_once communicators at once do not run out because of ours"

# The application loses none: what is ours, as many as CHORALE_MAX_COMMS says,
# is given back when there are no more.
program many
run 2 "$yield" "$work/many" 4000
most=$(sed -n 's/^made=//p' "$work/out")
heirs=$(grep '^inherited=' "$work/out")
if [ $status -eq 0 ] && [ "${most:-4000}" -lt 4000 ]; then
    for max in 256 10 0; do
        [ $max -eq 256 ] && set= || set=CHORALE_MAX_COMMS=$max
        run 2 "$shim $yield" $on $set "$work/many" 4000
        made=$(sed -n 's/^made=//p' "$work/out")
        [ $status -eq 0 ] && grep -q 'many: wrong=0' "$work/out" &&
            [ "${made:-0}" -eq "$most" ] && grep -qx "$heirs" "$work/out" &&
            [ "$(lines 'bcast n=4 P=2 -> ')" -ge $((max > 0 ? max - 1 : 0)) ] &&
            [ "$(lines 'ours are given back')" -eq $((max > 0)) ]
        ok $? "$made of $most communicators with CHORALE_MAX_COMMS=$max"
    done
    # One of them is the world of our own.
    for max in 0 1 2; do
        run 2 "$shim $yield" $on CHORALE_MAX_COMMS=$max "$work/many" 40
        [ $status -eq 0 ] &&
            [ "$(lines 'bcast n=4 P=2 -> ')" -eq $((max > 1)) ]
        ok $? "$((max > 1)) serves calls with CHORALE_MAX_COMMS=$max"
    done
    # Whoever makes them: all ranks by their group, as well.
    run 2 "$yield" "$work/many" 4000 5 group
    plain=$(grep -E '^(made|inherited|class)=' "$work/out")
    run 2 "$shim $yield" $on "$work/many" 4000 5 group
    [ $status -eq 0 ] && grep -q 'many: wrong=0' "$work/out" &&
        [ "$(grep -E '^(made|inherited|class)=' "$work/out")" = "$plain" ] &&
        [ "$(lines 'ours are given back')" -eq 1 ]
    ok $? "all of them by MPI_Comm_create_group"

    # Where that cannot be (give_back.h): the library's error, for the same
    # handler, at most so many sooner as are ours; and all that there are work.
    for how in "part 20" "idup 20" threads; do
        run 2 "$yield" "$work/many" 4000 5 $how
        plain=$(sed -n 's/^made=//p' "$work/out")
        error=$(grep -E '^(class|level)=' "$work/out")
        run 2 "$shim $yield" $on CHORALE_MAX_COMMS=30 "$work/many" 4000 5 $how
        made=$(sed -n 's/^made=//p' "$work/out")
        [ $status -eq 0 ] && grep -q 'many: wrong=0' "$work/out" &&
            [ "${made:-0}" -ge $((plain - 30)) ] && [ "$made" -lt "$plain" ] &&
            [ "$(grep -E '^(class|level)=' "$work/out")" = "$error" ] &&
            [ "$(lines 'ours are given back')" -eq 0 ] &&
            [ "$(lines 'bcast n=4 P=2 -> ')" -ge 20 ]
        ok $? "$made of $plain communicators, then the library's error: $how"
    done
else
    skip "all communicators" "the library has ${most:-none}, or more"
fi
for bad in -1 4x; do
    run 2 "$shim" $on CHORALE_MAX_COMMS=$bad "$work/bcasts"
    [ "$(lines "^chorale: CHORALE_MAX_COMMS: '$bad' .* 256 is used")" -eq 1 ] &&
        [ $status -eq 0 ] && [ "$(lines '-> binomial')" -eq 1 ]
    ok $? "CHORALE_MAX_COMMS=$bad costs one line"
done

# What is loaded is told, also when it chooses nothing.
run 2 "$shim" $on "$work/bcasts"
[ "$(grep -c '^chorale: table by hand of ' "$work/told")" -eq 1 ]
ok $? "CHORALE_VERBOSE names the table, once"
run 2 "$shim" CHORALE_VERBOSE=1 "$work/bcasts"
[ "$(grep -c '^chorale: table .* chooses nothing: .*DISPATCH' "$work/told")" \
    -eq 1 ] &&
    [ "$(lines chorale:)" -eq 0 ]
ok $? "and says when it chooses nothing"

# When it steps in.
run 2 "$shim" $on CHORALE_AFTER=10 "$work/bcasts"
[ "$(lines '-> binomial')" -eq 1 ]
ok $? "the tenth of ten broadcasts is ours with CHORALE_AFTER=10"
run 2 "$shim" $on CHORALE_AFTER=12 "$work/bcasts"
[ "$(lines "$line")" -eq 0 ] && [ $status -eq 0 ]
ok $? "eleven calls are the library's with CHORALE_AFTER=12"
timeout 60 "$MPIEXEC" -n 1 env LD_PRELOAD="$shim" $on CHORALE_AFTER=1 \
    "$work/bcasts" : -n 1 env LD_PRELOAD="$shim" $on CHORALE_AFTER=5 \
    "$work/bcasts" >"$work/out" 2>"$work/err" && grep -q wrong=0 "$work/out"
ok $? "ranks with another CHORALE_AFTER do not hang"

# Settings.
run 2 "$shim" $on CHORALE_DISABLE=bcast "$work/bcasts"
[ "$(lines 'bcast n=1024 P=2 -> library')" -eq 1 ] &&
    [ "$(lines 'allreduce n=4 P=2 -> recursive_doubling')" -eq 1 ]
ok $? "CHORALE_DISABLE leaves that collective alone"
run 2 "$shim" $on CHORALE_FORCE=bcast=scatter_ring_allgather,allreduce=library \
    "$work/bcasts"
[ "$(lines 'bcast n=1024 P=2 -> scatter_ring_allgather')" -eq 1 ] &&
    [ "$(lines 'allreduce n=4 P=2 -> library')" -eq 1 ]
ok $? "CHORALE_FORCE beats the table"
run 2 "$shim" CHORALE_VERBOSE=1 CHORALE_FORCE=scatter=linear_nb:max_reqs=3 \
    "$work/app"
[ "$(lines 'scatter .* -> linear_nb max_reqs=3')" -gt 0 ] && [ $status -eq 0 ]
ok $? "CHORALE_FORCE works without a table, with parameters"
run 3 "$shim" CHORALE_VERBOSE=1 CHORALE_AFTER=1 \
    CHORALE_FORCE=gather=linear_sync:first_segsize=100 "$work/app"
[ "$(lines 'gather .* -> linear_sync first_segsize=100')" -gt 0 ] &&
    [ $status -eq 0 ] && grep -q "^app: wrong=0" "$work/out"
ok $? "blocks that come in two parts, to MPI_BOTTOM too"
for bad in CHORALE_FORCE=bcast=nonesuch CHORALE_FORCE=nonesuch=linear \
           CHORALE_FORCE=scatter=linear_nb:bogus=3 CHORALE_FORCE=bcast \
           CHORALE_DISABLE=nonesuch CHORALE_AFTER=0 CHORALE_AFTER=4x; do
    run 2 "$shim" $on "$bad" "$work/bcasts"
    [ "$(lines "^chorale: ${bad%%=*}: ")" -eq 1 ] && [ $status -eq 0 ] &&
        grep -q wrong=0 "$work/out"
    ok $? "$bad costs one line"
done

# Tables: bad ones. The site's are in guard.t.
table abi -DABI=999
table foreign '-DLIBRARY="Some MPI 1.0"'
table unnamed -DNO_TABLE
table wide && chmod o+w "$work/wide.so"
table group && chmod 664 "$work/group.so"
head -c $(($(wc -c <"$work/good.so") / 2)) "$work/good.so" >"$work/short.so"
head -c 40 "$work/good.so" >"$work/stub.so"
echo "not a shared object" >"$work/text.so"
mkdir "$work/folder.so"
for bad in foreign:"measured under" abi:interface unnamed:symbol wide:chmod \
           group:chmod short:short stub:"not a" text:"not a" folder:regular missing:"No such"; do
    why=${bad#*:}
    bad=${bad%%:*}
    run 2 "$shim" CHORALE_DISPATCH="$work/$bad.so" CHORALE_VERBOSE=1 \
        "$work/bcasts"
    [ "$(lines "^chorale: .*/$bad.so: .*$why")" -eq 1 ] &&
        [ "$(lines chorale:)" -eq 1 ] && [ $status -eq 0 ] &&
        grep -q wrong=0 "$work/out"
    ok $? "a bad table ($bad) costs one line and nothing else"
done
if [ "$(id -u)" -eq 0 ]; then
    cp "$work/good.so" "$work/alien.so" && chown 12345 "$work/alien.so"
    run 2 "$shim" CHORALE_DISPATCH="$work/alien.so" "$work/bcasts"
    [ "$(lines '^chorale: .*belongs to user 12345')" -eq 1 ]
    ok $? "a table of another user is refused"
else
    skip "a table of another user is refused" "needs root to make one"
fi
table unknown '-DVARIANT="nonesuch"'
table params '-DPARAMS="bogus=1"'
for bad in unknown params; do
    run 2 "$shim" CHORALE_DISPATCH="$work/$bad.so" CHORALE_VERBOSE=1 \
        "$work/bcasts"
    [ "$(lines "^chorale: .*/$bad.so: choice .* left to the library")" -eq 1 ] &&
        [ "$(lines 'bcast n=1024 P=2 -> library')" -eq 1 ] &&
        [ "$(lines 'allreduce n=4 P=2 -> recursive_doubling')" -eq 1 ] &&
        [ $status -eq 0 ]
    ok $? "a choice that cannot be run ($bad) is the library's, others stay"
done

# What is only ever measured is never served.
table measured '-DSCATTER="resilient"'
run 2 "$shim" CHORALE_DISPATCH="$work/measured.so" CHORALE_VERBOSE=1 \
    "$work/app"
[ "$(lines "^chorale: .*/measured.so: choice 'resilient' is left to the \
library: scatter resilient is only ever measured")" -eq 1 ] &&
    [ "$(lines 'scatter .* -> resilient')" -eq 0 ] &&
    [ "$(lines 'scatter .* -> library')" -gt 0 ] &&
    [ "$(lines 'scatter .* -> binomial')" -gt 0 ] &&
    [ $status -eq 0 ] && grep -q "^app: wrong=0" "$work/out"
ok $? "a table's choice that is only ever measured is the library's"
for bad in scatter=resilient allreduce=swing_lat; do
    run 2 "$shim" CHORALE_FORCE=$bad CHORALE_VERBOSE=1 "$work/app"
    [ "$(lines "^chorale: CHORALE_FORCE: '$bad' .* only ever measured")" \
      -eq 1 ] && [ "$(lines "-> ${bad#*=}")" -eq 0 ] && [ $status -eq 0 ] &&
        grep -q "^app: wrong=0" "$work/out"
    ok $? "CHORALE_FORCE=$bad is refused in one line"
done

# Ranks that do not have the same.
table other '-DDIGEST="another"'
table edited -DSHAPED # by hand: it has the digest of the one that it was
for last in "CHORALE_DISPATCH=$work/other.so" "NOTHING=1" \
            "CHORALE_DISPATCH=$work/edited.so" \
            "CHORALE_DISPATCH=$work/good.so CHORALE_DISABLE=bcast" \
            "CHORALE_DISPATCH=$work/text.so"; do
    timeout 60 "$MPIEXEC" -n 1 env LD_PRELOAD="$shim" $on "$work/life" : \
        -n 1 env LD_PRELOAD="$shim" $last "$work/life" \
        >"$work/out" 2>"$work/err"
    [ $? -eq 0 ] && grep -q "life: wrong=0" "$work/out" &&
        [ "$(lines 'left to the library: tables')" -eq 1 ] &&
        [ "$(lines "$line")" -eq 0 ]
    ok $? "one rank with $(echo "$last" | sed "s|$work/||g"): the library's"
done

# Nor can run the same: another catalogue, no memory.
cp "$shim" "$work/other_shim.so"
sed -i 's/scatter_ring_allgather/scatter_rinG_allgather/g' "$work/other_shim.so"
$CC -shared -fPIC "$top_srcdir/tests/shim/poor.c" -o "$work/poor.so" -ldl
unlike() { # unlike NAME WHY SHIM [VAR=VALUE]: of the last rank
    name=$1
    why=$2
    other=$3
    shift 3
    timeout 60 "$MPIEXEC" -n 1 env LD_PRELOAD="$shim" $on "$work/life" : \
        -n 1 env LD_PRELOAD="$other" $on "$@" "$work/life" \
        >"$work/out" 2>"$work/err" </dev/null
    [ $? -eq 0 ] && grep -q "life: wrong=0" "$work/out" &&
        [ "$(lines "left to the library: $why")" -eq 1 ] &&
        [ "$(lines "$line")" -eq 0 ]
    ok $? "one rank $name: the library's"
}
unlike "with another catalogue" "tables, settings or versions" \
    "$work/other_shim.so"
unlike "without memory" "a rank cannot take part" "$shim $work/poor.so" POOR=comm
run 2 "$shim $work/poor.so" $on "$work/bcasts"
[ $status -eq 0 ] && [ "$(lines '-> binomial')" -eq 1 ]
ok $? "which it is not for want of another reason"

# What it needs and what it shows.
needed() { readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'; }
lib=$(lib_of libchorale.so)
for file in "$shim" "$lib"; do
    [ -f "$file" ] || continue
    name=$(basename "$file")
    ! needed "$file" | grep -v -e '^libc\.so' -e '^libdl\.so' \
        -e '^libpthread\.so' -e '^ld-' | grep -q .
    ok $? "$name needs libc only"
    ! readelf --dyn-syms -W "$file" | grep ' UND ' | grep -q 'MPI'
    ok $? "$name has no undefined MPI symbol"
    # One address: the compiler's own.
    [ "$(readelf -d "$file" | sed -n \
        's/.*INIT_ARRAYSZ)  *\([0-9]*\) (bytes)/\1/p')" = 8 ]
    ok $? "$name has no constructor"
done
! readelf --dyn-syms -W "$shim" | awk '$7 ~ /^[0-9]+$/ && $5 == "GLOBAL" &&
    $4 != "NOTYPE" { print $8 }' | grep -vi '^MPI_' | grep -qvx chorale_shim_ran
ok $? "the shim exports MPI_ names, and one for checkers"

# Processes without MPI.
for cmd in 'bash -c true' 'sleep 0' 'python3 -c pass' 'perl -e 1' \
           "$MPIEXEC --version"; do
    command -v "${cmd%% *}" >/dev/null 2>&1 || continue
    for bind in '' 1; do
        LD_PRELOAD=$shim LD_BIND_NOW=$bind CHORALE_VERBOSE=1 timeout 20 $cmd \
            >/dev/null 2>"$work/err"
        [ $? -eq 0 ] && ! [ -s "$work/err" ]
        ok $? "preloaded into ${cmd%% *}${bind:+ with LD_BIND_NOW=1}"
    done
done
run 2 "$shim" $on LD_BIND_NOW=1 "$work/bcasts"
[ "$(lines '-> binomial')" -eq 1 ] && [ $status -eq 0 ]
ok $? "works with LD_BIND_NOW=1"

# MPI that was loaded late and privately.
$CC "$top_srcdir/tests/shim/host.c" -o "$work/host" -ldl
"$MPICC" -shared -fPIC -Dmain=module_main "$top_srcdir/tests/shim/bcasts.c" \
    -o "$work/module.so"
run 2 "$shim" $on "$work/host" "$work/module.so"
served=1 # but Open MPI's handles are addresses, which are out of reach then
"$MPICC" -show 2>/dev/null | grep -qi openmpi && served=0
[ "$(lines '-> binomial')" -eq $served ] && grep -q wrong=0 "$work/out" &&
    [ $status -eq 0 ]
ok $? "MPI in a privately loaded module: $served choices of ours"

# Another MPI library than it was built for.
other=mpicc.openmpi
"$MPICC" -show 2>/dev/null | grep -qi mpich || other=mpicc.mpich
launch=mpiexec.${other#mpicc.}
if command -v $other >/dev/null 2>&1 && command -v $launch >/dev/null 2>&1 &&
    $other "$top_srcdir/tests/shim/bcasts.c" -o "$work/alien" 2>/dev/null; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 \
        timeout 60 $launch -n 2 env LD_PRELOAD="$shim" LD_BIND_NOW=1 $on \
        CHORALE_AFTER=1 "$work/alien" >"$work/out" 2>"$work/err"
    [ $? -eq 0 ] && grep -q "bcasts: wrong=0" "$work/out" &&
        [ "$(lines chorale)" -eq 0 ]
    ok $? "stands aside for another MPI library"
else
    skip "stands aside for another MPI library" "$other is not there"
fi

# Another tool, before and behind.
"$MPICC" -shared -fPIC "$top_srcdir/tests/shim/count_tool.c" \
    -o "$work/tool.so"
run 2 "$work/tool.so" "$work/bcasts"
grep -q '^tool: bcasts=10 allreduces=1 sends=0' "$work/out"
ok $? "the tool alone counts ten broadcasts and one allreduce"
run 2 "$shim $work/tool.so" $on "$work/bcasts"
[ $status -eq 0 ] && grep -q '^tool: bcasts=3 allreduces=0 sends=0' \
    "$work/out" && grep -q wrong=0 "$work/out"
ok $? "behind the shim it sees what is passed on, and nothing of ours"
run 2 "$work/tool.so $shim" $on "$work/bcasts"
[ $status -eq 0 ] && grep -q '^tool: bcasts=10 allreduces=1 sends=0' \
    "$work/out" && grep -q wrong=0 "$work/out"
ok $? "before the shim it sees all"

# libchorale, by the words of its pkg-config file, that is not installed yet.
link="-I$top_srcdir/algorithms/dispatch -L$(dirname "$lib") -lchorale"
if command -v pkg-config >/dev/null 2>&1; then
    link=$(PKG_CONFIG_PATH="$top_builddir/algorithms/dispatch" pkg-config \
        --define-variable=includedir="$top_srcdir/algorithms/dispatch" \
        --define-variable=libdir="$(dirname "$lib")" --cflags --libs \
        chorale 2>"$work/err")
    ok $? "pkg-config knows chorale"
else
    skip "pkg-config knows chorale" "it is not there"
fi
# shellcheck disable=SC2086
if [ -f "$lib" ] && "$MPICC" "$top_srcdir/tests/shim/example.c" $link \
    -Wl,-rpath,"$(dirname "$lib")" -o "$work/example" 2>"$work/err"; then
    ok 0 "a program compiles with chorale.h and libchorale"
    for P in 1 2 4; do
        run $P "" CHORALE_VERBOSE=1 "$work/example" "$work/good.so"
        [ $status -eq 0 ] && grep -q "example: wrong=0" "$work/out" &&
            [ "$(lines "$line")" -eq $((P > 1 ? 16 : 0)) ]
        ok $? "libchorale runs all collectives, P=$P"
    done
    # A table that comes after the first collective is refused.
    sed 's/^    chorale_finalize();/    if (chorale_init_table(argv[argc - 1]) == 0)\
        wrong++;\
&/' "$top_srcdir/tests/shim/example.c" >"$work/late.c"
    "$MPICC" "$work/late.c" $link -Wl,-rpath,"$(dirname "$lib")" \
        -o "$work/late" 2>"$work/err" && run 2 "" "$work/late" "$work/good.so"
    [ $status -eq 0 ] && grep -q "example: wrong=0" "$work/out"
    ok $? "libchorale takes no table after the first call"
    run 2 "$shim" $on CHORALE_AFTER=1 "$work/example"
    [ $status -eq 0 ] && grep -q "example: wrong=0" "$work/out"
    ok $? "libchorale under the shim"
    run 2 "" "$work/example" "$work/text.so"
    [ $status -eq 0 ] && grep -q "refused" "$work/out" &&
        grep -q "example: wrong=0" "$work/out"
    ok $? "libchorale with a bad table says so and works"
else
    [ -f "$lib" ] && ok 1 "a program compiles with chorale.h and libchorale"
    [ -f "$lib" ] || skip "libchorale" "not built"
fi
finish
