#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# try.t - `chorale try` without a table on several Slurm nodes: the
# application's own srun starts the measurement with the application's
# placement, and with fewer ranks for smaller communicators.
# Each node has its own /dev/shm, so shared files must be elsewhere.
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
#include <stdlib.h>
int main(int argc, char **argv)
{
    static double x[4096];
    const int all = argc > 1 ? atoi(argv[1]) : 20;
    const int pairs = argc > 2 ? atoi(argv[2]) : 20;
    MPI_Comm pair;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
    for (int i = 0; i < all; i++)
        MPI_Bcast(x, 1000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < pairs; i++)
        MPI_Bcast(x, 4000, MPI_DOUBLE, 0, pair);
    MPI_Comm_free(&pair);
    MPI_Finalize();
    return 0;
}
EOF
"$MPICC" -o app app.c || skip_all "$MPICC does not compile"
# The library's broadcasts take 5 ms more, so that variants are faster, whichever
# MPI library and machine it is.
cat >slow.c <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <time.h>
int PMPI_Bcast(void *x, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    const struct timespec t = { 0, 5000000 };
    int (*real)(void *, int, MPI_Datatype, int, MPI_Comm);

    *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Bcast");
    nanosleep(&t, NULL);
    return real(x, n, type, root, comm);
}
int MPI_Bcast(void *x, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    return PMPI_Bcast(x, n, type, root, comm);
}
EOF
"$MPICC" -shared -fPIC -o slow.so slow.c -ldl ||
    skip_all "$MPICC does not make a library"

trap 'cluster_down; chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
cluster_begin
# Launches beside other programs confirm no choice, so the load is a fake.
mkdir -p root/proc
echo '0.01 0.00 0.00 1/100 1234' >root/proc/loadavg
CHORALE_SYSROOT=$work/root
export CHORALE_SYSROOT
# MPI_Finalize of MPICH 4.2.1 fails at times (tests/bench/results/libraries.md).
# Then the same is tried again.
try_app() { # preload, folder to keep, budget, words of the application: in $rc
    for _ in 1 2 3 4 5 6 7 8; do
        rm -rf "$2"
        # shellcheck disable=SC2086
        LD_PRELOAD="$1 $yield" on_head timeout 1200 "$chorale" try --repeat 1 \
            --budget "$3" --keep "$2" -- srun -N 2 -n 4 --mpi=pmi2 \
            --overcommit ./app $4 >out.txt 2>err.txt
        rc=$?
        grep -q 'MPIDI_UCX_mpi_finalize_hook' err.txt || break
    done
}
try_app "$work/slow.so" kept 120 ""
is $rc 0 "an application on two nodes of Slurm is traced, measured and tried"
[ "$tap_bad" = 0 ] || diag "$(cat out.txt err.txt)"
like "$(cat out.txt)" "'srun -N 2 -n \{P\} --mpi=pmi2 --overcommit'" \
    "the application's srun starts the runner"
# On a busy machine the budget suffices for the world communicator only.
pairs='32000|2|2|single-node '
! grep -q '^chorale: 1 of 2 traced points, .* are not measured' err.txt ||
    pairs=
is "$(sqlite3 kept/results.db "SELECT DISTINCT msg_size, comm_size, ppn, shape
    FROM cell JOIN run USING (cell_id) WHERE status = 'ok'
    ORDER BY comm_size" | tr '\n' ' ')" \
    "${pairs}8000|4|2|block " \
    "all ranks and the pairs, on the nodes that the application has them on"
like "$(cat err.txt)" "'srun -N 2 .*' places fewer ranks differently than" \
    "a message states that srun puts a pair on two nodes"
like "$(cat out.txt)" "^To install the table: chorale table install" \
    "try prints how to install the table"

# A budget for one point: the pairs' point takes longest, but cannot be started
# alone.
try_app "" less 1 "2 2000"
is "$(sqlite3 less/results.db "SELECT DISTINCT comm_size FROM cell")" 4 \
    "with a budget for one point, the world's is measured"
like "$(cat err.txt)" "1 of 2 traced points, .* are not measured" \
    "try reports the point that it leaves out"

try_app "" pairs 9 "0 20"
is $rc 4 "an application with collectives on pairs only exits with 4"
like "$(cat err.txt)" \
    "1 traced point of fewer than 4 ranks: no planned point has all ranks" \
    "the error gives the reason"
finish
