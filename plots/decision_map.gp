# SPDX-License-Identifier: BSD-3-Clause
# decision_map.gp - draws the table's choices over n and the process count.
#
# By hand:  gnuplot -d -c decision_map.gp DATA OUTPUT KIND TITLE
#   DATA    a _map.dat file of `chorale plot`; its heading explains the columns
#   OUTPUT  the picture
#   KIND    png, svg, pdf, or dumb,COLUMNS,LINES for a terminal
#   TITLE   its title
#
# Texts are arguments or from DATA and are never run as gnuplot code. They are
# drawn literally (noenhanced).

data = ARG1
stats data index 0 using (xmin = $1, xmax = $2, pmin = $3, pmax = $4, \
    zero = $5, nchoice = int($6), \
    longest = int($7), ncross = int($8), \
    other = valid(9) ? int($9) : 0, \
    nletter = valid(10) ? int($10) : 0, \
    npoint = valid(11) ? int($11) : 0, $1) nooutput

# The block of crossovers. gnuplot runs a loop once even if it is empty. So
# without crossovers the loop must not read the block of letters.
crossings = nchoice + (ncross > 0 ? 1 : 9)
# The process counts that have letters, in order.
letters = nchoice + 1 + (ncross > 0)
dots = npoint > 0 ? letters + (nletter > 0) : nchoice + 9
procs = ' '
if (nletter > 0) {
    stats data index letters using (strstrt(procs, sprintf(' %d ', $1)) ? 0 \
        : (procs = procs.sprintf('%d ', $1), 0)) nooutput
}

folder = ARG0[1:strlen(ARG0) - strlen('decision_map.gp')]
kind = ARG3
width = 1200
height0 = pmin == pmax ? 300 : 700
height = height0
names = nchoice + 1 + other + (npoint > 0)
if (kind[1:4] ne 'dumb') { longest = longest + 3 } # a letter before each
heading = ARG4
load folder.'terminal.gp'
if (longest <= 34) { height0 = height } # else names are below the map
set output ARG2

# The library is light grey. Colours of other choices are darker from the tenth
# on, and darker again.
mix(c, part, other) = int(part * c + (1 - part) * other)
blend(c, part, other) = mix(c / 65536, part, other) * 65536 \
    + mix(c / 256 % 256, part, other) * 256 + mix(c % 256, part, other)
full(i) = i == 1 ? 0xD8D8D8 : blend(hue(i - 1), 0.6**((i - 2) / 9), 0)
shade(i, model) = model == 1 ? blend(full(i), 0.55, 255) : full(i)
do for [i = 1:nchoice] { set linetype i linecolor rgb full(i) linewidth 1 }

# Letters distinguish choices without colours: A ... Z, a ... z, then numbers.
# They are black, or white on dark colours. On a dark page plots/svg.c makes
# 0x000000 light and 0xFFFFFF dark, as it does with the boxes below them.
letter(i) = i <= 52 ? sprintf('%c', (i <= 26 ? 64 : 70) + i) : sprintf('%d', i)
dark(c) = 0.3 * (c / 65536) + 0.59 * (c / 256 % 256) + 0.11 * (c % 256) < 100
ink(i, model) = i == 1 && model != 1 ? 0x000000 \
    : model == 1 || !dark(full(i)) ? 0x010101 : i <= 10 ? 0xFFFFFF : 0xFEFEFE

bytes(n) = n < 1024 ? sprintf('%d B', n) \
    : n < 1024**2 ? sprintf('%g KiB', n / 1024.) \
    : n < 1024**3 ? sprintf('%g MiB', n / 1024.**2) \
    : sprintf('%g GiB', n / 1024.**3)
log2(v) = log(v) / log(2)

set logscale xy 2
# Without bytes there is only the box of n = 0, two quarters wide.
nothing = zero > 0 && xmax <= 4 * zero
# In a terminal the border would hide the letters of the least n beside it.
set xrange [(text && zero == 0 ? xmin / sqrt(2) : xmin) : \
    (nothing ? 2 * zero : xmax * 1.01 + 1)]
# The first and last process count extend by a margin (RIM of decision_map.c).
rim = (pmax / pmin)**(1 / 25.)
below = sqrt(pmin * (pmin - 1.))
above = sqrt(pmax * (pmax + 1.))
bottom = below < pmin / rim ? below : pmin / rim
top = above > pmax * rim ? above : pmax * rim
set yrange [bottom : top]
set xtics () nomirror out
set ytics () nomirror out
first = int(ceil(log2(zero > 0 ? zero * 4 : xmin)))
if (first < 0) { first = 0 } # n >= 1 byte
last = int(floor(log2(xmax)))
step = 1 + (last - first) / (text ? 7 : 12)
if (zero > 0) { set xtics add ('0' zero * 1.4) }
if (!nothing) {
    do for [e = first:last:step] { set xtics add (bytes(2.**e) 2.**e) }
}
# Labels: the first and last process count, and powers of two with enough room
# between: a line takes 20 of about 590 or 190 points.
apart(p, q) = abs(log2(1. * p / q)) / log2(top / bottom) * (height0 - 110)
do for [e = 0:1] { set ytics add (sprintf('%d', e ? pmax : pmin) \
    (e ? pmax : pmin)) }
do for [e = int(floor(log2(pmin))):int(ceil(log2(pmax)))] {
    if (2**e > pmin && 2**e < pmax && apart(2**e, pmin) > 20 && \
            apart(2**e, pmax) > 20) {
        set ytics add (sprintf('%d', 2**e) 2**e)
    }
}
set border 3
set xlabel 'n: bytes of the operation'
set ylabel 'P: number of processes'
set title heading noenhanced

# A terminal shows the letters of DATA only, so that a letter is the choice at
# the n and P of its axes. Points outside the frame make the key. They are drawn
# alone first, to find the number of lines of the frame. A line has the letters
# of one process count, the first in DATA, and its label. Sizes are left out if
# a column would have several.
if (text) {
    plot for [i = 1:nchoice] data index i using (xmin / 1e9):(pmin) \
        with points pointtype i title fit(columnheader(1))
    across = GPVAL_TERM_XMAX - GPVAL_TERM_XMIN
    high = GPVAL_TERM_YMAX - GPVAL_TERM_YMIN
    set output ARG2
    # The border would hide the letters of the first process count.
    if (high > 1 && log2(pmin / bottom) * high < log2(top / bottom)) {
        bottom = pmin / (top / pmin)**(1. / (high - 1))
        set yrange [bottom : top]
    }
    shown = ' '
    if (nletter > 0) { set ytics () }
    do for [i = 1:words(procs)] {
        p = int(word(procs, i))
        free = 1
        do for [k = 1:words(shown)] {
            if (abs(log2(1. * p / word(shown, k))) * high \
                    < log2(top / bottom)) { free = 0 }
        }
        if (free) {
            shown = shown.sprintf('%d ', p)
            set ytics add (sprintf('%d', p) p)
        }
    }
    thin = 1 + int(log2(xmax / xmin) / across)
    is_shown(p, e) = strstrt(shown, sprintf(' %d ', p)) > 0 \
        && (e < 0 || int(e) % thin == 0)
    plot \
        for [i = 1:(nletter > 0 ? nchoice : 0)] data index letters \
            using ($3 == i && is_shown($1, $4) ? $2 : NaN):1 \
            with points pointtype i notitle, \
        for [i = 1:nchoice] data index i using (xmin / 1e9):(pmin) \
            with points pointtype i title fit(columnheader(1))
    exit
}

# Measured choices have full colours, modelled ones are mixed with white. Boxes
# without area make the key. A line and its n mark where a choice begins. The n
# is right of the line or, without room up to the next line, left of it, on its
# own box. It is in the upper half of a row, and letters are in the lower half;
# a row without room for both has letters only. A character takes 8.5 of about
# 1100 points, less 9 points a character of names beside the map; the height is
# 17 of 590 or 190 points.
across = longest > 34 ? 1100. : 860. - 9 * (longest > 19 ? longest - 19 : 0)
wide(s) = s eq '' ? 0 : (8.5 * strlen(s) + 9) / across * log2(xmax / xmin)
high = 17. / (height0 - 110) * log2(top / bottom)
# Whether the n of a line at x fits right of it; left of it the previous n may
# already be.
behind(x, next, s) = wide(s) <= log2(next / x)
ahead(x, last, s, its) = wide(s) \
    + (wide(its) <= log2(x / last) ? wide(its) : 0) <= log2(x / last)
at(x, next, s, last, its) = behind(x, next, s) ? x \
    : ahead(x, last, s, its) ? x / 2**wide(s) : NaN
shown(x, next, s, last, its, low, up) = \
    (behind(x, next, s) || ahead(x, last, s, its)) && tall(low, up) ? s : ''
tall(low, up) = 2 * high <= log2(up / low)
half_row(low, up, lines) = sqrt(low * up) \
    * 2**(tall(low, up) ? lines * high / 2 : 0)
marked(left, right, low, up) = high <= log2(up / low) \
    && 14. / across * log2(xmax / xmin) <= log2(right / left)
plot \
    for [i = 1:nchoice] data index i using 1:3:1:2:3:4:(shade(i, $5)) \
        with boxxyerror fillstyle solid 1.0 noborder \
        linecolor rgb variable notitle, \
    for [k = 1:(ncross > 0)] data index crossings \
        using 1:2:(0):($3 - $2) with vectors nohead linecolor rgb 0x000000 \
        linewidth 1.5 notitle, \
    for [k = 1:(ncross > 0)] data index crossings \
        using (at($1, $4, strcol(5), $6, strcol(7))):(half_row($2, $3, 1)):\
        (at($1, $4, strcol(5), $6, strcol(7))):\
        (at($1, $4, strcol(5), $6, strcol(7)) * 2**wide(shown($1, $4, \
            strcol(5), $6, strcol(7), $2, $3))):\
        (half_row($2, $3, 0)):(half_row($2, $3, 2)) \
        with boxxyerror fillstyle solid 1.0 noborder \
        linecolor rgb 0xFFFFFF notitle, \
    for [k = 1:(ncross > 0)] data index crossings \
        using (at($1, $4, strcol(5), $6, strcol(7))):(half_row($2, $3, 1)):\
        (shown($1, $4, strcol(5), $6, strcol(7), $2, $3)) \
        with labels left offset 0.5, 0 notitle, \
    for [i = 1:nchoice] data index i using \
        (sqrt($1 * $2)):(half_row($3, $4, -1)):\
        (marked($1, $2, $3, $4) ? letter(i) : ''):(ink(i, $5)) \
        with labels textcolor rgb variable notitle, \
    for [i = 1:nchoice] data index i \
        using (xmin):(pmin):(xmin):(xmin):(pmin):(pmin) with boxxyerror \
        fillstyle solid 1.0 noborder linetype i \
        title letter(i).': '.columnheader(1), \
    for [k = 1:(npoint > 0)] data index dots using 1:2 with points \
        pointtype 7 pointsize 0.3 linecolor rgb 0x000000 \
        title 'measured points', \
    NaN with lines linecolor rgb 0xFFFFFF title 'paler: by the model', \
    NaN with lines linecolor rgb 0xFFFFFF \
        title (other ? 'not in the table' : '')
