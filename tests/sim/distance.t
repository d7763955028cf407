#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `chorale fit` tests the model's two assumptions. On a line of hosts alpha
# grows by a link's latency per place, and d messages share a link if all ranks
# send over d places; on a flat network neither holds. On grids, tori and trees
# fit also reports the time of a hop or switch level.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"
platforms=$(cd "$top_srcdir/ci/platforms" && pwd) || exit 99
cd "$work" || exit 99

measure() { # platform, database, tau
    "$chorale" plan "$2" -q -c allreduce -P 4,16 -m 8:32K:x16 \
        --charge-tau "$3" --variants ring,recursive_doubling --providers chorale \
        --launcher smpirun --platform "$1" --network hockney &&
        timeout 3000 "$chorale" run "$2" -q
    ok $? "$1 is measured"
    "$chorale" fit "$2" >"$2.txt"
    ok $? "$1: the model is fitted"
}
facts() { # database, fact, factor: its values by distance
    sqlite3 "$1" "SELECT group_concat(round(value * $3, 1), ' ') FROM
        (SELECT value FROM environment JOIN launch USING (launch_id)
        WHERE comm_size = 16 AND key LIKE '$2:%'
        ORDER BY CAST(substr(key, instr(key, ':') + 1) AS INTEGER))"
}

# A link: 0.1 us, 1.25 GB/s; messages have 16 bytes of header.
"$chorale" replicate --system array --n 16 --link-latency 100ns \
    --save-platform line.xml
measure line.xml line.db 1e-10
is "$(facts line.db distance_alpha_s 1e9)" "112.8 212.8 412.8 812.8" \
    "a line: alpha of 1, 2, 4 and 8 places in ns is right"
is "$(facts line.db distance_kappa 1)" "1.0 2.0 4.0 8.0" \
    "a line: kappa of shifts by 1, 2, 4 and 8 places is 1, 2, 4 and 8"
like "$(cat line.db.txt)" \
    'alpha is the same at any distance: fails, .*; 0\.1 us a hop' \
    "fit reports that alpha depends on distance, and the time of a hop"
like "$(cat line.db.txt)" \
    'tau << beta << alpha.*: fails, beta is not far more than tau' \
    "fit reports that beta is not far above tau"

# Links of 0.1 us, two per switch level; 0.5 us on the fat tree of ci.
stepping() { # platform file, ranks: make step.db, step.txt and step.json
    rm -f step.db
    "$chorale" plan step.db -q -c allgather -P "$2" -m 8,4K \
        --variants ring,bruck --providers chorale --launcher smpirun \
        --platform "$1" --network hockney &&
        timeout 3000 "$chorale" run step.db -q &&
        "$chorale" fit step.db >step.txt &&
        "$chorale" fit step.db --json >step.json
}
step() { # print the fields of JSON
    sqlite3 :memory: "WITH d(d) AS (SELECT json_extract(CAST(
        readfile('step.json') AS TEXT),
        '\$.systems[0].assumptions.by_distance[0]'))
        SELECT round(1e9 * json_extract(d, '\$.step')),
        json_extract(d, '\$.step_of'), json_extract(d, '\$.step_on') FROM d"
}
topology() { # topology, parameters: make a cluster of 16 hosts
    sed "s/lat=/topology=\"$1\" topo_parameters=\"$2\" &/
        s/<cluster/<zone id=\"world\" routing=\"Full\">&/
        s/<.platform>/<\/zone>&/" base.xml >"$1.xml"
}
platform base.xml 0.05 1250000000 16
topology FAT_TREE '2;4,4;1,1;1,1'
for net in RS2:4:grid WS2:4:none WS2:8:torus; do
    side=${net#*:} side=${side%:*}
    "$chorale" replicate --system "${net%%:*}" --n "$side" \
        --link-latency 100ns --save-platform "$net.xml" >log.txt
    stepping "$net.xml" $((side * side))
    ok $? "${net%:*} is measured and fitted"
    like "$(cat step.txt)" "links between nodes: ${net##*:}" \
        "${net%:*}: the shared links are found"
    as=
    on="[\"${net##*:} ${side}x$side\"]"
    [ "$net" = WS2:4:none ] && as=', as on grid 4x4' on='["grid 4x4"]'
    like "$(cat step.txt)" "any distance: fails, .*; 0\.1 us a hop$as\$" \
        "${net%:*}: the time of a hop is reported${as:+, from alpha alone}"
    is "$(step)" "100.0|hop|$on" "${net%:*}: JSON has the step"
done
for net in FAT_TREE:100.0:0.1:'["tree 4"]' \
    "$platforms/fattree16:1000.0:1:[\"tree 4\",\"tree 8\"]"; do
    file=${net%%:*} net=${net#*:}
    stepping "$file.xml" 16
    ok $? "${file##*/} is measured and fitted"
    ns=${net%%:*} net=${net#*:}
    like "$(cat step.txt)" "fails, .*; ${net%%:*} us a switch level\$" \
        "${file##*/}: the time of a switch level is reported"
    is "$(step)" "$ns|switch level|${net#*:}" "${file##*/}: JSON has the step"
done
sqlite3 step.db "UPDATE environment SET value = CASE key WHEN 'distance_alpha_s:2'
    THEN 3e-6 WHEN 'distance_alpha_s:4' THEN 1e-6 ELSE 2e-6 END
    WHERE key LIKE 'distance_alpha_s:%'; UPDATE environment SET value = 1
    WHERE key LIKE 'distance_kappa:%' OR key LIKE 'distance_pairs:%'
    OR key = 'distance_mirror'"
like "$("$chorale" fit step.db)" \
    'same at any distance: fails, alpha differs by 200 %$' \
    "no step is reported if no geometry explains alpha"

platform flat.xml 0.5 1250000000 16
measure flat.xml flat.db 1e-11
is "$(facts flat.db distance_alpha_s 1e9)" \
    "1012.8 1012.8 1012.8 1012.8" \
        "a flat network: alpha is the same at any distance"
is "$(facts flat.db distance_kappa 1)" "1.0 1.0 1.0 1.0" \
    "a flat network: no link is shared"
like "$(cat flat.db.txt)" 'alpha is the same at any distance: holds[^;]*$' \
    "fit reports equal alpha and no hop"
like "$(cat flat.db.txt)" 'tau << beta << alpha.*: holds' \
    "fit reports tau << beta << alpha"
"$chorale" fit flat.db --json >flat.json
is "$(sqlite3 :memory: "SELECT json_extract(CAST(readfile('flat.json') AS TEXT),
    '\$.systems[0].assumptions.by_distance[0].alpha_is_the_same')")" 1 \
        "JSON reports equal alpha"
finish
