#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# layers.t - folders include exactly the folders that layers.txt names, the
# table has no circle, each README repeats its row, and no folder holds more
# than 45 source files.
. "$(dirname "$0")/../lib.sh"
collectives='allgatherv?|allreduce|alltoallv?|barrier|bcast|exscan|gatherv?'
collectives="$collectives|reduce(_scatter(_block)?)?|scan|scatterv?"
# arrows DIR: "from to file" of each #include "folder/name" below it.
arrows() {
    (cd "$1" && find algorithms db runners tuner plots -name '*.[ch]' \
        -exec grep -Eo '^ *# *include "[a-z_]+/[^"]+"' /dev/null {} +) |
        awk -v variant="^algorithms/($collectives)$" '{
            file = from = $1
            sub(/:.*/, "", file)
            from = file
            sub(/\/[^\/]*$/, "", from)
            to = $0
            gsub(/^[^"]*"|\/[^\/]*$/, "", to)
            if (from ~ variant)
                from = "algorithms/COLLECTIVE"
            if (to !~ variant && from != to)
                print from, to, file
        }'
}
# wrong DIR TABLE: arrows that the table does not have, arrows of the table that
# no #include needs, and circles in it.
wrong() {
    arrows "$1" | awk '
        FNR == NR && /^#/ { next }
        FNR == NR {
            from = $1
            sub(/:$/, "", from)
            folder[from]
            for (i = 2; i <= NF; i++)
                may[from, $i] = from " -> " $i
            next
        }
        $2 ~ /^tests/ || !(($1, $2) in may) { print $3 ": " $1 " -> " $2 }
        { used[$1, $2] }
        END {
            for (arrow in may)
                if (!(arrow in used))
                    print "not needed: " may[arrow]
            # take away folders that include nothing that is left
            do {
                taken = 0
                for (f in folder) {
                    needs = 0
                    for (g in folder)
                        needs += f != g && (f, g) in may
                    if (needs == 0) {
                        delete folder[f]
                        taken = 1
                    }
                }
            } while (taken)
            for (f in folder)
                print "in a circle: " f
        }' "$2" -
}
# readmes DIR TABLE: folders of the table whose README names other folders, and
# folders of more than five sources that have no README.
readmes() {
    grep -v '^#\|COLLECTIVE' "$2" | while IFS=: read -r folder row; do
        for readme in "$1/$folder/README" "$1/$folder/README.md"; do
            [ -e "$readme" ] || continue
            said=$(tr '\n' ' ' <"$readme" |
                sed 's/.*May include: *//; s/[.;] .*//; s/[.]$//; s/,//g')
            [ "$said" = "${row# }" ] || [ "$said$row" = "no other folder" ] ||
                echo "$folder/README: $said"
            continue 2
        done
        [ "$(find "$1/$folder" -type f | wc -l)" -le 5 ] ||
            echo "no $folder/README"
    done
}
table=$top_srcdir/tests/unit/layers.txt
[ "$(arrows "$top_srcdir" | wc -l)" -gt 500 ]
ok $? "the #include lines are found"
is "$(wrong "$top_srcdir" "$table")" "" "layers.txt has exactly these arrows"
is "$(readmes "$top_srcdir" "$table")" "" "each README repeats its row"
mkdir -p "$work/algorithms" "$work/db" "$work/runners" "$work/tuner/base" \
    "$work/plots"
echo '#include "tuner/base/verb.h"' >"$work/db/low.c"
is "$(wrong "$work" "$table" | grep -v '^not needed')" \
    "db/low.c: db -> tuner/base" "an arrow that is not in the table is reported"
printf 'db: tuner/base plots\n' >"$work/table"
is "$(wrong "$work" "$work/table")" "not needed: db -> plots" \
    "an arrow of the table without an #include is reported"
printf 'Files.\n\nMay include: tuner/base,\nruns; libc.\n' >"$work/db/README"
is "$(readmes "$work" "$work/table")" "db/README: tuner/base runs" \
    "a README that names other folders than its row is reported"
printf 'db: plots\nplots: db\n' >"$work/table"
is "$(wrong "$work" "$work/table" | grep -c 'in a circle')" 2 \
    "a circle in the table is reported"
is "$(cd "$top_srcdir" && find algorithms db runners tuner plots tests \
    -name '*.[cht]' | sed 's|/[^/]*$||' | sort | uniq -c |
    awk '$1 > 45 { print $2, $1 }')" "" "no folder has more than 45 sources"
finish
