#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# real.sh - choices for real clusters by public timings of algorithms, judged by
# measurements that were left out.
# Usage: tests/bench/real.sh DATA_DIR (in the build folder)
# A set is a subfolder of DATA_DIR with a file tidy.csv that `chorale import`
# reads; in the one named pico, times are those of the slowest rank, which its
# CSV does not state. Prints a Markdown table with a line for each system, each
# collective with at least 20 judged points, and each of: process counts, sizes,
# launches left out. Regret of the choice by smoothed times, with the threshold and
# without, of the winner at the next smaller process count or size (or of the
# plain minimum of a launch), and of the library's default. Times that are not a
# duration are left out. Then prints a line for each target, and the errors of
# the fitted model.
data=${1:?usage: tests/bench/real.sh DATA_DIR}
chorale=$PWD/chorale
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# Regret, captured share, speed-up, and share of points more than 3 % slower than
# the library, from the JSON of evaluate.
scores() { # file
    awk -F'[:,]' '/"coll":/ { gsub(/[" ]/, "", $2); coll = $2 }
        /"points":/ { n[coll] = $2 + 0 }
        /"worse_than_library":/ { worse[coll] = $2 }
        /"regret":/ { regret[coll] = $2 }
        /"captured":/ { captured[coll] = $2 }
        /"speedup":/ { speed[coll] = $2 }
        END {
            for (c in n)
                print c, n[c], regret[c], captured[c], worse[c] / n[c],
                      (1 + regret[c]) * speed[c] - 1
        }' "$1" | sort
}

# A line for each algorithm with a known schedule, from the output of fit.
errors() { # set, file
    awk -v set="$1" '
        function pair() { # the next two numbers, or a dash
            at++
            if ($at == "-")
                return "-"
            at += 3
            return sprintf("%.1f / %.1f", $(at - 3), $(at - 1))
        }
        /^System / { ours = $2 == set "," }
        ours && /^  [a-z_]+ .* \/ .* %/ {
            at = 4
            fitted = pair(); model = pair(); pair(); corrected = pair()
            printf "| %s | %s %s | %s | %d | %s | %s | %s |\n", set, $1, $2,
                $3, $4, fitted, model, corrected
        }' "$2"
}

# A line for each target, from the first table.
targets() { # file
    awk -F' *[|] *' '
        function line(target, figure, sign, aim, unit,    met) {
            met = sign * (figure + 0) <= sign * aim ? "met" : "missed"
            printf "| %s | %s | %s %s%s | %s |\n", target,
                (figure == "" ? "-" : figure unit),
                (sign > 0 ? "at most" : "at least"), aim, unit,
                (figure == "" ? "not measured" : met)
        }
        { sub(/ %/, "", $6); sub(/ %/, "", $8); sub(/ %/, "", $10)
          sub(/ %/, "", $11) }
        $4 == "all" { regret[$2, $3] = $6; captured[$2, $3] = $10
                      worse[$2, $3] = $11 }
        $4 != "all" && $3 == "P" { of[$2]++; better[$2] += $6 + 0 < $8 + 0 }
        END {
            print "| target | figure | aim | result |"
            print "|---|---|---|---|"
            line("Summit, P left out: regret", regret["summit", "P"], 1, 4.5,
                 " %")
            line("the same: points more than 3 % slower than the library",
                 worse["summit", "P"], 1, 2, " %")
            line("the same: captured share", captured["summit", "P"], -1, 90,
                 " %")
            line("Summit, every third size left out: regret",
                 regret["summit", "n"], 1, 4, " %")
            line("Summit, one launch chooses: regret",
                 regret["summit", "launch"], 1, 3.5, " %")
            line("Leonardo, P left out: collectives better than nearest",
                 better["leonardo"], -1, of["leonardo"] + 0, "")
            line("LUMI, P left out: collectives better than nearest",
                 better["lumi"], -1, of["lumi"] + 0, "")
        }' "$1"
}

: >"$work/errors"
: >"$work/table"
printf "| set | left out | collective | points | regret | %s |\n" \
    'no threshold | nearest | library | captured | > 3 % slower than library'
echo '|---|---|---|---|---|---|---|---|---|---|'
for csv in "$data"/*/tidy.csv; do
    [ -f "$csv" ] || { echo "real.sh: no */tidy.csv in $data" >&2; exit 2; }
    rm -f "$work/r.db"
    statistic=
    case $csv in */pico/tidy.csv) statistic='--statistic max' ;; esac
    # shellcheck disable=SC2086 # an option and its value, or nothing
    "$chorale" import "$work/r.db" "$csv" $statistic >"$work/log" 2>&1 ||
        { cat "$work/log" >&2; exit 1; }
    sqlite3 "$work/r.db" 'SELECT name FROM system ORDER BY 1' >"$work/systems"
    "$chorale" fit "$work/r.db" >"$work/fit" 2>"$work/log" ||
        cat "$work/log" >&2
    while IFS= read -r system; do
        errors "$system" "$work/fit" >>"$work/errors"
        for what in P n launch; do
            for by in smooth plain nearest; do
                how="--by $by"
                [ $by != plain ] || how='--by smooth --threshold 0'
                # shellcheck disable=SC2086 # words
                "$chorale" evaluate "$work/r.db" --system "$system" \
                    --leave-out $what $how --json >"$work/json" \
                    2>/dev/null || echo '{}' >"$work/json"
                scores "$work/json" >"$work/$by"
            done
            join "$work/plain" "$work/nearest" | awk '{ print $1, $3, $8 }' \
                >"$work/beside"
            join "$work/smooth" "$work/beside" | awk -v set="$system" \
                -v what=$what '$2 >= 20 {
                printf "| %s | %s | %s | %d | %.2f %% | %.2f %% | %.2f %% |" \
                    " %.1f %% | %.1f %% | %.1f %% |\n", set, what, $1, $2,
                    100 * $3, 100 * $7, 100 * $8, 100 * $6, 100 * $4, 100 * $5
            }' | tee -a "$work/table"
        done
    done <"$work/systems"
done
echo
targets "$work/table"
printf '\n| set | algorithm | schedule | points | fit | P left out | %s |\n' \
    'corrected, P left out'
echo '|---|---|---|---|---|---|---|'
cat "$work/errors"
