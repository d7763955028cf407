# SPDX-License-Identifier: BSD-3-Clause
# speedup_map.gp - draws the speed-up of the table over the library, over n and
# the process count.
#
# By hand:  gnuplot -d -c speedup_map.gp DATA OUTPUT KIND TITLE
#   DATA    a _speedup.dat file of `chorale plot`; its heading explains the
#           columns
#   OUTPUT  the picture
#   KIND    png, svg, pdf, or dumb,COLUMNS,LINES for a terminal
#   TITLE   its title
#
# Texts are arguments or from DATA and are never run as gnuplot code. They are
# drawn literally (noenhanced).

data = ARG1
stats data index 0 using (left = $1, right = $2, lower = $3, upper = $4, \
    zero = $5, slowest = $6, fastest = $7, pmin = $8, pmax = $9, \
    npoint = int($10), nmin = valid(11) ? $11 : 0, \
    nmax = valid(12) ? $12 : 0, $1) nooutput

folder = ARG0[1:strlen(ARG0) - strlen('speedup_map.gp')]
kind = ARG3
width = 1200
height = 600
longest = 0
heading = ARG4
load folder.'terminal.gp'
set output ARG2

bytes(n) = n < 1024 ? sprintf('%d B', n) \
    : n < 1024**2 ? sprintf('%g KiB', n / 1024.) \
    : n < 1024**3 ? sprintf('%g MiB', n / 1024.**2) \
    : sprintf('%g GiB', n / 1024.**3)
log2(v) = log(v) / log(2)

set logscale xy 2
set xrange [left : right]
set yrange [lower : upper]
set xtics () nomirror out
set ytics () nomirror out
# Tick marks are within the measured n; boxes extend half-way to a neighbour.
first = int(ceil(log2(nmin > 0 ? nmin : zero > 0 ? zero * 2 : left) - 1e-9))
if (first < 0) { first = 0 } # n >= 1 byte
last = int(floor(log2(nmax > 0 ? nmax : right) + 1e-9))
step = 1 + (last - first) / (text ? 7 : 12)
if (zero > 0) { set xtics add ('0' zero) }
do for [e = first:last:step] { set xtics add (bytes(2.**e) 2.**e) }
# Labels: the first and last process count, and powers of two with enough room
# between: a line takes 20 of about 490 points.
apart(p, q) = abs(log2(1. * p / q)) / log2(upper / lower) * (height - 110)
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
unset key

# Blue is faster and orange slower, with white at 1. The scale covers at least a
# factor of 1.1 each way, so that noise does not look like a gain. It covers all
# speed-ups whose interval excludes 1; others beyond it have the colours of its
# ends. Numbers have a black that stays black on a dark page.
far = abs(log2(slowest)) > abs(log2(fastest)) ? abs(log2(slowest)) \
    : abs(log2(fastest))
far = far > log2(1.1) ? far : log2(1.1)
set cbrange [-far : far]
set palette defined (-1 '#E69F00', -0.5 '#F3CF80', 0 '#F4F4F4', \
    0.5 '#A8D8F2', 1 '#56B4E9')
set cblabel 'times faster than the library'
set cbtics ()
do for [e = -2:2] {
    set cbtics add (sprintf('%.2f', 2**(e * far / 2.)) e * far / 2.)
}

# A number is centred in its box if the box is wide enough. Points on both sides
# of a change of choice are close together.
share = text ? 6. / (columns - 14) : 0.036
number(l, r, s) = log2(r / l) >= share * log2(right / left) \
    ? sprintf('%.2f', s) : ''

if (text) {
    unset colorbox
    plot data index 1 using (sqrt($1 * $2)):9:(number($1, $2, $5)) with labels
    exit
}
plot \
    data index 1 using ($8 > 0 ? $8 : zero):9:1:2:3:4:(log2($5)) \
        with boxxyerror fillstyle solid 1.0 noborder linecolor palette, \
    data index 1 using (sqrt($1 * $2)):9:(npoint <= 160 ? \
        number($1, $2, $5) : '') with labels font ',10' \
        textcolor rgb 0x010101
