# SPDX-License-Identifier: BSD-3-Clause
# terminal.gp - shared by the other scripts: sets the output and its size, and
# defines colours.
#
# A script sets these before `load folder.'terminal.gp'`:
#   kind      png, svg, pdf; or dumb,COLUMNS,LINES for a terminal
#   width     width of a picture, pixels
#   height    height of a picture, pixels
#   names     number of names in its key
#   longest   characters of the longest; 0: the script makes its own key
#   heading   its title; it is wrapped into lines
# Afterwards text is 1 if the output is a terminal. A key of long names, or of
# more short ones than fit beside the picture, is below it, and the picture is
# made higher. fit(s) shortens a name to one line. hue(i) is colour i, i >= 1;
# colours repeat after nine, so an entry also has a mark, dashes or a letter.

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

# Nine colours that colour-blind people can distinguish. Seven are of Okabe and
# Ito, Color Universal Design, 2008, with darker yellow; their eighth, black, is
# the library's. Indigo and wine are of Tol's muted scheme, SRON/EPS/TN/09-002.
hues = '0xE69F00 0x0072B2 0x009E73 0xD55E00 0xCC79A7 0x56B4E9 0x332288 \
    0x882255 0xB8A800'
hue(i) = int(word(hues, 1 + (i - 1) % 9))

# The library's name is always first. Below the picture an empty title keeps the
# key off the axis.
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

# Wrap a title that is wider than the picture at blanks.
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
