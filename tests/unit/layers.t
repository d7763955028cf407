#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# layers.t - folders include exactly the folders that layers.txt names, without
# circles of folders or files; no folder holds more than 45 source files.
. "$(dirname "$0")/../lib.sh"
collectives='allgatherv?|allreduce|alltoallv?|barrier|bcast|exscan|gatherv?'
collectives="$collectives|reduce(_scatter(_block)?)?|scan|scatterv?"
# includes DIR: "folder file folder file" of each #include "folder/file" below.
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
# circles: the names that are in circles of the arrows read.
circles() {
    sort -u | tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([^ ]*\)$/\1/p' |
        sort -u
}
# wrong DIR TABLE: arrows that the table lacks, those of the table that no
# #include needs, and circles in it.
wrong() {
    awk '!/^#|^circle:/ { sub(/:/, ""); for (i = 2; i <= NF; i++) print $1, $i }
        ' "$2" >"$work/allowed"
    arrows "$1" | awk '
        FNR == NR { may[$0]; next }
        !(($1 " " $2) in may) { print $3 ": " $1 " -> " $2 }
        { used[$1 " " $2] }
        END { for (a in may) if (!(a in used)) print "not needed: " a }
        ' "$work/allowed" -
    circles <"$work/allowed" | sed 's/^/in a circle: /'
}
# readmes DIR TABLE: folders whose README names others than its row.
readmes() {
    grep -v '^#\|COLLECTIVE\|^circle:' "$2" | while IFS=: read -r folder row; do
        readme=$(ls "$1/$folder"/README* 2>/dev/null) || continue
        said=$(tr '\n' ' ' <"$readme" |
            sed 's/.*May include: *//; s/[.;] .*//; s/[.]$//; s/,//g')
        [ "$said" = "${row# }" ] || [ "$said$row" = "no other folder" ] ||
            echo "$folder/README: $said"
    done
}
table=$top_srcdir/tests/unit/layers.txt
[ "$(arrows "$top_srcdir" | wc -l)" -gt 500 ]
ok $? "the #include lines are found"
is "$(wrong "$top_srcdir" "$table")" "" "layers.txt has exactly these arrows"
is "$(readmes "$top_srcdir" "$table")" "" "each README repeats its row"
is "$(units "$top_srcdir" | circles)" \
    "$(sed -n 's/^circle: //p' "$table" | tr ' ' '\n' | sort)" \
    "files of a folder form no circle but those in layers.txt"
cd "$work" && mkdir algorithms db runners tuner plots
echo '#include "tuner/base/verb.h"' >db/low.c
printf 'db: plots\nplots: db\n' >table
is "$(wrong . table | tr '\n' ' ')" "db/low.c: db -> tuner/base not needed: \
db plots not needed: plots db in a circle: db in a circle: plots " \
    "arrows that the table lacks, needless ones and circles are reported"
printf 'Files.\n\nMay include: tuner/base,\nruns; libc.\n' >db/README
is "$(readmes . table)" "db/README: tuner/base runs" \
    "a README that names other folders than its row is reported"
echo '#include "db/high.h"' | tee db/high.c >db/low.c
is "$(units . | circles)" "" "a source may include its own header"
echo '#include "db/low.h"' >db/high.h
is "$(units . | circles | tr '\n' ' ')" "db/high db/low " \
    "a circle of two files of a folder is reported"
is "$(cd "$top_srcdir" && find algorithms db runners tuner plots tests \
    -name '*.[cht]' | sed 's|/[^/]*$||' | sort | uniq -c |
    awk '$1 > 45 { print $2, $1 }')" "" "no folder has more than 45 sources"
finish
