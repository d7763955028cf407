#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Algorithms of Open MPI, forced on two emulated nodes of two ranks. Its
# component han serves such communicators before tuned, from version 5 on by
# default, and for version 4 by the priority set here. A forced algorithm of
# tuned sends there what it sends on one node, where only tuned can serve.
# openmpi.t runs this in a build for that library.
. "$(dirname "$0")/../../lib.sh"
. "$top_srcdir/tests/nodes.sh"
"$chorale" --version | grep -q sanitizer=no ||
    skip_all "built with a sanitizer, which must come first"
nodes_begin
export OMPI_MCA_coll_han_priority=35 OMPI_MCA_pml_monitoring_enable=1
export CHORALE_MPIEXEC="$MPIEXEC"
"$top_builddir/chorale-runner" --natives >natives.txt
two="--map-by ppr:2:node:oversubscribe"
one="--map-by ppr:4:node:oversubscribe"

# The messages of each algorithm, and of the default before and after it.
colls="allgather allreduce barrier bcast gather reduce scatter"
for coll in $colls; do
    for name in $(sed -n "s/^$coll //p" natives.txt | grep -v ' .* ' |
        tr ' ' :); do
        [ $coll = barrier ] && n=0 || n=262144
        echo "$coll $n $name"
    done
done >points.txt
for where in one two; do
    eval "how=\$$where"
    # shellcheck disable=SC2086
    timeout 300 "$MPIEXEC" -n 4 $how "$top_builddir/chorale-selects" --force \
        "$work/points.txt" >$where.txt 2>err.txt
    is "$? $(tail -n 1 $where.txt)" "0 @end" "all are forced, nodes: $where"
    awk '/^@/ && NF == 4 { print $1, $2, $3 }' $where.txt |
        while read -r word i sent; do
            sed -n "$((i + 1))s/ .* / /p" points.txt |
                sed "s/^/$word /; s/$/ $sent/"
        done >$where.sent
done
tuned() { grep '^@forced' "$1" | grep -v ' han_'; }
# The messages of all ranks on the communicator of the call, and on others.
messages() { # word of the line, collective, algorithm or nothing
    awk -v word="$1" -v coll="$2" -v name="$3" '
        NR == FNR { if ($1 == coll && (name == "" || $3 == name))
                        wanted[FNR - 1] = 1
                    next }
        $1 == "@messages" && $2 == word && ($3 in wanted) { print $4, $5 }' \
        points.txt two.txt | sort -u
}
is "$(tuned two.sent)" "$(tuned one.sent)" \
    "an algorithm of tuned sends the same on two nodes as on one"
[ "$(tuned two.sent | awk '{ print $2, $4 }' | sort -u | wc -l)" -gt 40 ]
ok $? "and the algorithms differ"
default() { sed -n 's/^@point \([a-z]*\) [^ ]* /\1 /p' "$1"; }
is "$(default two.sent | sort -u | wc -l)" 7 \
    "the default is the same beside each algorithm"
is "$(default two.sent | sort -u >a; default one.sent | sort -u >b;
    comm -12 a b)" "" "and it is han's on two nodes, not the one of one node"

is "$(messages forced bcast basic_linear)" "3 0" \
    "basic_linear sends three messages on the forced communicator"
is "$(messages forced bcast scatter_allgather)" "11 0" \
    "scatter_allgather sends eleven there"
for coll in $colls; do
    messages point $coll ""
done >default.txt
is "$(grep -c '^0 [1-9]' default.txt) $(wc -l <default.txt)" "7 7" \
    "the default sends on communicators of han only"
sent() { # algorithm
    awk -v name="$1" '$1 == "@forced" && $3 == name { print $4 }' two.sent
}
[ -n "$(sent knomial)" ] && [ -n "$(sent knomial:radix=2)" ] &&
    [ "$(sent knomial:radix=2)" != "$(sent knomial)" ]
ok $? "the radix of knomial takes effect, though it is read at each call"

# Limits of requests change only when messages are sent.
tuned two.sent | awk 'index($3, ":") && $3 !~ /:maxreq=/ {
    split($3, name, "="); print $2, name[1], $4 }' >values.txt
is "$(sort -u values.txt | wc -l)" \
    "$(grep -v ' han_' natives.txt | grep '=' | grep -cv ' maxreq=')" \
    "two values of a parameter send differently"

# The same in campaigns, without the component monitoring.
unset OMPI_MCA_pml_monitoring_enable
state() { # database, and a condition: statuses and reasons
    sqlite3 "$1" "SELECT DISTINCT status || ' ' || reason FROM run
        JOIN cell USING (cell_id) WHERE provider = 'native' AND $2"
}
campaign() { # database, ranks on a node, options of mpiexec
    "$chorale" plan "$1" -q --providers native,library -c bcast,barrier -m 4K \
        -P 4 --ppn "$2" --launches 1 -i 5 --cell-time 0.005 --batch 1 \
        --launcher-cmd "$MPIEXEC -n {P} $3" &&
        timeout 300 "$chorale" run "$1" -q \
            --launcher-cmd "$MPIEXEC -n {P} $3" 2>err.txt ||
        diag "$(cat err.txt)"
}
han="variant LIKE 'han_%'"
one_node="inapplicable the library sees only one node, or only one process on \
each node, so han serves no call"
campaign two.db 2 "$two"
is "$(state two.db "NOT $han AND variant <> 'two_proc'")" "ok " \
    "on two nodes all algorithms of tuned are measured"
campaign one.db 4 "$one"
is "$(state one.db "NOT $han AND variant <> 'two_proc'")" "ok " \
    "on one node too"
version=$("$top_builddir/chorale-runner" --probe |
    sed -n '1s/^[^0-9]*\([0-9]*\).*/\1/p')
if [ "$version" -ge 5 ] || grep -q ' han_[a-z]*$' natives.txt; then
    is "$(state two.db "$han")" "ok " "and those of han on two nodes"
    is "$(state one.db "$han")" "$one_node" \
        "but not on one node, where han never serves a call"
    grep ' han_[a-z]*$' natives.txt >han.txt
    while read -r coll name; do
        messages forced "$coll" "$name"
    done <han.txt >forced.txt
    is "$(cut -d' ' -f1 han.txt | sort -u | paste -sd ' ' -)" "$colls" \
        "han has algorithms of all its collectives"
    is "$(grep -c '^0 [1-9]' forced.txt)" "$(wc -l <han.txt)" \
        "each algorithm of han sends on han's communicators only"
    is "$(grep -E '^@forced (bcast|reduce|allreduce) han_' two.sent |
        awk '{ print $2, $4 }' | sort -u | wc -l)" 6 \
        "the two algorithms of bcast, reduce and allreduce differ"
    is "$(grep -c '^@forced.* han_' one.sent)" 0 \
        "on one node none of them is forced"
fi

# Parameters of han that it reads in MPI_Init.
grep -E ' han_.* .* ' natives.txt >all.txt
is "$(cut -d' ' -f1 all.txt | sort | uniq -c | tr -s ' \n' ' ')" \
    " 4 allreduce 4 bcast 4 reduce " "han has segment sizes and modules"
starts() { # database, native cells, ranks on a node, options of mpiexec
    "$chorale" plan "$1" -q --providers native --set all -m 1M \
        -c bcast,reduce,allreduce --variants han_intra -P 4 --ppn "$3" \
        --launches 1 -i 3 --batch 1 --cell-time 0.005 \
        --launcher-cmd "$MPIEXEC -n {P} $4" &&
        sqlite3 "$1" "DELETE FROM cell WHERE provider = 'native'
            AND NOT ($2)" &&
        timeout 400 "$chorale" run "$1" -q \
            --launcher-cmd "$MPIEXEC -n {P} $4" 2>err.txt ||
        diag "$(cat err.txt)"
}
starts two-starts.db "params <> ''" 2 "$two"
is "$(state two-starts.db "params <> ''")" "ok " \
    "on two nodes each value of them is measured"
is "$(sqlite3 -separator ' ' two-starts.db "SELECT coll, variant, params, l.part
    FROM run JOIN launch l USING (launch_id) JOIN cell USING (cell_id)
    WHERE params <> '' ORDER BY 1, 2, 3")" "$(LC_ALL=C sort all.txt)" \
    "in launches that set its variable"
is "$(sqlite3 two-starts.db "SELECT count(*) FROM v_paired JOIN cell
    USING (cell_id) WHERE params <> ''")" 12 \
    "and is compared with the library's launch"
small="coll = 'bcast' AND params = 'segsize=8192'"
modules="coll = 'bcast' AND params LIKE '%module=1'"
starts one-starts.db "$small" 4 "$one"
is "$(state one-starts.db "params <> ''")" "$one_node" "on one node none is"
# Han serves them where it is not the default, unless it may not be used.
(export OMPI_MCA_coll_han_priority=1
    starts low-starts.db "$small" 2 "$two")
is "$(state low-starts.db "params <> ''")" "ok " \
    "nor does han have to be the default"
(export OMPI_MCA_coll_han_priority=-1
    starts off-starts.db "$small" 2 "$two")
is "$(state off-starts.db "params <> ''")" \
    "inapplicable the library's component han does not serve this call" \
    "without han it is not measured"
# A module that the library lacks.
no_adapt="inapplicable unproved: no message is sent as the component adapt does"
no_sm="inapplicable the library's component sm does not serve the ranks of a node"
(export OMPI_MCA_coll=^adapt; starts no-adapt.db "$modules" 2 "$two")
is "$(state no-adapt.db "params LIKE 'up%'")|$(state no-adapt.db \
    "params LIKE 'low%'")" \
    "$no_adapt|ok " "without the component adapt only sm is measured"
(export OMPI_MCA_coll=^sm; starts no-sm.db "$modules" 2 "$two")
is "$(state no-sm.db "params LIKE 'low%'")|$(state no-sm.db \
    "params LIKE 'up%'")" "$no_sm|ok " "and without sm only adapt"
echo "bcast 524288 -" >large.txt
for part in none=1 $(sed -n 's/^bcast .* //p' all.txt); do
    # shellcheck disable=SC2086
    env "$part" OMPI_MCA_pml_monitoring_enable=1 timeout 60 "$MPIEXEC" -n 4 $two \
        "$top_builddir/chorale-selects" "$work/large.txt" 2>err.txt |
        sed -n 's/^@point 0 //p'
done >sent.txt
[ "$(wc -l <sent.txt)" = 5 ] && [ "$(sort -u sent.txt | wc -l)" -ge 4 ]
ok $? "segment sizes and modules within nodes change the messages of bcast"

# mpiexec places the ranks of a plan. han of 4.1.4 hangs with one rank a node, so
# the library's own priority holds here.
for ppn in 1 2; do
    "$chorale" plan "ppn$ppn.db" -q --providers library -c bcast -m 8 \
        -P $((2 * ppn)) --ppn $ppn --launches 1 -i 3 &&
        timeout 300 env -u OMPI_MCA_coll_han_priority "$chorale" run \
            "ppn$ppn.db" -q 2>err.txt
    is "$? $(sqlite3 "ppn$ppn.db" "SELECT DISTINCT host_map FROM launch")" \
        "0 $([ $ppn = 1 ] && echo 0,1 || echo 0,0,1,1)" \
        "--ppn $ppn fills two nodes with $ppn each"
done

# A library that ignores the preference for a component.
"${MPICC:-mpicc.openmpi}" -Wall -Werror -shared -fPIC -o prefer.so \
    "$top_srcdir/tests/cli/campaign/prefer.c"
ok $? "the preload that ignores preferences is compiled"
campaign deaf.db 2 "$two -x LD_PRELOAD=$work/prefer.so"
is "$(state deaf.db "NOT $han AND variant <> 'two_proc'")" \
    "inapplicable the library's component tuned does not serve this call" \
    "then no algorithm of tuned is measured, since han serves the calls"
is "$(sqlite3 deaf.db "SELECT DISTINCT status FROM run
    JOIN cell USING (cell_id) WHERE provider = 'library'")" ok \
    "and the default still is"

# Rules of the user, which tuned prefers to a forced algorithm.
echo 0 >rules.conf
OMPI_MCA_coll_tuned_dynamic_rules_filename=$work/rules.conf
export OMPI_MCA_coll_tuned_dynamic_rules_filename
campaign rules.db 2 "$two"
like "$(state rules.db "NOT $han")" \
    '^inapplicable rules for the component tuned precede it' \
    "nor beside the user's rules for tuned"
nodes_down
finish
