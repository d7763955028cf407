#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Simulated regression gate: every variant takes the time recorded in
# tests/sim/medians.tsv when a change was last accepted. Simulated time is
# exact, so any change of a schedule shows here. medians-4.tsv has the rows that
# differ with SimGrid 4: there a message of 0 bytes has no overhead, since a
# factor holds above its first boundary only (tests/bench/results/simgrid.md).
. "$(dirname "$0")/../lib.sh"
"$chorale" --version | grep -q simgrid=yes || skip_all "no SimGrid"
accepted=$top_srcdir/tests/sim/medians.tsv

# differences BASE.tsv HEAD.tsv: print a line for each value or row that
# differs. Differences of the last digits depend on the compiler and are
# ignored.
differences() {
    awk -F '\t' '
        function name(f) {
            return f[3] == "." ? f[1] " " f[2] : f[1] " " f[2] " " f[3]
        }
        /^#/ { next }
        $1 == "collective" { for (i = 4; i <= NF; i++) column[i] = $i; next }
        NR == FNR { row[$1 FS $2 FS $3] = $0; next }
        !(($1 FS $2 FS $3) in row) {
            split($0, b, FS); print "new: " name(b); next
        }
        {
            split(row[$1 FS $2 FS $3], a, FS); split($0, b, FS)
            delete row[$1 FS $2 FS $3]
            for (i = 4; i <= NF; i++) {
                d = a[i] - b[i]
                if (a[i] == b[i])
                    continue
                if (a[i] ~ /^[0-9]/ && b[i] ~ /^[0-9]/ && i < 10 &&
                    d * d <= (2e-4 + 1e-7 * a[i]) ^ 2)
                    continue
                more = ""
                if (a[i] > 0 && b[i] ~ /^[0-9]/)
                    more = sprintf(" (%+.1f %%)", 100 * (b[i] / a[i] - 1))
                print name(b) ", " column[i] ": " b[i] ", was " a[i] more
            }
        }
        END { for (k in row) { split(row[k], a, FS); print "gone: " name(a) } }
    ' "$1" "$2"
}

TMPDIR=$work sh "$top_srcdir/tests/sim/medians.sh" "$work/now.tsv"
ok $? "the catalogue is simulated"
if ! grep -q '^# SimGrid SMPI 3' "$work/now.tsv"; then
    awk -F '\t' 'NR == FNR { if (!/^#/) row[$1 FS $2 FS $3] = $0; next }
        ($1 FS $2 FS $3) in row { key = $1 FS $2 FS $3; $0 = row[key]
            delete row[key] }
        { print }
        END { for (key in row) print row[key] }' \
        "$top_srcdir/tests/sim/medians-4.tsv" "$accepted" >"$work/base.tsv"
    accepted=$work/base.tsv
fi
cp "$accepted" "$work/accepted.tsv"
case $("$chorale" --version) in
*patented=no*) # drop variants that this build leaves out
    awk -F '\t' 'NR == FNR { has[$1 FS $2] = 1; next }
        /^#/ || ($1 FS $2) in has' "$work/now.tsv" "$accepted" >"$work/accepted.tsv" ;;
esac
n=$("$chorale" list --json | python3 -c 'import json, sys
print(len(json.load(sys.stdin)))')
is "$(grep -v '^#' "$work/now.tsv" | sed 1d | cut -f 1,2 | sort -u | wc -l)" "$n" \
    "every variant of the catalogue has a row"
is "$(grep -v '^#' "$work/now.tsv" | sed 1d | grep '	[0-9.]*[0-9]	' |
    cut -f 1,2 | sort -u | wc -l)" "$n" "each has a time at some point"
is "$(sed 1,3d "$work/now.tsv" | cut -f 1-9 | grep -v '	[0-9.]*[0-9]' |
    head -n 3)" "" "each row has a time at some point"
! sed 1,3d "$work/now.tsv" | cut -f 4-9 | grep -q '[a-z]'
ok $? "no run fails"
differences "$work/accepted.tsv" "$work/now.tsv" >"$work/diff.txt"
is "$(grep -vc '^new: ' "$work/diff.txt")" 0 "and takes what it took"
if [ -s "$work/diff.txt" ]; then # a new variant is only a note
    diag "$(head -n 40 "$work/diff.txt")"
    diag "If intended: \`make medians\` rewrites tests/sim/medians.tsv, or" \
        "medians-4.tsv; the diff is reviewed with the change."
    [ "$(sed -n 2p "$accepted")" = "$(sed -n 2p "$work/now.tsv")" ] ||
        diag "written with: $(sed -n 2p "$accepted")" \
            "this one:     $(sed -n 2p "$work/now.tsv")"
fi

# The comparison must notice changed times, messages and rows.
awk -F '\t' -v OFS='\t' '$1 == "bcast" && $2 == "binomial" && $6 > 0 { $6 *= 1.01 }
    $1 == "scan" && $2 == "linear" { $10++ }
    $1 == "barrier" && $2 == "dissemination" { next } { print }' \
    "$work/now.tsv" >"$work/changed.tsv"
differences "$work/now.tsv" "$work/changed.tsv" >"$work/diff.txt"
like "$(cat "$work/diff.txt")" '^bcast binomial .*P7_256: .* \(\+1\.0 %\)$' \
    "a time 1 % higher is noticed"
like "$(cat "$work/diff.txt")" '^scan linear, messages: ' \
    "one more message is noticed"
like "$(cat "$work/diff.txt")" '^gone: barrier dissemination' \
    "a missing row is noticed"
differences "$work/changed.tsv" "$work/now.tsv" >"$work/diff.txt"
like "$(cat "$work/diff.txt")" '^new: barrier dissemination' \
    "a new row is noticed"
finish
