#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The options of decide are stored with the table, used again by later decisions
# on request, and written into generated files.
. "$(dirname "$0")/../../lib.sh"
db=$work/a.db
plan=$work/plan.db
kept() { # database
    sqlite3 "$1" "SELECT coalesce(threshold, '-') || ' ' ||
        coalesce(compact, '-') || ' ' || coalesce(dispatch_cost, '-') || ' ' ||
        coalesce(objective, '-') || ' ' || deterministic || ' ' ||
        coalesce(max_scratch, '-') || ' ' || allow_patented ||
        iif(accept_mean, ' mean', '') FROM policy"
}
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" "$db" ring \
    "2 16"
is "$(kept "$db")" "" "a database without a table has no stored options"
"$chorale" decide "$db" -q
is "$(kept "$db")" "- - - - 0 - 0" "decide without options stores the defaults"
"$chorale" generate "$db" -q --format c -o "$work/plain.c"
is "$(grep -c 'decided by' "$work/plain.c")" 0 \
    "the file of a table with defaults has no options"

"$chorale" decide "$db" --threshold 5% --compact 0 --dispatch-cost 1us \
    --objective p95 --deterministic --max-scratch 64K --allow-patented \
    --accept-mean >"$work/out.txt"
is "$(kept "$db")" "0.05 0.0 1.0e-06 p95 1 65536 1 mean" "each option is stored"
words="--threshold=0.05 --compact=0 --dispatch-cost=1e-06 --objective=p95 \
--deterministic --max-scratch=65536 --allow-patented --accept-mean"
is "$(sed -n '1s/.*decided by //p' "$work/out.txt")" "$words" \
    "decide prints the options"
is "$("$chorale" decide "$db" $words --json |
    sed -n 's/.*"options": "\(.*\)".*/\1/p')" "$words" \
    "the printed options are accepted again"
"$chorale" generate "$db" -q --format c -o "$work/asked.c" --allow-patented
is "$(sed -n 's/.*decided by: //p' "$work/asked.c")" "$words" \
    "the dispatch file has the options"

"$chorale" decide "$db" -q --as-before --threshold 1%
is "$(kept "$db")" "0.01 0.0 1.0e-06 p95 1 65536 0 mean" \
    "--as-before: given options replace stored ones, patents must be repeated"
"$chorale" decide "$db" -q --as-before --objective median --max-scratch 0
is "$(kept "$db")" "0.01 0.0 1.0e-06 median 1 0 0 mean" \
    "--as-before: a default and no scratch can be requested"
"$chorale" decide "$db" -q
is "$(kept "$db")" "- - - - 0 - 0" "without --as-before the defaults apply"
err=$("$chorale" decide "$db" -q --as-before --objective mode 2>&1)
is $? 2 "an unknown objective is refused"
like "$err" "median or p95" "the error lists the objectives"
is "$(kept "$db")" "- - - - 0 - 0" "a refused decide keeps the stored options"

if [ -x "$top_builddir/chorale-runner-sim" ] &&
    command -v smpirun >/dev/null 2>&1; then
    platform "$work/c.xml" 0.5 1e10 8
    tuned() { # options of tune...
        timeout 900 "$chorale" tune "$work/t.db" -q --launcher smpirun \
            --platform "$work/c.xml" -c allreduce -m 8,64K -P 4,8 \
            --no-validate "$@" >"$work/out.txt" 2>&1 ||
            diag "$(cat "$work/out.txt")"
    }
    tuned
    is "$(kept "$work/t.db")" "- - - - 0 - 0" \
        "tune without options stores the defaults"
    tuned --deterministic --max-scratch 1M
    is "$(kept "$work/t.db")" "- - - - 1 1048576 0" "tune stores the options"
    tuned
    is "$(kept "$work/t.db")" "- - - - 1 1048576 0" \
        "tune again uses the stored options"
else
    skip "no simulation" "tune uses the stored options"
fi
finish
