# SPDX-License-Identifier: BSD-3-Clause
# terminal.gp - what the other scripts share: the output and its size.
#
# They set, before `load folder.'terminal.gp'`,
#   kind      png, svg, pdf; or dumb,COLUMNS,LINES: letters in a terminal
#   width     of a picture, pixels
#   height
#   names     how many names its key has, and
#   longest   letters of the longest; 0: the script makes a key of its own
#   heading   its title, which then has as many lines as it needs
# and find text = 1 if the output is letters. A key of long names is below the
# picture, which is made higher for it, as for one of so many short names that
# they would not stand in one column beside it; fit(s) is one that fits in a line.

text = kind[1:4] eq 'dumb'
if (longest > 0) {
    rows = longest > 60 || (text && longest > 30) ? names : (names + 1) / 2
    if (longest > 34) { height = height + 22 * (rows + 1) }
    if (longest <= 34 && height < 145 + 25 * names) {
        height = 145 + 25 * names
    }
}
if (text) {
    comma = strstrt(kind[6:], ',')
    columns = int(kind[6:4 + comma])
    lines = int(kind[6 + comma:])
    set terminal dumb noenhanced size columns, lines
    line = columns - 12
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

# The library's name comes first in any. Below the picture an empty title keeps
# it off the axis.
if (longest > 34) {
    if (!text) { set key title ' ' }
    set key outside below center vertical maxrows rows Left reverse \
        noenhanced samplen 2.5 spacing 1.15 width 1
} else {
    if (text) {
        set key outside bottom center horizontal Left reverse noenhanced \
            samplen 2.5 spacing 1.15 width 1
    } else {
        if (longest > 0) {
            set key outside right top vertical Left reverse noenhanced \
                samplen 2.5 spacing 1.15 width 1
        }
    }
}
fit(s) = text && strlen(s) > line && line > 8 ? \
    s[1:line - line / 3] . '..' . s[strlen(s) - line / 3 + 3:*] : s

# A title that is longer than the picture is wide goes on in further lines, from
# a blank on.
rest = exists('heading') ? heading : ''
heading = ''
room = text ? columns - 8 : width / 9
while (strlen(rest) > room) {
    at = room + 1
    while (at > 1 && rest[at:at] ne ' ') { at = at - 1 }
    if (at <= 1) { at = room } # one word
    heading = heading . rest[1:at] . "\n"
    rest = rest[at + 1:*]
}
heading = heading . rest
