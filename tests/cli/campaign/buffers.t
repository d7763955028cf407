#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# --buffers: positions of the data, checked by the addresses with which the
# library is called.
. "$(dirname "$0")/../../lib.sh"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
"$chorale" --version | grep -q sanitizer=no ||
    skip_all "built with a sanitizer, which must come first"
cd "$work" || exit 99
cat >where.c <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *seen[4096];
static int nseen;
static long again, calls;
int PMPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    static void *last;
    int (*real)(void *, int, MPI_Datatype, int, MPI_Comm), i = 0;
    int size;

    *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Bcast");
    /* Only what is measured: not how the ranks agree on their nodes. */
    PMPI_Type_size(type, &size);
    if (count * size < 65536)
        return real(buf, count, type, root, comm);
    while (i < nseen && seen[i] != buf)
        i++;
    if (i == nseen && nseen < 4096)
        seen[nseen++] = buf;
    calls++;
    again += buf == last;
    last = buf;
    return real(buf, count, type, root, comm);
}
int MPI_Finalize(void)
{
    int (*real)(void), rank;
    FILE *out = fopen(getenv("WHERE"), "a");

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (out != NULL && rank == 1)
        fprintf(out, "%d %ld %ld\n", nseen, again, calls);
    if (out != NULL)
        fclose(out);
    *(void **)&real = dlsym(RTLD_NEXT, "MPI_Finalize");
    return real();
}
EOF
"${MPICC:-mpicc.mpich}" -Wall -Werror -shared -fPIC -o where.so where.c -ldl
ok $? "the preload that records addresses is compiled"

for policy in warm rotate cold auto; do
    cmd="$MPIEXEC -n {P} env WHERE=$work/$policy.txt LD_PRELOAD=$work/where.so"
    "$chorale" plan $policy.db -P 2 -c bcast -m 64K --providers library -q \
        --batch 1 -i 12 --min-iterations 12 --launches 1 --launcher-cmd "$cmd" \
        $([ $policy = auto ] || echo --buffers $policy)
    timeout 900 "$chorale" run $policy.db -q --launcher-cmd "$cmd" 2>err.txt
    ok $? "a campaign with buffers $policy runs"
    is "$(sqlite3 $policy.db "SELECT DISTINCT buffers FROM cell")" \
        "$(echo $policy | sed s/auto/rotate/)" \
            "cells of $policy store the buffer policy"
done
is "$(cut -d' ' -f1 warm.txt cold.txt | paste -sd , -)" 1,1 \
    "warm and cold buffers stay at one address"
# Verification uses the first copy; each repetition uses another one.
is "$(awk '{ print ($1 > 10) }' rotate.txt auto.txt | paste -sd , -)" 1,1 \
    "rotated buffers (default at 64 KiB): $(cut -d' ' -f1 rotate.txt) places"
is "$(awk '{ print ($2 < $3 / 2) }' rotate.txt)" 1 \
    "rotated buffers change after each repetition"
"$chorale" plan small.db -P 2 -c bcast -m 8 -q
is "$(sqlite3 small.db "SELECT DISTINCT buffers FROM cell")" warm \
    "below 64 KiB the default is warm"
finish
