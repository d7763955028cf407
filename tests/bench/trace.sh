#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Nanoseconds that the shim and CHORALE_TRACE add to a call: a call of a single
# rank without the shim, with it, and traced, in turn; the fastest of five
# programs each.
here=$(cd "${top_builddir:-.}" && pwd)
src=${top_srcdir:-$(dirname "$0")/../..}
: "${MPICC:=mpicc}"
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
shim=$here/.libs/libchorale_pmpi.so
"$MPICC" -O2 -o "$work/calls" "$src/tests/bench/trace.c" || exit
for turn in 1 2 3 4 5; do
    "$work/calls" >>"$work/alone" || exit
    LD_PRELOAD=$shim "$work/calls" >>"$work/shim" || exit
    LD_PRELOAD=$shim CHORALE_TRACE=$work/t "$work/calls" >>"$work/traced" ||
        exit
done
tail -n 1 "$work/t" | grep -q '^end [1-9]' || exit 1
for way in alone shim traced; do
    awk -v way=$way '
        { for (i = 1; i <= 3; i++)
              if (NR == 1 || $i < best[i])
                  best[i] = $i }
        END { print way, best[1], best[2], best[3] }' "$work/$way"
done | awk '
    BEGIN { name[2] = "same bcast"; name[3] = "bcast, sizes in turn"
            name[4] = "allreduce" }
    { printf "# %-6s", $1
      for (i = 2; i <= 4; i++) {
          printf "  %s %6.1f ns", name[i], $i
          if ($1 != "alone")
              printf " (%+.1f)", $i - before[i]
          before[i] = $i
      }
      print "" }'
