#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# exploratory.t - imported timings with one or two launches give a table that is
# marked exploratory, chosen by times smoothed over n and P, also between
# measured process counts. The times are those of known formulas.
. "$(dirname "$0")/../../lib.sh"

cd "$work" || exit 99
db=r.db
sql() { sqlite3 "$db" "$1"; }
# Allreduce of n bytes at P ranks, in us: recursive doubling takes lg P (2 + n /
# 1000), ring takes P + 2 n / 1000, so ring is faster where n (lg P - 2) > 1000
# (P - 2 lg P). The library takes 1.2 times recursive doubling below 64 KiB, and
# from there on 0.9 times the faster one. Noise: launches times relative errors.
table() { # launches, noise in percent, first P, last P
    awk -v launches="$1" -v noise="$2" -v first="$3" -v last="$4" 'BEGIN {
        print "system,coll,algorithm,nodes,ppn,P,msg_size_bytes,rep,time_us"
        srand(7)
        for (p = first; p <= last; p *= 2)
            for (n = 8; n <= 1048576; n *= 2)
                for (r = 0; r < launches; r++) {
                    l = log(p) / log(2)
                    t[1] = l * (2 + n / 1000)
                    t[2] = p + 2 * n / 1000
                    best = t[1] < t[2] ? t[1] : t[2]
                    t[0] = n < 65536 ? 1.2 * t[1] : 0.9 * best
                    name[0] = "library"
                    name[1] = "recursive_doubling"
                    name[2] = "ring"
                    for (a = 0; a < 3; a++)
                        printf "big,allreduce,%s,%d,1,%d,%d,%d,%.9g\n",
                            name[a], p, p, n, r,
                            t[a] * (1 + noise * (2 * rand() - 1) / 100)
                }
    }'
}
least() { ok "$(awk "BEGIN { print !($1) }")" "$2"; }
decided() { # rows of the rules table at n bytes and P ranks
    sql "SELECT variant || ' ' || basis FROM decision WHERE target = 'rules'
        AND $1 BETWEEN n_lo AND n_hi AND $2 BETWEEN comm_size AND comm_size_hi"
}
start() { # words of the import
    rm -f "$db"
    "$chorale" import "$db" --mpi 'Open MPI v4.1.6' "$@" >out 2>err || cat err
    "$chorale" decide "$db" >out 2>err
}

# --- one launch ---------------------------------------------------------------
table 1 0 4 64 >one.csv
start one.csv
like "$(sed -n 2p out)" '^exploratory: .*1 launch a point.*5 % \(--launch-noi' \
    "one launch: the table is exploratory, by the assumed noise"
is "$(sql "SELECT count(*) FROM decision WHERE reason NOT LIKE 'exploratory%'
    OR speedup_lo IS NOT NULL")" 0 "no row is called significant"
is "$(decided 64 16)" "recursive_doubling measured" \
    "the fastest algorithm is chosen at a measured point"
is "$(decided 262144 16)" "default library" \
    "the library stays where it is the fastest"
like "$(decided 512 24)" "^recursive_doubling " \
    "an algorithm is chosen between two process counts"
is "$(decided 512 3)$(decided 512 65)" "" \
    "outside the measured process counts there is no decision"
is "$(sql "SELECT DISTINCT provider FROM decision WHERE target = 'dispatch'
    AND provider <> 'library'")" chorale \
    "the dispatch table has the catalogue's variant of the same name"
"$chorale" decide "$db" --launch-noise 2% -q
like "$(sql 'SELECT exploratory FROM policy')" ' differ by 2 % \(--launch-noise' \
    "--launch-noise is the assumed noise"
"$chorale" decide "$db" -q

# --- the mark in the outputs --------------------------------------------------
"$chorale" decide "$db" --explain allreduce 512 24 >out 2>&1
like "$(sed -n 1p out)" '^exploratory: ' "--explain has the mark"
like "$(cat out)" '\* recursive_doubling .*between measured points, within 1?[0-9]\.[0-9] % \(1 sd, by leaving' \
    "--explain of a P between measured ones gives the expected times and their error"
"$chorale" generate "$db" --format ompi-rules --no-check -o rules.conf >out
like "$(cat out)" '^exploratory: ' "generate prints the mark"
like "$(cat rules.conf)" '# table: exploratory: ' "the rules file has the mark"
"$chorale" generate "$db" --format c -o table.c >out
like "$(cat table.c)" 'table: exploratory: ' "the C file has the mark"
for how in "--leave-out P" "--oracle $db"; do
    # shellcheck disable=SC2086 # words
    "$chorale" evaluate "$db" $how >out 2>err
    like "$(cat err)" ' exploratory: ' "evaluate $how has the mark"
    # shellcheck disable=SC2086 # words
    "$chorale" evaluate "$db" $how --json >out 2>err
    like "$(cat out)" '"exploratory": "exploratory: ' \
        "evaluate $how --json has the mark"
done
if "$chorale" --version | grep -q 'sanitizer=no'; then
    "$chorale" table install "$db" --folder "$work/site" >out 2>err || cat err
    like "$(cat out)" ' table +exploratory: .*launch.*' \
        "table install has the mark"
    like "$(cat out)" ' coverage +allreduce: ' "what it covers follows"
    "$chorale" table list --folder "$work/site" >out 2>err
    like "$(cat out)" ' table +exploratory: ' "table list has the mark"
else
    skip "loaded tables would need the sanitizer's runtime" "table install"
fi
"$chorale" generate "$db" --format ompi-rules --no-check -o rules.conf -q
import5() { # make a database with rules of Open MPI 5, which has a second file
    rm -f five.db
    "$chorale" import five.db "$1" --mpi 'Open MPI v5.0.0' -q
    "$chorale" decide five.db -q
}
import5 one.csv
"$chorale" generate five.db --format ompi-rules --no-check -o five.conf >out
like "$(cat five.han.conf)" '^# +table: exploratory: ' \
    "the second rules file has the mark"
"$chorale" decide "$db" --explain allreduce 512 24 --json >out
like "$(cat out)" '"exploratory": "exploratory: ' "--explain --json has the mark"
for what in speedup best decisions; do
    "$chorale" export "$db" --what $what --json >out
    is "$(grep -c '"exploratory": 1' out)" "$(grep -c '"coll": ' out)" \
        "each row of export $what has the mark"
done
"$chorale" plot "$db" --format svg --output plots -c allreduce >out 2>&1
for f in plots/allreduce_*.dat; do
    case $(head -n 40 "$f") in *imported,\ exploratory*) ;; *) echo "$f" ;; esac
done >unmarked
is "$(cat unmarked)" "" "the title of each picture has the mark"
"$chorale" report "$db" -o report.html >out 2>&1
like "$(cat report.html)" 'exploratory: imported' "the report has the mark"
ranks=$(awk '/# ranks/ { print $1 }' rules.conf | tr '\n' ' ')
like "$ranks" ' (1[3-57-9]|2[0-9]) ' "the rules file covers process counts in between"

# Without --mpi, algorithms have the names of no library.
rm -f none.db
"$chorale" import none.db one.csv -q
"$chorale" decide none.db -q
"$chorale" generate none.db --format ompi-rules --no-check -o n.conf >out 2>err
like "$? $(cat err)" "^2 .*imported without.*with --mpi 'Open MPI VERSION'$" \
    "generate of timings without a library names --mpi"

# Segments are 0 unless a segment size is set, as in a rule.
sed 's/,recursive_doubling,/,segmented_ring,/' one.csv >ring.csv
start ring.csv
"$chorale" generate "$db" --format ompi-rules --no-check --commutative \
    -o ring.conf >out
like "$(cat ring.conf)" '^[0-9]+ 5 0 0 # segmented_ring' \
    "a rule has an algorithm whose segment size the timings do not state"
"$chorale" generate "$db" --format ompi-rules --no-check -o ring.conf >out
like "$(cat ring.conf)" '^#   allreduce segmented_ring, .*: it reorders operand' \
    "without --commutative the file states why it is left out"

# The mean block of allgatherv: limits of n between multiples of P.
awk 'BEGIN {
    print "coll,algorithm,ppn,P,msg_size,time_us"
    for (p = 3; p < 70; p += 13)
        for (n = 1; n <= 64; n *= 4) {
            print "allgatherv,library,1," p "," n "," 9 + n
            print "allgatherv,ring,1," p "," n "," 1 + n
        }
}' >mean.csv
start mean.csv
sql "UPDATE decision SET provider = 'library', variant = 'default', n_lo = 30,
    n_hi = 31 WHERE target = 'rules' AND comm_size = 16"
"$chorale" generate "$db" --format ompi-rules --no-check -o mean.conf >out
is "$(grep -c ' allgatherv ,' mean.conf) $(grep -c ' 3 0 0 # ring' mean.conf)" \
    "0 $(grep -c ' 3 0 0 # ring' mean.conf)" \
    "a row without a choice is not listed as left out"
like "$(cat mean.conf)" ' 3 0 0 # ring' "the others have the choice"

# --- rules in the library here ---------------------------------------------
case $("$top_builddir/chorale-runner" --probe) in
MPICH*) name=MPICH format=mpich-json ;;
"Open MPI"*) name="Open MPI" format=ompi-rules ;;
*) name='' ;;
esac
if [ "$name" = '' ] || ! command -v "$MPIEXEC" >/dev/null 2>&1; then
    skip "no library that reads rules" "rules are run"
else
    export CHORALE_MPIEXEC="$MPIEXEC"
    release=$("$top_builddir/chorale-runner" --probe |
        sed -n '1s/^[^0-9]*\([0-9]*\.[0-9]*\).*/\1/p')
    awk 'BEGIN {
        print "coll,algorithm,nodes,ppn,P,msg_size,time_us"
        for (n = 4; n <= 4096; n *= 4) {
            print "allreduce,library,1,2,2," n "," 9 + n
            print "allreduce,recursive_doubling,1,2,2," n "," 1 + n
        }
    }' >here.csv
    rules() { # version: generate rules of imported times
        rm -f "$db"
        "$chorale" import "$db" here.csv --mpi "$name $1" -q
        "$chorale" decide "$db" -q
        timeout 600 "$chorale" generate "$db" --format "$format" -o here.rules \
            >out 2>&1
        cat out
    }
    like "$(rules "$release")" 'run by the library here .*it sends what was de' \
        "rules of imported times are run by the library of that release"
    like "$(rules 1.9)" "not run: measured with $name 1.9, but $name $release" \
        "rules of another release are not"
    like "$(rules '')" "not run: .* is here; import with --mpi 'NAME VERSION'" \
        "a library without a version is not taken for the one here"
fi

# --- two launches with noise --------------------------------------------------
table 2 10 4 64 >two.csv
start two.csv
like "$(sed -n 2p out)" '2 launches a point.*\(pooled over all points' \
    "two launches: the noise is learnt from all points"
noise=$(sed -n 's/.*differ by \([0-9.]*\) %.*/\1/p' out)
ok "$(awk "BEGIN { print !($noise > 4 && $noise < 8) }")" \
    "the noise is that of the times: $noise % of 5.8 %"
truth() { # is the choice at these points that without noise?
    for p in 8 12 16 32; do
        for n in 16 64 512 2048; do
            decided "$n" "$p"
        done
    done | sed 's/ .*//' | sort | uniq -c | tr -s ' '
}
is "$(truth)" " 16 recursive_doubling" \
    "noise of 6 % does not change a choice with a gain of 20 %"

# Equal algorithms with noise of 5 %: normal, as the sum of 12 numbers.
awk 'BEGIN {
    split("library ring recursive_doubling rabenseifner nonoverlapping", name)
    print "coll,algorithm,ppn,P,msg_size,rep,time_us"
    srand(3)
    for (r = 0; r < 2; r++)
        for (p = 4; p <= 128; p *= 2)
            for (n = 8; n < 300000; n *= 2)
                for (a = 1; a <= 5; a++) {
                    z = -6
                    for (i = 0; i < 12; i++)
                        z += rand()
                    printf "allreduce,%s,1,%d,%d,%d,%.9g\n", name[a], p, n, r,
                        (10 + p + n / 1000) * (1 + 0.05 * z)
                }
}' >same.csv
start same.csv
is "$(sed -n 's/^\([0-9]*\) of 96 measured points.*/\1/p' out | sort -u)" 0 \
    "noise of equal algorithms replaces the library nowhere"
start same.csv
"$chorale" decide "$db" --threshold 0 >out 2>&1
gain=$(sql "SELECT max(speedup) FROM decision")
least "$gain < 1.02" "their expected gain is below 2 %: $gain"
# A tenth of the points with a large difference counts in the pooled noise.
awk -F, -v OFS=, 'NR > 1 { $7 = 10 * (1 + ($6 ? 0 : NR % 10 ? 0.01 : 0.3)) }
    { print }' same.csv >tail.csv
start tail.csv
noise=$(sed -n 's/.*differ by \([0-9.]*\) %.*/\1/p' out)
least "$noise > 4 && $noise < 7" \
    "noise is pooled, not that of the usual point: $noise % of 5.8 %"

# --- cross-validation ---------------------------------------------------------
start one.csv
score() { # column of JSON, words of evaluate
    column=$1
    shift
    "$chorale" evaluate "$db" --json "$@" |
        sed -n "/\"all\"/,\$s/.*\"$column\": \([-0-9.e]*\).*/\1/p"
}
for what in P n; do
    r=$(score regret --leave-out $what)
    least "$r < 0.02" "$what left out of exact times: regret $r"
done
s=$(score regret --leave-out P)
n=$(score regret --leave-out P --by nearest)
least "$s < $n" "smoothed times choose better than the next smaller P: $s, $n"
is "$(score points --leave-out P)" 54 "all P but the first and last are judged"
"$chorale" evaluate "$db" --leave-out launch >out 2>err
is "$? $(cat err)" "4 chorale: evaluate: --leave-out needs two launches of a \
collective; measure more, with the library's default at each point" \
    "one launch cannot be left out"
"$chorale" evaluate "$db" --leave-out Q >out 2>err
is "$?" 2 "an unknown --leave-out is refused"
start two.csv
r=$(score regret --leave-out launch)
n=$(score regret --leave-out launch --by nearest)
least "$r < $n" "smoothing beats the plain minimum of a launch: $r, $n"

# --- the table for rules files -------------------------------------------------
start one.csv
is "$(score points --rules --oracle "$db")" 90 "rules are judged at all points"
r=$(score regret --rules --oracle "$db")
least "$r < 0.005" "rules of exact times choose the fastest: regret $r"
"$chorale" evaluate "$db" --oracle "$db" --json >out 2>err
number() { sed -n "s/.*\"$1\": \([-0-9.e]*\).*/\1/p" "$2"; }
is "$(number points out | tr '\n' ' ')" "90 90 90 90 " \
    "an imported oracle judges the dispatch table and the rules"
is "$(number unknown out | tr '\n' ' ')" "0 0 0 0 " "no choice is unknown"
like "$(number speedup out | tr '\n' ' ')" '^(1\.[0-9]* ){4}$' \
    "both are faster than the library"
sql "UPDATE decision SET variant = 'ring' WHERE target = 'rules' AND
    variant = 'recursive_doubling'"
r=$(score regret --rules --oracle "$db")
least "$r > 0.1" "rules with another algorithm lose: regret $r"
sql "DELETE FROM decision WHERE target = 'rules'"
"$chorale" evaluate "$db" --rules --oracle "$db" >out 2>err
like "$? $(cat err)" "^4 .*: no decisions on the library's own algorithms" \
    "a table without rules is refused"

# --- enough launches -----------------------------------------------------------
# Four launches confirm choices at measured points; between them smoothed times
# decide, next to a confirmed choice.
table 5 2 4 64 >five.csv
start five.csv
is "$(grep -c exploratory out)" 0 "five launches: the table is not exploratory"
is "$(sql "SELECT exploratory FROM policy")" "" "its mark is empty"
is "$(sql "SELECT count(*) FROM decision WHERE reason LIKE 'exploratory%'")" 0 \
    "no row is exploratory"
is "$(sql "SELECT count(*) FROM decision WHERE target = 'rules' AND provider =
    'native' AND basis = 'measured' AND (speedup_lo IS NULL OR reason NOT LIKE
    '%confirmed in 5 launches%')")" 0 "choices at measured points are tested"
is "$(decided 64 16)" "recursive_doubling measured" "such a point has a choice"
is "$(decided 262144 16)" "default library" "another stays with the library"
like "$(decided 512 24)" "^recursive_doubling " \
    "an algorithm is chosen between two process counts"
"$chorale" decide "$db" --explain allreduce 512 24 >out 2>&1
like "$(cat out)" '\* recursive_doubling .*between measured points' \
    "--explain of a P between measured ones gives the expected times"
"$chorale" decide "$db" --explain allreduce 64 16 >out 2>&1
like "$(cat out)" '\* recursive_doubling .*measured, 5 launches *$' \
    "--explain of a measured point gives its launches"
import5 five.csv
"$chorale" generate five.db --format ompi-rules --no-check -o five.conf >out
is "$(grep -c exploratory five.conf five.han.conf out | tr '\n' ' ')" \
    "five.conf:0 five.han.conf:0 out:0 " "its rules files have no mark"
"$chorale" export "$db" --what speedup >out
is "$(sed 1d out | grep -c ',1$')" 0 "neither has its export"
# Noise in five launches of equal algorithms confirms nothing.
awk -F, -v OFS=, 'NR > 1 {
    srand(NR)
    $9 = 20 * (1 + 0.05 * (rand() + rand() + rand() - 1.5))
} { print }' five.csv >equal.csv
start equal.csv
is "$(sql "SELECT count(*) FROM decision WHERE provider <> 'library'")" 0 \
    "equal algorithms replace nothing, also between process counts"

# --- one choice for all sizes --------------------------------------------------
# No rank of alltoallv knows n. basic_linear is the fastest below 1 KiB and slow
# above, so only pairwise serves all sizes.
awk 'BEGIN {
    print "coll,algorithm,ppn,P,msg_size,time_us"
    for (p = 4; p <= 64; p *= 2)
        for (n = 8; n <= 65536; n *= 2) {
            t = p * (1 + n / 1000)
            print "alltoallv,library,1," p "," n "," t
            print "alltoallv,basic_linear,1," p "," n "," \
                (n < 1024 ? t / 2 : 2 * t)
            print "alltoallv,pairwise,1," p "," n "," t / 1.2
        }
}' >blind.csv
start blind.csv
is "$(sql "SELECT DISTINCT variant FROM decision WHERE target = 'rules'")" \
    pairwise "the choice for all sizes is nowhere slower than the library"
for how in "--leave-out P" "--leave-out n" "--oracle $db --rules"; do
    # shellcheck disable=SC2086 # words
    "$chorale" evaluate "$db" $how --points --json >out
    is "$(sed -n 's/.*"choice": "\([^"]*\).*/\1/p' out | sort -u) $(sed -n \
        's/.*"best": "\([^"]*\).*/\1/p' out | sort -u)" "pairwise pairwise" \
        "$how judges one choice for all sizes by the best such choice"
    r=$(number regret out | tail -n 1)
    least "$r < 0.001 && $r > -0.001" "$how: its regret is 0"
done

# --- other tables -------------------------------------------------------------
start one.csv
sql "UPDATE system SET kind = 'simulated'"
"$chorale" decide "$db" >out 2>&1
is "$? $(grep -c allreduce out)" "0 2" "a simulated system is decided"
is "$(grep -c exploratory out)" 0 "a simulated system is not exploratory"
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" own.db ring \
    "2 16"
sqlite3 own.db "UPDATE system SET kind = 'real'"
"$chorale" decide own.db >out 2>&1
is "$? $(grep -c exploratory out)" "0 0" "a campaign of 5 launches is not"
sqlite3 own.db "DELETE FROM run WHERE launch_id IN (SELECT launch_id FROM
    launch WHERE ordinal > 2)"
"$chorale" decide own.db >out 2>&1
like "$(sed -n 2p out)" '^exploratory: .* fewer than 4 launches$' \
    "a campaign of 3 launches is exploratory"
like "$(cat out)" 'confirmed in 3 launches' "its choices are tested as before"
finish
