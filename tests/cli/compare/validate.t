#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `chorale validate`: a hand-made table is compiled, preloaded with the shim and
# measured against the library in its own launches. Verdicts on times are
# checked with times written to the database afterwards, because real times
# vary.
. "$(dirname "$0")/../../lib.sh"
validating
select1() { sqlite3 r.db "$1"; }

# A hand-made table with one measured size on each side of a boundary.
run plan r.db -c bcast,allreduce -P 2 -m 64,4K --variants binomial,ring \
    --launches 2 -i 5 --cell-time 0.005 && run run r.db
ok $? "two collectives are measured"
# Other programs on this machine must not invalidate points.
select1 "UPDATE run SET validity = ''; UPDATE run_summary SET median = 1e-5"
row() { # coll op class type n_lo n_hi provider variant params
    select1 "INSERT INTO decision (system_id, coll, comm_size, comm_size_hi,
        ppn, shape, dtype, op, op_class, n_lo, n_hi, provider, variant,
        params, basis, reason) VALUES (1, '$1', 2, 2, 2, 'single-node', '$4',
        '$2', '$3', $5, $6, '$7', '$8', '$9', 'measured', 'by hand')"
}
run validate r.db
is $? 4 "a database without a table exits with 4"
like "$(cat err.txt)" 'decide' "the error names decide"
row bcast '' '' byte 0 999 library default ''
row bcast '' '' byte 1000 4096 chorale binary segsize=64
run validate r.db --dry-run
is "$? $(cat out.txt | sed 's/table .* at/at/')" \
    "0 r.db: would validate at 6 points" "--dry-run counts the points"
is "$(select1 "SELECT count(*) FROM cell WHERE provider = 'table'")" 0 \
    "--dry-run plans no cell"

# Killed and started again: no run is lost or measured twice.
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
ok $? "validate completes after SIGKILL and a restart"
diag "$(cat err.txt); $before runs before it was killed"
is "$(select1 "SELECT count(*), min(k), max(k) FROM (SELECT count(*) AS k
    FROM run JOIN cell USING (cell_id) JOIN launch USING (launch_id)
    WHERE provider = 'table' GROUP BY cell_id)")" "16|3|3" \
    "each cell has one run in each of three launches"
run status r.db
like "$(tr '\n' ' ' <out.txt)" ': 48 of the planned and 48 of the done runs are of .chorale validate., which ' \
    "status counts runs of validate separately"
cp r.db more.db
sqlite3 more.db "UPDATE cell SET launches = launches + 1 WHERE campaign_id IN
    (SELECT campaign_id FROM campaign WHERE validates)"
run status more.db
like "$(cat out.txt)" 'are done; `chorale validate` continues' \
    "status: validate continues its own runs"
sqlite3 more.db "UPDATE cell SET launches = launches + 1 WHERE cell_id = 1"
run status more.db
like "$(cat out.txt)" 'are done; `chorale run` continues' \
    "status: run continues the other runs"
is "$(select1 "SELECT group_concat(DISTINCT r.status || r.reason) FROM run r
    JOIN cell USING (cell_id) WHERE provider = 'table'")" ok \
    "the shim ran the table's choice at every point"
points() { # metric
    select1 "SELECT group_concat(n || substr(params, 17), ', ') FROM
        (SELECT n, params FROM cell WHERE variant = 'choice' AND coll = 'bcast'
        AND metric = '$1' ORDER BY n)"
}
is "$(points duration)" \
    "64 library, 999 library, 1000 binary:segsize=64, 4096 binary:segsize=64" \
    "points are measured sizes and both sides of a boundary"
is "$(points throughput)" "1000 binary:segsize=64, 4096 binary:segsize=64" \
    "calls back to back are measured where the table chooses a variant"
# The kill may have come after a whole launch was stored.
is "$(select1 "SELECT count(DISTINCT ordinal) FROM launch l JOIN environment e
    USING (launch_id) WHERE l.part LIKE 'table-%' AND l.launch_id IN
    (SELECT launch_id FROM run WHERE status = 'ok')
    AND key = 'launcher_command'
    AND value LIKE '%libchorale_pmpi%'")" 3 \
        "three launches ran through the shim"
is "$(ls -d r.db-validate-* 2>/dev/null)" "$(cat left.txt)" \
    "a command that ended leaves no folder beside the database"
is "$(select1 "SELECT sum(planned - done) FROM v_progress")" 0 \
    "all planned runs are done"
run decide r.db --dry-run
before=$(select1 "SELECT count(*) FROM run")
run validate r.db --launches 3
is "$(select1 "SELECT count(*) FROM run")" "$before" \
    "validate again measures no run"

# Verdicts on written times: launch k is k % slower on both sides.
put() { # write times: factor of the choice at bcast of 4096, of other choices
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
is $? 1 "a slower point exits with 1"
like "$(cat err.txt)" \
    '1 of 6 points is slower.* bcast, n = 4 KiB, P = 2: x0\.66.*binary' \
    "the error names the slower point"
like "$(cat out.txt)" '^bcast +4 +x0\.90.* 1 +0 +x0\.66' \
    "the table counts the slower point"
is "$(select1 "SELECT group_concat(coll || n || ' ' || metric, ', ') FROM
    (SELECT * FROM validation WHERE slower ORDER BY metric)")" \
    "bcast4096 duration, bcast4096 throughput" \
    "the database marks the slower point, in both metrics"
is "$(select1 "SELECT count(*), sum(p.launches = 3 AND p.choice = v.choice AND
    abs(p.speedup / v.speedup - 1) < 1e-9) FROM validation v JOIN
    (SELECT digest, coll, comm_size, n, root_policy, buffers, metric, choice,
     exp(avg(ln(library_seconds / seconds))) AS speedup,
     count(seconds) AS launches FROM v_proof GROUP BY 1, 2, 3, 4, 5, 6, 7)
    p USING (digest, coll, comm_size, n, root_policy, buffers, metric)")" "8|8" \
    "v_proof has the launches of each point"
cp r.db spoilt.db
sqlite3 spoilt.db "UPDATE run SET validity = 'late,clock' WHERE run_id =
    (SELECT run_id FROM v_run WHERE part LIKE 'table-%' AND variant = 'library'
     AND coll = 'bcast' AND n = 4096 AND ordinal = 1)"
is "$(sqlite3 spoilt.db "SELECT ordinal, seconds IS NULL, reason FROM v_proof
    WHERE coll = 'bcast' AND n = 4096 AND (reason <> '' OR seconds IS NULL)")" \
    "1|1|a launch does not count: late,clock" \
        "v_proof has the reason of an invalid launch"
put 1 1
run validate r.db --launches 3 --json
is $? 0 "equal times exit with 0"
is "$(python3 -c 'import json; t = json.load(open("out.txt"))["totals"]
print([(x["coll"], round(x["speedup"], 2), x["slower"], x["points"])
       for x in t][-1], t[-1]["speedup_lo"] < 1.001 < 1.002 > t[-1]["speedup_hi"] * 0.998)')" \
    "('all', 1.0, 0, 6) True" "JSON has a speed-up of about 1"
put 0.5 1
run validate r.db --launches 3
like "$(grep '^bcast' out.txt)" 'x1\.18' "a gain is reported"
put 1.5 1
run validate r.db --launches 3 --threshold 60%
is $? 0 "a loss below the threshold exits with 0"
put 1.02 1
run validate r.db --launches 3
is $? 0 "a loss of 2 % exits with 0 by default"

# Validation runs do not influence decisions or views.
is "$(select1 "SELECT count(*) FROM v_best WHERE provider = 'table'")" 0 \
    "validated choices are no candidates"
run decide r.db && run validate r.db --launches 2
is "$(select1 "SELECT count(*) > 0 FROM decision WHERE reason <> 'by hand'
    AND n_hi <= 4096 AND n_lo IN (64)")" 1 "decide uses the campaign only"
is "$(select1 "SELECT sum(planned - done) FROM v_progress")" 0 \
    "a decided and validated table leaves no cell pending"
[ "$(select1 "SELECT count(DISTINCT digest) FROM validation")" -ge 2 ]
ok $? "the results of the first table are kept"

# Rows of one type may serve another type, which is then validated with them.
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
served="allreduce of int sum, n = 64 B, P = 2 ring (row of float sum);allreduce \
of int sum, n = 4 KiB, P = 2 ring (row of float sum);"
is "$(sed -n -e 's/^\(calls back to back\), .*/\1/p' \
    -e 's/^\(allreduce of .*=.*\)  *single-node  *\(.*sum)\).*/\1 \2/p' \
    out.txt | tr -s ' ' | tr '\n' ';')" "${served}calls back to back;$served" \
    "points served by another type's row name that type"
is "$(grep -c '^allreduce, n = .* ring  ' out.txt)" 4 \
    "points served by their own row do not"
run validate t.db --launches 2 --points --threshold 900% --json
is "$(python3 -c 'import json
for p in json.load(open("out.txt"))["points"]:
    print(p["dtype"], p["choice"], p["rows_of"] or "-", end="; ")')" \
    "float ring -; float ring -; int ring float sum; int ring float sum; " \
    "JSON names the type of the row too"

# `chorale run` has no table module and skips such cells.
select1 "UPDATE cell SET launches = 9 WHERE provider = 'table'"
before=$(select1 "SELECT count(*) FROM run")
run run r.db
is "$? $(select1 "SELECT count(*) FROM run")" "0 $before" \
    "run skips the cells of validate"

# Bad input.
(PATH=/nowhere CC= "$chorale" validate r.db --launches 9) >out.txt 2>err.txt
is $? 3 "a missing compiler exits with 3"
like "$(cat err.txt)" 'no C compiler.*CC' "the error names the compiler"
run validate nosuch.db
is $? 3 "a missing file exits with 3"
run validate r.db --launches 1
is $? 2 "a single launch is refused"
finish
