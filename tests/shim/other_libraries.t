#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# other_libraries.t - what else is in a process: a GPU's runtime, another identity,
# no MPI at all, MPI loaded late, libchorale linked statically, other tools.
. "$(dirname "$0")/helpers.sh"

for name in bcasts life ends late; do
    program "$name" || skip_all "$MPICC does not compile $name.c"
done
table good
on="CHORALE_DISPATCH=$work/good.so CHORALE_VERBOSE=1"
ours='bcast n=1024 P=2 -> binomial'
yielding=$yield
right() { [ $status -eq 0 ] && grep -q 'wrong=0' "$work/out"; }

# A GPU's runtime: buffers may be where the processor cannot read.
echo 'int cuInit(unsigned f) { return (int)f; }' >"$work/gpu.c"
for name in libcuda.so.1 libcudart.so.12 libamdhip64.so.5 libze_loader.so.1
do
    $CC -shared -fPIC -o "$work/$name" "$work/gpu.c"
    run 2 "$shim $work/$name" $on "$work/bcasts"
    right && [ "$(lines 'left to the library: .*GPU runtime')" -eq 1 ] &&
        [ "$(lines '-> ')" -eq 0 ]
    ok $? "stands aside beside $name"
done
run 2 "$shim $work/libcuda.so.1" $on CHORALE_HOST_BUFFERS=1 "$work/bcasts"
right && [ "$(lines "$ours")" -eq 1 ]
ok $? "but not with CHORALE_HOST_BUFFERS=1"
run_two "LD_PRELOAD=$with $on" "LD_PRELOAD=$with:$work/libcuda.so.1 $on" \
    "$work/bcasts"
right && [ "$(lines 'left to the library: a rank cannot')" -eq 1 ] &&
    [ "$(lines '-> ')" -eq 0 ]
ok $? "one rank beside a GPU's runtime: all stand aside"
# A launcher that forgets LD_PRELOAD on the way to another node. The rank with
# the shim waits for the other for ever, so the launch is ended after the line.
timeout -k 10 600 "$MPIEXEC" -n 1 "$work/bcasts" : \
    -n 1 env LD_PRELOAD="$with" $on "$work/bcasts" \
    >"$work/out" 2>"$work/err" </dev/null &
launcher=$!
waits='rank 1 has waited in MPI_Init for 20 s: the shim has to be in all ranks'
while running=$(kill -0 $launcher 2>/dev/null && echo yes) &&
    [ "$(lines "$waits")" -eq 0 ]; do
    sleep 0.2
done
kill $launcher 2>/dev/null
wait $launcher 2>/dev/null
[ "$running" = yes ] && [ "$(lines "$waits")" -eq 1 ] &&
    ! grep -q '^bcasts:' "$work/out"
ok $? "a rank that waits for a rank without the shim prints the cause and the remedy"
$CC -shared -fPIC -o "$work/libmycudart_notes.so" "$work/gpu.c"
run 2 "$shim $work/libmycudart_notes.so" $on "$work/bcasts"
right && [ "$(lines "$ours")" -eq 1 ]
ok $? "a library whose name only looks like it is none"
# One that is loaded after communicators were set up. What ran a size of
# broadcasts is in the trace; the fourth call on a communicator sets it up.
ran() { # bytes: what ran them, each once
    awk -v n="$1" '$1 == "bcast" && $2 == n { print $8 }' "$work/trace" |
        sort -u | tr '\n' ' '
}
alike() { # got, expected, name
    [ "$1" = "$2" ]
    ok $? "$3"
}
late() { # P, library, rank, how
    rm -f "$work/trace"
    run "$1" "$shim" $on CHORALE_FORCE=bcast=binomial \
        CHORALE_TRACE="$work/trace" "$work/late" "$work/$2" "$3" "$4"
    right && [ "$(ran 1024)$(ran 1000)" = \
        'binomial:segsize=0 library binomial:segsize=0 library ' ]
}
both='binomial:segsize=0 library '
for who in all 1 0; do
    late 2 libcuda.so.1 $who dup
    ok $? "a GPU's runtime that is loaded by $who, after set-ups"
    alike "$(ran 3000)$(lines 'left to the library: a rank cannot')" "library 1" \
        "the next communicator is the library's, for a line"
    alike "$(ran 2048)$(ran 2000)" "library library " \
        "and so is what was set up before"
done
late 4 libcuda.so.1 3 dup
alike "$?$(ran 3000)$(ran 2048)$(ran 2000)" "0library library library " \
    "by one of four, with communicators that it is not in"
late 4 libcuda.so.1 3 half
ok $? "where only some ranks meet in the next communicator"
alike "$(ran 3000)" "$both" "it is the library's, where that rank is"
alike "$(ran 2048)" "binomial:segsize=0 " \
    "what was set up before stays: no rank stands aside alone"
late 2 libcuda.so.1 all none
alike "$?$(ran 2048)" "0binomial:segsize=0 " "so it is without a new one"
LATE_THREADS=1 late 2 libcuda.so.1 all dup
alike "$?$(ran 3000)" "0library " \
    "where threads may all call, the next one is the library's"
late 2 libmycudart_notes.so all dup
alike "$?$(ran 3000)$(ran 2048)" "0${both}binomial:segsize=0 " \
    "another library that is loaded late changes nothing"
CHORALE_HOST_BUFFERS=1
export CHORALE_HOST_BUFFERS
late 2 libcuda.so.1 all dup
alike "$?$(ran 3000)$(ran 2048)" "0${both}binomial:segsize=0 " \
    "nor does a GPU's runtime with CHORALE_HOST_BUFFERS=1"
unset CHORALE_HOST_BUFFERS

run 2 "$shim" $on sh -c 'env true && exec "$0"' "$work/bcasts"
right && [ "$(lines "$ours")" -eq 1 ]
ok $? "a program that a shell starts"

# MPI loaded late by an interpreter: its calls are its own business.
lib=$(ldd "$work/bcasts" | sed -n 's/.*\(libmpi[^ ]*\) => \([^ ]*\).*/\2/p' |
    head -n 1)
if command -v python3 >/dev/null 2>&1 && [ -n "$lib" ] &&
    python3 -c 'import ctypes' 2>/dev/null; then
    cat >"$work/late.py" <<EOF
import ctypes, sys
mode = ctypes.RTLD_GLOBAL if sys.argv[1] == "global" else ctypes.RTLD_LOCAL
mpi = ctypes.CDLL("$lib", mode=mode)
mpi.MPI_Init(None, None)
flag = ctypes.c_int(0)
mpi.MPI_Initialized(ctypes.byref(flag))
text = ctypes.create_string_buffer(70000)
mpi.MPI_Get_library_version(text, ctypes.byref(ctypes.c_int(0)))
mpi.MPI_Finalize()
print("wrong=%d" % (flag.value != 1))
EOF
    for mode in global local; do
        yield= # it cannot reach UCX in a library that is loaded privately
        run 2 "$shim" $on python3 "$work/late.py" $mode
        yield=$yielding
        right && [ "$(lines chorale:)" -eq 0 ]
        ok $? "MPI loaded by python3, $mode"
    done
else
    skip "MPI loaded by python3" "no python3 with ctypes"
fi
if python3 -c 'from mpi4py import MPI' 2>/dev/null; then
    cat >"$work/four.py" <<'EOF'
from mpi4py import MPI
comm = MPI.COMM_WORLD
wrong = 0
for i in range(10):
    wrong += comm.allreduce(1) != comm.size
    wrong += comm.bcast(i if comm.rank == 0 else None) != i
if comm.rank == 0:
    print("wrong=%d" % wrong)
EOF
    run 2 "$shim" $on python3 "$work/four.py"
    right
    ok $? "mpi4py"
else
    skip "mpi4py" "it is not there"
fi

# MPI that a module loads late and privately.
$CC "$top_srcdir/tests/shim/programs/host.c" -o "$work/host" -ldl
"$MPICC" -shared -fPIC -Dmain=module_main "$top_srcdir/tests/shim/programs/bcasts.c" \
    -o "$work/module.so"
yield=
run 2 "$shim" $on "$work/host" "$work/module.so"
yield=$yielding
served=1 # but Open MPI's handles are addresses, which are out of reach then
"$MPICC" -show 2>/dev/null | grep -qi openmpi && served=0
right && [ "$(lines '-> binomial')" -eq $served ]
ok $? "variants run $served sizes of a privately loaded module"

# Another tool, before and behind.
"$MPICC" -shared -fPIC "$top_srcdir/tests/shim/programs/count_tool.c" \
    -o "$work/tool.so"
counts() { # counts LIBS COUNTS NAME
    run 2 "$1" $on "$work/bcasts"
    right && grep -q "^tool: $2 sends=0" "$work/out"
    ok $? "$3"
}
counts "$work/tool.so" "bcasts=10 allreduces=1" \
    "a tool alone counts ten broadcasts and one allreduce"
counts "$shim $work/tool.so" "bcasts=3 allreduces=0" \
    "behind the shim it counts only the calls that the library runs"
counts "$work/tool.so $shim" "bcasts=10 allreduces=1" \
    "before the shim it counts all calls"

dso=$(lib_of libchorale.so)
# Another identity.
if [ "$(id -u)" -eq 0 ] && [ -f "$dso" ]; then
    chmod 755 "$work"
    lib_dir=$work/lib
    mkdir "$lib_dir" && cp "$dso" "$lib_dir/libchorale.so.0"
    "$MPICC" "$top_srcdir/tests/shim/programs/example.c" \
        -I"$top_srcdir/algorithms/dispatch" "$lib_dir/libchorale.so.0" \
        -Wl,-rpath,"$lib_dir" -o "$work/example" 2>"$work/err"
    run 2 "" $on "$work/example"
    right && [ "$(lines '-> ')" -ge 1 ]
    ok $? "libchorale in an ordinary program takes CHORALE_DISPATCH"
    cp "$work/example" "$work/setuid"
    chown 12345 "$work/setuid" && chmod u+s "$work/setuid"
    tcp=UCX_TLS=tcp,self # shared memory is of processes that can be looked at
    status=1 # Open MPI's launcher waits for such a process in vain
    "$MPICC" -show 2>/dev/null | grep -qi openmpi || run 2 "" $tcp "$work/setuid"
    if right; then
        run 2 "" $tcp $on CHORALE_FORCE=bcast=linear "$work/setuid"
        right && [ "$(lines chorale:)" -eq 0 ] && ! [ -s "$work/told" ]
        ok $? "in one that is set-user-id it does nothing and says nothing"
    else
        skip "set-user-id" "the library does not start so"
    fi
else
    skip "set-user-id" "needs root"
fi

# Linked statically.
objects=$(lib_of libchorale_la-libchorale.o)
for dir in "$top_builddir/algorithms/dispatch"; do
    [ -f "$dir/libchorale_la-libchorale.o" ] &&
        objects=$dir/libchorale_la-libchorale.o
    [ -f "$dir/.libs/libchorale_la-libchorale.o" ] &&
        objects=$dir/.libs/libchorale_la-libchorale.o
done
archive=$top_builddir/algorithms/.libs/libdispatch.a
if [ -n "$objects" ] && [ -f "$archive" ]; then
    "$MPICC" "$top_srcdir/tests/shim/programs/example.c" \
        -I"$top_srcdir/algorithms/dispatch" "$objects" "$archive" -ldl \
        -lpthread -o "$work/static" 2>"$work/err"
    ok $? "libchorale's objects are linked into a program"
    run 2 "" $on "$work/static"
    right && [ "$(lines '-> ')" -ge 1 ]
    ok $? "and run"
    run 2 "$shim" $on CHORALE_AFTER=1 "$work/static"
    right
    ok $? "under the shim, too"
else
    skip "libchorale's objects linked into a program" "they are not here"
fi
if "$MPICC" -static "$top_srcdir/tests/shim/programs/bcasts.c" -o "$work/alone" \
    2>/dev/null; then
    run 2 "$shim" $on "$work/alone"
    right && [ "$(lines chorale:)" -eq 0 ]
    ok $? "a static program does not notice"
else
    echo 'int main(void) { return 0; }' >"$work/alone.c"
    if $CC -static "$work/alone.c" -o "$work/alone" 2>/dev/null; then
        LD_PRELOAD=$shim CHORALE_VERBOSE=1 "$work/alone" 2>"$work/err" &&
            ! [ -s "$work/err" ]
        ok $? "a static program does not notice (without MPI)"
    else
        skip "a static program" "none can be linked"
    fi
fi

# Processes that were not started together. (MPICH 4.0 over UCX, its only
# network in Debian, can do neither.)
program worlds
pass= # how a launcher hands a variable on to what is spawned
"$MPICC" -show 2>/dev/null | grep -qi openmpi && pass=-x
for way in spawn connect; do
    if ! timeout -k 10 600 "$MPIEXEC" -n 2 "$work/worlds" $way \
        >"$work/out" 2>"$work/err" </dev/null || ! grep -q 'worlds: wrong=0' "$work/out"
    then
        skip "$way under the shim" "the library cannot do it"
        continue
    fi
    for P in 2 3; do
        run $P "$shim" $on CHORALE_AFTER=2 "$work/worlds" $way
        right && [ "$(lines 'bcast n=2800 P=')" -gt 0 ]
        ok $? "$way, P=$P, with the shim in the first world"
        [ "$(lines "P=$((P + 2)) -> ")" -eq 0 ] || [ $way = connect ]
        ok $? "nothing of ours runs where worlds meet"
    done
    [ -n "$pass" ] || continue
    LD_PRELOAD=$shim CHORALE_DISPATCH=$work/good.so CHORALE_AFTER=2 \
        CHORALE_VERBOSE=1 timeout -k 10 600 "$MPIEXEC" -n 2 -x LD_PRELOAD \
        -x CHORALE_DISPATCH -x CHORALE_AFTER -x CHORALE_VERBOSE \
        "$work/worlds" $way >"$work/out" 2>"$work/err" </dev/null
    status=$?
    right && [ "$(lines 'bcast n=2800 P=2 -> binomial')" -ge 2 ] &&
        [ "$(lines 'left to the library')" -eq 0 ] &&
        { [ $way = connect ] || [ "$(lines 'P=4 -> ')" -eq 0 ]; }
    ok $? "$way, with the shim in both"
done

# Another MPI, both built for one and run under the other.
other=mpicc.openmpi
"$MPICC" -show 2>/dev/null | grep -qi mpich || other=mpicc.mpich
launch=mpiexec.${other#mpicc.}
for name in life ends; do
    if ! command -v $launch >/dev/null 2>&1 ||
        ! $other "$top_srcdir/tests/shim/programs/$name.c" -o "$work/other" \
            2>/dev/null; then
        skip "$name of another MPI library" "$other is not there"
        continue
    fi
    timeout -k 10 600 $launch -n 2 env LD_PRELOAD="$shim" LD_BIND_NOW=1 $on \
        CHORALE_AFTER=1 CHORALE_CHECK=1 "$work/other" early >"$work/out" 2>"$work/err" \
        </dev/null
    status=$?
    right && [ "$(lines chorale)" -eq 0 ]
    ok $? "$name of another MPI library is not touched"
done
finish
