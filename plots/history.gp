# SPDX-License-Identifier: BSD-3-Clause
# history.gp - draws the time of one cell over the runs of the benchmark, with
# its levels and changes.
#
# By hand:  gnuplot -d -c history.gp DATA OUTPUT KIND TITLE
#   DATA    a .dat file of `chorale history --plot`
#   KIND    png, svg, pdf, or dumb,COLUMNS,LINES for a terminal
#
# Texts are arguments or from DATA and are never run as gnuplot code. They are
# drawn literally (noenhanced).

data = ARG1
stats data index 0 using 1:2 nooutput
count = int(STATS_records)
ymin = STATS_min_y
ymax = STATS_max_y
stats data index 0 using 3:4 nooutput
ymin = ymin < STATS_min_x ? ymin : STATS_min_x
ymax = ymax > STATS_max_y ? ymax : STATS_max_y
span = ymax > ymin ? ymax - ymin : ymax

folder = ARG0[1:strlen(ARG0) - strlen('history.gp')]
kind = ARG3
width = 1200
height = 600
longest = 0
heading = ARG4
load folder.'terminal.gp'
set output ARG2

scale = ymax < 0.9999e-6 ? 1e9 : ymax < 0.9999e-3 ? 1e6 \
    : ymax < 0.9999 ? 1e3 : 1
unit = ymax < 0.9999e-6 ? 'ns' : ymax < 0.9999e-3 ? 'us' \
    : ymax < 0.9999 ? 'ms' : 's'
lo = (ymin - 0.08 * span) * scale
hi = (ymax + 0.18 * span) * scale
step = 1 + (count - 1) / 24

set xrange [-1 : count]
set yrange [lo : hi]
set xtics rotate by -45 nomirror noenhanced
set ytics nomirror
set grid ytics linetype -1 linecolor rgb 0xDDDDDD linewidth 0.5
set border 3
set xlabel 'run'
set ylabel sprintf('time of one operation, %s', unit)
set title heading noenhanced
set key outside bottom center horizontal noenhanced
set bars 0.6

plot \
    data index 0 using 1:($2 * scale):($3 * scale):($4 * scale) \
        with yerrorbars pointtype 7 pointsize 0.9 linecolor rgb 0x000000 \
        title 'median, least and most of its launches', \
    data index 0 using 1:($2 * scale):xtic(int($1) % step == 0 ? \
        strcol(5) : '') with lines linecolor rgb 0x999999 notitle, \
    data index 1 using 1:($3 * scale):($2 - $1):(0) with vectors nohead \
        linewidth 3 linecolor rgb 0x0072B2 title 'level', \
    data index 2 using 1:(lo):(0):(hi - lo) with vectors nohead linewidth 2 \
        dashtype (9, 6) linecolor rgb 0xD55E00 title 'change', \
    data index 2 using 1:(hi - 0.04 * (hi - lo)):2 with labels left \
        offset 0.6,0 textcolor rgb 0xD55E00 notitle
