#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A point whose cells may take more than a minute is measured in several
# launches of one ordinal, each with a group of the candidates and the library.
. "$(dirname "$0")/../../lib.sh"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"

has() { # database, what is selected
    sqlite3 "$work/$1.db" "SELECT $2"
}
measured() { # database, time of a cell
    "$chorale" plan "$work/$1.db" -q -c allreduce -P 2 -m 8,1K \
        --providers chorale,library --variants linear,ring,recursive_doubling \
        --launches 2 -i 5 --min-iterations 5 --cell-time "$2"
    timeout 900 "$chorale" run "$work/$1.db" -q
    is "$? $(has "$1" "sum(planned) - sum(done) FROM v_progress")" "0 0" \
        "$1: every planned run is stored"
}
points() { # database: per point of a launch, most and least cells; libraries
    has "$1" "max(n) || ' ' || min(n) || ' ' || min(defaults) || ' ' ||
        max(defaults) FROM (SELECT count(*) AS n,
            sum(provider = 'library') AS defaults FROM run
            JOIN cell USING (cell_id) GROUP BY launch_id, msg_size)"
}

measured whole 0.5
is "$(has whole "count(*) FROM launch") $(points whole)" \
    "2 $(has whole "(count(*) / 2) || ' ' || (count(*) / 2) FROM cell") 1 1" \
    "whole: one launch measures all candidates of a point"
measured split 20
n=$(has split "(count(*) / 2) / 2 FROM cell") # groups of the library and two
[ "$n" -gt 1 ]
ok $? "split: the points are split into $n groups"
is "$(has split "count(*), max(ordinal) FROM launch")" "$((2 * n))|1" \
    "split: each group has a launch in each ordinal"
like "$(points split)" '^3 [23] 1 1$' \
    "split: each group has at most 3 cells, one of them the library"
is "$(has split "count(*) FROM (SELECT 1 FROM run
    JOIN launch USING (launch_id) JOIN cell USING (cell_id)
    WHERE provider <> 'library' GROUP BY cell_id, ordinal
    HAVING count(*) > 1)")" 0 "split: no other cell is measured twice"
is "$(has split "max(n) FROM (SELECT count(DISTINCT batch) AS n FROM run
    JOIN cell USING (cell_id) WHERE status = 'ok' GROUP BY msg_size)")" 1 \
    "split: all groups repeat the same batch"
is "$(has split "sum(ok + inapplicable + invalid + failed) - sum(done)
    FROM v_progress")" 0 "split: status counts each cell of an ordinal once"
# A launch that was interrupted had measured a cell that another repeats.
sqlite3 "$work/whole.db" "INSERT INTO launch (launch_id, uuid, campaign_id,
    system_id, ordinal, comm_size, ppn, shape, seed, started, status)
    SELECT 90, 'u', campaign_id, system_id, ordinal, comm_size, ppn, shape,
    seed, started, 'failed' FROM launch WHERE launch_id = 1;
    INSERT INTO run (uuid, cell_id, launch_id, status, reason)
    SELECT 'v' || cell_id, cell_id, 90, iif(cell_id % 2, 'ok', 'failed'), ''
      FROM run WHERE launch_id = 1"
is "$(has whole "sum(ok) - sum(done), sum(failed) FROM v_progress")" "0|0" \
    "whole: a repeated cell counts once, by its best status"
timeout 900 "$chorale" decide "$work/split.db" -q >/dev/null
ok $? "split: the groups make a decision"
finish
