#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The replication model on simulated networks: meshes of even and odd sides,
# wrapped and not, lines and rings, with full and half duplex links, and groups
# of all sizes. Updating, integration and broadcasting take the predicted time
# within 2 %, and the predicted groups are the best. Aggregate allocation is
# compared with scatter allocation.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"
cd "$work" || exit 99

share() { # system, side, N_a, T_m, bands
    timeout 3000 "$chorale" replicate --measure --launcher smpirun --json \
        --placements --system "$1" --n "$2" --accesses "$3" --tm "$4" \
        --bands "$5" --data 16384 >"$1-$2.json" 2>err.txt
    ok $? "$1, $2 a side, N_a = $3, T_m = $4: all groups are run"
    diag "$(cat err.txt)"
}
# A row for each side and placement: ratios of measured to predicted times, for
# T_o and its parts.
table() { # file
    sqlite3 -separator ' ' :memory: "
        WITH j AS (SELECT CAST(readfile('$1') AS TEXT) AS t),
        s AS (SELECT t, value AS v FROM j, json_each(t, '\$.sides')),
        p AS (SELECT t, json_extract(v, '\$.side') AS side,
                'aggregate' AS place, json_extract(v, '\$.measured') AS m,
                v AS f FROM s
            UNION ALL SELECT t, json_extract(v, '\$.side'), 'scatter',
                json_extract(v, '\$.scatter_measured'),
                json_extract(v, '\$.scatter') FROM s
            WHERE json_extract(v, '\$.scatter') IS NOT NULL),
        u AS (SELECT *, json_extract(t, '\$.unit') AS u,
            json_extract(t, '\$.accesses') * json_extract(t, '\$.tm') AS a
            FROM p)
        SELECT side, place,
            json_extract(m, '\$.seconds') / json_extract(f, '\$.seconds') / u,
            ifnull(json_extract(m, '\$.updating') /
                nullif(json_extract(f, '\$.updating'), 0) / u, 1),
            json_extract(m, '\$.broadcasting') /
                json_extract(f, '\$.broadcasting') / u,
            json_extract(m, '\$.modification') / a / u,
            ifnull(json_extract(m, '\$.integration') /
                nullif(json_extract(f, '\$.integration') +
                json_extract(f, '\$.modification') - a, 0) / u, 1)
        FROM u ORDER BY place, side"
}
within() { # column, share, file: rows whose ratio is off by more
    table "$3" | awk -v k="$1" -v by="$2" \
        '!($k >= 1 - by && $k <= 1 + by) { printf "%s %s %s; ", $1, $2, $k }'
}
# Relative excess of the predicted groups' time over the fastest groups'.
regret() { # file
    sqlite3 :memory: "WITH j AS (SELECT CAST(readfile('$1') AS TEXT) AS t),
        s AS (SELECT json_extract(value, '\$.measured.seconds') AS seconds,
            json_extract(value, '\$.side') = json_extract(t, '\$.best') AS told
            FROM j, json_each(t, '\$.sides'))
        SELECT printf('%.4f', max(seconds) FILTER (WHERE told) / min(seconds)
            - 1) FROM s"
}

# The ends of a line forward less than its middle and begin the next phase
# earlier, so T_o is less than the sum of its phases there.
for way in 'RS1 4 1 3 1 0.02' 'RS2 8 2 50 1 0.02' 'WS1 4 1 3 2 0.02' \
    'RS2 3 1 1 1 0.02' 'RS2 5 1 1 1 0.02' 'RS2 6 1 0.4 1 0.02' \
    'RS1 6 1 1 1 0.02' 'WS2 5 1 1 1 0.02' 'WS2 6 1 0.4 1 0.02' \
    'WS2 8 1 3 1 0.02' 'array1 8 1 30 1 0.1' 'array 8 1 30 2 0.1' \
    'ring1 8 1 30 1 0.02' 'ring 8 1 30 1 0.02'; do
    # shellcheck disable=SC2086
    set -- $way
    # shellcheck disable=SC2086
    share $way
    is "$(within 3 "$6" "$1-$2.json")" '' "$1, $2: T_o is as predicted"
    is "$(within 4 0.02 "$1-$2.json")" '' "$1, $2: updating is within 2 %"
    is "$(within 7 0.02 "$1-$2.json")" '' "$1, $2: integration is within 2 %"
    is "$(within 5 0.02 "$1-$2.json")" '' "$1, $2: broadcasting is within 2 %"
    is "$(within 6 0.001 "$1-$2.json")" '' \
        "$1, $2: modification is as predicted"
    awk -v x="$(regret "$1-$2.json")" 'BEGIN { exit !(x >= 0 && x < 0.03) }'
    ok $? "$1, $2: the predicted groups are within 3 % of the best"
    diag "$(table "$1-$2.json")"
done
placed() { # file: sizes at which scattered groups are faster
    sqlite3 :memory: "SELECT group_concat(json_extract(value, '\$.side'), ' ')
        FROM json_each(CAST(readfile('$1') AS TEXT), '\$.sides')
        WHERE json_extract(value, '\$.scatter_measured.seconds') <
            0.999 * json_extract(value, '\$.measured.seconds')"
}
is "$(placed RS1-4.json)$(placed RS2-8.json)$(placed array-8.json)" "" \
    "on regular networks aggregate allocation is never worse"
is "$(placed WS2-8.json)" "4" \
    "on a wrapped mesh of 8 x 8 groups of 4 x 4 are faster when scattered"
finish
