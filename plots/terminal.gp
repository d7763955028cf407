# SPDX-License-Identifier: BSD-3-Clause
# terminal.gp - what the other scripts share: the output and its size.
#
# They set, before `load folder.'terminal.gp'`,
#   kind      png, svg, pdf; or dumb,COLUMNS,LINES: letters in a terminal
#   width     of a picture, pixels
#   height
# and find text = 1 if the output is letters.

text = kind[1:4] eq 'dumb'
if (text) {
    comma = strstrt(kind[6:], ',')
    columns = int(kind[6:4 + comma])
    lines = int(kind[6 + comma:])
    set terminal dumb noenhanced size columns, lines
} else {
    if (kind eq 'svg') {
        set terminal svg size width, height font 'DejaVu Sans,14' noenhanced \
            background 'white'
    } else {
        if (kind eq 'pdf') {
            set terminal pdfcairo size width / 120., height / 120. \
                font 'DejaVu Sans,10' noenhanced
        } else {
            if (strstrt(GPVAL_TERMINALS, ' pngcairo ') > 0) {
                set terminal pngcairo size width, height \
                    font 'DejaVu Sans,11' noenhanced
            } else {
                set terminal png size width, height noenhanced
            }
        }
    }
}
