#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# plot_styles.t - the entries of a picture differ, in colour and without.
. "$(dirname "$0")/../../lib.sh"
command -v gnuplot >/dev/null || skip_all "gnuplot is missing"
CHORALE_DATADIR=$(cd "$top_srcdir" && pwd)/plots
export CHORALE_DATADIR
cd "$work" || exit 99
draw() { # script data picture
    gnuplot -d -c "$CHORALE_DATADIR/$1.gp" "$2" "$3" svg many >out.txt 2>err.txt
}
distinct() { sort -u "$1" | wc -l; }

# Styles of 55 series and the library: name, colour, dashes, mark.
series=56
{
    printf '8 1024 1e-6 1e-3 0 %d 0 0 12\n\n\nNaN NaN 0 0 0 "none"\n' $series
    awk -v n=$series 'BEGIN { for (s = 1; s <= n; s++) {
        printf "\n\n\"entry-%d\"\n", s
        for (m = 8; m <= 1024; m *= 2)
            print m, m, m, 1e-6 * s + 1e-8 * m, "NaN NaN NaN NaN" } }'
} >many.dat
draw time_vs_n many.dat many.svg
is "$?" 0 "$series series are drawn"
styles() { # picture: one line an entry, of the lines and marks in its group
    awk -v q="'" '
        function value(name) {
            if (!match($0, name "=" q "[^" q "]*"))
                return "-"
            return substr($0, RSTART + length(name) + 2,
                          RLENGTH - length(name) - 2)
        }
        function put() { if (name != "") print name, line, mark, uses }
        /<g id="gnuplot_plot_/ { put(); name = ""; uses = 0
            if (match($0, /<title>entry-[0-9]*/))
                name = substr($0, RSTART + 7, RLENGTH - 7) }
        /<path stroke=/ { line = value("stroke"); gsub(/ /, "", line)
            line = line " " value("stroke-dasharray") }
        /<use / { if (uses > 0 && mark != value("xlink:href")) mark = "mixed"
            else mark = value("xlink:href")
            uses++ }
        END { put() }' "$1"
}
styles many.svg >styles
is "$(wc -l <styles)" $series "each series has an entry in the key"
[ "$(awk '{ print $5 }' styles | distinct -)" = 1 ] && grep -q ' 9$' styles &&
    ! grep -q mixed styles
ok $? "the key has the marks of the series"
is "$(awk '{ print $3, $4 }' styles | distinct -)" $series \
    "without colours all series differ in dashes or mark"
is "$(awk '{ print $2, $4 }' styles | distinct -)" $series \
    "with colours all series differ in colour or mark"
awk 'NR <= 41' styles >first
is "$(awk '{ print $2, $3 }' first | distinct -)" 41 \
    "40 series differ in two of colour, dashes and mark"

# Maps: 40 choices, two boxes each.
choices=40
{
    printf '1 %s 4 5 0 %d 12 0 0\n' 1099511627776 $choices
    awk -v n=$choices 'BEGIN { for (c = 0; c < n; c++) {
        printf "\n\n\"entry-%d\"\n", c + 1
        for (p = 4; p <= 5; p++) {
            printf "%.0f %.0f %g %g %d ", 2^c, 2^(c + 1), p == 4 ? 3.4 : 4.5,
                p == 4 ? 4.5 : 5.6, p == 5
            printf "%.0f %.0f %d %d\n", 2^c, 2^(c + 1) - 1, p, p } } }'
} >map.dat
draw decision_map map.dat map.svg
is "$?" 0 "a map of $choices choices is drawn"
sed -n 's/.*>\([A-Za-z]\): entry-[0-9]*<\/text>.*/\1/p' map.svg >letters
is "$(distinct letters)" $choices "the key has a letter for each choice"
sed -n 's/.*<text>\([A-Za-z]\)<\/text>.*/\1/p' map.svg | sort | uniq -c |
    awk '$1 == 2' >boxes
is "$(wc -l <boxes)" $choices "the letters are on the boxes"
sed -n "s/.*<polygon fill = '\(rgb([^)]*)\)'.*/\1/p" map.svg >fills
is "$(distinct fills)" $((2 * choices)) \
    "the choices of a map have different colours, paler by the model"
finish
