#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# seed.sh - make the initial corpus of the fuzzing target store: small
# databases, one without rows, and one with rows in each table for views,
# merges, exports and reports. Pages have the smallest size; the schema has no
# comments, which are not compared.
#
# Usage: seed.sh SCHEMA.sql FOLDER     makes FOLDER/whole and FOLDER/rows
set -eu
schema=$1 folder=$2
version=$(sed -n 's/.* database, version \([0-9]*\).*/\1/p' "$schema")

tables() {
    echo 'PRAGMA page_size = 512;'
    sed 's/--.*//' "$schema" | tr -s ' \n' '  ' | sed 's/; */;\n/g'
    echo "PRAGMA application_id = $((0x43484f52));"
    echo "PRAGMA user_version = $version;"
}

rows() {
    cat <<'SQL'
INSERT INTO system VALUES (1, 'sys-1', 'fat', 'real', 'nodes 2', 'MPICH 4',
    '2026-01-01T00:00:00Z');
INSERT INTO campaign (campaign_id, uuid, system_id, created, command, seed,
    launches, nrep_min, nrep_max, nwarmup, target_width, cell_seconds,
    max_memory, sync, launcher) VALUES (1, 'camp-1', 1,
    '2026-01-01T00:00:00Z', 'plan r.db', 1, 2, 1, 9, 1, 0.02, 1, 4096,
    'barrier', 'mpiexec');
INSERT INTO cell (cell_id, uuid, campaign_id, system_id, provider, variant,
    params, coll, msg_size, n, comm_size, ppn, shape, dtype, op, op_class,
    root_policy, buffers, launches) VALUES
    (1, 'cell-1', 1, 1, 'library', 'default', '', 'bcast', 8, 8, 4, 2,
     'block', 'byte', '', '', 'rotate', 'warm', 2),
    (2, 'cell-2', 1, 1, 'chorale', 'knomial', 'radix=4', 'bcast', 8, 8, 4, 2,
     'block', 'byte', '', '', 'rotate', 'warm', 2),
    (3, 'cell-3', 1, 1, 'library', 'untouched', '', 'allreduce', 64, 64, 4, 2,
     'block', 'int', 'sum', 'builtin', 'none', 'warm', 1);
INSERT INTO launch VALUES
    (1, 'launch-1', 1, 1, 0, 4, 2, 'block', 1, '', 1, '7', '0,0,1,1',
     '2026-01-01T00:00:00Z', '2026-01-01T00:00:09Z', 'done', ''),
    (2, 'launch-2', 1, 1, 1, 4, 2, 'block', 1, '', 2, '7', '0,0,1,1',
     '2026-01-01T00:01:00Z', NULL, 'failed', 'ended');
INSERT INTO run (run_id, uuid, cell_id, launch_id, status, reason,
    stop_reason, validity) VALUES (1, 'run-1', 1, 1, 'ok', '', 'width', ''),
    (2, 'run-2', 2, 1, 'ok', '', 'nrep', 'late'),
    (3, 'run-3', 1, 2, 'ok', '', 'width', ''),
    (4, 'run-4', 2, 2, 'ok', '', 'width', 'oversubscribed'),
    (5, 'run-5', 3, 1, 'failed', 'ended the program', '', '');
INSERT INTO run_summary SELECT run_id, 2, 0, t, t, t, t, t, t, t, t, t, t FROM
    (SELECT run_id, 1e-6 * (3 - cell_id) + 1e-8 * launch_id AS t FROM run
     WHERE status = 'ok');
INSERT INTO sample SELECT run_id, 0, median, 0, 1e-7, NULL, 0, 0
    FROM run_summary;
INSERT INTO counter VALUES (1, -1, 'sent', 3), (1, 0, 'PAPI_TOT_INS', NULL);
INSERT INTO environment VALUES (1, 'hostname', 'n1'),
    (1, 'cpu:model', 'invented');
INSERT INTO model VALUES (1, 1, 'net', 'all', 'alpha', '', '', 1e-6, 9e-7,
    2e-6, 's', 4, 0.01, 0.05, 1, NULL, 0), (2, 1, 'net', 'all', 'beta', '',
    '', 1e-9, NULL, NULL, 's/B', 4, 0.01, 0.05, 1, NULL, 0);
INSERT INTO model_variant VALUES (1, 'bcast', 'knomial', 'block', 2, 4, 0.01,
    0.05, 0.06, 0.5, 2, 2, 1);
INSERT INTO model_ranks VALUES (1, 'bcast', 'knomial', 'block', 2, 4, 1, 0.1,
    0.1, 8, 8, 8);
INSERT INTO decision VALUES (1, 1, 'dispatch', 'bcast', 4, 4, 2, 'block',
    'byte', '', '', 0, 9223372036854775807, 'chorale', 'knomial', 'radix=4',
    'measured', 1e-6, 2e-6, 2, 1.9, 2.1, 0, 'gain', 'sync');
INSERT INTO policy VALUES (1, 0.03, 0.01, NULL, 'median', 0, NULL, 0, 0, NULL,
    '', 'sync');
INSERT INTO validation VALUES (1, 1, 'd1', 'bcast', 4, 2, 'block', 'byte', '',
    'rotate', 'warm', 8, 8, 'duration', 'sync', 'knomial:radix=4', 2, 1e-6, 2e-6, 2, 1.9, 2.1, 1,
    0, 2, '');
INSERT INTO trace VALUES (1, 'trace-1', '', '2026-01-01T00:00:00Z', 'app',
    'MPICH 4', '2026-01-01T00:00:00Z', 4, 4, NULL, '', 1, 1, 0, 0);
INSERT INTO trace_point VALUES (1, 'bcast', 8, 8, 4, 'block', 'byte', '',
    'first', 'library', 4, 1, 0.5, 0.2, 5e-5, 0.25, 0.9, 3, 'last:50us');
INSERT INTO submission VALUES (1, 'sub-1', 1, '2026-01-01T00:00:00Z',
    'submit r.db', '/f', '');
INSERT INTO element VALUES (1, 1, 2, 2, 60, '7', 0);
INSERT INTO element_launch VALUES (1, 1, 1, 4, 2, 'block', '', 1, 0);
INSERT INTO baseline VALUES ('old', 1, 1, '2026-01-01T00:00:00Z');
SQL
}

rm -f "$folder/whole" "$folder/rows"
tables | sqlite3 "$folder/whole"
{ tables; rows; } | sqlite3 -bail "$folder/rows"
