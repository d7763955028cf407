#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Provider native in simulation: each of SimGrid's algorithms is forced in a
# launch of its own. Wrong ones are never timed, ones that end the program lose
# no other cell, and times below the physical floor are invalid.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"

cd "$work" || exit 99
mkdir tmp
TMPDIR=$work/tmp
export TMPDIR
platform flat.xml 0.5 1250000000 16
plan() { # database, options of plan...
    db=$1
    shift
    "$chorale" plan "$db" -q --launcher smpirun --platform flat.xml \
        --network loggp "$@"
}

# SimGrid lists its algorithms.
"$chorale" list --simulated >natives.txt
ok $? "list --simulated lists SimGrid's algorithms"
sed -i '/^$/,$d' natives.txt
is "$(grep -cvE '^[a-z_]+ +[A-Za-z0-9_]+$' natives.txt)" 0 \
    "each line is a collective and a name"
is "$(grep -E ' (mpich|ompi|mvapich2|impi|automatic)$' natives.txt)" "" \
    "selectors are not listed"
is "$(sort natives.txt | uniq -d)" "" "no name is listed twice"
for name in "bcast +flattree" "allreduce +rdb" "alltoall +pair_rma"; do
    grep -qxE "$name" natives.txt
    ok $? "$name is listed"
done
is "$("$chorale" list --simulated bcast | grep -c '^bcast ')" \
    "$(grep -c '^bcast ' natives.txt)" "list can be limited to one collective"

# All algorithms of two collectives, with Chorale's equal variants.
both="bcast:linear,allreduce:recursive_doubling"
names=$(sed -nE 's/^(bcast|allreduce) +/\1:/p' natives.txt | paste -sd , -)
plan n.db -c bcast,allreduce -m 8,10001 -P 8 --root first \
    --providers chorale,native,library --variants "$both,$names"
ok $? "all are planned"
is "$(sqlite3 n.db "SELECT count(*) FROM cell WHERE provider = 'native'
    AND part = coll || ':' || variant")" \
    "$(($(grep -cE '^(bcast|allreduce) ' natives.txt) * 2))" \
    "each has a part of its own at each point"
is "$(sqlite3 n.db "SELECT count(*) FROM cell WHERE provider <> 'native'
    AND part <> ''")" 0 "other providers are measured together"
timeout 3000 "$chorale" run n.db -q 2>err.txt
is "$? $(cat err.txt)" "0 " "run exits with 0 without errors"
is "$(sqlite3 n.db "SELECT sum(planned) = sum(done) FROM v_progress")" 1 \
    "all planned runs are done"
is "$(sqlite3 n.db "SELECT count(*) FROM run JOIN cell c USING (cell_id)
    JOIN launch l USING (launch_id) WHERE c.part <> l.part")" 0 \
    "no cell is in a launch of another part"
is "$(sqlite3 n.db "SELECT count(*) FROM run r LEFT JOIN run_summary s
    USING (run_id) WHERE (r.status = 'ok') <> (s.run_id IS NOT NULL)
    OR (r.status <> 'ok' AND r.reason = '')")" 0 \
    "each cell has times, or a reason for having none"
is "$(sqlite3 n.db "SELECT count(DISTINCT run.run_id) FROM run
    JOIN sample USING (run_id) WHERE status <> 'ok'")" 0 \
    "runs that are not ok have no samples"

# Forcing works: the same algorithm takes the same time as Chorale's.
for pair in "flattree linear" "rdb recursive_doubling"; do
    # shellcheck disable=SC2086
    set -- $pair
    is "$(sqlite3 n.db "SELECT count(*) || ' ' ||
        max(abs(s.seconds / t.seconds - 1) < 1e-6) FROM v_summary s
        JOIN v_summary t USING (coll, msg_size)
        WHERE s.variant = '$1' AND s.provider = 'native'
          AND t.variant = '$2' AND t.provider = 'chorale'")" "2 1" \
        "SimGrid's $1 takes as long as Chorale's $2"
done
is "$(sqlite3 n.db "SELECT count(DISTINCT printf('%.9g', seconds)) > 8
    FROM v_summary WHERE provider = 'native' AND coll = 'bcast'
    AND msg_size = 10001")" 1 "forced algorithms take different times"
is "$(sqlite3 n.db "SELECT count(*) FROM v_summary s LEFT JOIN v_speedup u
    USING (cell_id) JOIN v_summary b ON b.provider = 'library'
    AND b.coll = s.coll AND b.msg_size = s.msg_size
    WHERE u.speedup IS NULL OR u.speedup_lo IS NULL
       OR abs(u.speedup * s.seconds / b.seconds - 1) > 1e-9")" 0 \
    "each is compared with the library's time from another launch"

# Wrong data: never timed, never best.
invalid() { # database, collective, algorithm, its msg_size or all
    is "$(sqlite3 "$1" "SELECT group_concat(DISTINCT status || ' ' ||
        (reason LIKE 'wrong %')) FROM run JOIN cell USING (cell_id)
        WHERE coll = '$2' AND variant = '$3' AND ('$4' = 'all'
        OR msg_size = '$4')")" \
        "invalid 1" "$2 $3, $4: wrong data are found before timing"
}
invalid n.db bcast SMP_linear all # with one rank per host
invalid n.db bcast flattree_pipeline 10001 # size not a multiple of the segment
invalid n.db allreduce smp_rsag 8
invalid n.db allreduce smp_rsag_lr 8 # fewer elements than ranks
invalid n.db allreduce smp_rsag_rab 8
is "$(sqlite3 n.db "SELECT DISTINCT status FROM run JOIN cell USING (cell_id)
    WHERE variant = 'flattree_pipeline' AND msg_size = 8")" ok \
    "flattree_pipeline is measured where it is right"
plan w.db -c alltoall,reduce_scatter -m 64,3001 -P 7,8 --root first \
    --providers native \
    --variants pair_rma,ompi_basic_recursivehalving,ompi_ring,pair
timeout 3000 "$chorale" run w.db -q
ok $? "a campaign with wrong algorithms exits with 0"
is "$(sqlite3 w.db "SELECT group_concat(DISTINCT status) FROM run
    JOIN cell USING (cell_id) WHERE variant = 'pair_rma' AND comm_size = 8")" \
    invalid "alltoall pair_rma is invalid"
is "$(sqlite3 w.db "SELECT group_concat(DISTINCT status) FROM run JOIN cell
    USING (cell_id) WHERE variant = 'ompi_basic_recursivehalving'
    AND comm_size = 8")" invalid \
    "reduce_scatter ompi_basic_recursivehalving is invalid with an empty block"
is "$(sqlite3 w.db "SELECT count(*) FROM run JOIN cell USING (cell_id)
    WHERE variant IN ('default', 'ompi_ring') AND status <> 'ok'")" 0 \
    "the others at that point are measured"

# Algorithms that end the program are tried twice; no other cell is lost.
is "$(sqlite3 n.db "SELECT DISTINCT status || ' ' ||
    (reason LIKE 'it ended the program: %') FROM run JOIN cell USING (cell_id)
    WHERE variant = 'arrival_scatter'")" "failed 1" \
    "bcast arrival_scatter fails because it ends the program"
is "$(sqlite3 n.db "SELECT count(*) FROM launch WHERE part =
    'bcast:arrival_scatter'")" 2 "bcast arrival_scatter is started twice"
is "$(sqlite3 w.db "SELECT group_concat(DISTINCT comm_size || status || (reason
    LIKE 'it ended the program: %power of two%')) FROM (SELECT * FROM cell
    ORDER BY comm_size) JOIN run USING (cell_id) WHERE variant = 'pair'")" \
    "7failed1,8ok0" \
        "alltoall pair ends the program with 7 ranks, and its message is stored"

# Below the physical floor: here messages are slow, except those of SimGrid's
# own collectives.
cat >slow.c <<'EOT'
#define _GNU_SOURCE
#include <dlfcn.h>
void sg_actor_sleep_for(double seconds) __attribute__((weak));
int PMPI_Send(const void *buf, int count, void *type, int dest, int tag,
              void *comm)
{
    int (*real)(const void *, int, void *, int, int, void *);

    *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Send");
    sg_actor_sleep_for(1e-3);
    return real(buf, count, type, dest, tag, comm);
}
EOT
$CC -shared -fPIC -o slow.so slow.c -ldl
plan f.db -c bcast -m 1K -P 4 --root first --variants linear,flattree \
    --providers chorale,native,library
LD_PRELOAD=$work/slow.so timeout 3000 "$chorale" run f.db -q
ok $? "a campaign with slow messages exits with 0"
is "$(sqlite3 f.db "SELECT group_concat(DISTINCT provider || ' ' || status ||
    ' ' || (reason LIKE 'below the physical floor%'))
    FROM (SELECT * FROM cell ORDER BY provider) JOIN run USING (cell_id)")" \
    "chorale ok 0,library invalid 1,native invalid 1" \
    "faster collectives are below the physical floor"
is "$(sqlite3 f.db "SELECT count(*) FROM sample JOIN run USING (run_id)
    WHERE status <> 'ok'")" 0 "times below the floor are not stored"

# Invalid requests.
plan n.db -c bcast -m 8 -P 8 --providers native --variants no_such 2>err.txt
is "$? $(grep -c 'no_such.*list --simulated' err.txt)" "2 1" \
    "an unknown algorithm is refused"
plan n.db -c scan -m 8 -P 8 --providers native 2>err.txt
is "$? $(grep -c 'no algorithm that can be forced' err.txt)" "3 1" \
    "so is a collective of which it has only one"
plan n.db -c bcast -m 8 -P 8 --providers native --arrival last 2>err.txt
is "$? $(grep -c 'arrival sync' err.txt)" "2 1" \
    "late ranks are refused"
for part in 'bcast:x --cfg=contexts/nthreads:9' 'frob:x' 'bcast:' ':'; do
    cp f.db h.db
    sqlite3 h.db "INSERT INTO cell (uuid, campaign_id, system_id, provider,
        variant, coll, msg_size, n, comm_size, ppn, shape, dtype, root_policy,
        buffers, launches, part) SELECT 'h', campaign_id, system_id, 'native',
        'h', coll, msg_size, n, comm_size, ppn, shape, dtype, root_policy,
        buffers, launches, '$part' FROM cell WHERE coll = 'bcast' LIMIT 1"
    "$chorale" run h.db -q 2>err.txt
    is "$? $(grep -c 'have the part .*another' err.txt) $(wc -l <err.txt)" "4 1 1" \
        "a database with the part '$part' is refused"
done
is "$(ls -A tmp)" "" "no file remains in TMPDIR"
finish
