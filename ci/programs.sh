# SPDX-License-Identifier: BSD-3-Clause
# Builds only some programs. Sourced after lib.sh with $top and $log set.

# Bootstrap, configure and make only these targets.
build_programs() { # directory, configure arguments as one word, targets...
    build=$1
    arguments=$2
    shift 2
    mkdir -p "$build" || exit 3
    say "building in $build"
    if ! (
        set -e
        [ -x "$top/configure" ] && [ "$top/configure" -nt "$top/configure.ac" ] ||
            (cd "$top" && ./autogen.sh)
        cd "$build"
        # shellcheck disable=SC2086
        [ -f config.status ] || "$top/configure" $arguments
        make algorithms/catalogue.inc
        make -j"$(getconf _NPROCESSORS_ONLN)" "$@"
    ) >"$log" 2>&1 </dev/null; then
        tail -n 30 "$log" >&2
        say "the build failed"
        exit 3
    fi
}
