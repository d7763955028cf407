# SPDX-License-Identifier: BSD-3-Clause
# The correctness matrix's programs under the sanitizers: how to build and to
# launch them. Sourced after lib.sh and programs.sh with $top and $log set.

# Build them in a directory. With simulations $asan is the sanitizer's runtime.
build_sanitized() { # DIRECTORY yes|no
    asan=
    build_programs "$1" --enable-sanitizer tests/mpi/libyield.la \
        tests/mpi/variants tests/mpi/variants_pieces
    [ "$2" = yes ] || return
    asan=$(${CC:-gcc} -print-file-name=libasan.so)
    # Left unsanitized otherwise; its runtime must come first in the process,
    # which is SimGrid's.
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

# Their environment. It comes before launch.sh. What is allocated is told with
# the place of the call alone, which takes a quarter less time. No stack frame
# may be moved to the heap: SimGrid's contexts have stacks of their own.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}malloc_context_size=2
ASAN_OPTIONS=$ASAN_OPTIONS:detect_stack_use_after_return=0
UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
SIMULATED_OPTIONS=--cfg=contexts/factory:raw
export ASAN_OPTIONS UBSAN_OPTIONS SIMULATED_OPTIONS

# run_sanitized COMMAND...: one of launch.sh's, simulated.
run_sanitized() {
    (
        LD_PRELOAD=$here/tests/mpi/.libs/libnew.so:$asan
        export LD_PRELOAD
        "$@"
    )
}

# Findings in a launch's log: where the program went on, it says "ok" as well.
sanitizer_findings() { # LOG
    grep -A 12 -e 'ERROR: AddressSanitizer' -e 'runtime error' "$1" |
        head -n 40
}
