#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# layers.t - folders include only the folders that layers.txt names, neither
# folders nor files include each other in a circle, and no folder holds more
# than 45 source files.
. "$(dirname "$0")/../lib.sh"
collectives='allgatherv?|allreduce|alltoallv?|barrier|bcast|exscan|gatherv?'
collectives="$collectives|reduce(_scatter(_block)?)?|scan|scatterv?"
# includes DIR: "folder file folder file" of each #include "folder/file" below
# it.
includes() {
    (cd "$1" && find algorithms db runners tuner plots -name '*.[ch]' \
        -exec grep -Eo '^ *# *include "[a-z_]+/[^"]+"' /dev/null {} +) |
        sed 's|^\([^:]*\)/\([^:]*\):.*"\(.*\)/\([^/]*\)"|\1 \2 \3 \4|'
}
# arrows DIR: "folder folder file" of each #include of another folder.
arrows() {
    includes "$1" | awk -v variant="^algorithms/($collectives)$" '{
        from = $1 ~ variant ? "algorithms/COLLECTIVE" : $1
        if ($3 !~ variant && from != $3)
            print from, $3, $1 "/" $2
    }'
}
# units DIR: "file file" of each #include of another file of the same folder. A
# header and the source of the same name are one.
units() {
    includes "$1" | sed -n 's|\.[ch]\b||g; s|^\(.*\) \(.*\) \1 |\1/\2 \1/|p'
}
# table_arrows TABLE: "folder folder" of each arrow that it allows.
table_arrows() {
    awk '!/^#|^circle:/ {
        sub(/:/, "")
        for (i = 2; i <= NF; i++)
            print $1, $i
    }' "$1"
}
# circles: the names that are in circles of the arrows read.
circles() {
    sort -u | tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([^ ]*\)$/\1/p' |
        sort -u
}
# wrong DIR TABLE: arrows that the table does not have, and circles in it.
wrong() {
    table_arrows "$2" >"$work/allowed"
    arrows "$1" | awk '
        FNR == NR { may[$1, $2]; next }
        !(($1, $2) in may) { print $3 ": " $1 " -> " $2 }' "$work/allowed" -
    circles <"$work/allowed" | sed 's/^/in a circle: /'
}
table=$top_srcdir/tests/unit/layers.txt
[ "$(arrows "$top_srcdir" | wc -l)" -gt 500 ]
ok $? "the #include lines are found"
is "$(wrong "$top_srcdir" "$table")" "" "each arrow is in layers.txt"
is "$(units "$top_srcdir" | circles)" \
    "$(sed -n 's/^circle: //p' "$table" | tr ' ' '\n' | sort)" \
    "files of a folder form no circle but those in layers.txt"
mkdir -p "$work/algorithms" "$work/db" "$work/runners" "$work/tuner/base" \
    "$work/plots"
echo '#include "tuner/base/verb.h"' >"$work/db/low.c"
is "$(wrong "$work" "$table")" "db/low.c: db -> tuner/base" \
    "an arrow that is not in the table is reported"
printf 'db: plots\nplots: db\n' >"$work/table"
is "$(wrong "$work" "$work/table" | grep -c 'in a circle')" 2 \
    "a circle in the table is reported"
echo '#include "db/high.h"' | tee "$work/db/high.c" >"$work/db/low.c"
is "$(units "$work" | circles)" "" "a source may include its own header"
echo '#include "db/low.h"' >"$work/db/high.h"
is "$(units "$work" | circles | tr '\n' ' ')" "db/high db/low " \
    "a circle of two files of a folder is reported"
is "$(cd "$top_srcdir" && find algorithms db runners tuner plots tests \
    -name '*.[cht]' | sed 's|/[^/]*$||' | sort | uniq -c |
    awk '$1 > 45 { print $2, $1 }')" "" "no folder has more than 45 sources"
finish
