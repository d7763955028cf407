#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Counters: Chorale's own events equal what the algorithms do; PAPI events are
# read from a fake PAPI (two counters, a network card, an energy meter); unknown
# events are reported; other PAPI tools still work.
. "$(dirname "$0")/../../lib.sh"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
cd "$work" || exit 99

count_of() { # database, provider, variant, event
    sqlite3 "$1" "SELECT group_concat(DISTINCT CASE WHEN k.value IS NULL
        THEN 'absent' ELSE printf('%.6g', k.value) END) FROM cell c JOIN run r USING (cell_id) JOIN counter k USING (run_id)
        WHERE provider = '$2' AND variant = '$3' AND event = '$4'
        AND params IN ('', 'segsize=0') AND coll = '${5:-bcast}'"
}
lines() { # pattern, file
    grep -c -- "$1" "$2"
}

# In simulation, with any number of ranks.
own=sde:::chorale
if [ -x "$top_builddir/chorale-runner-sim" ]; then
    platform flat.xml 0.5 1250000000 8
    "$chorale" plan s.db -q --launcher smpirun --platform flat.xml -P 8 \
        -m 1K -c bcast,allreduce,barrier --root first --network hockney \
        --variants linear,binomial,chain,ring,recursive_doubling,dissemination \
        --charge-tau 0 --counters $own::rounds,$own::messages,PAPI_TOT_CYC
    timeout 900 "$chorale" run s.db -q 2>sim.txt
    ok $? "a simulated campaign with counters runs"
    is "$(lines 'PAPI_TOT_CYC.*simulated.*stored as absent' sim.txt)" 1 \
        "an event that simulated ranks lack is reported once"
    is "$(wc -l <sim.txt)" 1 "no other message is printed"
    is "$(count_of s.db chorale binomial chorale::rounds)" 3 \
        "a binomial tree of 8 has three rounds"
    is "$(count_of s.db chorale linear chorale::rounds)" 7 \
        "a linear broadcast to 8 has seven rounds"
    is "$(count_of s.db chorale recursive_doubling chorale::rounds allreduce)" \
        3 "recursive doubling of 8 has three rounds"
    is "$(count_of s.db chorale dissemination chorale::rounds barrier)" 3 \
        "a dissemination barrier of 8 has three rounds"
    is "$(count_of s.db chorale ring chorale::rounds allreduce)" 14 \
        "a ring allreduce has 2 (P - 1) rounds"
    is "$(sqlite3 s.db "SELECT count(*) FROM counter a JOIN counter b
        ON b.run_id = a.run_id AND a.event = 'sde:::' || b.event
        WHERE a.value IS NOT b.value")" 0 \
            "events requested by PAPI's names have the same values"
    # All ranks but the root wait from the start until their message arrives.
    # The root sends seven messages, one after the other. The sum of waits is at
    # most the duration times the ranks, and at least the wait of the last rank.
    is "$(sqlite3 s.db "SELECT count(*) FROM counter JOIN run USING (run_id)
        JOIN run_summary USING (run_id) JOIN cell USING (cell_id)
        WHERE coll = 'bcast' AND variant IN ('linear', 'binomial')
        AND event = 'chorale::wait_ns' AND params IN ('', 'segsize=0')
        AND value BETWEEN 0.99e9 * median AND 8.01e9 * median")" 2 \
        "the sum of all waits is between one and eight durations"
else
    skip "built without SimGrid" "events of simulated ranks"
fi

# On real MPI.
real="-P 2 -m 4K -c bcast --root first -i 5 -q --variants binomial,linear"
"$chorale" plan r.db $real --launches 2
timeout 900 "$chorale" run r.db -q 2>err.txt
ok $? "a campaign without counters runs"
is "$(wc -l <err.txt)" 0 "a campaign without counters prints no message"
is "$(sqlite3 r.db "SELECT count(*) FROM (SELECT run_id FROM counter
    GROUP BY run_id HAVING group_concat(event) LIKE '%bytes_reduced%'
    AND count(*) = 5)")" "$(sqlite3 r.db "SELECT count(*) FROM run
    JOIN cell USING (cell_id) WHERE provider = 'chorale'")" \
        "Chorale's five events are stored with each run"
is "$(count_of r.db chorale binomial chorale::rounds)" 1 \
    "a binomial broadcast to 2 has one round"
is "$(sqlite3 r.db "SELECT count(*) FROM counter
    WHERE event = 'chorale::wait_ns' AND NOT value > 0")" 0 "somebody waited"
# The statement that runners/MEASURING.md shows.
is "$(sqlite3 r.db "SELECT DISTINCT c.variant, b.value / m.value
    FROM cell c JOIN run r USING (cell_id)
    JOIN counter b ON b.run_id = r.run_id AND b.event = 'chorale::bytes_sent'
    JOIN counter m ON m.run_id = r.run_id AND m.event = 'chorale::messages'
    WHERE c.variant = 'binomial' AND params IN ('', 'segsize=0')")" \
    "binomial|4096.0" \
    "README's SELECT prints bytes per message"

bad_list() { # list, name
    "$chorale" plan b.db $real --counters "$1" 2>err.txt
    is $? 2 "$2 is refused"
    like "$(cat err.txt)" '^chorale: --counters.*(papi_native_avail|fewer)' \
        "$2: the error is one line"
}
bad_list 'PAPI_TOT_CYC,,x' "an empty name"
bad_list 'PAPI_TOT CYC' "a blank"
bad_list "$(printf 'x%.0s' $(seq 5000))" "an overlong list"

"$chorale" --version | grep -q papi=yes || {
    skip "built without PAPI" "events of PAPI"
    finish
}
"$chorale" --version | grep -q sanitizer=no || {
    skip "built with a sanitizer, which must come first" "events of PAPI"
    finish
}
"$chorale" plan n.db $real --launches 1 \
    --counters PAPI_NOPE,nothing:::x,$own::rounds 2>err.txt
ok $? "events unknown on this machine are accepted, nodes may have them"
is "$(lines 'on this machine: PAPI_NOPE: PAPI has no preset' err.txt)" 1 \
    "plan names a preset that PAPI does not know"
is "$(lines 'on this machine: nothing:::x: PAPI has no component' err.txt)" 1 \
    "plan names a component that is missing here"
is "$(lines $own err.txt)" 0 "plan accepts Chorale's own events"
if command -v papi_native_avail >/dev/null 2>&1; then
    papi_native_avail -sde "$top_builddir/.libs/libchorale_events.so" \
        >listed.txt
    is "$(grep -o "$own::[a-z_]*" listed.txt | sort | tr '\n' ' ')" \
        "$own::bytes_reduced $own::bytes_sent $own::messages $own::rounds $own::wait_ns " \
        "papi_native_avail lists Chorale's events"
    is "$(lines 'bytes of payload sent' listed.txt)" 1 \
        "papi_native_avail describes Chorale's events"
else
    skip "no papi_native_avail" "papi_native_avail lists Chorale's events"
fi
here=$top_srcdir/tests/cli/campaign
"${MPICC:-mpicc.mpich}" -Wall -Werror -shared -fPIC -o fake.so \
    "$here/fakepapi.c" -ldl &&
    "${MPICC:-mpicc.mpich}" -Wall -Werror -shared -fPIC -o tool.so \
        "$here/papitool.c" -lpapi
ok $? "the fake PAPI and a tool are compiled"

with() { # environment...: print a launcher with it and the fake PAPI
    echo "$MPIEXEC -n {P} env LD_PRELOAD=$work/fake.so $*"
}
events=PAPI_TOT_CYC,PAPI_TOT_INS,PAPI_L1_DCM,net:::eth0:tx:bytes
events=$events,meter:::ENERGY,infiniband:::mlx5_0:x,frob::nic,rocm:::y
events=$events,$own::messages
cmd=$(with FAKE_PAPI_LOG="$work/log")
"$chorale" plan f.db $real --launches 2 --counters "$events" \
    --launcher-cmd "$cmd"
timeout 900 "$chorale" run f.db -q --launcher-cmd "$cmd" 2>err.txt
ok $? "a campaign with events of all kinds runs"
diag "$(cat err.txt)"
is "$(lines 'counter .*stored as absent' err.txt)" 3 \
    "three missing events are reported once for both launches"
like "$(cat err.txt)" 'counter infiniband:::mlx5_0:x .*infiniband is disabled: no such card' \
    "an event of a disabled component is reported"
like "$(cat err.txt)" 'counter rocm:::y .*no component rocm' \
    "an event of a missing component is reported"
like "$(cat err.txt)" 'counter frob::nic .*does not exist' \
    "an unknown event is reported"
is "$(sqlite3 f.db "SELECT count(*) = 3 * (SELECT count(*) FROM run),
    count(value) FROM counter WHERE event IN ('infiniband:::mlx5_0:x',
    'rocm:::y', 'frob::nic')")" "1|0" \
    "missing events are stored as absent with each run"
is "$(lines 'take turns.*multiplexing' err.txt)" 1 \
    "multiplexing of too many events is reported once"
for event in PAPI_TOT_CYC PAPI_TOT_INS PAPI_L1_DCM; do
    is "$(count_of f.db library default $event)" 2000 \
        "$event is counted for exactly one call on both ranks"
done
is "$(count_of f.db library default net:::eth0:tx:bytes)" 1 \
    "the card is read once per node, for one call"
is "$(count_of f.db library default meter:::ENERGY)" 0.5 \
    "the meter is read once per node, with real values"
is "$(sort -u log | cut -d' ' -f1 | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
    " 2 meter; 2 net; 4 perf_event;" \
    "every rank reads its processor"
is "$(count_of f.db chorale linear $own::messages)" 1 \
    "Chorale's events do not need PAPI"
is "$(count_of f.db library default $own::messages)" absent \
    "Chorale's events are absent for the library"
is "$(count_of f.db chorale linear PAPI_TOT_CYC)" 0 \
    "a variant without calls of MPI_Bcast has 0, not absent"

cmd=$(with FAKE_PAPI_LACKS=1)
"$chorale" plan l.db $real --launches 1 --counters PAPI_TOT_CYC,PAPI_TOT_INS \
    --launcher-cmd "$cmd"
timeout 900 "$chorale" run l.db -q --launcher-cmd "$cmd" 2>err.txt
is "$(lines 'PAPI_TOT_INS.*some rank lacks it.*stored as absent' err.txt)" 1 \
    "an event that one rank lacks is reported"
is "$(count_of l.db library default PAPI_TOT_INS)" absent \
    "an event that one rank lacks is absent, not a partial sum"
is "$(count_of l.db library default PAPI_TOT_CYC)" 2000 \
    "other events are stored"

# Node-wide events are read between barriers made of messages, because the
# library's barrier may be the counted and forced collective.
cmd=$(with)
"$chorale" plan a.db -P 2 -c barrier --providers library -i 5 -q \
    --launches 1 --counters net:::eth0:tx:bytes --launcher-cmd "$cmd"
timeout 900 "$chorale" run a.db -q --launcher-cmd "$cmd" 2>err.txt
is "$(sqlite3 a.db "SELECT DISTINCT printf('%.9g', value) FROM counter")" 1 \
    "the card counts the counted calls of a barrier, and no others"

# An MPI error in the counted call discards the counters, not the samples.
cmd=$(with FAKE_PAPI_BREAKS=1)
"$chorale" plan e.db $real --launches 1 --counters PAPI_TOT_CYC \
    --launcher-cmd "$cmd"
timeout 900 "$chorale" run e.db -q --launcher-cmd "$cmd" 2>err.txt
ok $? "a library that fails while it is counted does not end the campaign"
like "$(cat err.txt)" 'bcast, 4096 bytes: MPI error .* the library.*absent' \
    "the failure is reported"
is "$(sqlite3 e.db "SELECT DISTINCT status || ' ' || coalesce(nrep > 0, 0)
    FROM run LEFT JOIN run_summary USING (run_id)")" "ok 1" \
    "all samples are kept"
is "$(count_of e.db library default PAPI_TOT_CYC)" absent \
    "events of the failed call are absent"
is "$(count_of e.db chorale binomial chorale::messages)" 1 \
    "events of other cells are stored"

mkdir -p root/proc/sys/kernel
for level in 3 1; do
    echo $level >root/proc/sys/kernel/perf_event_paranoid
    cmd=$(with FAKE_PAPI_DISABLED=1 CHORALE_SYSROOT="$work/root")
    "$chorale" plan p$level.db $real --launches 1 --counters PAPI_TOT_CYC \
        --launcher-cmd "$cmd"
    timeout 900 "$chorale" run p$level.db -q --launcher-cmd "$cmd" \
        2>err$level.txt
    ok $? "without hardware counters the campaign runs (paranoid $level)"
    is "$(lines "perf_event_paranoid is $level" err$level.txt)" 1 \
        "the kernel's setting is reported once (paranoid $level)"
done
like "$(cat err3.txt)" 'sysctl kernel.perf_event_paranoid=2' \
    "where it is the reason, with the remedy"
like "$(cat err1.txt)" 'not exist here, as in many virtual machines' \
    "where it is not, that it is not"

# Another PAPI tool in the process, independent of Chorale.
cmd="$MPIEXEC -n {P} env LD_PRELOAD=$work/tool.so PAPITOOL_LOG=$work/tool.txt"
"$chorale" plan t.db $real --launches 1 --launcher-cmd "$cmd"
timeout 900 "$chorale" run t.db -q --launcher-cmd "$cmd" 2>err.txt
ok $? "a campaign under a tool that uses PAPI runs"
for event in messages bytes_sent; do
    is "$(awk -v e=$own::$event '$1 == e { n += $2 } END { print n + 0 }' tool.txt)" \
        "$(sqlite3 t.db "SELECT CAST(sum(value) AS INTEGER) FROM counter
            WHERE event = 'chorale::$event'")" \
        "the tool reads $event of every counted call"
done
like "$(awk -v e=$own::wait_ns '$1 == e { n += $2 } END { print (n > 0) }' tool.txt)" 1 \
    "the tool reads the time in waits"
"$chorale" plan u.db $real --launches 1 --counters $own::messages \
    --launcher-cmd "$cmd"
timeout 900 "$chorale" run u.db -q --launcher-cmd "$cmd" 2>err.txt
ok $? "a campaign that counts the same events under the tool runs"
is "$(count_of u.db chorale linear $own::messages)" 1 \
    "Chorale counts the same events under the tool"
finish
