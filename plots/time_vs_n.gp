# SPDX-License-Identifier: BSD-3-Clause
# time_vs_n.gp - draws the time of every variant of one collective over n.
#
# By hand:  gnuplot -d -c time_vs_n.gp DATA OUTPUT KIND TITLE [COUNT]
#   DATA    a .dat file of `chorale plot`; its heading explains the columns
#   OUTPUT  the picture
#   KIND    png, svg, pdf, or dumb,COLUMNS,LINES for a terminal
#   TITLE   its title
#   COUNT   draw only the first COUNT series (default: all)
#
# Texts are arguments or from DATA and are never run as gnuplot code. They are
# drawn literally (noenhanced).

data = ARG1
stats data index 0 using (xmin = $1, xmax = $2, ymin = $3, ymax = $4, \
    zero = $5, nseries = int($6), decided = int($7), modelled = int($8), \
    longest = int($9), arrivals = valid(10) ? int($10) : 0, \
    dispatch = valid(11) ? $11 : 0, tail = valid(12) ? int($12) : 0, \
    smoothed = valid(13) ? int($13) : 0, aside = valid(14) ? int($14) : 0, \
    $1) nooutput
count = ARGC >= 5 && int(ARG5) < nseries ? int(ARG5) : nseries

folder = ARG0[1:strlen(ARG0) - strlen('time_vs_n.gp')]
kind = ARG3
width = 1200
height = 700
names = count + 5
heading = ARG4
load folder.'terminal.gp'
set output ARG2

# The library is linetype 1, black and thick. Other series have 9 colours, 11
# marks and 5 dash patterns. These numbers have no common divisor. So any two of
# the first 45 series differ in at least two of the three, and any two of the
# first 55 (CHORALE_PLOTS_MAX_DRAWN) differ without colours.
marks = '5 9 11 13 2 4 8 10 12 1 3'
mark(i) = i < 2 ? 7 : int(word(marks, 1 + (i - 2) % 11))
set dashtype 11 solid
set dashtype 12 (20, 6)
set dashtype 13 (6, 6)
set dashtype 14 (18, 5, 3, 5)
set dashtype 15 (14, 4, 2, 4, 2, 4)
set linetype 1 linecolor rgb 0x000000 linewidth 3 pointtype mark(1) \
    pointsize 0.9
do for [i = 2:count] {
    dash = 11 + (i - 2) % 5
    set linetype i linecolor rgb hue(i - 1) linewidth 1.5 dashtype dash \
        pointtype mark(i) pointsize 1.1
}
other = count + 1 # decided, but not drawn here
set linetype other linecolor rgb 0x999999
elsewhere = 0
if (decided) {
    stats data index 1 using ($5 == 0) nooutput
    elsewhere = STATS_max > 0
}

# Axes: bytes in powers of two, seconds in powers of ten, each with its unit.
bytes(n) = n < 1024 ? sprintf('%d B', n) \
    : n < 1024**2 ? sprintf('%g KiB', n / 1024.) \
    : n < 1024**3 ? sprintf('%g MiB', n / 1024.**2) \
    : sprintf('%g GiB', n / 1024.**3)
duration(t) = t < 0.9999e-6 ? sprintf('%.4g ns', t * 1e9) \
    : t < 0.9999e-3 ? sprintf('%.4g us', t * 1e6) \
    : t < 0.9999 ? sprintf('%.4g ms', t * 1e3) : sprintf('%.4g s', t)
log2(v) = log(v) / log(2)

set logscale x 2
set logscale y 10
set xrange [xmin / 1.6 : xmax * 1.6]
set yrange [ymin / 2.2 : ymax * 1.6]
set y2range [0 : 1]
set xtics () nomirror
set ytics () nomirror
set mytics default
first = int(ceil(log2(zero > 0 ? zero * 2 : xmin / 1.6)))
if (first < 0) { first = 0 } # n >= 1 byte
last = int(floor(log2(xmax * 1.6)))
step = 1 + (last - first) / (text ? 7 : 12)
if (zero > 0) { set xtics add ('0' zero) }
do for [e = first:last:step] {
    set xtics add (bytes(2.**e) 2.**e)
}
decades = log10(ymax / ymin)
do for [e = floor(log10(ymin)) - 1:ceil(log10(ymax)) + 1] {
    set ytics add (duration(10.**e) 10.**e)
    if (decades < 2.5) {
        set ytics add (duration(2 * 10.**e) 2 * 10.**e)
        set ytics add (duration(5 * 10.**e) 5 * 10.**e)
    }
}
set grid xtics ytics linetype -1 linecolor rgb 0xDDDDDD linewidth 0.5
set border 3
set xlabel 'n: bytes of the operation'
set ylabel 'time of one operation'.(tail ? ', 95 % quantile' : '') \
    .(arrivals == 1 ? ' from the last arrival, as traced' \
    : arrivals == 2 ? ' plus the largest loss over arrival patterns' : '') \
    .(dispatch > 0 && !text \
    ? sprintf(', variants with %g ns of dispatch', dispatch * 1e9) : '') \
    .(smoothed ? '; choices by smoothed times' : '')
set title heading noenhanced
set bars 0.6

# In a terminal: only times, of as many series as can be distinguished.
if (text) {
    if (count > 8) {
        set title sprintf('%s (8 of %d variants)', heading, count) noenhanced
        count = 8
    }
    unset grid
    # The first series are drawn last, to stay visible where points meet.
    # Points left of the frame make the key.
    plot for [i = 1:count] data index i + 1 using (xmin / 1e9):(ymin) \
            with points pointtype i title fit(columnheader(1)), \
        for [i = count:1:-1] data index i + 1 using 2:4 \
            with points pointtype i notitle
    exit
}

# The band has the colours of its choices, and their marks above.
set key samplen 5
plot \
    data index 1 using 1:(0.0):1:2:(0.0):(0.025):($5 > 0 ? $5 : other) \
        axes x1y2 with boxxyerror fillstyle solid 0.8 noborder \
        linecolor variable notitle, \
    data index 1 using \
        (sqrt($1 * $2)):($5 > 0 ? 0.045 : NaN):(mark(int($5))):5 \
        axes x1y2 with points pointtype variable pointsize 1.1 \
        linecolor variable notitle, \
    for [i = 1:count] data index i + 1 using 2:4:5:6 with yerrorbars \
        linetype i linewidth 1 dashtype solid pointtype 0 notitle, \
    for [i = 1:count] data index i + 1 using 2:4 with linespoints \
        linetype i title columnheader(1), \
    for [i = 1:count] data index i + 1 using 2:7 with lines \
        linetype i linewidth 2 dashtype (1, 3) notitle, \
    for [i = 1:count] data index i + 1 using 2:8 with points linetype i \
        pointtype 6 pointsize 2.4 linewidth 2 notitle, \
    NaN with points linetype other pointtype 6 pointsize 2.4 linewidth 2 \
        title (decided ? 'ring, band below: decided' : ''), \
    NaN with lines linetype other linewidth 8 \
        title (elsewhere ? 'not measured at this P' : ''), \
    NaN with lines linetype other linewidth 2 dashtype (1, 3) \
        title (modelled ? 'dots: model' : ''), \
    NaN with lines linecolor rgb 0xFFFFFF title (aside == 0 ? '' \
        : sprintf('%d times do not decide', aside)), \
    NaN with lines linecolor rgb 0xFFFFFF title (count == nseries ? '' \
        : sprintf('not drawn: %d others', nseries - count))
