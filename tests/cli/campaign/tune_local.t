#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tune on this machine's MPI measures, stores, decides and writes its products,
# and an unmodified program runs with the table.
. "$(dirname "$0")/../../lib.sh"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"

CHORALE_DATADIR=$top_srcdir/plots
export CHORALE_DATADIR
cd "$work" || exit 99
timeout 900 "$chorale" tune r.db -P 1,2 -m 8:8K:x32 --budget 1m --launches 4 -i 15 \
    --cell-time 0.02 >out.txt 2>err.txt
rc=$?
# The verdict of the validation may vary on a busy machine; it must be reported,
# and all files must be written.
[ $rc -eq 0 ] || { [ $rc -eq 1 ] && grep -q 'slower with the table' err.txt; }
ok $? "tune exits with 0, or with 1 and a slower point"
diag "$(cat err.txt)"
[ -s r-dispatch.c ] && [ -s r-dispatch.h ] && [ -s r-summary.md ]
ok $? "tune writes the dispatch file and the summary"
grep -q '<h2[^>]*>.*' r-report.html && grep -q 'Validated: ' r-report.html
ok $? "tune writes the report with the validation"
like "$(cat out.txt)" '^report     r-report.html$' \
    "tune prints the path of the report"
is "$(sqlite3 r.db "SELECT count(*) > 0 AND
    max(slower AND choice <> 'library') = $rc FROM validation WHERE digest =
    (SELECT digest FROM validation ORDER BY validation_id DESC LIMIT 1)")" 1 \
        "the exit code agrees with the validation"
# On a busy machine the budget ends in mid-launch. Then further commands measure
# what is left.
all_done() {
    sqlite3 r.db "SELECT sum(planned) = sum(done) FROM v_progress"
}
if [ "$(all_done)" != 1 ]; then
    diag "$(grep '^measured for' out.txt)"
    timeout 900 "$chorale" run r.db -q >rest.txt 2>&1
    timeout 900 "$chorale" validate r.db -q >>rest.txt 2>&1
fi
is "$(all_done)" 1 "all planned cells are done"
is "$(sqlite3 r.db "SELECT count(*) FROM run WHERE status NOT IN ('ok', 'inapplicable')")" 0 \
    "every run that can be made is ok"
is "$(sqlite3 r.db "SELECT count(*) FROM run JOIN run_summary USING (run_id)
    WHERE nrep <> (SELECT count(*) FROM sample s WHERE s.run_id = run.run_id
        AND NOT flags & 2)")" \
    0 "every repetition is stored"
is "$(sqlite3 r.db "SELECT count(*) FROM sample JOIN run USING (run_id)
    WHERE (seconds <= 0 AND separator IS NULL)
       OR first_in > last_in
       OR last_in > batch * (seconds + coalesce(separator, 0)) + 1e-6")" 0 \
    "the times of a sample are in order"
is "$(sqlite3 r.db "SELECT count(*) FROM run r JOIN cell c USING (cell_id)
    WHERE NOT EXISTS (SELECT 1 FROM run r2 JOIN cell c2 USING (cell_id)
        WHERE r2.launch_id = r.launch_id
        AND (c2.provider = 'library' OR c2.variant = 'library')
        AND c2.coll = c.coll AND c2.msg_size = c.msg_size)")" 0 \
    "the library was measured beside every candidate, in the same launch"
for key in mpi_library mpi_standard tool_version command kernel seed host:0 \
           clock_residual_s; do
    is "$(sqlite3 r.db "SELECT group_concat(launch_id) FROM launch l
        WHERE reason IS NOT 'stopped' AND NOT EXISTS (SELECT 1
            FROM environment e WHERE e.launch_id = l.launch_id
            AND key = '$key' AND value <> '')")" "" \
        "every launch that the budget did not end stores $key"
done
# Points left out are reported: points with invalid runs in each launch, but not
# points with one valid launch.
cp r.db left.db
suspect() { # launch: mark runs from this launch on
    sqlite3 left.db "UPDATE run SET validity = 'late,suspicious' WHERE run_id IN
        (SELECT min(run_id) FROM v_run WHERE coll = 'bcast' AND comm_size = 2
            AND msg_size = 8192 AND metric = 'duration' AND ordinal >= $1
            AND arrival = 'sync' AND siblings = 'alone'
            AND variant <> 'untouched' AND provider <> 'table'
            GROUP BY launch_id)"
    "$chorale" decide left.db >out.txt 2>err.txt
    grep -c '^1 more is measured and left out' out.txt
    grep -c '(bcast of 8192 bytes, P = 2);' out.txt
}
is "$(suspect 1 | tr '\n' ' ')" "0 0 " "a point with a valid launch counts"
is "$(suspect 0 | tr '\n' ' ')" "1 1 " \
    "a point without a valid launch is left out and named"
like "$("$chorale" decide left.db --explain bcast 8K 2)" \
    'library: measured but excluded: in each launch' "and explained"
like "$("$chorale" decide left.db --explain bcast 1M 2)" \
    'library: outside the measured range' "which others are not"
sqlite3 left.db "UPDATE run SET validity = 'clock' WHERE cell_id IN
    (SELECT cell_id FROM cell WHERE coll = 'scan')"
is "$("$chorale" decide left.db --explain scan 8K 2 2>&1 >/dev/null |
    cut -d ' ' -f 1-8)" \
    "chorale: --explain: all measurements of scan are excluded," \
    "and a collective whose measurements are all excluded"

# On one node there are no levels, and two-level variants are refused.
"$chorale" plan levels.db -q -P 2 -m 1K --launches 1 --variants two_level \
    --min-iterations 1 -i 3 --cell-time 0.01
timeout 900 "$chorale" run levels.db -q 2>err.txt
is "$? $(cat err.txt) $(sqlite3 levels.db "SELECT count(*) FILTER (WHERE
        provider = 'chorale') > 10, group_concat(DISTINCT status || ' ' ||
        provider) FROM run JOIN cell USING (cell_id)")" \
    "0  1|ok library,inapplicable chorale" \
        "on one node two_level is inapplicable"
# A binomial bcast at P = 2 sends one message of m bytes, or one for each
# segment; checked by counters.
is "$(sqlite3 r.db "SELECT DISTINCT (k.value = CASE params WHEN 'segsize=0'
        THEN 1 ELSE max(1, (c.msg_size - 1) / substr(params, 9) + 1) END)
        || ' ' || (b.value = c.msg_size)
    FROM cell c JOIN run r USING (cell_id)
    JOIN counter k ON k.run_id = r.run_id AND k.event = 'chorale::messages'
    JOIN counter b ON b.run_id = r.run_id AND b.event = 'chorale::bytes_sent'
    WHERE c.coll = 'bcast' AND c.variant = 'binomial' AND c.comm_size = 2")" \
    "1 1" "messages and bytes are counted"
is "$(sqlite3 r.db "SELECT count(*) FROM counter k JOIN run USING (run_id)
    JOIN cell USING (cell_id) WHERE provider = 'library'")" 0 \
    "counters of the library are absent, not 0"
$CC -std=c99 -shared -fPIC -o t.so r-dispatch.c
ok $? "the dispatch file compiles to a module"

if "$chorale" --version | grep -q 'sanitizer=no'; then
cat >hello.c <<'EOF'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, x = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20; i++) {
        x = rank == 0 ? i : -1;
        MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (x != i)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
EOF
"${MPICC:-mpicc.mpich}" -o hello hello.c && chmod 755 t.so
    # The decisions of this short campaign depend on this machine, so a choice
    # is forced on top of the table.
CHORALE_DISPATCH=$work/t.so CHORALE_VERBOSE=1 CHORALE_FORCE=bcast=binomial \
    timeout 900 "$MPIEXEC" -n 2 \
    env LD_PRELOAD="$top_builddir/.libs/libchorale_pmpi.so" ./hello >hello.txt 2>&1
ok $? "an unmodified program runs with the table"
like "$(cat hello.txt)" 'chorale: bcast n=4 P=2 -> binomial' \
    "the shim prints the choice"
else
    skip "built with a sanitizer, which cannot be preloaded" \
        "an unmodified program runs with the table"
fi

# Counters: Chorale's events read through PAPI equal its own counts; unknown
# events are named once and stored as absent.
if "$chorale" --version | grep -q papi=yes; then
    "$chorale" plan c.db -P 2 -m 64 -c bcast --launches 1 -i 5 -q \
        --counters sde:::chorale::messages,sde:::chorale::bytes_sent,frob::nic
    timeout 900 "$chorale" run c.db -q 2>counters.txt
    ok $? "a campaign with a counter that does not exist runs"
    is "$(grep -c 'frob::nic.*stored as absent' counters.txt)" 1 \
        "the unknown counter is named once"
    is "$(sqlite3 c.db "SELECT count(*) FROM counter
        WHERE event = 'frob::nic' AND value IS NOT NULL")" 0 \
            "the unknown counter is stored as absent"
    is "$(sqlite3 c.db "SELECT count(*) FROM counter a JOIN counter b
        ON b.run_id = a.run_id AND a.event = 'sde:::' || b.event
        WHERE b.value = 0 OR a.value IS NOT b.value")" 0 \
        "PAPI's messages and bytes equal Chorale's"
    is "$(sqlite3 c.db "SELECT count(*) FROM counter JOIN run USING (run_id)
        JOIN cell USING (cell_id) WHERE provider = 'library'
        AND value IS NOT NULL")" 0 "Chorale's events are absent for the library"
else
    skip "built without PAPI" "counters"
fi

# A library that is wrong for some roots only is never timed: here its bcast
# damages a byte unless the root is 0.
cat >wrong.c <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
int PMPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int (*real)(void *, int, MPI_Datatype, int, MPI_Comm);
    int rank, rc;

    *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Bcast");
    rc = real(buf, count, type, root, comm);
    PMPI_Comm_rank(comm, &rank);
    if (root != 0 && rank != root && count > 0)
        *(char *)buf ^= 1;
    return rc;
}
EOF
if "$chorale" --version | grep -q 'sanitizer=no'; then
"${MPICC:-mpicc.mpich}" -shared -fPIC -o wrong.so wrong.c -ldl
wrong="$MPIEXEC -n {P} env LD_PRELOAD=$work/wrong.so"
"$chorale" plan w.db -P 2 -m 64 -c bcast,reduce --launches 1 -i 5 -q \
    --launcher-cmd "$wrong"
timeout 900 "$chorale" run w.db -q --launcher-cmd "$wrong"
is "$(sqlite3 w.db "SELECT status, reason LIKE 'wrong data%' FROM run
    JOIN cell USING (cell_id) WHERE provider = 'library' AND coll = 'bcast'")" \
    "invalid|1" "a library that is wrong for one root is invalid and not timed"
is "$(sqlite3 w.db "SELECT DISTINCT status FROM run JOIN cell USING (cell_id)
    WHERE provider <> 'library' OR coll <> 'bcast'")" ok "all other runs are ok"
else
    skip "built with a sanitizer" "a library that is wrong for one root"
fi

cores=$(getconf _NPROCESSORS_ONLN)
"$chorale" plan o.db -P $((2 * cores)) -m 8 -c bcast --launches 4 -i 3 -q \
    2>over.txt
like "$(cat over.txt)" 'oversubscribed' \
    "more ranks than processors give a warning"
timeout 900 "$chorale" run o.db -q
is "$(sqlite3 o.db "SELECT count(*) FROM run WHERE validity NOT LIKE '%oversubscribed%'")" \
    0 "every such run is marked oversubscribed"
# Make Chorale's runs ten times faster: they must still decide nothing.
sqlite3 o.db "UPDATE run_summary SET median = (SELECT
    CASE provider WHEN 'library' THEN 1e-3 ELSE 1e-4 * (1 + ordinal / 100.0) END
    FROM run JOIN cell USING (cell_id) JOIN launch USING (launch_id)
    WHERE run.run_id = run_summary.run_id)"
"$chorale" decide o.db -q
ok $? "a system of oversubscribed runs can be decided"
is "$(sqlite3 o.db "SELECT DISTINCT provider FROM decision")" library \
    "its table keeps the library everywhere"
sqlite3 o.db "UPDATE run SET validity = ''"
"$chorale" decide o.db -q
is "$(sqlite3 o.db "SELECT DISTINCT provider FROM decision")" chorale \
    "without the mark Chorale's variants are chosen"
finish
