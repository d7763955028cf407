#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# plot_styles.t - the entries of a picture differ, in colour and without, and
# pictures of times show the contenders.
. "$(dirname "$0")/../../lib.sh"
for tool in sqlite3 gnuplot; do
    command -v $tool >/dev/null || skip_all "$tool is missing"
done
chorale=$(cd "$top_builddir" && pwd)/chorale
CHORALE_DATADIR=$(cd "$top_srcdir" && pwd)/plots
export CHORALE_DATADIR
synth=$(cd "$top_srcdir" && pwd)/tests/cli/synth.sh
schema=$(cd "$top_srcdir" && pwd)/db/schema.sql
cd "$work" || exit 99
run() { "$chorale" "$@" >out.txt 2>err.txt; }
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

# Which variants are drawn. The limit is 3 % above the best at any n.
sh "$synth" "$schema" many.db x 64 20
set_time() { # variant and parameters; factor of the best time at 32 KiB
    sqlite3 many.db "UPDATE run_summary SET median = $2 *
            (SELECT min(seconds) FROM v_summary WHERE coll = 'bcast'
                AND n = 32768)
        WHERE run_id IN (SELECT run_id FROM run JOIN cell USING (cell_id)
            WHERE coll = 'bcast' AND n = 32768 AND variant || params = '$1')"
}
set_time chainfanout=1,segsize=4096 1.029
set_time chainfanout=1,segsize=8192 1.031
names() { # picture: names of its key
    sed -n 's/.* ><title>\(..*\)<\/title>.*/\1/p' "$1" |
        grep -v '^gnuplot_\|^ring\|^dots\|^not drawn\|do not decide'
}
run plot many.db -c bcast --figures times --format svg
is "$? $(tail -n 1 out.txt)" \
    "0   (5 of 21 variants; --all-variants draws more; the data file has all)" \
    "the command prints how many variants are drawn"
is "$(names many-plots/bcast_P64.svg | paste -sd ' ')" \
    "library binomial scatter_ring_allgather chain fanout=1,segsize=512 chain\
 fanout=1,segsize=4096" \
    "the library, the choices and the variants within 3 % are drawn"
grep -q '>not drawn: 16 others<' many-plots/bcast_P64.svg
ok $? "the key counts the others"
is "$(grep -c '^"' many-plots/bcast_P64.dat)" 21 "the data file has all"
run plot many.db -c bcast --figures times --format svg --all-variants -o all
is "$? $(cat out.txt) $(names all/bcast_P64.svg | wc -l)" \
    "0 all/bcast_P64.svg 21" "--all-variants draws all"
! grep -q 'not drawn' all/bcast_P64.svg
ok $? "the key counts no others then"

# Variants with the same times, one of which is chosen.
sqlite3 many.db "UPDATE run_summary SET median = (SELECT s.median
    FROM run r JOIN cell c USING (cell_id), cell d, run q
    JOIN run_summary s ON s.run_id = q.run_id
    WHERE r.run_id = run_summary.run_id AND d.variant = 'binomial'
        AND d.coll = c.coll AND d.n = c.n AND q.cell_id = d.cell_id
        AND q.launch_id = r.launch_id)
    WHERE run_id IN (SELECT run_id FROM run JOIN cell USING (cell_id)
        WHERE variant IN ('linear', 'chain'))"
run plot many.db -c bcast --figures times --format svg --all-variants -o same
is "$? $(names same/bcast_P64.svg | grep -c 'binomial\|linear\|=8192$') \
$(names same/bcast_P64.svg | sed -n 2p)" "0 1 binomial" \
    "variants with the same times are one line, with the name in the table"
is "$(grep -c '^# same times as binomial$' same/bcast_P64.dat)" \
    "$(sqlite3 many.db "SELECT count(DISTINCT variant || params) FROM cell
        WHERE variant IN ('linear', 'chain')")" \
    "the data file has each, with the name of the line"
is "$(awk '/^"/ { on = $0 == "\"binomial\"" } on && NF == 9 && $8 != "NaN" {
    print $1 }' same/bcast_P64.dat | paste -sd ' ')" "128 512 2048 8192 32768" \
    "the line is marked where one of them is chosen"
is "$(sed -n 's/^128 .* \([0-9]*\) "binomial"$/\1/p' same/bcast_P64.dat)" 2 \
    "the band has the colour of the line"
finish
