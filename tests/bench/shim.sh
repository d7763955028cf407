#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Nanoseconds that the shim adds to a call: over running the chosen variant
# directly, and over the library's collective to which a call is passed on.
# Messages and that collective do nothing here. Both ways alternate; medians are
# printed. $1: one collective, such as Gatherv, instead of all. Also the cost of
# the first call on a communicator, with real messages; then the same for calls
# that differ from the previous one, or have derived types and user operations.
here=$(cd "${top_builddir:-.}" && pwd)
: "${MPIEXEC:=mpiexec}"
shim=$here/.libs/libchorale_pmpi.so
null=$here/tests/bench/.libs/libshim_null.so
program=$here/tests/bench/shim
kinds=$here/tests/bench/shim_kinds
CHORALE_SITE=/nowhere
forced() { # WORD: print the forced variants of shim.c, or the library for all
    sed -n 's/^ *X(\([A-Z][a-z_]*\), [A-Z_]*, "\([a-z_]*\)".*/\1=\2/p' \
        "$(dirname "$0")/shim.c" | tr A-Z a-z | sed "$1" | paste -sd, -
}
CHORALE_FORCE=$(forced '')
CHORALE_AFTER=1
export CHORALE_SITE CHORALE_FORCE CHORALE_AFTER
timeout 600 "$MPIEXEC" -n 2 env LD_PRELOAD="$shim $null" "$program" "$null" \
    served "$@" || exit
for p in 1 2; do
    CHORALE_FORCE=$(forced 's/=.*/=library/') timeout 600 "$MPIEXEC" -n $p \
        env LD_PRELOAD="$shim $null" "$program" "$null" passed "$@" || exit
done
# Other kinds of calls: served by variants, and passed on because a table serves
# their collective but not their sizes. $1: one kind of shim_kinds.c, such as
# comms.
timeout 600 "$MPIEXEC" -n 2 env LD_PRELOAD="$shim $null" "$kinds" "$null" \
    served "$@" || exit
src=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
${CC:-cc} -shared -fPIC -I"$src" -o "$work/narrow.so" \
    -D'HULL={ 1, 1 << 30, 1 << 20, (unsigned long long)-1 }' \
    "$src/tests/shim/table.c" || exit
for p in 1 2; do
    timeout 600 "$MPIEXEC" -n $p env -u CHORALE_FORCE \
        CHORALE_DISPATCH="$work/narrow.so" LD_PRELOAD="$shim $null" "$kinds" \
        "$null" passed "$@" || exit
done
[ $# -eq 0 ] || exit 0
# The same with a table that serves the collective, but not these sizes: a
# variant that may not use the memory it needs.
CHORALE_FORCE=reduce=binomial,allgatherv=bruck,reduce_scatter=recursive_halving
for name in Reduce Allgatherv Reduce_scatter; do
    CHORALE_MAX_SCRATCH=0 \
        timeout 120 "$MPIEXEC" -n 2 env LD_PRELOAD="$shim $null" "$program" \
        "$null" passed $name |
        sed 's/passed on,\{0,1\}  */looked at, passed on /'
done
# With real messages, whose code and data use the processor's caches.
for how in reduce=library "reduce=binomial CHORALE_MAX_SCRATCH=0"; do
    timeout 120 "$MPIEXEC" -n 2 env CHORALE_FORCE=$how LD_PRELOAD="$shim" \
        "$program" real || exit
done
timeout 120 "$MPIEXEC" -n 2 env LD_PRELOAD="$shim" "$program" setup || exit
CHORALE_FORCE=bcast=library timeout 120 "$MPIEXEC" -n 2 "$program" setup |
    sed 's/$/, without the shim/'
