#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `chorale validate`: a table made by hand is compiled, preloaded with the shim
# and measured against the library in launches of its own. What it says of
# times is asked with times that are put in afterwards: this machine's are
# nobody's to promise.
. "$(dirname "$0")/../../lib.sh"
validating
select1() { sqlite3 r.db "$1"; }

# A hand-made table over one measured size on each side of a boundary.
run plan r.db -c bcast,allreduce -P 2 -m 64,4K --variants binomial,ring \
    --launches 2 -i 5 --cell-time 0.005 && run run r.db
ok $? "two collectives are measured"
# What else runs here must not take points out of it.
select1 "UPDATE run SET validity = ''; UPDATE run_summary SET median = 1e-5"
row() { # coll op class type n_lo n_hi provider variant params
    select1 "INSERT INTO decision (system_id, coll, comm_size, comm_size_hi,
        ppn, shape, dtype, op, op_class, n_lo, n_hi, provider, variant,
        params, basis, reason) VALUES (1, '$1', 2, 2, 2, 'single-node', '$4',
        '$2', '$3', $5, $6, '$7', '$8', '$9', 'measured', 'by hand')"
}
run validate r.db
is $? 4 "no table: clear answer"
like "$(cat err.txt)" 'decide' "that says what to do"
row bcast '' '' byte 0 999 library default ''
row bcast '' '' byte 1000 4096 chorale binary segsize=64
run validate r.db --dry-run
is "$? $(cat out.txt | sed 's/table .* at/at/')" \
    "0 r.db: would validate at 6 points" "a dry run counts the points"
is "$(select1 "SELECT count(*) FROM cell WHERE provider = 'table'")" 0 \
    "and plans nothing"

# Killed, then again: nothing is lost, nothing is measured twice.
"$chorale" validate r.db --launches 3 >/dev/null 2>&1 &
pid=$!
for i in $(seq 1 3000); do
    n=$(select1 "SELECT count(*) FROM run JOIN cell USING (cell_id)
        WHERE provider = 'table'" 2>/dev/null)
    [ "${n:-0}" -gt 0 ] && break
    sleep 0.1
done
kill -KILL $pid 2>/dev/null
wait
ls -d r.db-validate-* >left.txt 2>/dev/null
before=$(select1 "SELECT count(*) FROM run JOIN cell USING (cell_id)
    WHERE provider = 'table'")
run validate r.db --launches 3
rc=$?
[ $rc -le 1 ]
ok $? "killed and started again it comes to its end"
diag "$(cat err.txt); $before runs before it was killed"
is "$(select1 "SELECT count(*), min(k), max(k) FROM (SELECT count(*) AS k
    FROM run JOIN cell USING (cell_id) JOIN launch USING (launch_id)
    WHERE provider = 'table' GROUP BY cell_id)")" "12|3|3" \
    "each cell has one run in each of three launches"
run status r.db
like "$(tr '\n' ' ' <out.txt)" ': 36 of the planned and 36 of the done runs are of .chorale validate., which ' \
    "which status counts, and says what they are"
cp r.db more.db
sqlite3 more.db "UPDATE cell SET launches = launches + 1 WHERE campaign_id IN
    (SELECT campaign_id FROM campaign WHERE validates)"
run status more.db
like "$(cat out.txt)" 'are done; `chorale validate` continues' \
    "what is left of it it goes on with itself"
sqlite3 more.db "UPDATE cell SET launches = launches + 1 WHERE cell_id = 1"
run status more.db
like "$(cat out.txt)" 'are done; `chorale run` continues' \
    "what is left of others run goes on with"
is "$(select1 "SELECT group_concat(DISTINCT r.status || r.reason) FROM run r
    JOIN cell USING (cell_id) WHERE provider = 'table'")" ok \
    "the shim ran what the table says, at every point"
is "$(select1 "SELECT group_concat(n || substr(params, 17), ', ') FROM
    (SELECT n, params FROM cell WHERE variant = 'choice' AND coll = 'bcast'
    ORDER BY n)")" "64 library, 999 library, 1000 binary:segsize=64, 4096 \
binary:segsize=64" "points are what was measured and both sides of a boundary"
# It may have been killed when all of a launch was stored.
is "$(select1 "SELECT count(DISTINCT ordinal) FROM launch l JOIN environment e
    USING (launch_id) WHERE l.part LIKE 'table-%' AND l.launch_id IN
    (SELECT launch_id FROM run WHERE status = 'ok')
    AND key = 'launcher_command'
    AND value LIKE '%libchorale_pmpi%'")" 3 "through the shim, three times"
is "$(ls -d r.db-validate-* 2>/dev/null)" "$(cat left.txt)" \
    "no folder is left beside the database by a command that ended"
is "$(select1 "SELECT sum(planned - done) FROM v_progress")" 0 "all is done"
run decide r.db --dry-run
before=$(select1 "SELECT count(*) FROM run")
run validate r.db --launches 3
is "$(select1 "SELECT count(*) FROM run")" "$before" \
    "a third time nothing is measured"

# Verdicts, of times that are put in: launch k is k % slower for both.
put() { # factor of the choice at bcast of 4096, of all other choices
    select1 "UPDATE run_summary SET median = (SELECT 1e-5 * (1 + l.ordinal
        * 0.01) * CASE WHEN c.variant = 'library' THEN 1
            WHEN c.n = 4096 AND c.coll = 'bcast' THEN $1 ELSE $2 END
        * (1 + 0.0001 * ((c.cell_id * 7 + l.ordinal * 5) % 11))
        FROM run r JOIN cell c USING (cell_id) JOIN launch l USING (launch_id)
        WHERE r.run_id = run_summary.run_id)
        WHERE run_id IN (SELECT run_id FROM run JOIN cell USING (cell_id)
            WHERE provider = 'table');
        UPDATE run SET validity = '' WHERE run_id IN (SELECT run_id FROM run
            JOIN cell USING (cell_id) WHERE provider = 'table')"
}
put 1.5 1
run validate r.db --launches 3
is $? 1 "a point that is slower: the answer is no"
like "$(cat err.txt)" \
    '1 of 6 points are slower.* bcast, n = 4 KiB, P = 2: x0\.66.*binary' \
    "which names it"
like "$(cat out.txt)" '^bcast +4 x0\.90.* 1 +0 +x0\.66' "so does the table"
is "$(select1 "SELECT group_concat(coll || n) FROM validation WHERE slower")" \
    bcast4096 "and the database"
is "$(select1 "SELECT count(*), sum(p.launches = 3 AND p.choice = v.choice AND
    abs(p.speedup / v.speedup - 1) < 1e-9) FROM validation v JOIN
    (SELECT digest, coll, comm_size, n, root_policy, buffers, choice,
     exp(avg(ln(library_seconds / seconds))) AS speedup,
     count(seconds) AS launches FROM v_proof GROUP BY 1, 2, 3, 4, 5, 6) p
    USING (digest, coll, comm_size, n, root_policy, buffers)")" "6|6" \
    "v_proof has the launches that say so"
cp r.db spoilt.db
sqlite3 spoilt.db "UPDATE run SET validity = 'late,clock' WHERE run_id =
    (SELECT run_id FROM v_run WHERE part LIKE 'table-%' AND variant = 'library'
     AND coll = 'bcast' AND n = 4096 AND ordinal = 1)"
is "$(sqlite3 spoilt.db "SELECT ordinal, seconds IS NULL, reason FROM v_proof
    WHERE coll = 'bcast' AND n = 4096 AND (reason <> '' OR seconds IS NULL)")" \
    "1|1|a launch does not count: late,clock" "and why one does not count"
put 1 1
run validate r.db --launches 3 --json
is $? 0 "the same times: no complaint"
is "$(python3 -c 'import json; t = json.load(open("out.txt"))["totals"]
print([(x["coll"], round(x["speedup"], 2), x["slower"], x["points"])
       for x in t][-1], t[-1]["speedup_lo"] < 1.001 < 1.002 > t[-1]["speedup_hi"] * 0.998)')" \
    "('all', 1.0, 0, 6) True" "and about 1, in JSON"
put 0.5 1
run validate r.db --launches 3
like "$(grep '^bcast' out.txt)" 'x1\.18' "a gain is a gain"
put 1.5 1
run validate r.db --launches 3 --threshold 60%
is $? 0 "a loss below the threshold is none"
put 1.02 1
run validate r.db --launches 3
is $? 0 "nor is one of 2 % at the default"

# The proof is no evidence: neither decisions nor views change by it.
is "$(select1 "SELECT count(*) FROM v_best WHERE provider = 'table'")" 0 \
    "it is no candidate"
run decide r.db && run validate r.db --launches 2
is "$(select1 "SELECT count(*) > 0 FROM decision WHERE reason <> 'by hand'
    AND n_hi <= 4096 AND n_lo IN (64)")" 1 "decided again from the campaign"
is "$(select1 "SELECT sum(planned - done) FROM v_progress")" 0 \
    "another table is proved in its place"
[ "$(select1 "SELECT count(DISTINCT digest) FROM validation")" -ge 2 ]
ok $? "beside the first one's"

# Of two types the rows of one serve both, and are what is measured.
for type in int float; do
    run plan t.db -c allreduce -P 2 -m 64,4K --variants ring,recursive_doubling \
        --type $type --launches 2 -i 5 --cell-time 0.005
done
run run t.db
sqlite3 t.db "UPDATE run SET validity = ''; UPDATE run_summary SET median = 1e-5;
    INSERT INTO decision (system_id, coll, comm_size, comm_size_hi, ppn, shape,
    dtype, op, op_class, n_lo, n_hi, provider, variant, params, basis, reason)
    SELECT 1, 'allreduce', 2, 2, 2, 'single-node', type, 'sum', 'builtin', 64,
    4096, 'chorale', best, '', 'measured', 'by hand' FROM (SELECT 'int' AS type,
    'recursive_doubling' AS best UNION SELECT 'float', 'ring')"
run validate t.db --launches 2 --points --threshold 900%
is "$(sed -n 's/^\(allreduce of .*=.*\)  *single-node  *\(.*sum)\).*/\1 \2/p' \
    out.txt | tr -s ' ' | tr '\n' ';')" \
    "allreduce of int sum, n = 64 B, P = 2 ring (row of float sum);allreduce of \
int sum, n = 4 KiB, P = 2 ring (row of float sum);" \
    "of two types those that another's row serves say whose"
is "$(grep -c '^allreduce, n = .* ring  ' out.txt)" 2 "and its own do not"
run validate t.db --launches 2 --points --threshold 900% --json
is "$(python3 -c 'import json
for p in json.load(open("out.txt"))["points"]:
    print(p["dtype"], p["choice"], p["rows_of"] or "-", end="; ")')" \
    "float ring -; float ring -; int ring float sum; int ring float sum; " \
    "as JSON too"

# `chorale run` has no module: it leaves such cells alone.
select1 "UPDATE cell SET launches = 9 WHERE provider = 'table'"
before=$(select1 "SELECT count(*) FROM run")
run run r.db
is "$? $(select1 "SELECT count(*) FROM run")" "0 $before" \
    "run leaves a table's cells to validate"

# Bad input.
(PATH=/nowhere CC= "$chorale" validate r.db --launches 9) >out.txt 2>err.txt
is $? 3 "no compiler: the environment lacks something"
like "$(cat err.txt)" 'no C compiler.*CC' "and says what"
run validate nosuch.db
is $? 3 "no such file"
run validate r.db --launches 1
is $? 2 "one launch has no interval"
finish
