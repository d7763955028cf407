#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Links that nodes share, found from patterns of messages and used: on a line of
# hosts, and behind switches with one way out, the model plays schedules as they
# are simulated, and what is decided between measured numbers of ranks is right
# there, where a flat network's table is not.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"
cd "$work" || exit 99

# 0.1 us to a neighbour, 1.25 GB/s; messages carry 16 bytes more.
"$chorale" replicate --system array --n 16 --link-latency 100ns \
    --save-platform line.xml
platform flat.xml 0.05 1250000000 16
levels='topology="FAT_TREE" topo_parameters="2;4,4;1,1;1,1"'
sed "s/sharing_policy=\"SPLITDUPLEX\"/& $levels/" flat.xml >tree.xml

measure() { # platform, database, process counts [, sizes]
    "$chorale" plan "$2" -q -c allreduce,allgather -P "$3" \
        -m "${4:-8:32K:x16}" --charge-tau 1e-10 --set core --providers chorale --launcher smpirun \
        --platform "$1.xml" --network hockney &&
        timeout 3000 "$chorale" run "$2" -q
}
for net in line tree flat; do
    measure $net $net.db 4,8,16 && "$chorale" fit $net.db >$net.txt &&
        "$chorale" decide $net.db -q
    ok $? "$net: measured, fitted, decided"
done
like "$(cat line.txt)" \
    'links between nodes: line 16, each as fast as 1 of a node.s ports' \
    "a line is found,"
like "$(cat tree.txt)" \
    'links between nodes: tree 4, each as fast as 1 of a node.s ports' \
    "switches of four with one way out,"
like "$(cat flat.txt)" 'links between nodes: none are shared' \
    "and on a flat network nothing"
is "$(sqlite3 line.db "SELECT group_concat(level || ' ' || round(value, 2), ', ')
    FROM (SELECT * FROM model WHERE param = 'kappa' ORDER BY model_id)")" \
    "line 16 1.0, shift 1 1.01, pairs 1 1.0, shift 2 2.01, pairs 2 2.0, shift 4 4.0, pairs 4 4.0, shift 8 8.0, pairs 8 8.0, mirror 7.99" \
    "kappa of each pattern is stored"
is "$(sqlite3 line.db "SELECT count(*), sum(lo = value AND hi = value) FROM model
    WHERE param = 'kappa'")" "10|10" "exact, as it is simulated"
# As of a real machine, whose launches differ: one, and two more beside it.
cp line.db real.db
sqlite3 real.db "UPDATE system SET kind = 'real';
    CREATE TEMP TABLE one AS SELECT launch_id FROM environment JOIN launch
        USING (launch_id) WHERE key = 'distance_alpha_s:1' AND comm_size = 16
        ORDER BY 1 LIMIT 1;
    DELETE FROM environment WHERE key LIKE 'distance\_%' ESCAPE '\' AND
        launch_id NOT IN one"
cp real.db differ.db
sqlite3 differ.db "CREATE TEMP TABLE one AS SELECT launch_id FROM environment
        WHERE key = 'distance_alpha_s:1';
    CREATE TEMP TABLE l AS SELECT * FROM launch WHERE launch_id IN one;
    CREATE TEMP TABLE more AS SELECT value AS k, 1000 + value AS launch_id
        FROM json_each('[1, 2, 3]');
    UPDATE l SET launch_id = 1001, uuid = 'a', ordinal = 1001;
    INSERT INTO launch SELECT * FROM l;
    UPDATE l SET launch_id = 1002, uuid = 'b', ordinal = 1002;
    INSERT INTO launch SELECT * FROM l;
    UPDATE l SET launch_id = 1003, uuid = 'c', ordinal = 1003;
    INSERT INTO launch SELECT * FROM l;
    INSERT INTO environment SELECT m.launch_id, key, CASE
        WHEN key LIKE 'distance_alpha%' THEN value
        ELSE value * (1 + 0.01 * m.k) END FROM environment e, more m
        WHERE e.launch_id IN one AND key LIKE 'distance\_%' ESCAPE '\'"
for db in real differ; do "$chorale" fit $db.db >$db.txt; done
bounds="count(*), sum(lo IS NULL AND hi IS NULL), sum(lo <= value AND hi > value
    * 1.009 AND hi < value * 1.06) FROM model WHERE param = 'kappa'"
is "$(sqlite3 real.db "SELECT $bounds")" "10|10|" \
    "one launch of a real machine tells no interval"
is "$(sqlite3 differ.db "SELECT $bounds")" "10|0|10" \
    "several do, of patterns and of links, with the least of them in it"
is "$(sqlite3 line.db "SELECT round(1e9 * value) FROM model
    WHERE param = 'alpha' AND level = 'hop'")|$(sqlite3 tree.db "SELECT
    round(1e9 * value) FROM model WHERE param = 'alpha' AND level = 'hop'")" \
    "100.0|50.0" "and what a link more costs, ns"
is "$(sqlite3 flat.db "SELECT count(*) FROM model WHERE level = 'hop' OR
    param = 'kappa' AND level NOT LIKE 'shift %' AND level NOT LIKE 'pairs %'
    AND level <> 'mirror'")" 0 "of the flat network no link"
"$chorale" fit line.db --json >line.json
is "$(sqlite3 :memory: "SELECT json_extract(CAST(readfile('line.json') AS TEXT),
    '\$.systems[0].assumptions.by_distance[0].links[0].name')")" "line 16" \
    "in JSON too"

# What the model misses the variants by: neighbor_exchange apart, of whose
# messages the simulator gives the longer way less of a link.
misses() { # database
    sqlite3 "$1" "SELECT round(max(worst_error), 2) FROM model_variant
        WHERE variant <> 'neighbor_exchange'"
}
is "$(misses tree.db)" 0.0 "behind switches all variants take what is foretold"
is "$(sqlite3 line.db "SELECT max(median_error) < 0.01, max(worst_error) < 0.06
    FROM model_variant WHERE variant <> 'neighbor_exchange'")" "1|1" \
    "on a line all but within 6 %"
cp line.db blind.db
sqlite3 blind.db "DELETE FROM environment WHERE key LIKE 'distance_pairs:%'"
"$chorale" fit blind.db >blind.txt && "$chorale" decide blind.db -q
like "$(cat blind.txt)" \
    'links between nodes: not looked for \(no pairs were timed\): a flat network' \
    "where no pairs were timed links are not looked for, and that is said"
is "$(sqlite3 blind.db 'SELECT max(median_error) > 0.2 FROM model_variant')" 1 \
    "as a flat network it is misfitted"

# Twice as many ranks, from fits to eight at most.
ahead() { # database: median error in percent
    "$chorale" fit "$1" --up-to-procs 8 |
        sed -n 's/.*predicted with more ranks.*median \([0-9.]*\) %.*/\1/p'
}
is "$(ahead line.db)|$(ahead tree.db)" "0.00|0.00" \
    "16 ranks are foretold from 8 and fewer"
ok "$(awk -v a="$(ahead blind.db)" 'BEGIN { print !(a > 10) }')" \
    "without the links they are not"

# Numbers of ranks that were not measured, judged by what they take there.
regret() { # table's database, network: of all points, percent
    "$chorale" evaluate "$1.db" --oracle "oracle-$2.db" 2>/dev/null |
        awk '$1 == "all" { print $3 }'
}
for net in line tree; do
    measure $net oracle-$net.db 6,12
    own=$(regret $net $net) other=$(regret flat $net)
    diag "$net: regret of its own table $own %, of a flat network's $other %"
    ok "$(awk -v a="$own" -v b="$other" \
        'BEGIN { print !(a != "" && b > 20 && a < b / 4) }')" \
        "$net, P = 6 and 12: its own table is right where a flat network's is not"
done
is "$(sqlite3 line.db "SELECT DISTINCT variant FROM decision WHERE coll =
    'allreduce' AND n_hi = 32768 AND target = 'dispatch'")" ring \
    "on a line the longest allreduces go round,"
is "$(sqlite3 flat.db "SELECT DISTINCT variant FROM decision WHERE coll =
    'allreduce' AND n_hi = 32768 AND target = 'dispatch'")" circulant \
    "on a flat network they jump"

# What the links themselves are worth, where little is measured: two sizes at
# P = 4 and 16, decided with them and without, judged at P = 6 and 12.
for net in line tree; do
    measure $net few-$net.db 4,16 8,32K
    cp few-$net.db unseen-$net.db
    sqlite3 unseen-$net.db \
        "DELETE FROM environment WHERE key LIKE 'distance_pairs:%'"
    for db in few unseen; do
        "$chorale" fit $db-$net.db -q && "$chorale" decide $db-$net.db -q
    done
    seeing=$(regret few-$net $net) blind=$(regret unseen-$net $net)
    diag "$net, little measured: regret with the links $seeing %," \
        "without them $blind %"
    ok "$(awk -v a="$seeing" -v b="$blind" \
        'BEGIN { print !(a != "" && b > 40 && a < b / 4) }')" \
        "$net: from little the links that were found make a right table"
done

# However many ranks a node has, a launch of blocking sends gets under way, and
# they share its port.
platform cores.xml 0.5 1250000000 4
sed -i 's/speed=/core="8" speed=/' cores.xml
for ppn in 2 3 5 6 7; do
    "$chorale" plan cores.db -q -c allgather -P $((4 * ppn)) --ppn $ppn \
        -m 8,32K --providers chorale --variants bruck,ring \
        --launcher smpirun --platform cores.xml --network hockney || break
done
timeout 3000 "$chorale" run cores.db -q && "$chorale" fit cores.db -q
is "$?|$(sqlite3 cores.db "SELECT count(*), sum(status <> 'ok') FROM run
    JOIN cell USING (cell_id) WHERE provider = 'chorale'")" "0|20|0" \
    "2 to 7 ranks a node are measured"
is "$(sqlite3 cores.db "SELECT group_concat(ppn || ' ' || round(value, 3))
    FROM (SELECT * FROM model WHERE param = 'kappa' AND level = 'net'
    ORDER BY ppn)")" "2 2.0,3 3.0,5 5.0,6 6.0,7 7.0" \
    "and as many messages share the node's port"

# Three ranks a node; not in blocks; and facts that are none.
"$chorale" plan three.db -q -c bcast,allgather -P 12,24 --ppn 3 -m 8:32K:x8 \
    --providers chorale --variants binomial,ring,bruck --launcher smpirun \
    --platform tree.xml --network loggp &&
    timeout 3000 "$chorale" run three.db -q
ok $? "three ranks a node are measured"
like "$("$chorale" fit three.db)" 'links between nodes: tree 4' \
    "and the switches found"
sqlite3 three.db "UPDATE launch SET shape = 'cyclic' WHERE comm_size = 24"
like "$("$chorale" fit three.db)" 'by distance in ranks, P = 12, ppn 3' \
    "launches in blocks are taken, those of more ranks that are not left out"
sqlite3 three.db "UPDATE launch SET shape = 'cyclic'"
like "$("$chorale" fit three.db)" \
    'not looked for \(ranks do not lie on nodes in blocks\): a flat network is' \
    "places that are not nodes tell nothing of links, and that is said"
cp line.db wild.db
sqlite3 wild.db "UPDATE environment SET value = '9e999'
    WHERE key = 'distance_alpha_s:2'; UPDATE launch SET comm_size = 200000
    WHERE comm_size = 16"
"$chorale" fit wild.db --json >wild.json 2>err.txt
is "$?|$(sqlite3 :memory: "SELECT json_array_length(CAST(readfile('wild.json')
    AS TEXT), '\$.systems[0].assumptions.by_distance[0].distances')")" "0|3" \
    "what is no time is left out,"
like "$("$chorale" fit wild.db)" 'not looked for \(more than 2048 nodes\): a flat' \
    "and too many nodes are not looked at, which is said"

# Where a rank has four ports, a variant that uses them all is not faster than
# possible.
"$chorale" replicate --system WS2 --n 4 --save-platform torus.xml
"$chorale" plan torus.db -q -c allgather -P 16 -m 8K --providers chorale \
    --variants torus2d_broadcast --launcher smpirun --platform torus.xml \
    --network hockney && timeout 3000 "$chorale" run torus.db -q
ports() {
    sqlite3 "$1" "SELECT DISTINCT value FROM environment JOIN launch
        USING (launch_id) WHERE key = 'rank_ports' AND comm_size = 16"
}
is "$(ports flat.db)|$(ports line.db)|$(ports torus.db)" "1|2|4" \
    "the ports of a rank on a flat network, a line, a torus"
is "$(sqlite3 torus.db "SELECT group_concat(DISTINCT status) FROM run
    WHERE status <> 'inapplicable'")" ok "all four may be used at once"
finish
