#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# other_libraries.t - the shim beside other libraries in a process: a GPU
# runtime, set-user-id, no MPI, MPI loaded late, static libchorale, other
# tools, another MPI.
. "$(dirname "$0")/helpers.sh"

for name in bcasts comm_lifetimes program_ends late; do
    program "$name" || skip_all "$MPICC does not compile $name.c"
done
table good
on="CHORALE_DISPATCH=$work/good.so CHORALE_VERBOSE=1"
ours='bcast n=1024 P=2 -> binomial'
yielding=$yield
right() { [ $status -eq 0 ] && grep -q 'wrong=0' "$work/out"; }

# A GPU runtime with a device: buffers may be in memory that the processor cannot
# read. devices.so pretends that one device exists, $PRETENDED_DEVICE.
echo 'int cuInit(unsigned f) { return (int)f; }' >"$work/gpu.c"
cat >"$work/devices.c" <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int access(const char *path, int mode)
{
    static const char *const device[] = { "/dev/nvidiactl", "/dev/nvmap",
                                          "/dev/dxg", "/dev/kfd", "/dev/dri" };
    const char *only = getenv("PRETENDED_DEVICE");

    for (size_t i = 0; i < sizeof(device) / sizeof(device[0]); i++)
        if (strcmp(path, device[i]) == 0) {
            errno = ENOENT;
            return only != NULL && strcmp(path, only) == 0 ? 0 : -1;
        }
    return faccessat(AT_FDCWD, path, mode, 0);
}
END
$CC -shared -fPIC -o "$work/devices.so" "$work/devices.c"
ok $? "devices are pretended"
shim="$shim $work/devices.so"
with=$with:$work/devices.so
while read -r name device; do
    $CC -shared -fPIC -o "$work/$name" "$work/gpu.c"
    run 2 "$shim $work/$name" PRETENDED_DEVICE="$device" $on "$work/bcasts"
    right && [ "$(lines 'left to the library: .*GPU runtime')" -eq 1 ] &&
        [ "$(lines '-> ')" -eq 0 ]
    ok $? "the library runs all calls beside $name"
    run 2 "$shim $work/$name" PRETENDED_DEVICE=none $on "$work/bcasts"
    right && [ "$(lines "$ours")" -eq 1 ]
    ok $? "variants run beside $name without a device"
done <<'END'
libcuda.so.1 /dev/nvidiactl
libcudart.so.12 /dev/dxg
libamdhip64.so.5 /dev/kfd
libze_intel_gpu.so.1 /dev/dri
END
# hwloc loads it into every process, and display adapters are in /dev/dri.
$CC -shared -fPIC -o "$work/libze_loader.so.1" "$work/gpu.c"
run 2 "$shim $work/libze_loader.so.1" PRETENDED_DEVICE=/dev/dri $on "$work/bcasts"
right && [ "$(lines "$ours")" -eq 1 ]
ok $? "variants run beside libze_loader.so.1 without a driver"
PRETENDED_DEVICE=/dev/nvidiactl
export PRETENDED_DEVICE
run 2 "$shim $work/libcuda.so.1" $on CHORALE_HOST_BUFFERS=1 "$work/bcasts"
right && [ "$(lines "$ours")" -eq 1 ]
ok $? "variants run beside it with CHORALE_HOST_BUFFERS=1"
run_two "LD_PRELOAD=$with $on" "LD_PRELOAD=$with:$work/libcuda.so.1 $on" \
    "$work/bcasts"
right && [ "$(lines 'left to the library: a rank cannot')" -eq 1 ] &&
    [ "$(lines '-> ')" -eq 0 ]
ok $? "if one rank has a GPU runtime, all ranks use the library"
# A launcher that does not pass LD_PRELOAD to one node. The rank with the shim
# waits forever, so the launch is killed after the line was printed.
# shellcheck disable=SC2016 # expanded by the ranks
timeout -k 10 600 "$MPIEXEC" -n 2 sh -c '
    [ "${PMI_RANK:-${OMPI_COMM_WORLD_RANK-}}" = 1 ] || exec "$1"
    shift
    exec env "$@"' sh "$work/bcasts" LD_PRELOAD="$with" $on "$work/bcasts" \
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
ok $? "a rank that waits for one without the shim prints cause and remedy"
$CC -shared -fPIC -o "$work/libmycudart_notes.so" "$work/gpu.c"
run 2 "$shim $work/libmycudart_notes.so" $on "$work/bcasts"
right && [ "$(lines "$ours")" -eq 1 ]
ok $? "a library with a similar name is not a GPU runtime"
# A runtime that is loaded after communicators were set up. The trace shows
# what ran each size of broadcasts. The fourth call on a communicator sets it
# up.
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
    ok $? "results are right after $who loads a GPU runtime late"
    alike "$(ran 3000)$(lines 'left to the library: a rank cannot')" "library 1" \
        "the next communicator is left to the library, with one line"
    alike "$(ran 2048)$(ran 2000)" "library library " \
        "so are the communicators set up before"
done
late 4 libcuda.so.1 3 dup
alike "$?$(ran 3000)$(ran 2048)$(ran 2000)" "0library library library " \
    "one of four ranks loads it: earlier communicators are left, too"
late 4 libcuda.so.1 3 half
ok $? "results are right if only some ranks make the next communicator"
alike "$(ran 3000)" "$both" "the library runs the next communicator of that rank"
alike "$(ran 2048)" "binomial:segsize=0 " \
    "earlier communicators stay served: no rank may leave alone"
late 2 libcuda.so.1 all none
alike "$?$(ran 2048)" "0binomial:segsize=0 " \
    "earlier communicators stay served without a new one"
LATE_THREADS=1 late 2 libcuda.so.1 all dup
alike "$?$(ran 3000)" "0library " \
    "with MPI_THREAD_MULTIPLE the next one is left to the library"
late 2 libmycudart_notes.so all dup
alike "$?$(ran 3000)$(ran 2048)" "0${both}binomial:segsize=0 " \
    "another library loaded late has no effect"
CHORALE_HOST_BUFFERS=1
export CHORALE_HOST_BUFFERS
late 2 libcuda.so.1 all dup
alike "$?$(ran 3000)$(ran 2048)" "0${both}binomial:segsize=0 " \
    "a GPU runtime loaded late has no effect with CHORALE_HOST_BUFFERS=1"
unset CHORALE_HOST_BUFFERS

run 2 "$shim" $on sh -c 'env true && exec "$0"' "$work/bcasts"
right && [ "$(lines "$ours")" -eq 1 ]
ok $? "variants run in a program that a shell starts"

# MPI loaded late by an interpreter: the shim leaves its calls alone.
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
        ok $? "MPI loaded late by python3 is left alone, $mode"
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
    ok $? "mpi4py gets right results"
else
    skip "mpi4py" "not installed"
fi

# MPI loaded late and privately, by a module.
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

# Another tool, before and behind the shim.
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
# A set-user-id program.
if [ "$(id -u)" -eq 0 ] && [ -f "$dso" ]; then
    chmod 755 "$work"
    lib_dir=$work/lib
    mkdir "$lib_dir" && cp "$dso" "$lib_dir/libchorale.so.0"
    "$MPICC" "$top_srcdir/tests/shim/programs/example.c" \
        -I"$top_srcdir/algorithms/dispatch" "$lib_dir/libchorale.so.0" \
        -Wl,-rpath,"$lib_dir" -o "$work/example" 2>"$work/err"
    run 2 "" $on "$work/example"
    right && [ "$(lines '-> ')" -ge 1 ]
    ok $? "libchorale in an ordinary program uses CHORALE_DISPATCH"
    cp "$work/example" "$work/setuid"
    chown 12345 "$work/setuid" && chmod u+s "$work/setuid"
    tcp=UCX_TLS=tcp,self # shared memory is of processes that can be looked at
    status=1 # Open MPI's launcher waits for such a process in vain
    "$MPICC" -show 2>/dev/null | grep -qi openmpi || run 2 "" $tcp "$work/setuid"
    if right; then
        run 2 "" $tcp $on CHORALE_FORCE=bcast=linear "$work/setuid"
        right && [ "$(lines chorale:)" -eq 0 ] && ! [ -s "$work/told" ]
        ok $? "in a set-user-id program it is silent and uses the library"
    else
        skip "set-user-id" "the library does not start in such a program"
    fi
else
    skip "set-user-id" "needs root"
fi

# libchorale linked statically.
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
    ok $? "libchorale's objects link statically into a program"
    run 2 "" $on "$work/static"
    right && [ "$(lines '-> ')" -ge 1 ]
    ok $? "variants run in it"
    run 2 "$shim" $on CHORALE_AFTER=1 "$work/static"
    right
    ok $? "it is right under the shim"
else
    skip "libchorale's objects link statically" "they are not built"
fi
if "$MPICC" -static "$top_srcdir/tests/shim/programs/bcasts.c" -o "$work/alone" \
    2>/dev/null; then
    run 2 "$shim" $on "$work/alone"
    right && [ "$(lines chorale:)" -eq 0 ]
    ok $? "a static program is not affected"
else
    echo 'int main(void) { return 0; }' >"$work/alone.c"
    if $CC -static "$work/alone.c" -o "$work/alone" 2>/dev/null; then
        LD_PRELOAD=$shim CHORALE_VERBOSE=1 "$work/alone" 2>"$work/err" &&
            ! [ -s "$work/err" ]
        ok $? "a static program is not affected (without MPI)"
    else
        skip "a static program" "static linking does not work here"
    fi
fi

# Processes that were started separately. MPICH 4.0 over UCX, its only network
# in Debian, supports neither way.
program worlds
pass= # the launcher's option to pass a variable to spawned processes
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
        ok $? "$way, P=$P: results are right with the shim in the first world"
        [ "$(lines "P=$((P + 2)) -> ")" -eq 0 ] || [ $way = connect ]
        ok $? "no variant runs on communicators of both worlds"
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
    ok $? "$way: results are right with the shim in both worlds"
done

# The launcher of another MPI library: each process is alone. Only MPICH's
# programs run without their launcher's variables.
alone() { # VAR=VALUE ...: run a process, its status in $status
    timeout -k 10 600 env "$@" LD_PRELOAD="$shim" "$work/bcasts" \
        >"$work/out" 2>"$work/err" </dev/null
    status=$?
}
line='^chorale: 2 processes were started, but each is alone .* launcher of'
if "$MPICC" -show 2>/dev/null | grep -qi mpich; then
    for names in 'OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE' \
        'SLURM_PROCID SLURM_STEP_NUM_TASKS'; do
        alone ${names% *}=0 ${names#* }=2 CHORALE_VERBOSE=1
        right && [ "$(lines "$line")" -eq 1 ]
        ok $? "rank 0 of two by ${names#* } prints that it is alone"
        alone ${names% *}=1 ${names#* }=2 CHORALE_VERBOSE=1
        right && [ "$(lines "$line")" -eq 0 ]
        ok $? "rank 1 prints no line"
        alone ${names% *}=0 ${names#* }=1 CHORALE_VERBOSE=1
        right && [ "$(lines "$line")" -eq 0 ]
        ok $? "one process by ${names#* } prints no line"
        alone ${names% *}=0 ${names#* }=2
        right && [ "$(lines .)" -eq 0 ]
        ok $? "without a setting of the shim there is no line"
    done
    timeout -k 10 600 env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 \
        "$MPIEXEC" -n 1 env LD_PRELOAD="$shim" CHORALE_VERBOSE=1 \
        "$work/bcasts" >"$work/out" 2>"$work/err" </dev/null
    [ "$(lines "$line")" -eq 0 ]
    ok $? "one rank of the right launcher, started by another, is no error"
    if command -v mpiexec.openmpi >/dev/null 2>&1; then
        timeout -k 10 600 mpiexec.openmpi -n 2 env LD_PRELOAD="$shim" \
            CHORALE_VERBOSE=1 "$work/bcasts" >"$work/out" 2>"$work/err" \
            </dev/null
        [ "$(lines "$line")" -eq 1 ]
        ok $? "two ranks by Open MPI's launcher: one line"
    else
        skip "Open MPI's launcher" "not installed"
    fi
else
    skip "ranks that are alone" "the library needs its launcher"
fi

# The shim of one MPI library under a program of another.
other=mpicc.openmpi
"$MPICC" -show 2>/dev/null | grep -qi mpich || other=mpicc.mpich
launch=mpiexec.${other#mpicc.}
for name in comm_lifetimes program_ends; do
    if ! command -v $launch >/dev/null 2>&1 ||
        ! $other "$top_srcdir/tests/shim/programs/$name.c" -o "$work/other" \
            2>/dev/null; then
        skip "$name of another MPI library" "$other is not installed"
        continue
    fi
    timeout -k 10 600 $launch -n 2 env LD_PRELOAD="$shim" LD_BIND_NOW=1 $on \
        CHORALE_AFTER=1 CHORALE_CHECK=1 "$work/other" early >"$work/out" 2>"$work/err" \
        </dev/null
    status=$?
    right && [ "$(lines chorale)" -eq 1 ] &&
        [ "$(lines 'this shim was built for \(MPICH\|Open MPI [0-9]*\): no call is served')" -eq 1 ] &&
        [ "$(lines 'program uses \(MPICH\|Open MPI\) [0-9.]*, but')" -eq 1 ]
    ok $? "$name under another MPI library runs, and one line says why"
    timeout -k 10 600 $launch -n 2 env LD_PRELOAD="$shim" CHORALE_VERBOSE=0 \
        "$work/other" early >"$work/out" 2>"$work/err" </dev/null
    status=$?
    right && [ "$(lines chorale)" -eq 0 ]
    ok $? "$name: no line with CHORALE_VERBOSE=0"
done

# The right library, but without most of its functions.
family='MPICH Version: 4.0.2'
"$MPICC" -show 2>/dev/null | grep -qi openmpi && family=
cat >"$work/few.c" <<EOF
int MPI_Init(int *argc, char ***argv) { (void)argc; (void)argv; return 0; }
int PMPI_Init(int *argc, char ***argv) { return MPI_Init(argc, argv); }
int PMPI_Get_library_version(char *text, int *length)
{
    const char *from = "$family\\nmore\\n";
    for (*length = 0; (text[*length] = from[*length]) != 0; ++*length)
        ;
    return 0;
}
EOF
echo 'int MPI_Init(int *, char ***); int main(void) { return MPI_Init(0, 0); }' \
    >"$work/few_main.c"
if [ -n "$family" ] &&
    $CC -shared -fPIC -o "$work/libmpi_few.so" "$work/few.c" &&
    $CC -o "$work/few" "$work/few_main.c" "$work/libmpi_few.so" \
        -Wl,-rpath,"$work"; then
    LD_PRELOAD=$shim CHORALE_VERBOSE=1 timeout 600 "$work/few" >"$work/out" \
        2>"$work/err"
    [ $? -eq 0 ] && [ "$(lines 'was built for')" -eq 0 ]
    ok $? "the right library without most functions is not called another one"
else
    skip "the right library without most functions" "not imitated here"
fi
finish
