#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the shim adds to a call, in nanoseconds: over running the variant that
# it chooses, and over the library's collective that it passes a call on to.
# Messages and that collective do nothing here; the two are timed in turn, and
# medians shown. $1: a collective, as Gatherv, instead of all. Also what the
# first call on a communicator costs, of real messages. Then the same of calls
# that differ from the one before, or have types and operations of a program.
here=$(cd "${top_builddir:-.}" && pwd)
: "${MPIEXEC:=mpiexec}"
shim=$here/.libs/libchorale_pmpi.so
null=$here/tests/bench/.libs/libshim_null.so
program=$here/tests/bench/shim
kinds=$here/tests/bench/shim_kinds
CHORALE_SITE=/nowhere
forced() { # forced WORD: the variants of shim.c, or all by the library
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
# Other kinds of calls: by variants, and where a table serves their collective,
# but none of their sizes. $1: one of shim_kinds.c, as comms.
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
# The same where a table serves that collective, but not at these sizes: a
# variant that may not have the memory it needs.
CHORALE_FORCE=reduce=binomial,allgatherv=bruck,reduce_scatter=recursive_halving
for name in Reduce Allgatherv Reduce_scatter; do
    CHORALE_MAX_SCRATCH=0 \
        timeout 120 "$MPIEXEC" -n 2 env LD_PRELOAD="$shim $null" "$program" \
        "$null" passed $name |
        sed 's/passed on,\{0,1\}  */looked at, passed on /'
done
# And with real messages, whose code and data take the processor's caches.
for how in reduce=library "reduce=binomial CHORALE_MAX_SCRATCH=0"; do
    timeout 120 "$MPIEXEC" -n 2 env CHORALE_FORCE=$how LD_PRELOAD="$shim" \
        "$program" real || exit
done
timeout 120 "$MPIEXEC" -n 2 env LD_PRELOAD="$shim" "$program" setup || exit
CHORALE_FORCE=bcast=library timeout 120 "$MPIEXEC" -n 2 "$program" setup |
    sed 's/$/, without the shim/'
