#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Milliseconds that the shim adds to a program's start and end. Programs without
# the shim, with it and no table, and with a table for all collectives start in
# turn; the slowest rank of a launch counts.
#
# First: time in the shim in MPI_Init and in MPI_Finalize, as medians over
# launches of the rank that waits least and of the slowest rank, and the former
# relative to MPI_Init or MPI_Finalize without the shim. Then, for loading (exec
# to main), MPI_Init, the first eight broadcasts and barriers, MPI_Finalize and
# the total: the median excess of a launch with the shim over one without it in
# the same turn, with the 95 % interval of that median, and the ratio of
# medians. These include work that is only moved, such as the library's
# connection set-up.
#
#     shim_start.sh [TURNS [P]]     (40 turns, 2 ranks)
here=$(cd "${top_builddir:-.}" && pwd)
src=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd)
: "${MPIEXEC:=mpiexec}"
: "${CC:=cc}"
turns=${1:-40}
p=${2:-2}
shim=$here/.libs/libchorale_pmpi.so
clock=$here/tests/bench/.libs/libshim_clock.so
yield=$here/tests/mpi/.libs/libyield.so # waiting ranks yield
program=$here/tests/bench/shim_start
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
unset CHORALE_DISPATCH CHORALE_FORCE CHORALE_AFTER LD_PRELOAD
CHORALE_SITE=/nowhere
CHORALE_ANY_SYSTEM=1
export CHORALE_SITE CHORALE_ANY_SYSTEM
top_builddir=$here sh "$src/tests/shim/random_table.sh" simplest \
    >"$work/table.c" &&
    $CC -shared -fPIC -I"$src" "$work/table.c" -o "$work/table.so" || exit
launch() { # WAY TURN: print WAY, TURN and the slowest rank's times
    libs="$shim $clock $yield"
    table=
    case $1 in
    without) libs="$clock $yield" ;;
    table) table=$work/table.so ;;
    esac
    timeout 60 "$MPIEXEC" -n "$p" env ${table:+CHORALE_DISPATCH="$table"} \
        "$program" "$libs" </dev/null >"$work/out" || return
    awk -v way="$1" -v turn="$2" -v p="$p" '
        NF == 7 { n++
                  for (i = 1; i <= 7; i++) {
                      if (n == 1 || $i > most[i])
                          most[i] = $i
                      if (n == 1 || $i < least[i])
                          least[i] = $i
                  } }
        END { if (n != p)
                  exit 1
              printf "%s %d", way, turn
              for (i = 1; i <= 7; i++)
                  printf " %.4f", most[i]
              print "", least[6], least[7] }' "$work/out" >>"$work/times"
}
set -- without none table
for turn in $(seq 0 "$turns"); do # turn 0 warms up
    for way; do
        launch "$way" "$turn" || {
            echo "shim_start.sh: a launch '$way' failed" >&2
            exit 1
        }
    done
    first=$1
    shift
    set -- "$@" "$first"
done
awk -v p="$p" '
    function sort(a, n,   i, j, x) {
        for (i = 2; i <= n; i++) {
            x = a[i]
            for (j = i - 1; j > 0 && a[j] > x; j--)
                a[j + 1] = a[j]
            a[j + 1] = x
        }
    }
    function median(a, n) {
        sort(a, n)
        return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
    }
    function median_of(way, i,   k, a) {
        for (k = 1; k <= last; k++)
            a[k] = t[way, k, i]
        return median(a, last)
    }
    function own(way, words, i, whole) {
        printf "# %-12s %-8s P = %d: %7.3f ms in the shim (%.3f with " \
               "waiting), %.1f %% of %.3f\n", what[whole], words, p,
               median_of(way, i + 2), median_of(way, i),
               100 * median_of(way, i + 2) / median_of("without", whole),
               median_of("without", whole)
    }
    function more(way, words, i,   k, a, low, gap) {
        for (k = 1; k <= last; k++)
            a[k] = t[way, k, i] - t["without", k, i]
        gap = median(a, last)
        low = int((last + 1) / 2 - 0.98 * sqrt(last)) # order statistics
        if (low < 1)
            low = 1
        printf "# %-12s %-8s P = %d: %+7.3f ms (%+.3f to %+.3f) over " \
               "%.3f, %.3f times\n", what[i], words, p, gap, a[low],
               a[last + 1 - low], median_of("without", i),
               median_of(way, i) / median_of("without", i)
    }
    { for (i = 1; i <= 9; i++)
          t[$1, $2, i] = $(i + 2)
      if ($2 > last)
          last = $2 }
    END {
        split("loading,MPI_Init,first calls,MPI_Finalize,in all", what, ",")
        for (i = 6; i <= 7; i++) {
            own("none", "no table", i, i == 6 ? 2 : 4)
            own("table", "a table", i, i == 6 ? 2 : 4)
        }
        for (i = 1; i <= 5; i++) {
            more("none", "no table", i)
            more("table", "a table", i)
        }
    }' "$work/times"
