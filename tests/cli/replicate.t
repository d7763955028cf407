#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The verb replicate: its answer, its picture, a fitted database, bad input.
# What it computes is tests/unit/replicate.c's.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 99

"$chorale" replicate --system RS2 --n 16 --accesses 2 --tm 50 >out.txt 2>err.txt
is "$? $(cat err.txt)" "0 " "a mesh of 16 by 16"
like "$(cat out.txt)" 'best groups: 6 a side' "its best groups"
like "$(cat out.txt)" '6 x 6 +104\.763 .*\+0\.00 %' "their cost"
like "$(cat out.txt)" 'closed form: 6 \(T_o falls to 5\.9128 .* 5\.8557' \
    "the closed form, and its roots"
like "$("$chorale" replicate --system RS2 --n 16 --accesses 2 --tm 50 \
    --divisors)" 'best groups: 8 a side' "of divisors another"
like "$("$chorale" replicate --system RS2 --n 3 --accesses 0.75 --tm 0.1)" \
    'as printed: 2, which is not the best' "where the proposition fails it says so"
like "$("$chorale" replicate --system WS2 --n 12 --accesses 8 --tm 0)" \
    'a root of a negative number; repaired: 1' "and where it is not real"
like "$("$chorale" replicate --system ring --n 64 --accesses 1 --tm 100)" \
    'best groups: [0-9]+$' "a ring has groups of elements in a row"
is "$("$chorale" replicate --n 16 --accesses 2 --tm 50 --json |
    sed -n 's/.*"best": \([0-9]*\).*/\1/p; s/.*"side": //p' | tr -d ',\n' |
    head -c 12)" "612345678910" "JSON has all sides"

# From a fitted model: tau / beta, and alpha / beta for each message.
"$chorale" plan f.db -P 2 -m 8 -c bcast -q
sqlite3 f.db "INSERT INTO model (system_id, param, value, unit, npoints, error,
    worst_error, trusted) SELECT 1, k, v, 's', 9, 0, 0, 1 FROM (SELECT 'alpha'
    AS k, 1e-6 AS v UNION SELECT 'beta', 1e-9 UNION SELECT 'tau', 5e-8)"
like "$("$chorale" replicate f.db --n 16 --accesses 2)" \
    'T_m = 50' "a database tells T_m"
like "$("$chorale" replicate f.db --n 16 --accesses 2 --data 1000)" \
    'alpha = 125, M = 1000' "and with the data the latency of a message"
sqlite3 f.db "DELETE FROM model WHERE param = 'tau'"
"$chorale" replicate f.db --n 16 2>err.txt
is "$? $(wc -l <err.txt)" "4 1" "without a tau it says so"
like "$(cat err.txt)" 'no tau is fitted' "and what is missing"
"$chorale" replicate f.db --n 16 --tm 3 >/dev/null
is $? 0 "unless T_m is said"

for words in '' '--n 16' '--n 16 --tm 1 --system RS3' '--n 0 --tm 1' \
    '--n 16 --tm 1 --alpha 5' '--n 16 --tm 1 --plot x.pdf'; do
    # shellcheck disable=SC2086
    "$chorale" replicate $words >out.txt 2>err.txt
    is "$? $(wc -l <err.txt)" "2 1" "refused in a line: '$words'"
done

if command -v "${GNUPLOT:-gnuplot}" >/dev/null; then
    "$chorale" replicate --n 16 --accesses 2 --tm 50 --plot t.svg >/dev/null
    is $? 0 "--plot"
    is "$(grep -c '^[0-9]' t.dat)" 16 "its data has all sides"
    ! command -v xmllint >/dev/null || xmllint --noout t.svg
    grep -q 'best: 6' t.svg
    ok $? "and the picture says which is best"
else
    skip "no gnuplot" "the picture"
fi
finish
