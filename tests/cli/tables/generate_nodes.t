#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Rules for Open MPI act on two emulated nodes of two ranks, where the component
# han serves calls by default from version 5 on. The decisions are invented.
# openmpi.t runs this in a build for that library.
. "$(dirname "$0")/../../lib.sh"
. "$top_srcdir/tests/nodes.sh"
nodes_begin
"$top_builddir/chorale-runner" --natives >natives.txt
version=$("$top_builddir/chorale-runner" --probe |
    sed -n '1s/^[^0-9]*\([0-9]*\).*/\1/p')

CHORALE_MPIEXEC=mpiexec.openmpi "$chorale" plan base.db -q -c bcast -m 8 -P 2 \
    --providers native,library --launches 1 -i 2 --batch 1 &&
    CHORALE_MPIEXEC=mpiexec.openmpi timeout 300 "$chorale" run base.db -q
ok $? "a system is measured"
sqlite3 base.db "DELETE FROM decision"
decide() { # database, lines: collective type operation from to name [P shape]
    cp base.db "$1"
    while read -r coll dtype op lo hi name p shape; do
        [ "$op" != - ] || op=
        params=${name#*:}
        [ "$params" != "$name" ] || params=
        sqlite3 "$1" "INSERT INTO decision (system_id, target, coll, comm_size,
            ppn, shape, dtype, op, n_lo, n_hi, provider, variant, params, basis,
            reason) VALUES (1, 'rules', '$coll', ${p:-4}, 2, '${shape:-block}',
            '$dtype', '$op', $lo, $hi, 'native', '${name%:*}', '$params',
            'measured', 'made up')"
    done
}
generate() { # database, options; writes r.conf, out.txt, err.txt
    db=$1
    shift
    timeout 300 "$chorale" generate "$db" --format ompi-rules -o r.conf \
        --check-ranks 4 "$@" >out.txt 2>err.txt
}
decide r.db <<EOR
bcast byte - 1000 65536 pipeline
allreduce double sum 800 8000 recursive_doubling
reduce double sum 800 8000 in-order_binary
allgather byte - 400 4000 ring
barrier byte - 0 0 tree
gather byte - 0 9223372036854775807 basic_linear
alltoall byte - 32 4096 linear_sync
EOR
generate r.db
ok $? "rules of several nodes are written, and the library follows them"
diag "$(cat out.txt err.txt)"
like "$(cat out.txt)" '^run by the library here \(Open MPI.*, it sends' "run"
like "$(cat out.txt)" \
    '^the messages differ from those without the table at [1-9]' \
    "which changes what it sends"
is "$(grep -c 'not on several nodes' out.txt)" 0 "on two nodes"
is "$(grep -c 'cannot be forced' out.txt)" 0 "all its messages are compared"
uses() { # print the settings that the printed command makes
    sed '1,/^to use /d; s/^  [^ =]* \.\.\.$/  env/' out.txt >use.sh
    sh use.sh | grep '^OMPI_MCA_coll_.*rules' | sort | paste -sd ' ' -
}

# The printed command starts ranks on both nodes, which run the decided algorithm
# within its rule and the default after it.
printf 'bcast %s pipeline\n' 4096 524288 >points.txt
ranks="-n 4 --map-by ppr:2:node:oversubscribe"
selects="$top_builddir/chorale-selects"
# shellcheck disable=SC2086
OMPI_MCA_pml_monitoring_enable=1 timeout 100 "$MPIEXEC" $ranks "$selects" \
    --force points.txt >without.txt
sed "1,/^to use /d; s,^\(  [^ =]*\) \.\.\.$,\1 $ranks $selects points.txt," \
    out.txt >use.sh
OMPI_MCA_pml_monitoring_enable=1 timeout 100 sh use.sh >with.txt
hash() { # file, its lines' word, point: what it sends there
    awk -v word="@$2" -v i="$3" '$1 == word && $2 == i { print $3 }' "$1"
}
is "$(tail -qn 1 without.txt with.txt | paste -sd ' ' -)" "@end @end" \
    "both launches end"
for i in 0 1; do
    [ "$(hash without.txt forced $i)" != "$(hash without.txt point $i)" ]
    ok $? "at point $i the decided algorithm does not send what the default sends"
done
is "$(hash with.txt point 0) $(hash with.txt point 1)" \
    "$(hash without.txt forced 0) $(hash without.txt point 1)" \
    "with the printed command it runs within its rule, and only there"
if [ "$version" -lt 5 ]; then
    [ ! -e r.han.conf ]
    ok $? "no rules for han, which is not the default of version 4"
    is "$(grep -c 'several nodes, the library' r.conf)" 0 "and no warning of it"
    is "$(uses)" "OMPI_MCA_coll_tuned_dynamic_rules_filename=$work/r.conf \
OMPI_MCA_coll_tuned_use_dynamic_rules=1" "the printed command has both settings"
    nodes_down
    finish
fi
is "$(uses)" "OMPI_MCA_coll_han_dynamic_rules_filename=$work/r.han.conf \
OMPI_MCA_coll_han_use_dynamic_file_rules=1 \
OMPI_MCA_coll_tuned_dynamic_rules_filename=$work/r.conf \
OMPI_MCA_coll_tuned_use_dynamic_rules=1" "the printed command has all settings"
for line in OMPI_MCA_coll_tuned_dynamic_rules_filename=/path/to/r.conf \
    OMPI_MCA_coll_tuned_use_dynamic_rules=1 \
    OMPI_MCA_coll_han_dynamic_rules_filename=/path/to/r.han.conf \
    OMPI_MCA_coll_han_use_dynamic_file_rules=1; do
    grep -qx "#   $line" r.conf
    ok $? "the file names the setting $line"
done
is "$(grep -c priority r.conf r.han.conf | paste -sd ' ' -)" \
    "r.conf:0 r.han.conf:0" "and no priority"

# Rules for two ranks act inside of han's default, too, as a node has two.
changed='^# Where no rule stands on several nodes, the library.s component han'
like "$(cat r.conf)" "$changed" "the heading warns of rules within the default"
is "$(grep -c 'In this file these are' r.conf)" 0 \
    "without rules for as many ranks no number is named"
decide two.db <<EOR
bcast byte - 1000 65536 pipeline
bcast byte - 8 1000000 pipeline:segsize=8192 2 single-node
allreduce double sum 8 65536 recursive_doubling 2 single-node
EOR
generate two.db
ok $? "with rules for P = 2 the library gives the same results: $(cat err.txt)"
diag "$(cat out.txt)"
like "$(cat r.conf)" "$changed" "the heading warns of them"
like "$(cat r.conf)" '^# In this file these are the rules for P = 2\.$' \
    "and names their number of ranks"
like "$(cat out.txt)" \
    '^at [1-9] of these no rule stands, but rules for fewer ranks apply' \
    "the check counts the points where they change the default"

# Without the second file, han ignores the first. The check must see that.
cat >deaf <<EOD
#!/bin/sh
for word do
    shift
    case \$word in OMPI_MCA_coll_han_*) continue ;; esac
    set -- "\$@" "\$word"
done
exec "$MPIEXEC" "\$@"
EOD
chmod +x deaf
rm -f r.conf
CHORALE_MPIEXEC=$work/deaf generate r.db
is "$? $(cat r.conf 2>/dev/null)" "1 " \
    "a library that does not read han's rules is noticed: $(cat err.txt)"

decide h.db <<EOR
bcast byte - 1000 65536 han_simple
bcast byte - 65537 131072 pipeline
EOR
generate h.db
ok $? "an algorithm of han is written, and the library runs it: $(cat err.txt)"
is "$(sed -n 's/ # .*//; /^[0-9]* [a-z]/p' r.han.conf | paste -sd , -)" \
    "0 han,0 han,1000 han @simple,65537 tuned,131073 han,0 han" \
    "in the rules for han"
like "$(cat out.txt)" '^run by the library here \(Open MPI.*, it sends' \
    "which sends what was decided"
is "$(grep -c 'cannot be forced' out.txt)" 0 "as its messages are compared, too"
"$chorale" generate h.db --format ompi-json -o h.json >out.txt 2>err.txt
like "$(cat h.json.txt)" 'bcast han_simple, P = 4, .*: the format has no rule' \
    "JSON leaves it out, with the reason"

# A launcher with one node only.
CHORALE_MPIEXEC="$work/one" && export CHORALE_MPIEXEC
cat >one <<EOD
#!/bin/sh
case " \$* " in *" ppr:2:node:oversubscribe "*)
    echo "only one node" >&2
    exit 1 ;;
esac
exec mpiexec.openmpi "\$@"
EOD
chmod +x one
generate r.db
like "$(cat out.txt)" \
    '^not on several nodes: [0-9]* points, run on one: only one node' \
    "without several nodes the points are run on one, and the report states it"
nodes_down
finish
