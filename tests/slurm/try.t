#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# try.t - `chorale try` without a table on several nodes of a Slurm: what it
# measures is started by the application's own srun, placed as the application
# is, with fewer ranks for smaller communicators.
# Each node has a /dev/shm of its own: nothing that they share may lie there.
case ${TMPDIR-} in /dev/shm*) TMPDIR=/tmp && export TMPDIR ;; esac
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
cluster_wanted
: "${MPICC:=mpicc.mpich}"
command -v "$MPICC" >/dev/null 2>&1 || skip_all "no $MPICC"
chorale=$(cd "$top_builddir" && pwd)/chorale
"$chorale" --version | grep -q 'sanitizer=no' ||
    skip_all "built with a sanitizer, which cannot be preloaded"
yield=$(cd "$top_builddir" && pwd)/tests/mpi/.libs/libyield.so
unset CHORALE_AFTER CHORALE_DISPATCH CHORALE_SITE
cd "$work" || exit 99
cat >app.c <<'EOF'
#include <mpi.h>
int main(int argc, char **argv)
{
    static double x[4096];
    MPI_Comm pair;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
    for (int i = 0; i < 20; i++)
        MPI_Bcast(x, 1000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 20; i++)
        MPI_Bcast(x, 4000, MPI_DOUBLE, 0, pair);
    MPI_Comm_free(&pair);
    MPI_Finalize();
    return 0;
}
EOF
"$MPICC" -o app app.c || skip_all "$MPICC does not compile"

trap 'cluster_down; chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
cluster_begin
LD_PRELOAD=$yield on_head timeout 300 "$chorale" try --repeat 1 --budget 40 \
    --keep kept -- srun -N 2 -n 4 --mpi=pmi2 --overcommit ./app \
    >out.txt 2>err.txt
is $? 0 "an application on two nodes of Slurm is traced, measured and tried"
[ "$tap_bad" = 0 ] || diag "$(cat out.txt err.txt)"
like "$(cat out.txt)" "'srun -N 2 -n \{P\} --mpi=pmi2 --overcommit'" \
    "its own srun starts what measures"
is "$(sqlite3 kept/results.db "SELECT DISTINCT msg_size, comm_size, ppn, shape
    FROM cell JOIN run USING (cell_id) WHERE status = 'ok'
    ORDER BY comm_size" | tr '\n' ' ')" \
    "32000|2|2|single-node 8000|4|2|block " \
    "all ranks and the pairs, on the nodes that the application has them on"
like "$(tail -n 1 out.txt)" "^To install the table: chorale table install" \
    "and it says how to install the table"
finish
