#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Tests with Debian's other MPI library. Chorale is built for Open MPI in
# another folder, and the tests of real measurements and of native algorithms
# run there. Further tests are for features of that library only: algorithms
# that a communicator captures, and that delegate calls to others.
. "$(dirname "$0")/../../lib.sh"
for program in mpicc.openmpi mpiexec.openmpi make; do
    command -v $program >/dev/null 2>&1 || skip_all "no $program"
done
[ ! -f "$top_srcdir/config.status" ] ||
    skip_all "the sources are configured, so no other folder can be"
! "$top_builddir/chorale-runner" --probe | grep -q '^Open MPI' ||
    skip_all "this build uses Open MPI, and its list has these tests"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # since 5.0
unset MAKEFLAGS MFLAGS MAKELEVEL
build=$work/build
mkdir "$build"
(cd "$build" && "$top_srcdir/configure" -q --without-simgrid \
    --without-papi --without-hwloc CC="$CC" CFLAGS=-O0 \
    MPICC=mpicc.openmpi MPIEXEC=mpiexec.openmpi &&
    make generated &&
    make -j2 chorale chorale-runner chorale-selects \
        libchorale_pmpi.la libchorale.la) \
    >"$work/make.log" 2>&1
ok $? "Chorale builds with Open MPI"
[ -x "$build/chorale-runner" ] || {
    diag "$(tail -n 20 "$work/make.log")"
    finish
}
like "$("$build/chorale-runner" --probe)" '^Open MPI' \
    "the runner reports Open MPI"
MPIEXEC=mpiexec.openmpi
MPICC=mpicc.openmpi
export MPIEXEC MPICC CC top_srcdir
# Two random tables are enough for hpcc.t here; scalapack.t has eight.
SEEDS="1 2"
export SEEDS
for test in cli/campaign/native cli/campaign/han cli/campaign/environment \
    cli/campaign/bind \
    cli/tables/generate_ompi cli/tables/generate_nodes shim/fortran shim/hpcc \
    shim/shim shim/calls shim/program_exit shim/other_libraries \
    shim/semantics shim/table_guards shim/ppn shim/libchorale \
    shim/comm_limits shim/other_names shim/wrong_calls; do
    log=$work/${test##*/}.log
    top_builddir=$build sh "$top_srcdir/tests/$test.t" >"$log" 2>&1
    status=$?
    # A test skipped as a whole, without a compiler or program, is reported so.
    held=$(grep '^ok' "$log" | grep -vc '# SKIP')
    if [ $status -eq 0 ] && [ "$held" -eq 0 ]; then
        skip "$(sed -n 's/.*# SKIP //p' "$log" | head -n 1)" "$test.t"
        continue
    fi
    ok $status "$test.t: $held checks pass with Open MPI"
    [ $status -eq 0 ] || diag "$(grep -v '^ok' "$log" | head -n 60)"
done

cd "$work" || exit 99
chorale=$build/chorale
CHORALE_DATADIR=$top_srcdir/plots timeout 900 "$chorale" tune t.db -c bcast \
    -P 2 -m 64,8K --launches 4 -i 15 --cell-time 0.02 >out.txt 2>err.txt
rc=$?
[ $rc -le 1 ] && [ -s t-dispatch.c ] && [ "$(sqlite3 t.db \
    "SELECT sum(planned) = sum(done) FROM v_progress")" = 1 ] &&
    [ "$(sqlite3 t.db "SELECT count(*) FROM validation")" -gt 0 ]
ok $? "tune measures, decides, writes and validates a table of bcast"
[ $rc -le 1 ] || diag "$(cat out.txt err.txt)"
state() { # database, collective, variant, msg_size
    sqlite3 "$1" "SELECT group_concat(DISTINCT status || ' ' || reason)
        FROM run JOIN cell USING (cell_id) WHERE coll = '$2'
        AND variant = '$3' AND msg_size = $4 AND provider = 'native'"
}
all="allreduce:ring,allreduce:rabenseifner,allreduce:segmented_ring"
all="$all,bcast:scatter_allgather,allgather:recursive_doubling"
all="$all,allgather:neighbor,allgather:bruck"
"$chorale" plan f.db --providers native,library --variants "$all" -q \
    -c allreduce,bcast,allgather --type double -m 8,64 -P 3 --launches 1 \
    -i 5 --batch 1 2>err.txt
timeout 900 "$chorale" run f.db -q 2>err.txt || diag "$(cat err.txt)"
for point in allreduce:ring allreduce:rabenseifner bcast:scatter_allgather; do
    coll=${point%:*} name=${point#*:}
    like "$(state f.db $coll $name 8)" \
        '^inapplicable the library runs [a-z ]+: fewer elements' \
        "$coll $name of one element: inapplicable: $(state f.db $coll $name 8)"
    is "$(state f.db $coll $name 64)" "ok " \
        "$coll $name of eight elements at P = 3 is measured"
done
for name in recursive_doubling neighbor; do
    like "$(state f.db allgather $name 64)" '^inapplicable the library runs ' \
        "allgather $name, P = 3, inapplicable: $(state f.db allgather $name 64)"
done
is "$(state f.db allgather bruck 64)" "ok " \
    "allgather bruck runs at any number of ranks"
like "$(state f.db allreduce segmented_ring 64)" 'segmentsize' \
    "a segmented ring without segments is inapplicable"

# Siblings: each communicator captures the forced algorithm for itself. If it
# were captured for all ranks, four ranks would overrun buffers for two.
"$chorale" plan s.db --providers native,library -q -c allgather,alltoall \
    --variants allgather:ring,alltoall:pairwise -m 4K -P 2 --siblings 2 \
    --launches 1 -i 5 --batch 1 2>err.txt
timeout 900 "$chorale" run s.db -q 2>err.txt
ok $? "two simultaneous communicators exit with 0: $(cat err.txt)"
is "$(state s.db allgather ring 4096) $(state s.db alltoall pairwise 4096)" \
    "ok  ok " "the forced algorithms are right in each communicator"

# Comparison of two libraries, each with its own build and launcher.
if [ "$build" = "$top_builddir" ]; then
    skip "this build is for Open MPI too" "ab of two libraries"
else
    (
        unset CHORALE_MPIEXEC
        timeout 900 "$top_builddir/chorale" ab --base this \
            --head "build:$chorale" -P 2 -m 8 -c bcast --variants linear \
            --launches 2 -i 3 --fail-on none two
    ) >ab.txt 2>&1
    ok $? "ab of two libraries exits with 0"
    like "$(cat ab.txt)" 'two MPI libraries: MPICH .* in base, Open MPI' \
        "the comparison names both libraries"
    is "$(for side in base head; do
        sqlite3 two-$side.db "SELECT DISTINCT count(*) FROM run JOIN cell
            USING (cell_id) WHERE status = 'ok' GROUP BY cell_id"
    done | tr '\n' ' ')" "2 2 " "each cell has two launches on both sides"
    is "$(sqlite3 two-head.db "ATTACH 'two-base.db' AS b;
        SELECT count(*) > 0 FROM environment h JOIN b.environment a USING (key)
        WHERE key = 'mpi_library' AND h.value <> a.value")" 1 \
        "the sides have different libraries"
fi
finish
