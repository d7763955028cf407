#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The share of the possible gain that a table of this machine captures, in
# processes of their own. All cells of a database and its table's choices are
# measured in further launches, which decide nothing. `decide --compact 0%
# --threshold 0%` makes a second table of the best of them. Both tables are
# validated in turn, a few launches each. Prints per collective both gains and
# the ratio of their logarithms, from a common start and back to back.
#
#   captured.sh [-o DIR] [-l LAUNCHES] [-t TURNS] RESULTS.db
#
# -o DIR       keep the databases there, and resume with them
# -l LAUNCHES  that decide nothing (default: 24)
# -t TURNS     of three launches for each table (default: 8)
here=$(cd "${top_builddir:-.}" && pwd)
chorale=$here/chorale
out= launches=24 turns=8
while getopts o:l:t: opt; do
    case $opt in
        o) out=$OPTARG ;;
        l) launches=$OPTARG ;;
        t) turns=$OPTARG ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ -f "${1-}" ] || { echo "captured.sh: name a database of tune" >&2; exit 2; }
. "$(dirname "$0")/oracle.sh"
work=$out
[ -n "$out" ] || work=$(mktemp -d) || exit 3
[ -n "$out" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work" || exit 3
if [ ! -f "$work/tuned.db" ]; then
    cp "$1" "$work/tuned.db"
    sqlite3 "$work/tuned.db" "DELETE FROM validation"
    cp "$work/tuned.db" "$work/best.db"
    sqlite3 "$work/best.db" "DELETE FROM run_summary; DELETE FROM sample;
        DELETE FROM counter; DELETE FROM run; DELETE FROM environment;
        DELETE FROM launch; DELETE FROM model; DELETE FROM model_ranks;
        DELETE FROM model_variant;
        DELETE FROM cell WHERE provider = 'table' OR comm_size = 1 OR
            metric <> 'duration'; UPDATE cell SET launches = $launches,
        campaign_id = (SELECT max(campaign_id) FROM cell)"
    add_chosen "$work/tuned.db" "$work/best.db" || exit 3
fi
"$chorale" run "$work/best.db" -q || exit 3
"$chorale" decide "$work/best.db" --compact 0% --threshold 0% >"$work/best.txt" ||
    exit 3
turn=1
while [ "$turn" -le "$turns" ]; do
    for table in tuned best; do
        "$chorale" validate "$work/$table.db" --launches $((3 * turn)) \
            >"$work/$table.txt" 2>"$work/err.txt"
        [ $? -le 1 ] || { cat "$work/err.txt" >&2; exit 3; } # 1: slower
    done
    turn=$((turn + 1))
done
awk 'FNR == 1 { back = ""; file++ }
    /^calls back to back/ { back = "back to back, " }
    $2 ~ /^[0-9]+$/ && $3 ~ /^x/ {
        if (file == 1)
            order[++n] = back $1
        gain[file, back $1] = substr($3, 2)
    }
    END { for (i = 1; i <= n; i++) {
        t = gain[1, order[i]]; b = gain[2, order[i]]
        if (b > 1)
            printf "%-34s x%.3f x%.3f %.1f %%\n", order[i], t, b,
                100 * log(t) / log(b)
    } }' "$work/tuned.txt" "$work/best.txt"
