#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The quick start's table of a simulated cluster: rows do not overlap and cover
# all measured points, where replaced choices cost at most 1 %.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"

cd "$work" || exit 99
db=sim.db
# The options of ci/quickstart.
timeout 3000 "$chorale" tune "$db" --launcher smpirun --network loggp \
    --platform "$top_srcdir/ci/platforms/cluster64.xml" -P 4,16,64 \
    -m 8:32K:x16 -c \
    "$(sed -n 's/^colls=//p' "$top_srcdir/ci/quickstart")" >out.txt 2>err.txt
ok $? "the quick start's system is tuned"
grep -q -e "-P 4,16,64 -m 8:32K:x16" "$top_srcdir/ci/quickstart"
ok $? "the quick start has these options"
rows=$(sqlite3 "$db" "SELECT count(*) FROM decision")
bytes=$(wc -c <sim-dispatch.c)
echo "# $rows rows, sim-dispatch.c has $bytes bytes"
is "$(sqlite3 "$db" "SELECT count(*) FROM decision a JOIN decision b
    USING (coll) WHERE a.decision_id < b.decision_id
    AND a.comm_size <= b.comm_size_hi AND b.comm_size <= a.comm_size_hi
    AND a.n_lo <= b.n_hi AND b.n_lo <= a.n_hi")" 0 "no two rows overlap"
is "$(sqlite3 "$db" "SELECT count(*) FROM (SELECT DISTINCT coll, comm_size, n
    FROM v_best) b WHERE NOT EXISTS (SELECT 1 FROM decision d
    WHERE d.coll = b.coll AND b.n BETWEEN d.n_lo AND d.n_hi
    AND b.comm_size BETWEEN d.comm_size AND d.comm_size_hi)")" 0 \
    "each measured point has a row"
# A choice that was not measured itself at a point is equal to one that was.
is "$(sqlite3 "$db" "SELECT count(*) FROM v_best b JOIN decision d
    ON d.coll = b.coll AND b.n BETWEEN d.n_lo AND d.n_hi
    AND b.comm_size BETWEEN d.comm_size AND d.comm_size_hi
    JOIN v_summary s ON s.coll = b.coll AND s.comm_size = b.comm_size
    AND s.n = b.n AND s.variant = d.variant AND s.params = d.params
    WHERE s.seconds > b.seconds * 1.010001")" 0 \
    "each choice is the fastest measured, or within 1 % of it"
is "$(sqlite3 "$db" "SELECT count(*) FROM decision
    WHERE basis = 'measured' AND NOT regret <= 0.010001")" 0 \
    "no measured row states a regret above 1 %"

# All renderings of the table agree. A map in a terminal has letters for as many
# of the measured process counts as its lines allow: here at least three.
for coll in $(sqlite3 "$db" "SELECT DISTINCT coll FROM v_decision"); do
    sh "$top_srcdir/tests/cli/reports/letters.sh" "$chorale" "$db" "$coll" \
        >letters.out
    sed 's/^/# /' letters.out
    like "$(tail -n 1 letters.out)" '^[1-9][0-9]* 0 [3-5]$' \
        "$coll: letters and picture of the map are those of the table"
done
sqlite3 -separator ' ' "$db" "SELECT DISTINCT p.coll, p.msg_size, p.comm_size,
    CASE d.provider WHEN 'library' THEN 'library'
    ELSE trim(d.variant || ' ' || d.params) END
    FROM cell p JOIN v_decision d ON d.coll = p.coll
    AND p.n BETWEEN d.n_lo AND d.n_hi
    AND p.comm_size BETWEEN d.comm_size AND d.comm_size_hi
    WHERE p.coll IN ('bcast', 'allgather') ORDER BY 1, 2, 3" >want
while read -r coll m p _; do
    echo "$coll $m $p $("$chorale" decide "$db" --explain "$coll" "$m" "$p" |
        sed -n 's/^  \* \(.*[^ ]\)   *[0-9.]* [num]*s .*/\1/p' | tr -s ' ')"
done <want >got
diff want got >diff.txt && [ -s want ]
ok $? "--explain names the choice of the table at each measured point"
sed 's/^/# /' diff.txt
# Of series with equal times a picture draws the one that the table names.
for dat in sim-plots/*_P*.dat; do
    awk '/^#/ { next }
        /^$/ { if (++blank == 2) block++; next }
        { first = blank >= 2; blank = 0 }
        block == 1 { name = $0; sub(/^[^"]*/, "", name); want[$5] = name }
        block > 1 && first { label[block - 1] = $0 }
        END { for (s in want) if (s > 0 && want[s] != label[s])
            print FILENAME, want[s], label[s] }' "$dat"
done >names.txt
[ ! -s names.txt ] && ls sim-plots/*_P*.dat >/dev/null
ok $? "pictures name choices as the table does"
sed 's/^/# /' names.txt
finish
