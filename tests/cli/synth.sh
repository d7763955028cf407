#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# synth.sh - make the database of a campaign, with times from a formula.
#
# Usage: synth.sh SCHEMA.sql OUT.db [SYSTEM [COMM_SIZES [VARIANTS]]]
#   SYSTEM      its name, any text (default: fat-tree)
#   COMM_SIZES  default: "2 64"
#   VARIANTS    number of variants per collective, 1 to 20 (default: 3)
#
# bcast and allreduce at n = 0, 8 B, 32 B ... 2 MiB, 5 launches with noise of
# 3 % by a fixed rule, alpha 1 us, beta 1 ns/B, tau 0.25 ns/B.
set -eu

schema=$1 out=$2 name=${3-fat-tree} sizes=${4-2 64} nvariant=${5-3}
version=$(sed -n 's/.* database, version \([0-9]*\).*/\1/p' "$schema")
quoted=$(printf '%s' "$name" | sed "s/'/''/g")

rm -f "$out"
{
    cat "$schema"
    cat <<SQL
PRAGMA application_id = $((0x43484f52));
PRAGMA user_version = $version;
BEGIN;
INSERT INTO system VALUES (1, 'sys-1', '$quoted', 'simulated', 'synthetic',
    'synthetic MPI 1.0', '2026-01-01T00:00:00Z');
INSERT INTO campaign (campaign_id, uuid, system_id, created, command, seed,
    launches, nrep_min, nrep_max, nwarmup, target_width, cell_seconds,
    max_memory, sync, launcher)
    VALUES (1, 'camp-1', 1, '2026-01-01T00:00:00Z', 'synthetic', 1, 5, 5, 100,
    1, 0.02, 1, 1048576, 'barrier', 'custom');
CREATE TEMP TABLE variant (id INTEGER PRIMARY KEY, coll, provider, name,
    params, a, b, c, k);
INSERT INTO variant (coll, provider, name, params, a, b, c) VALUES
    ('bcast', 'library', 'default', '', '1.3 * lg', '1.2 * lg', '0'),
    ('bcast', 'chorale', 'binomial', '', 'lg', 'lg', '0'),
    ('bcast', 'chorale', 'scatter_ring_allgather', '', 'lg + p - 1',
     '2.0 * (p - 1) / p', '0'),
    ('bcast', 'chorale', 'linear', '', 'p - 1', 'p - 1', '0'),
    ('allreduce', 'library', 'default', '', '1.1 * lg', '2.0 * lg', 'lg'),
    ('allreduce', 'chorale', 'recursive_doubling', '', 'lg', 'lg', 'lg'),
    ('allreduce', 'chorale', 'ring', '', '2 * (p - 1)',
     '2.0 * (p - 1) / p', '1.0 * (p - 1) / p'),
    ('allreduce', 'native', 'reduce_scatter_allgather', '', '2 * lg',
     '2.0 * (p - 1) / p', '1.0 * (p - 1) / p');
WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < 17)
INSERT INTO variant (coll, provider, name, params, a, b, c, k)
    SELECT 'bcast', 'chorale', 'chain', 'fanout=1,segsize=' || (256 << i),
        'chain', 'chain', '0', i FROM k;
DELETE FROM variant WHERE provider <> 'library' AND
    (SELECT count(*) FROM variant w WHERE w.coll = variant.coll AND
        w.id <= variant.id) > $nvariant + 1;
CREATE TEMP TABLE size (m INTEGER);
WITH RECURSIVE s(m) AS (SELECT 8 UNION ALL SELECT m * 4 FROM s
    WHERE m < 2097152) INSERT INTO size SELECT m FROM s UNION SELECT 0;
SQL
    for p in $sizes; do
        lg=$(awk "BEGIN { l = 0; for (s = 1; s < $p; s *= 2) l++; print l }")
        cat <<SQL
INSERT INTO cell (uuid, campaign_id, system_id, provider, variant, params,
    coll, msg_size, n, comm_size, ppn, shape, dtype, op, op_class, root_policy,
    buffers, launches)
    SELECT 'cell-' || v.id || '-' || m || '-$p', 1, 1, provider, v.name, params,
    coll, m, m, $p, 1, 'one-per-node',
    iif(coll = 'bcast', 'byte', 'int'), iif(coll = 'bcast', '', 'sum'),
    iif(coll = 'bcast', '', 'builtin'), iif(coll = 'bcast', 'rotate', 'none'),
    'warm', 5 FROM variant v, size;
WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 4)
INSERT INTO launch (uuid, campaign_id, system_id, ordinal, comm_size, ppn,
    shape, seed, started, finished, status)
    SELECT 'launch-$p-' || i, 1, 1, i, $p, 1, 'one-per-node', i,
    '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z', 'done' FROM k;
CREATE TEMP TABLE ideal AS SELECT uuid, cell_id, m, 1e-6 * CASE v.a
SQL
        # The coefficients are expressions in p and lg, expanded here.
        for e in 'lg' 'p - 1' 'lg + p - 1' '1.3 * lg' '1.1 * lg' \
                 '2 * (p - 1)' '2 * lg'; do
            echo "WHEN '$e' THEN $(echo "$e" | sed "s/lg/$lg/g; s/p/$p/g")"
        done
        echo "ELSE 0.6 * ($p + v.k) END + 1e-9 * m * CASE v.b"
        for e in 'lg' 'p - 1' '1.2 * lg' '2.0 * lg' '2.0 * (p - 1) / p'; do
            echo "WHEN '$e' THEN $(echo "$e" | sed "s/lg/$lg/g; s/p/$p/g")"
        done
        echo "ELSE 1.0 + 0.3 * v.k END + 0.25e-9 * m * CASE v.c"
        for e in 'lg' '1.0 * (p - 1) / p'; do
            echo "WHEN '$e' THEN $(echo "$e" | sed "s/lg/$lg/g; s/p/$p/g")"
        done
        cat <<SQL
ELSE 0 END AS seconds FROM cell c, size, variant v WHERE c.msg_size = m AND
    c.comm_size = $p AND v.coll = c.coll AND v.provider = c.provider AND
    v.name = c.variant AND v.params = c.params;
INSERT INTO run (uuid, cell_id, launch_id, status, stop_reason, validity)
    SELECT 'run-' || cell_id || '-' || launch_id, cell_id, launch_id, 'ok',
    'width', iif(m > 1000000, 'oversubscribed', '')
    FROM ideal, launch WHERE launch.comm_size = $p;
INSERT INTO run_summary SELECT run_id, 20, 0, t, t * 0.99, t * 1.01, t,
    t * 0.97, t * 0.99, t * 1.01, t * 1.05, t * 1.1, t * 1.2 FROM (
    SELECT run_id, seconds * (0.97 + 0.06 *
        (((cell_id * 7919 + launch_id * 104729) % 1009) / 1009.0)) AS t
    FROM run JOIN ideal USING (cell_id));
DROP TABLE ideal;
INSERT INTO decision (system_id, coll, comm_size, ppn, shape, dtype, op, n_lo,
    n_hi, provider, variant, params, basis, seconds, library_seconds, speedup,
    speedup_lo, speedup_hi, regret, reason) VALUES
    (1, 'bcast', $p, 1, 'one-per-node', 'byte', '', 0, 127, 'library',
     'default', '', 'library', 1e-6, 1e-6, 1, 1, 1, 0, 'no gain'),
    (1, 'bcast', $p, 1, 'one-per-node', 'byte', '', 128, 65535, 'chorale',
     'binomial', '', 'measured', 1e-5, 1.28e-5, 1.28, 1.22, 1.33, 0, 'gain'),
    (1, 'bcast', $p, 1, 'one-per-node', 'byte', '', 65536,
     9223372036854775807, 'chorale', 'scatter_ring_allgather', '', 'measured',
     1e-3, 2e-3, 2.0, 1.9, 2.1, 0, 'gain'),
    (1, 'allreduce', $p, 1, 'one-per-node', 'int', 'sum', 0, 131072,
     'chorale', 'recursive_doubling', '', 'measured', 1e-5, 1.5e-5, 1.5, 1.45,
     1.55, 0, 'gain');
SQL
    done
    cat <<SQL
INSERT INTO model (system_id, param, dtype, op, value, lo, hi, unit, npoints,
    error, worst_error, trusted) VALUES
    (1, 'alpha', '', '', 1e-6, 0.98e-6, 1.02e-6, 's', 60, 0.012, 0.05, 1),
    (1, 'beta', '', '', 1e-9, 0.99e-9, 1.01e-9, 's/B', 60, 0.012, 0.05, 1),
    (1, 'tau', 'int', 'sum', 0.25e-9, 0.2e-9, 0.3e-9, 's/B', 30, 0.02,
     0.06, 1);
COMMIT;
SQL
} | sqlite3 "$out"
