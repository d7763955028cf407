# SPDX-License-Identifier: BSD-3-Clause
# replicate.gp - draws the cost of replicated data over the side of the groups
# that share it, on a scale that shows its minimum. Below are its parts, which
# differ by powers of ten.
#
# By hand:  gnuplot -d -c replicate.gp DATA OUTPUT KIND TITLE BEST UNIT POINTS
#   DATA    a .dat file of `chorale replicate --plot`
#   KIND    png, svg, pdf, or dumb,COLUMNS,LINES for a terminal
#   BEST    the best side
#   UNIT    unit of the times
#   POINTS  measured placements: none, aggregate, both
#
# Texts are arguments, are never run as gnuplot code, and are drawn literally.

data = ARG1
best = real(ARG5)
folder = ARG0[1:strlen(ARG0) - strlen('replicate.gp')]
kind = ARG3
width = 1000
height = 800
longest = 0
heading = ARG4
load folder.'terminal.gp'
set output ARG2

set xtics nomirror
set ytics nomirror
set grid ytics linetype -1 linecolor rgb 0xDDDDDD linewidth 0.5
set border 3
set offsets graph 0.02, graph 0.02, graph 0.05, graph 0.05
set key outside right center noenhanced
if (!text) {
    set lmargin 10
    set rmargin 26
}

# Zero has no logarithm.
positive(x) = x > 0 ? x : 1/0

# Unmeasured points are NaN, which is not drawn; their key is omitted.
seen = ARG7 eq 'none' ? '' : 'measured'
apart = ARG7 eq 'both' ? 'measured, scatter' : ''

set multiplot layout 2, 1 title heading noenhanced

set arrow 1 from first best, graph 0 to first best, graph 1 nohead \
    dashtype (9, 6) linecolor rgb 0xD55E00
set ylabel 'T_o, time per datum' noenhanced
plot \
    data using 1:(positive($8)) with points pointtype 6 pointsize 2 \
        linewidth 2 linecolor rgb 0xD55E00 title seen, \
    data using 1:(positive($9)) with points pointtype 4 pointsize 2 \
        linewidth 2 linecolor rgb 0x555555 title apart, \
    data using 1:2 with linespoints pointtype 7 pointsize 0.6 \
        linewidth 2 linecolor rgb 0x000000 title 'T_o, predicted', \
    1/0 with lines dashtype (9, 6) linecolor rgb 0xD55E00 \
        title sprintf('best: %d', best)

set logscale y
set offsets graph 0.02, graph 0.02, 0, 0
set xlabel 'side of a group'
set ylabel ARG6 noenhanced
plot \
    data using 1:(positive($3)) with lines linewidth 2 \
        linecolor rgb 0x0072B2 title 'updating', \
    data using 1:(positive($4)) with lines linewidth 2 \
        linecolor rgb 0x009E73 dashtype (20, 6) title 'integration', \
    data using 1:(positive($5)) with lines linewidth 2 \
        linecolor rgb 0xCC79A7 dashtype (6, 6) title 'broadcasting', \
    data using 1:(positive($6)) with lines linewidth 2 \
        linecolor rgb 0xE69F00 dashtype (18, 5, 3, 5) \
        title 'modification', \
    data using 1:(positive($7)) with lines linewidth 2 \
        linecolor rgb 0x56B4E9 dashtype (14, 4, 2, 4, 2, 4) title 'latency'
unset multiplot
