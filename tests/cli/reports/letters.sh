#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# letters.sh - compare the letters of a map with the stored table and with the
# boxes of its picture, at each measured process count and power of two of n.
#
# Usage: letters.sh CHORALE DB COLLECTIVE
# Writes to the current folder. Prints the differences, then the number of
# points, of wrong ones, and of process counts with letters.
set -eu

chorale=$1 db=$2 coll=$3
"$chorale" plot "$db" --terminal dumb -c "$coll" --figures map >letters.txt
"$chorale" plot "$db" -o letters --format svg -c "$coll" --figures map \
    >/dev/null
sqlite3 -separator ' ' "$db" "WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL
    SELECT max(1, 2 * n) FROM s WHERE n < 1 << 50)
    SELECT p.comm_size, s.n, CASE d.provider WHEN 'library' THEN 'library'
    ELSE trim(d.variant || ' ' || d.params) END
    FROM (SELECT DISTINCT comm_size FROM cell WHERE coll = '$coll'
      AND comm_size > 1) p JOIN s JOIN v_decision d ON d.coll = '$coll'
      AND p.comm_size BETWEEN d.comm_size AND d.comm_size_hi
      AND s.n BETWEEN d.n_lo AND d.n_hi
    ORDER BY p.comm_size, s.n" >letters.want
awk '
    FILENAME ~ /dat$/ && /^#/ { next }
    FILENAME ~ /dat$/ && !nchoice { lo = $1; hi = $2; zero = $5; nchoice = $6
        next }
    FILENAME ~ /dat$/ && /^"/ { k++; gsub(/"/, ""); label[$0] = k; next }
    FILENAME ~ /dat$/ && NF == 9 && k { box[++nbox] = $0; of[nbox] = k; next }
    FILENAME ~ /want$/ {
        p = $1; n = $2; sub(/^[0-9]+ [0-9]+ /, "")
        if (n == 0 ? zero == 0 : n < (zero > 0 ? 4 * zero : lo) || n > hi)
            next
        letter = sprintf("%c", 64 + label[$0])
        want[p] = want[p] letter
        points++
        for (i = 1; i <= nbox; i++) {
            split(box[i], b, " ")
            if (b[8] <= p && p <= b[9] && b[6] <= n && n <= b[7] &&
                    of[i] != label[$0]) {
                print "n = " n ", P = " p ": the picture has choice " of[i]
                wrong++
            }
        }
        next
    }
    FILENAME ~ /txt$/ && match($0, /[0-9]+ *[|+]/) {
        p = substr($0, RSTART) + 0
        line = substr($0, RSTART + RLENGTH)
        gsub(/[^A-Za-z]/, "", line)
        if (p in want && !(p in got))
            got[p] = line
    }
    END {
        for (p in got)
            if (got[p] != want[p]) {
                print "P = " p ": got " got[p] ", expected " want[p]
                wrong++
            }
        print points + 0, wrong + 0, length(got)
    }' "letters/${coll}_map.dat" letters.want letters.txt
