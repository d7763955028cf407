#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Shared links between nodes are found from message patterns, and used by the
# model. On a line of hosts, and behind switches with one uplink, the model
# simulates schedules correctly. Decisions between measured process counts are
# right there, unlike those of a flat network's table.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"
cd "$work" || exit 99

# 0.1 us to a neighbour, 1.25 GB/s; messages have 16 bytes of header.
"$chorale" replicate --system array --n 16 --link-latency 100ns \
    --save-platform line.xml
platform flat.xml 0.05 1250000000 16
levels='topology="FAT_TREE" topo_parameters="2;4,4;1,1;1,1"'
sed "s/sharing_policy=\"SPLITDUPLEX\"/& $levels/
    s/<cluster/<zone id=\"world\" routing=\"Full\">&/
    s/<.platform>/<\/zone>&/" flat.xml >tree.xml

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
    "a line is found"
like "$(cat tree.txt)" \
    'links between nodes: tree 4, each as fast as 1 of a node.s ports' \
    "switches of four nodes with one uplink are found"
like "$(cat flat.txt)" 'links between nodes: none are shared' \
    "on a flat network no shared link is found"
is "$(sqlite3 line.db "SELECT group_concat(level || ' ' || round(value, 2), ', ')
    FROM (SELECT * FROM model WHERE param = 'kappa' ORDER BY model_id)")" \
    "line 16 1.0, shift 1 1.01, pairs 1 1.0, shift 2 2.01, pairs 2 2.0, shift 4 4.0, pairs 4 4.0, shift 8 8.0, pairs 8 8.0, mirror 7.99" \
    "kappa of each pattern is stored"
is "$(sqlite3 line.db "SELECT count(*), sum(lo = value AND hi = value) FROM model
    WHERE param = 'kappa'")" "10|10" "simulated kappas have no uncertainty"
# Like a real machine with one launch, and one with three differing launches.
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
    "one launch of a real machine gives no interval"
is "$(sqlite3 differ.db "SELECT $bounds")" "10|0|10" \
    "several launches give intervals that include the least kappa"
is "$(sqlite3 line.db "SELECT round(1e9 * value) FROM model
    WHERE param = 'alpha' AND level = 'hop'")|$(sqlite3 tree.db "SELECT
    round(1e9 * value) FROM model WHERE param = 'alpha' AND level = 'hop'")" \
    "100.0|50.0" "the latency of one more link, in ns, is stored"
is "$(sqlite3 flat.db "SELECT count(*) FROM model WHERE level = 'hop' OR
    param = 'kappa' AND level NOT LIKE 'shift %' AND level NOT LIKE 'pairs %'
    AND level <> 'mirror'")" 0 "the flat network's model has no link"
"$chorale" fit line.db --json >line.json
is "$(sqlite3 :memory: "SELECT json_extract(CAST(readfile('line.json') AS TEXT),
    '\$.systems[0].assumptions.by_distance[0].links[0].name')")" "line 16" \
    "JSON has the line"

# Largest error of the model. neighbor_exchange is left out, because the
# simulator gives its messages with the longer route a smaller share of a link.
misses() { # database
    sqlite3 "$1" "SELECT round(max(worst_error), 2) FROM model_variant
        WHERE variant <> 'neighbor_exchange'"
}
is "$(misses tree.db)" 0.0 "behind switches all predictions are exact"
is "$(sqlite3 line.db "SELECT max(median_error) < 0.01, max(worst_error) < 0.06
    FROM model_variant WHERE variant <> 'neighbor_exchange'")" "1|1" \
    "on a line all predictions are within 6 %"
cp line.db blind.db
sqlite3 blind.db "DELETE FROM environment WHERE key LIKE 'distance_pairs:%'"
"$chorale" fit blind.db >blind.txt && "$chorale" decide blind.db -q
like "$(cat blind.txt)" \
    'links between nodes: not looked for \(no pairs were timed\): a flat network' \
    "without timed pairs fit does not look for links, and reports it"
is "$(sqlite3 blind.db 'SELECT max(median_error) > 0.2 FROM model_variant')" 1 \
    "fitted as a flat network, the line has large errors"

# Predict twice as many ranks from fits up to eight ranks.
ahead() { # database: median error in percent
    "$chorale" fit "$1" --up-to-procs 8 |
        sed -n 's/.*predicted with more ranks.*median \([0-9.]*\) %.*/\1/p'
}
is "$(ahead line.db)|$(ahead tree.db)" "0.00|0.00" \
    "16 ranks are predicted from 8 and fewer"
ok "$(awk -v a="$(ahead blind.db)" 'BEGIN { print !(a > 10) }')" \
    "without the links 16 ranks are mispredicted"

# Decisions at process counts that were not measured, compared with an oracle.
regret() { # table's database, oracle's network: percent over all points
    "$chorale" evaluate "$1.db" --oracle "oracle-$2.db" 2>/dev/null |
        awk '$1 == "all" { print $3 }'
}
for net in line tree; do
    measure $net oracle-$net.db 6,12
    own=$(regret $net $net) other=$(regret flat $net)
    diag "$net: regret of its own table $own %, of a flat network's $other %"
    ok "$(awk -v a="$own" -v b="$other" \
        'BEGIN { print !(a != "" && b > 20 && a < b / 4) }')" \
        "$net, P = 6 and 12: its own table is better than a flat network's"
done
is "$(sqlite3 line.db "SELECT DISTINCT variant FROM decision WHERE coll =
    'allreduce' AND n_hi = 32768 AND target = 'dispatch'")" ring \
    "on a line ring is chosen for the largest allreduce"
is "$(sqlite3 flat.db "SELECT DISTINCT variant FROM decision WHERE coll =
    'allreduce' AND n_hi = 32768 AND target = 'dispatch'")" circulant \
    "on a flat network circulant is chosen for it"

# The value of links with few measurements: two sizes at P = 4 and 16, decided
# with and without links, and compared with the oracle at P = 6 and 12.
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
        "$net: with few measurements, known links make a better table"
done

# With any number of ranks per node, a launch of blocking sends makes progress,
# and the ranks share the node's port.
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
    "2 to 7 ranks per node are measured"
is "$(sqlite3 cores.db "SELECT group_concat(ppn || ' ' || round(value, 3))
    FROM (SELECT * FROM model WHERE param = 'kappa' AND level = 'net'
    ORDER BY ppn)")" "2 2.0,3 3.0,5 5.0,6 6.0,7 7.0" \
    "kappa of a node's port is the number of its ranks"

# Three ranks per node; ranks not in blocks; invalid facts.
"$chorale" plan three.db -q -c bcast,allgather -P 12,24 --ppn 3 -m 8:32K:x8 \
    --providers chorale --variants binomial,ring,bruck --launcher smpirun \
    --platform tree.xml --network loggp &&
    timeout 3000 "$chorale" run three.db -q
ok $? "three ranks per node are measured"
like "$("$chorale" fit three.db)" 'links between nodes: tree 4' \
    "the switches are found with three ranks per node"
sqlite3 three.db "UPDATE launch SET shape = 'cyclic' WHERE comm_size = 24"
like "$("$chorale" fit three.db)" 'by distance in ranks, P = 12, ppn 3' \
    "block launches are used, cyclic ones with more ranks are not"
sqlite3 three.db "UPDATE launch SET shape = 'cyclic'"
like "$("$chorale" fit three.db)" \
    'not looked for \(ranks do not lie on nodes in blocks\): a flat network is' \
    "without ranks in blocks fit does not look for links, and reports it"
cp line.db wild.db
sqlite3 wild.db "UPDATE environment SET value = '9e999'
    WHERE key = 'distance_alpha_s:2'; UPDATE launch SET comm_size = 200000
    WHERE comm_size = 16"
"$chorale" fit wild.db --json >wild.json 2>err.txt
is "$?|$(sqlite3 :memory: "SELECT json_array_length(CAST(readfile('wild.json')
    AS TEXT), '\$.systems[0].assumptions.by_distance[0].distances')")" "0|3" \
    "an infinite time is left out"
like "$("$chorale" fit wild.db)" 'not looked for \(more than 2048 nodes\): a flat' \
    "with too many nodes fit does not look for links, and reports it"

# If a rank has four ports, a variant that uses all of them is not below the
# physical floor.
"$chorale" replicate --system WS2 --n 4 --save-platform torus.xml
"$chorale" plan torus.db -q -c allgather -P 16 -m 8K --providers chorale \
    --variants torus2d_broadcast --launcher smpirun --platform torus.xml \
    --network hockney && timeout 3000 "$chorale" run torus.db -q
ports() {
    sqlite3 "$1" "SELECT DISTINCT value FROM environment JOIN launch
        USING (launch_id) WHERE key = 'rank_ports' AND comm_size = 16"
}
is "$(ports flat.db)|$(ports line.db)|$(ports torus.db)" "1|2|4" \
    "a rank has 1 port on a flat network, 2 on a line, 4 on a torus"
is "$(sqlite3 torus.db "SELECT group_concat(DISTINCT status) FROM run
    WHERE status <> 'inapplicable'")" ok \
        "a variant that uses all four ports is valid"
finish
