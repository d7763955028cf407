#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The model's two assumptions, tested by `chorale fit`: on a line of hosts alpha
# grows by a link's latency a place, and d messages share a link when all send d
# places on; on a flat network neither.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"
cd "$work" || exit 99

measure() { # platform, database, tau
    "$chorale" plan "$2" -q -c allreduce -P 4,16 -m 8:32K:x16 \
        --charge-tau "$3" --variants ring,recursive_doubling --providers chorale \
        --launcher smpirun --platform "$1" --network hockney &&
        timeout 250 "$chorale" run "$2" -q
    ok $? "$1 is measured"
    "$chorale" fit "$2" >"$2.txt"
    ok $? "and fitted"
}
facts() { # database, fact: by distance
    sqlite3 "$1" "SELECT group_concat(round(value * $3, 1), ' ') FROM
        (SELECT value FROM environment JOIN launch USING (launch_id)
        WHERE comm_size = 16 AND key LIKE '$2:%'
        ORDER BY CAST(substr(key, instr(key, ':') + 1) AS INTEGER))"
}

# A link: 0.1 us, 1.25 GB/s; messages carry 16 bytes more.
"$chorale" replicate --system array --n 16 --link-latency 100ns \
    --save-platform line.xml
measure line.xml line.db 1e-10
is "$(facts line.db distance_alpha_s 1e9)" "112.8 212.8 412.8 812.8" \
    "alpha of 1, 2, 4 and 8 places on a line, ns"
is "$(facts line.db distance_kappa 1)" "1.0 2.0 4.0 8.0" \
    "kappa of shifts by 1, 2, 4 and 8 places: the ranks that share a link"
like "$(cat line.db.txt)" \
    'alpha is the same at any distance: fails, .*; 0\.1 us a hop' \
    "the fit says that alpha depends on distance, and the time of a hop"
like "$(cat line.db.txt)" \
    'tau << beta << alpha.*: fails, beta is not far more than tau' \
    "and where words do not differ enough"

platform flat.xml 0.5 1250000000 16
measure flat.xml flat.db 1e-11
is "$(facts flat.db distance_alpha_s 1e9)" \
    "1012.8 1012.8 1012.8 1012.8" "alpha at any distance on a flat network"
is "$(facts flat.db distance_kappa 1)" "1.0 1.0 1.0 1.0" "and nothing shared"
like "$(cat flat.db.txt)" 'alpha is the same at any distance: holds' \
    "the fit says so"
like "$(cat flat.db.txt)" 'tau << beta << alpha.*: holds' "and of words"
"$chorale" fit flat.db --json >flat.json
is "$(sqlite3 :memory: "SELECT json_extract(CAST(readfile('flat.json') AS TEXT),
    '\$.systems[0].assumptions.by_distance[0].alpha_is_the_same')")" 1 "in JSON too"
finish
