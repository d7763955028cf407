# SPDX-License-Identifier: BSD-3-Clause
# oracle.sh - read by benches that score tables against measurements of the
# catalogue. They set $chorale.

# Also measure the table's choices at the points of the oracle.
add_chosen() { # table, oracle
    sqlite3 "$2" "ATTACH '$1' AS t; INSERT OR IGNORE INTO cell (uuid,
            campaign_id, system_id, provider, variant, params, coll, msg_size,
            n, comm_size, ppn, shape, dtype, op, op_class, root_policy,
            buffers, launches)
        SELECT lower(hex(randomblob(16))), c.campaign_id, c.system_id,
            'chorale', d.variant, d.params, c.coll, c.msg_size, c.n,
            c.comm_size, c.ppn, c.shape, c.dtype, c.op, c.op_class,
            c.root_policy, c.buffers, c.launches
        FROM cell c JOIN t.decision d ON d.coll = c.coll AND
            c.comm_size BETWEEN d.comm_size AND d.comm_size_hi AND
            c.n BETWEEN d.n_lo AND d.n_hi AND d.ppn = c.ppn AND
            d.shape = c.shape
        WHERE c.provider = 'library' AND d.provider = 'chorale' AND
            d.target = 'dispatch'" && "$chorale" run "$2" -q
}
