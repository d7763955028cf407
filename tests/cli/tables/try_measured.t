#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# try_measured.t - `chorale try` without a table traces the application,
# measures its calls with its own launcher, and tries the resulting table.
. "$(dirname "$0")/../../lib.sh"
: "${MPICC:=mpicc.mpich}"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
command -v "$MPICC" >/dev/null 2>&1 || skip_all "no $MPICC"
build=$(cd "$top_builddir" && pwd)
shim=$build/.libs/libchorale_pmpi.so
[ -f "$shim" ] || skip_all "no shim"
nm -D "$shim" | grep -q '__[aut]*san_' &&
    skip_all "built with a sanitizer, which cannot be preloaded"
chorale=$build/chorale
yield=$build/tests/mpi/.libs/libyield.so
unset CHORALE_AFTER CHORALE_DISPATCH
export CHORALE_SITE="$work/no-site"
cd "$work" || exit 99

# Broadcasts on all ranks and reductions on the odd and on the even ranks; other
# calls with an argument.
cat >app.c <<'EOF'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double x[4096];
static void sizes(void)
{
    for (int n = 8; n < 4096; n += 16)
        for (int i = 0; i < 5; i++)
            MPI_Bcast(x, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
static void own_op(void *in, void *out, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((double *)out)[i] += ((double *)in)[i];
}
static void reductions(void)
{
    MPI_Op op;

    MPI_Op_create(own_op, 1, &op);
    for (int i = 0; i < 20; i++)
        MPI_Allreduce(MPI_IN_PLACE, x, 10, MPI_DOUBLE, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
}
static void usual(int rank)
{
    MPI_Comm half;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    for (int i = 0; i < 40; i++)
        MPI_Bcast(x, 1000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 40; i++)
        MPI_Allreduce(MPI_IN_PLACE, x, 512, MPI_DOUBLE, MPI_SUM, half);
    MPI_Comm_free(&half);
}
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(what, "sizes") == 0)
        sizes();
    else if (strcmp(what, "own") == 0)
        reductions();
    else if (strcmp(what, "none") != 0)
        usual(rank);
    if (rank == 0)
        puts(getenv("CHORALE_DISPATCH") != NULL ? "ran with" : "ran without");
    MPI_Finalize();
    return 0;
}
EOF
"$MPICC" -o app app.c || skip_all "$MPICC does not compile"
# Launchers: one that starts only the application, one with slow measurements.
cat >picky <<'EOF'
#!/bin/sh
case $* in *app*) exec "$@" ;; *) echo "not that" >&2; exit 7 ;; esac
EOF
cat >slow <<'EOF'
#!/bin/sh
case $* in *results.db*) sleep 2 ;; esac
exec "$@"
EOF
printf '#!/bin/sh\nexec ./app "$@"\n' >script
chmod +x script picky slow

try() { timeout 900 "$chorale" try "$@" >out 2>err; }
# On a busy machine all measurements may be invalid.
try_again() {
    for _ in 1 2 3 4; do
        try "$@"
        status=$?
        grep -q 'disturbed all runs, so that nothing can' err || break
    done
    return "$status"
}
left() {
    find . -mindepth 1 -maxdepth 1 |
        grep -Ev '^\./(app|app\.c|script|picky|slow|out|err|kept)$'
}

# --- main path -------------------------------------------------------------
try_again --repeat 2 --budget 60 -- "$MPIEXEC" -n 2 ./app
status=$?
[ $status -le 1 ]
ok $? "without a table try measures and tries one"
[ "$tap_bad" = 0 ] || diag "$(cat out err)"
is "$(grep '^ran' out | tr '\n' ' ')" \
    "ran without ran without ran with ran with ran without " \
    "the application runs once for the trace, then alternately"
like "$(cat out)" '^traced:$' "the traced calls are printed"
like "$(cat out)" 'bcast +7.812 KiB +2 +single-node' \
    "the traced points are printed"
like "$(cat out)" "^measuring the traced points with '$MPIEXEC -n \{P\}', " \
    "the application's launcher starts the measurement"
like "$(cat out)" '^measured: [1-9][0-9]* runs in ' \
    "the number of runs is printed"
like "$(cat out)" '^program: +.* without, .* with: (x[0-9.]+|the runs differ)' \
    "the program's ratio is printed"
is "$(left)" "" "no file remains"
is "$(grep -c "$(printf '\r')" err)" 0 \
    "no progress bar is drawn without a terminal"

# --- --keep; smaller communicators -----------------------------------------
# With the default budget a busy machine leaves runs to the repeated command.
four="--repeat 1 --oversubscribe --keep kept --budget 10m"
LD_PRELOAD=$yield try_again $four -- "$MPIEXEC" -n 4 ./app
is $? 0 "--keep exits with 0"
[ "$tap_bad" = 0 ] || diag "$(cat out err)"
is "$(ls -A kept | tr '\n' ' ')$(left)" "results.db table.so " \
    "--keep keeps the table and the database"
is "$(sqlite3 kept/results.db "SELECT DISTINCT coll, msg_size, comm_size
    FROM cell JOIN run USING (cell_id) WHERE status = 'ok' ORDER BY 1" |
    tr '\n' ' ')" "allreduce|4096|2 bcast|8000|4 " \
    "exactly the traced points are measured, with their numbers of ranks"
runs=$(sqlite3 kept/results.db 'SELECT count(*) FROM run')
# Tables without a served call, and of a library that is much slower.
sqlite3 kept/results.db "UPDATE run_summary SET median = median / 1000 WHERE
    run_id IN (SELECT run_id FROM run JOIN cell USING (cell_id)
    WHERE provider = 'library'); UPDATE run SET validity = ''"
LD_PRELOAD=$yield try $four -- "$MPIEXEC" -n 4 ./app
is "$? $(grep -c 'changed no call' out) $(grep -c install out)" "0 1 0" \
    "try does not advise to install a table that changed no call"
sqlite3 kept/results.db "UPDATE run_summary SET median = median * 1000000 WHERE
    run_id IN (SELECT run_id FROM run JOIN cell USING (cell_id)
    WHERE provider = 'library')"
LD_PRELOAD=$yield try $four -- "$MPIEXEC" -n 4 ./app
is "$(tail -n 1 out)" "To install the table: chorale table install \
$work/kept/table.so" "the last line has the command to install the table"
eval "$(sed -n 's/^To install the table: chorale/"$chorale"/p' out)" \
    --folder "$work/site" >/dev/null 2>err
is $? 0 "that command installs the table"
CHORALE_SITE=$work/site try --repeat 1 -- "$MPIEXEC" -n 2 ./app
is "$?$(grep -c '^measuring' out)$(grep -c '^ran' out)" 002 \
    "an installed table is tried without measurement"
like "$(cat out)" "^table: $work/site/default/.*; --measure makes one" \
    "the use of an installed table is reported"
rm -r site
CHORALE_DISPATCH=$work/kept/table.so try --repeat 1 -- "$MPIEXEC" -n 2 ./app
is "$?$(grep -c '^measuring' out)" 00 \
    "the table of CHORALE_DISPATCH is tried without measurement"
LD_PRELOAD=$yield CHORALE_DISPATCH=$work/kept/table.so try $four -- \
    "$MPIEXEC" -n 4 ./app
is "$? $(sqlite3 kept/results.db 'SELECT count(*) FROM run')" "0 $runs" \
    "--keep again uses the kept measurements"
rm -r kept

# --- separating launcher and application
# ----------------------------------------
LD_PRELOAD=$yield try_again --repeat 1 --oversubscribe -- nice -n 4 "$MPIEXEC" -n 4 -- ./script
is $? 0 "a second -- says where the application begins"
like "$(cat err)" 'no single word of .* gives the number of ranks' \
    "a message states that two words could be the number of ranks"
like "$(cat out)" "with 'nice -n 4 $MPIEXEC -n 4'" "and neither is another one"
refused() { # status, text, arguments
    want=$1 text=$2
    shift 2
    try "$@"
    is $? "$want" "refused: $*"
    like "$(tail -n 1 err)" "$text" "the error gives the reason: $*"
    is "$(grep -c '^chorale: ' err)" 1 "the error is one line: $*"
}
refused 2 "ran 'app', which is no word of the command; .*second --" -- \
    "$MPIEXEC" -n 2 ./script
refused 2 "ran 'app', which is several words .*second --" -- "$MPIEXEC" -n 2 ./app ./app
timeout 60 "$MPIEXEC" -n 1 true : -n 1 true >out 2>&1
if [ $? -ne 139 ]; then # SIGSEGV (tests/bench/results/libraries.md)
    refused 2 "starts several programs" -- "$MPIEXEC" -n 1 ./app : -n 1 ./app
    refused 3 'on 1 connected ranks, but the application ran on 2' -- \
        "$MPIEXEC" -n 1 -- ./app : -n 1 ./app
else
    skip "$MPIEXEC itself crashes" "several programs are refused"
fi
refused 3 "does not start chorale-runner in the application's place: not that" \
    -- ./picky "$MPIEXEC" -n 2 ./app

# --- no calls to tune
# ----------------------------------------------------------
refused 4 'app makes no collective calls' -- "$MPIEXEC" -n 2 ./app none
refused 4 'calls its collectives on one rank' -- "$MPIEXEC" -n 1 ./app
try -- "$MPIEXEC" -n 2 ./app own
is $? 4 "an application with only its own operations exits with 4"
like "$(tail -n 1 err)" 'none of the collective calls of app can be measured' \
    "the error gives the reason"
refused 3 'left no trace' --measure -- true
is "$(left)" "" "refused commands leave no file"

# --- the budget, and Ctrl-C ----------------------------------------------------
try --repeat 1 --budget 1 -- "$MPIEXEC" -n 2 ./app sizes
status=$?
like "$(cat err)" 'traced points, .* are not measured: .*the budget' \
    "points beyond the budget are left out and reported"
[ $status = 0 ] ||
    grep -Eq 'no run ended in 1 s|disturbed all runs, so that nothing can' err
ok $? "the measured points are decided, if there was time"
[ "$tap_bad" = 0 ] || diag "$(cat out err)"
try --repeat 1 --budget 3 -- ./slow "$MPIEXEC" -n 2 ./app
like "$(cat err)" 'budget of 3 s is spent with [0-9]+ runs? left|no run ended in 3 s' \
    "a measurement that takes longer than planned is ended"
interrupted() { # further options
    timeout 900 "$chorale" try --budget 200 "$@" -- "$MPIEXEC" -n 2 ./app \
        sizes >out 2>err &
    pid=$!
    for _ in $(seq 1 3000); do
        runs=$(find . -name results.db -exec sqlite3 {} \
            'SELECT count(*) FROM run' \; 2>/dev/null)
        [ "${runs:-0}" -gt 0 ] && break
        sleep 0.1
    done
    kill -INT "$(pgrep -P $pid -f "chorale try" | head -n 1)"
    wait $pid
}
interrupted
is "$? $(left)" "75 " "stopped while it measures, it leaves nothing behind"
is "$(tail -n 1 err)" "chorale: try: stopped, and no results are kept; repeat \
the command, with --keep DIR to be able to continue after a stop" \
    "a message states how to begin again"
interrupted --keep kept
is "$? $(left)" "75 " "stopped with --keep"
like "$(tail -n 1 err)" "measurements are in $work/kept; repeat the command" \
    "it says where to go on"
[ -f kept/results.db ]
ok $? "interrupted try --keep keeps the measurements"
finish
