# SPDX-License-Identifier: BSD-3-Clause
# Builds and launches the correctness matrix's programs with sanitizers. Sourced
# after lib.sh and programs.sh with $top and $log set.

# Build the programs. With simulations, $asan is set to the runtime's path.
build_sanitized() { # DIRECTORY yes|no
    asan=
    build_programs "$1" --enable-sanitizer tests/mpi/libyield.la \
        tests/mpi/variants tests/mpi/variants_pieces
    [ "$2" = yes ] || return
    asan=$(${CC:-gcc} -print-file-name=libasan.so)
    # smpicc would build it without sanitizers. The runtime must be loaded first
    # in the process, which SimGrid starts; it is therefore preloaded.
    if [ ! -e "$asan" ] ||
        ! make -C "$build" -j"$(getconf _NPROCESSORS_ONLN)" \
            tests/mpi/variants_sim CFLAGS="-g -O1 -fno-omit-frame-pointer \
                -fsanitize=address,undefined" >>"$log" 2>&1 </dev/null ||
        ! grep -q __asan_init "$build/tests/mpi/variants_sim" ||
        ! make -C "$build" tests/mpi/libnew.la SANITIZER_CFLAGS= \
            >>"$log" 2>&1 </dev/null; then
        say "no sanitized simulation without SimGrid, gcc's libasan.so and the"
        say "GNU C library; the log is $log"
        exit 3
    fi
}

# The environment, set before launch.sh is sourced. Allocations are recorded
# with the calling line only, which takes a quarter less time. Stack frames
# must not move to the heap, because SimGrid's contexts have their own stacks.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}malloc_context_size=2
ASAN_OPTIONS=$ASAN_OPTIONS:detect_stack_use_after_return=0
UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
SIMULATED_OPTIONS=--cfg=contexts/factory:raw
export ASAN_OPTIONS UBSAN_OPTIONS SIMULATED_OPTIONS

# run_sanitized COMMAND...: run a simulated launch of launch.sh.
run_sanitized() {
    (
        LD_PRELOAD=$here/tests/mpi/.libs/libnew.so:$asan
        export LD_PRELOAD
        "$@"
    )
}

# Print findings in a launch's log. A program may continue after one and print
# "ok".
sanitizer_findings() { # LOG
    grep -A 12 -e 'ERROR: AddressSanitizer' -e 'runtime error' "$1" |
        head -n 40
}
