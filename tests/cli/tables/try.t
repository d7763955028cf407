#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# try.t - chorale try runs an application alternately with and without a table.
. "$(dirname "$0")/../../lib.sh"
: "${MPICC:=mpicc.mpich}"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
command -v "$MPICC" >/dev/null 2>&1 || skip_all "no $MPICC"
shim=$(cd "$top_builddir" && pwd)/.libs/libchorale_pmpi.so
[ -f "$shim" ] || skip_all "no shim"
nm -D "$shim" | grep -q '__[aut]*san_' &&
    skip_all "built with a sanitizer, which cannot be preloaded"
chorale=$(cd "$top_builddir" && pwd)/chorale
top=$(cd "$top_srcdir" && pwd)
unset CHORALE_AFTER CHORALE_DISPATCH CHORALE_SITE
cd "$work" || exit 99

cat >app.c <<'EOF'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* Twenty broadcasts. With "fail" a program with a table fails. With "odd", odd
 * runs wait longer than even ones. With another argument the program is slower with a table, on
 * every machine, however loaded it is: it waits until it has taken eight times
 * as long as the longest run without, which takes half a second at least. */
static void wait_for(double seconds, double since)
{
    while (MPI_Wtime() - since < seconds)
        usleep(10000);
}
static void be_slower(double since)
{
    const int with = getenv("CHORALE_DISPATCH") != NULL;
    FILE *file = fopen("longest", "r");
    double longest = 0.5;
    if (file != NULL) {
        if (fscanf(file, "%lf", &longest) != 1)
            longest = 0.5;
        fclose(file);
    }
    wait_for(with ? 8 * longest : 0.5, since);
    if (with || MPI_Wtime() - since < longest)
        return;
    file = fopen("longest", "w");
    fprintf(file, "%.3f\n", MPI_Wtime() - since);
    fclose(file);
}
static void be_odd(int rank, double since, double odd, double even)
{
    FILE *file = rank == 0 ? fopen("count", "a+") : NULL;

    if (file == NULL)
        return;
    fputc('x', file);
    wait_for(ftell(file) % 2 == 1 ? odd : even, since);
    fclose(file);
}
int main(int argc, char **argv)
{
    double x[10] = { 0 };
    double since;
    int rank;

    MPI_Init(&argc, &argv);
    since = MPI_Wtime();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20; i++)
        MPI_Bcast(x, 10, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (argc > 1 && strcmp(argv[1], "odd") == 0)
        be_odd(rank, since, atof(argv[2]), atof(argv[3]));
    else if (argc > 1 && strcmp(argv[1], "fail") != 0 && rank == 0)
        be_slower(since);
    if (rank == 0)
        puts(getenv("CHORALE_DISPATCH") != NULL ? "ran with" : "ran without");
    MPI_Finalize();
    return argc > 1 && strcmp(argv[1], "fail") == 0 &&
           getenv("CHORALE_DISPATCH") != NULL;
}
EOF
"$MPICC" -o app app.c || skip_all "$MPICC does not compile"
"$CC" -shared -fPIC -I"$top" -o table.so "$top/tests/shim/table.c" ||
    skip_all "no compiler for the table"

"$chorale" try table.so --repeat 2 -- "$MPIEXEC" -n 2 ./app >out 2>err
status=$?
[ $status -le 1 ]
ok $? "try exits with 0 or 1"
is "$(grep '^ran' out | tr '\n' ' ')" \
    "ran without ran with ran with ran without " \
        "runs with and without the table alternate, with their output"
ratio='(x[0-9.]+( faster|, slower)? \([0-9.]+ to|the runs differ too much)'
like "$(cat out)" "^program: +.* without, .* with: $ratio" \
    "the program's ratio has an interval"
like "$(cat out)" "^in collectives: .* without, .* with: $ratio" \
    "the ratio of time in collectives has an interval"
like "$(cat out)" 'bcast +80 B P = 2 +17 calls .* binomial:segsize=0$' \
    "choices of the table are listed"
is "$(ls)" "app
app.c
err
out
table.so" "no file remains"

"$chorale" try table.so --repeat 3 -- "$MPIEXEC" -n 2 ./app slow \
    >out 2>err
is $? 1 "try exits with 1 if the program is slower with the table"
like "$(tail -n 1 err)" 'slower with the table, as the 95 % interval' \
    "the message names the 95 % interval"
like "$(grep '^program:' out)" 'with: x0\.[0-9]+, slower \(' \
    "its row has the word slower"
"$chorale" try table.so --repeat 3 -- "$MPIEXEC" -n 1 ./app slow >out 2>err
is $? 0 "a program of whose calls it changed none is not slower by it"
like "$(grep '^program:' out)" 'with: x0\.[0-9]+ \(.*\), but not by the table$' \
    "a ratio without a changed call is not called faster or slower"
like "$(tr '\n' ' ' <out)" 'changed no call.*did not cause' \
    "the output states that the table changed no call"
"$chorale" try table.so --repeat 1 -- "$MPIEXEC" -n 1 ./app >out 2>err
is $? 0 "one pair judges nothing"
like "$(cat out)" 'One pair of runs gives no interval' \
    "the output states that one pair gives no interval"
like "$(cat out)" 'The table changed no call' "one rank is the library's"

# Each pair has an odd run and an even one, in turn without and with the table,
# so the interval contains 1.
"$chorale" try table.so --repeat 2 -- "$MPIEXEC" -n 2 ./app odd 3 0.1 \
    >out 2>err
is $? 0 "runs that differ too much give no verdict"
like "$(cat out)" '^program: .* with: the runs differ too much for a ratio$' \
    "their ratio is not printed"
like "$(cat out)" '^The runs differ too much: .*--repeat 8\.$' \
    "try proposes more pairs"
rm count
"$chorale" try table.so --repeat 4 -- "$MPIEXEC" -n 2 ./app odd 0.9 0.6 \
    >out 2>err
like "$(cat out)" '^program: .* with: x[0-9.]+ \(.*\), which may be chance$' \
    "a ratio that may be chance is not called faster or slower"
like "$(cat out)" '^The interval contains 1: .*--repeat 16\.$' \
    "--repeat is proposed to narrow the interval"
rm count

# Launchers: one whose ranks do not see each other, as if it belonged to another
# MPI library, and one that needs a list of variables and warns of unset ones.
cat >apart <<'EOF'
#!/bin/sh
for rank in 0 1; do
    OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 "$@" &
done
wait
EOF
cat >lister <<'EOF'
#!/bin/sh
for name in $(echo "$OMPI_MCA_mca_base_env_list" | tr ';' ' '); do
    eval "[ -n \"\${$name+set}\" ]" || echo "unset: $name" >>listed
    echo "$name" >>listed
done
exec "$@"
EOF
chmod +x apart lister
if "$MPICC" -show 2>/dev/null | grep -qi mpich; then
    for words in "table.so" "--measure"; do
        "$chorale" try $words -- ./apart ./app >out 2>err
        is $? 3 "$words: ranks that do not see each other exit with 3"
        like "$(tail -n 1 err)" "^chorale: ./apart: started 2 processes, but \
each is alone in MPI_COMM_WORLD; use the launcher .*mpiexec" \
            "$words: the message names the launcher to use"
    done
else
    skip "the library needs its launcher" "ranks that do not see each other"
fi
"$chorale" try table.so --repeat 1 -- ./lister "$MPIEXEC" -n 2 ./app >out 2>err
is "$(sort -u listed | tr '\n' ' ')" \
    "CHORALE_DISPATCH CHORALE_SITE CHORALE_TRACE LD_PRELOAD " \
    "only variables that are set are listed for Open MPI"
rm apart lister listed

# More ranks than processors.
cores=$(getconf _NPROCESSORS_ONLN)
if [ "$cores" -le 8 ]; then
    yield=$(cd "$top_builddir" && pwd)/tests/mpi/.libs/libyield.so
    set -- "$MPIEXEC" -n $((cores + 1)) ./app
    [ ! -f "$yield" ] || export LD_PRELOAD="$yield"
    for words in "table.so" "--measure"; do
        "$chorale" try $words -- "$@" >out 2>err
        is $? 2 "$words: more ranks than processors exit with 2"
        like "$(tail -n 1 err)" "$((cores + 1)) ranks on $cores processors are \
oversubscribed: .*use up to $cores, or --oversubscribe" \
            "$words: the message gives both numbers, and the option"
        is "$(grep -c '^ran' out)" 1 "$words: the program ran once"
    done
    "$chorale" try table.so --repeat 1 --oversubscribe -- "$@" >out 2>err
    is "$? $(grep -c 'are oversubscribed: measured' err)" "0 1" \
        "--oversubscribe continues after one line"
    unset LD_PRELOAD
else
    skip "it has $cores processors" "more ranks than processors"
fi

refused() { # status, text, arguments
    want=$1 text=$2
    shift 2
    "$chorale" try "$@" >out 2>err
    is $? "$want" "refused: $*"
    like "$(tail -n 1 err)" "$text" "the error gives the reason: $*"
    is "$(grep -c '^chorale: ' err)" 1 "the error is one line: $*"
}
refused 2 'name the program after --' table.so
refused 2 'name the program after --' table.so --
refused 2 'name the program after --' --
refused 3 'no program ./none' table.so -- ./none
refused 3 'left no trace' table.so -- true
refused 3 'run 1 of 6, without the table, ended with exit status 1; repair' \
    table.so -- false
refused 2 "no -- before the command '$MPIEXEC'; write .chorale try" \
    "$MPIEXEC" -n 2 ./app
refused 2 "no -- before the command '$MPIEXEC'; write .chorale try" \
    table.so --repeat 2 "$MPIEXEC" -n 2 ./app
"$chorale" try table.so -- "$MPIEXEC" -n 2 ./app fail >out 2>err
is $? 3 "a program that fails exits with 3"
like "$(tail -n 1 err)" 'run 2 of 6, with the table, ended with exit status 1; it ran without a table' \
    "the message names the run that failed"
refused 2 'require a database' table.so --system s -- ./app
is "$(ls -d chorale-try* none* 2>/dev/null)" "" \
    "refused commands leave no files"

# The table can be made from a database.
sh "$top/tests/cli/synth.sh" "$top/db/schema.sql" r.db ring "2 16" >/dev/null
"$chorale" decide r.db -q && "$chorale" try r.db --repeat 1 -- \
    "$MPIEXEC" -n 2 ./app >out 2>err
is $? 0 "try with a database exits with 0"
is "$(grep -c '^ran with$' out)$(ls -d r.db-* 2>/dev/null)" 1 \
    "the table of a database is compiled, used and removed"
finish
