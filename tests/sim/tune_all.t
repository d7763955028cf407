#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tune decides every collective on a simulated LogGP cluster, and no choice is
# slower than the library.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"

platform "$work/flat.xml" 0.5 1250000000 16
cd "$work" || exit 99
timeout 3000 "$chorale" tune sim.db --launcher smpirun --platform flat.xml \
    --network loggp -m 8:32K:x16 -P 4,7,16 >out.txt 2>err.txt
ok $? "tune runs to the end"
db=sim.db
is "$(sqlite3 "$db" "SELECT count(*) FROM run JOIN cell USING (cell_id)
    WHERE provider = 'chorale' AND status NOT IN ('ok', 'inapplicable')")" 0 \
    "no variant is wrong"
is "$(sqlite3 "$db" "SELECT count(DISTINCT coll) FROM decision")" 16 \
    "every collective is decided"
is "$(sqlite3 "$db" "SELECT count(*) > 0 FROM decision WHERE provider = 'chorale'")" 1 \
    "some choice beats the library"
# The choice at a measured point is the fastest measured there, or at most 1 %
# slower for fewer ranges, except in collectives whose ranks do not know n.
is "$(sqlite3 "$db" "SELECT count(*) FROM v_best b JOIN decision d
    ON d.coll = b.coll AND b.comm_size BETWEEN d.comm_size AND d.comm_size_hi
    AND b.n BETWEEN d.n_lo AND d.n_hi
    JOIN v_summary s ON s.coll = b.coll AND s.comm_size = b.comm_size
    AND s.n = b.n AND s.variant = d.variant AND s.params = d.params
    WHERE s.seconds > b.seconds * 1.010001
    AND b.coll NOT IN ('gatherv', 'scatterv', 'alltoallv')")" 0 \
    "each choice is the fastest measured, or within 1 % of it"
is "$(sqlite3 "$db" "SELECT count(*) FROM (SELECT 1 FROM decision d
    JOIN (SELECT DISTINCT coll, comm_size AS p FROM cell) USING (coll)
    WHERE coll IN ('gatherv', 'scatterv', 'alltoallv')
    AND p BETWEEN comm_size AND comm_size_hi
    GROUP BY coll, p HAVING count(*) > 1)")" 0 \
    "if ranks do not know the size, all sizes have one choice"
is "$(sqlite3 "$db" "SELECT count(*) FROM decision d
    JOIN v_summary s ON s.coll = d.coll
     AND s.comm_size BETWEEN d.comm_size AND d.comm_size_hi
     AND s.variant = d.variant AND s.params = d.params
     AND s.provider = d.provider AND s.n BETWEEN d.n_lo AND d.n_hi
    JOIN v_summary l ON l.coll = s.coll AND l.comm_size = s.comm_size
     AND l.n = s.n AND l.provider = 'library'
    WHERE s.seconds > l.seconds * 1.000001")" 0 \
    "no choice is slower than the library at a measured point"
finish
