#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Provider native: algorithms inside the MPI library are forced, and measured
# beside the library's default. A rule file may choose them, a table cannot.
. "$(dirname "$0")/../../lib.sh"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
"$top_builddir/chorale-runner" --natives >"$work/natives.txt"
ok $? "the runner lists native algorithms without a launcher"
[ -s "$work/natives.txt" ] || {
    skip "the library has no such variables" "native algorithms are forced"
    finish
}

cd "$work" || exit 99
is "$(grep -cvE '^[a-z_]+ [A-Za-z0-9_.+-]+( [a-z_]+=[a-z0-9_]+( [A-Za-z_]+=[a-z0-9_]+)?)?$' natives.txt)" 0 \
    "each line is a collective and a name, perhaps with a parameter and a part"
is "$(grep -E ' (auto|ignore)$' natives.txt)" "" \
    "the library's automatic selection is not listed"
is "$(sort natives.txt | uniq -d)" "" "no name is listed twice"
for name in "bcast binomial" "allreduce recursive_doubling"; do
    grep -qx "$name" natives.txt
    ok $? "$name is listed"
done
is "$("$chorale" list --native bcast | grep -c '^bcast ')" \
    "$(grep -c '^bcast ' natives.txt)" "list --native lists them"

"$chorale" plan n.db --providers chorale,native,library -c bcast,allreduce \
    -m 8,4K -P 2 --launches 4 -i 5 --cell-time 0.005 -q
ok $? "all are planned"
is "$(sqlite3 n.db "SELECT count(*) FROM cell WHERE provider = 'native'
    AND params = ''")" \
    "$(($(grep -cE '^(bcast|allreduce) [^ ]+$' natives.txt) * 2))" \
    "each is planned at each point"
point="campaign_id, system_id, provider, params, coll, msg_size, n, comm_size,
    ppn, shape, dtype, op, op_class, root_policy, buffers, arrival, siblings,
    metric, launches"
sqlite3 n.db "INSERT INTO cell (uuid, variant, $point) SELECT 'no-such-cell',
    'no_such_algorithm', $point FROM cell WHERE provider = 'native' LIMIT 1"
timeout 900 "$chorale" run n.db -q
ok $? "run exits with 0"
is "$(sqlite3 n.db "SELECT sum(planned) = sum(done) FROM v_progress")" 1 \
    "all planned runs are done"
is "$(sqlite3 n.db "SELECT count(*) FROM run JOIN cell USING (cell_id)
    WHERE provider = 'native' AND status <> 'ok'
    AND NOT (status = 'inapplicable' AND reason <> '')")" 0 \
    "each run is ok, or inapplicable with a reason"
is "$(sqlite3 n.db "SELECT count(DISTINCT coll || variant) FROM run
    JOIN cell USING (cell_id) WHERE provider = 'native' AND status = 'ok'
    AND (coll, variant) IN (VALUES ('bcast', 'binomial'),
                                   ('allreduce', 'recursive_doubling'))")" 2 \
    "binomial and recursive doubling are ok: verified and timed"
is "$(sqlite3 n.db "SELECT DISTINCT status || ': ' || reason FROM run
    JOIN cell USING (cell_id) WHERE variant = 'no_such_algorithm'")" \
    "inapplicable: the library has no algorithm of this name" \
    "a name that the library does not know is inapplicable"
is "$(sqlite3 n.db "SELECT count(*) FROM run JOIN cell USING (cell_id)
    WHERE provider <> 'native' AND status NOT IN ('ok', 'inapplicable')")" 0 \
    "other providers run as usual"
is "$(sqlite3 n.db "SELECT count(*) FROM counter JOIN run USING (run_id)
    JOIN cell USING (cell_id) WHERE provider = 'native'")" 0 \
    "counters of native algorithms are absent, not 0"

# Without data a library returns before it selects an algorithm.
"$chorale" plan empty.db --providers native,library -c bcast,allreduce,barrier \
    -m 0 -P 2 --launches 1 -i 5 --cell-time 0.005 -q &&
    timeout 900 "$chorale" run empty.db -q
ok $? "algorithms are planned with 0 bytes and run"
is "$(sqlite3 empty.db "SELECT count(*) FROM run JOIN cell USING (cell_id)
    WHERE provider = 'native' AND coll <> 'barrier'
    AND status <> 'inapplicable'")" 0 \
    "n = 0: no algorithm counts as measured without a proof"
why='calls without data need no algorithm'
"$top_builddir/chorale-runner" --probe | grep -q '^Open MPI' &&
    why='the library sends no message in this call'
is "$(sqlite3 empty.db "SELECT DISTINCT reason FROM run
    JOIN cell USING (cell_id) WHERE coll = 'bcast' AND variant = 'binomial'")" \
    "unproved: $why" "n = 0: the reason is that there is no proof"
is "$(sqlite3 empty.db "SELECT coll, sum(status = 'ok') > 0 FROM run
    JOIN cell USING (cell_id) WHERE provider = 'native' OR coll <> 'barrier'
    GROUP BY coll" | paste -sd ' ' -)" "allreduce|1 barrier|1 bcast|1" \
    "n = 0: the library's default and algorithms of a barrier are measured"

# Other values of their parameters.
grep = natives.txt >params.txt
if [ -s params.txt ]; then
    colls=$(cut -d' ' -f1 params.txt | sort -u | paste -sd , -)
    "$chorale" plan all.db --providers native --set all -c "$colls" -m 64K \
        -P 2 --launches 1 -i 5 --cell-time 0.005 -q &&
        timeout 900 "$chorale" run all.db -q
    ok $? "--set all is measured"
    is "$(sqlite3 -separator ' ' all.db "SELECT coll, variant, params FROM cell
        WHERE params <> '' ORDER BY 1, 2, 3")" \
        "$(cut -d' ' -f1-3 params.txt | LC_ALL=C sort)" \
        "with each value that the runner lists"
    is "$(sqlite3 all.db "SELECT count(*) FROM run JOIN cell USING (cell_id)
        WHERE params <> '' AND status <> 'ok'
        AND NOT (status = 'inapplicable' AND reason LIKE 'the library%'
            AND reason NOT LIKE '%does not serve%')")" 0 \
        "which are verified, or which the library refuses"
    is "$(sqlite3 all.db "SELECT avg(status = 'ok') > 0.5 FROM run
        JOIN cell USING (cell_id) WHERE params <> ''")" 1 \
        "and most of them are verified"
    # Of Open MPI han.t compares the messages.
    if "$top_builddir/chorale-runner" --probe | grep -q '^Open MPI'; then
        skip "Open MPI" "two values of a parameter send differently"
    else
        awk '$2 != "smp" && $3 !~ /^(throttle|tree_type)=/ {
            print $1, 524288, $2 ":" $3 }' params.txt >points.txt
        timeout 120 "$MPIEXEC" -n 9 "$top_builddir/chorale-selects" --force \
            points.txt >sent.txt 2>err.txt
        is "$? $(tail -n 1 sent.txt)" "0 @end" "all values are forced"
        awk '$1 == "@forced" && $3 != "-" { print $2, $3 }' sent.txt |
            while read -r i hash; do
                sed -n "$((i + 1))s/=.*/ $hash/p" points.txt
            done >values.txt
        if grep -q '^@sees 0' sent.txt; then
            skip "the library's messages cannot be seen" \
                "two values of a parameter send differently"
        else
            is "$(sort -u values.txt | wc -l)" "$(wc -l <points.txt)" \
                "two values of a parameter send differently"
        fi
    fi
else
    skip "no algorithm has parameters" "--set all measures their values"
fi

# Parameters that the library reads in MPI_Init: MPICH's tree types.
grep ' tree tree_type=' natives.txt >trees.txt
if [ -s trees.txt ]; then
    for how in "bcast --launches 4" "allreduce --launches 1"; do
        # shellcheck disable=SC2086
        "$chorale" plan tree.db --providers native --set all -c $how \
            --variants tree -m 64K -P 2 -i 5 --cell-time 0.005 -q
    done
    sqlite3 tree.db "DELETE FROM cell WHERE part = 'untouched'" &&
        timeout 900 "$chorale" run tree.db -q
    ok $? "tree types are measured"
    is "$(sqlite3 -separator ' ' tree.db "SELECT DISTINCT c.coll, c.variant,
        c.params, l.part FROM cell c JOIN run r USING (cell_id)
        JOIN launch l USING (launch_id) WHERE r.status = 'ok'
        AND c.params LIKE 'tree_type=%' ORDER BY 1, 2, 3")" \
        "$(LC_ALL=C sort trees.txt)" \
        "each in launches whose variable the library has"
    is "$(sqlite3 tree.db "SELECT count(*), sum(p.launches) FROM v_paired p
        JOIN cell USING (cell_id) WHERE params LIKE 'tree_type=%'")" "4|10" \
        "and compared with the library's launches of the same ordinals"
    sqlite3 tree.db "UPDATE run SET validity = '';
        UPDATE run_summary SET median = 1e-9 * (1 + run_id % 7 / 100.0)
        WHERE run_id IN (SELECT run_id FROM run JOIN cell USING (cell_id)
            WHERE params = 'tree_type=knomial_1')"
    "$chorale" decide tree.db -q
    is "$(sqlite3 tree.db "SELECT variant, params FROM decision
        WHERE coll = 'bcast' AND target = 'rules'")" \
        "tree|tree_type=knomial_1" "a rule file may have one, if it is fastest"
    # The variable changes what the forced algorithm sends.
    echo "bcast 65536 tree" >point.txt
    for type in kary knomial_1; do
        MPIR_CVAR_BCAST_TREE_TYPE=$type timeout 60 "$MPIEXEC" -n 5 \
            "$top_builddir/chorale-selects" --force point.txt |
            sed -n 's/^@forced //p'
    done >sent.txt
    is "$(wc -l <sent.txt) $(sort -u sent.txt | wc -l)" "2 2" \
        "the messages of two tree types differ"
    # The same cells in launches that set another value.
    "$chorale" plan other.db --providers native --set all -c bcast \
        --variants tree -m 8 -P 2 --launches 1 -i 3 --cell-time 0.005 -q
    sqlite3 other.db "UPDATE cell SET part = replace(part, 'knomial', 'no')"
    timeout 900 "$chorale" run other.db -q
    is "$(sqlite3 other.db "SELECT DISTINCT status, reason FROM run
        JOIN cell USING (cell_id) WHERE params LIKE '%=knomial_2'")" \
        "inapplicable|the library does not have the value that this launch \
needs" "a library without the value measures nothing"
else
    skip "no parameter is read in MPI_Init only" "such values have launches"
fi
# A part comes from a database: other variables are never set.
"$chorale" plan part.db --providers native -c bcast -m 8 -P 2 -q
for part in LD_PRELOAD=x 'MPIR_CVAR_BCAST_TREE_TYPE=kary x' \
    OMPI_MCA_coll_han_bcast_segsize=/x OMPI_MCA_pml=1; do
    sqlite3 part.db "UPDATE cell SET part = '$part'"
    timeout 60 "$chorale" run part.db -q 2>err.txt
    is "$? $(grep -c "the part '$part', which mpiexec cannot start" err.txt)" \
        "4 1" "a launch with $part is refused"
done

# The library once more, in launches that never force an algorithm.
is "$(sqlite3 n.db "SELECT count(*) FROM cell WHERE variant = 'untouched'
    AND provider = 'library' AND part = 'untouched'")" 4 \
    "the untouched library is planned at each point"
is "$(sqlite3 n.db "SELECT group_concat(DISTINCT l.part || ':' ||
        (e.value LIKE '% --native %')) FROM (SELECT * FROM launch
        ORDER BY part) l JOIN environment e USING (launch_id)
    WHERE e.key = 'command'")" ":1,untouched:0" \
    "its launches are started without the option that allows forcing"
is "$(sqlite3 n.db "SELECT count(*) FROM run JOIN cell c USING (cell_id)
    JOIN launch l USING (launch_id) WHERE c.part <> l.part")" 0 \
    "no cell is in a launch of another part"
is "$(sqlite3 n.db "SELECT count(*) FROM (SELECT 1 FROM run
    JOIN cell USING (cell_id) WHERE sync <> '' GROUP BY coll, msg_size
    HAVING min(batch) <> max(batch))")" 0 \
    "a point has the same batch in all launches"
# The view's ratio compared with the medians of each launch.
is "$(sqlite3 n.db "WITH m AS (SELECT c.coll, c.msg_size, c.variant, l.ordinal,
        s.median FROM run_summary s JOIN run USING (run_id)
        JOIN cell c USING (cell_id) JOIN launch l USING (launch_id)
        WHERE c.provider = 'library' AND run.status = 'ok' AND s.median > 0),
    r AS (SELECT d.coll, d.msg_size, count(*) AS n,
        exp(avg(ln(d.median / u.median))) AS ratio FROM m d
        JOIN m u USING (coll, msg_size, ordinal)
        WHERE d.variant = 'default' AND u.variant = 'untouched'
        GROUP BY d.coll, d.msg_size)
    SELECT count(*) || ' ' || (min(r.n) > 0) || ' ' ||
        sum(v.launches <> r.n) || ' ' ||
        (max(abs(v.ratio / r.ratio - 1)) < 1e-9)
    FROM v_untouched v JOIN r USING (coll, msg_size)")" "4 1 0 1" \
    "default and untouched are compared at each point, in common launches"
diag "$(sqlite3 n.db "SELECT coll || ' ' || msg_size || ' B: ' || printf(
    '%.3f [%.3f, %.3f]', ratio, ratio_lo, ratio_hi) FROM v_untouched")"
like "$("$chorale" status n.db)" \
    '[?] (YES|Not .*): [0-9.]+ times .* of 4 points' \
        "status prints the ratio of default to untouched"
is "$(sqlite3 n.db "SELECT count(*) FROM v_speedup
    WHERE variant = 'untouched'")" 0 "untouched is no candidate"
# A real difference is detected: 1.5 times in every launch.
cp n.db d.db
sqlite3 d.db "UPDATE run_summary SET median = (SELECT 1e-5 * (1 + ordinal /
    100.0) * CASE variant WHEN 'untouched' THEN 1 ELSE 1.5 END FROM run
    JOIN cell USING (cell_id) JOIN launch USING (launch_id)
    WHERE run.run_id = run_summary.run_id)"
like "$("$chorale" status d.db)" \
    'YES: 1.500 times .* 4 of 4 95 % .*chance 0.2' \
    "status warns if they differ"
like "$("$chorale" status d.db)" 'bcast, P = 2, 8 B: 1.500 times' \
    "status names the point that differs"

# Make native algorithms ten times faster: a table cannot call them.
sqlite3 n.db "UPDATE run_summary SET median = 1e-9 * (1 + run_id % 7 / 100.0)
    WHERE run_id IN (SELECT run_id FROM run JOIN cell USING (cell_id)
                      WHERE provider = 'native');
    UPDATE run SET validity = ''"
is "$(sqlite3 n.db "SELECT DISTINCT provider FROM v_best")" native \
    "v_best names native algorithms if they are fastest"
"$chorale" decide n.db -q
ok $? "decide exits with 0"
is "$(sqlite3 n.db "SELECT count(*) FROM decision
    WHERE provider = 'native' AND target = 'dispatch'")" 0 \
    "no native algorithm is chosen"

# Without a variant of Chorale the report shows the choices of the rule file.
cp n.db only.db
sqlite3 only.db "DELETE FROM run_summary WHERE run_id IN (SELECT run_id FROM run
        JOIN cell USING (cell_id) WHERE provider = 'chorale');
    DELETE FROM run WHERE cell_id IN (SELECT cell_id FROM cell
        WHERE provider = 'chorale');
    DELETE FROM cell WHERE provider = 'chorale'"
"$chorale" decide only.db -q &&
    CHORALE_DATADIR=$(cd "$top_srcdir" && pwd)/plots "$chorale" report only.db \
        -o only.html -q >out.txt 2>&1
ok $? "a report of native algorithms only is written"
sed 's/<[^>]*>/ /g' only.html >only.txt
is "$(grep -c 'both sides at 4' only.txt) $(grep -c \
    'At 4 points a rule file for the library chooses' only.txt)" "0 1" \
    "its headline is of the rule file"
like "$(grep 'geometric mean' only.txt)" 'x[1-9][0-9]*\.[0-9]+ ' \
    "its headline has a speed-up"
like "$(grep 'best point' only.txt)" 'x[1-9].*: native ' \
    "its best point names a native algorithm"

"$chorale" plan v.db --providers native --variants bcast:binomial \
    -c bcast,allreduce -m 8 -P 2 -q
is "$(sqlite3 v.db "SELECT group_concat(DISTINCT provider || ':' || variant)
    FROM cell WHERE coll = 'bcast'")" "library:default,library:untouched,native:binomial" \
    "--variants selects native algorithms"
"$chorale" plan v.db --providers native --variants no_such -m 8 -P 2 -q \
    2>err.txt
is $? 2 "an unknown name is refused"
like "$(cat err.txt)" 'no_such' "the error has the unknown name"
rm -f v.db
"$chorale" plan v.db -m 8 -P 2 -c bcast -q
is "$(sqlite3 v.db "SELECT count(*) FROM cell WHERE part <> ''")" 0 \
    "without native algorithms no untouched launches are planned"
finish
