#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Counters: Chorale's own events against what the algorithms do, PAPI's on a
# PAPI that the test made up (two counters, a network card, an energy meter),
# what is said of those that do not exist, and other tools that use PAPI.
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

# In simulation, where anything may have any number of ranks.
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
        "what simulated ranks lack is said once, by name"
    is "$(wc -l <sim.txt)" 1 "and nothing else"
    is "$(count_of s.db chorale binomial chorale::rounds)" 3 \
        "a binomial tree of 8 has three rounds"
    is "$(count_of s.db chorale linear chorale::rounds)" 7 \
        "a linear broadcast to 8 has seven"
    is "$(count_of s.db chorale recursive_doubling chorale::rounds allreduce)" \
        3 "recursive doubling has three"
    is "$(count_of s.db chorale dissemination chorale::rounds barrier)" 3 \
        "and a dissemination barrier"
    is "$(count_of s.db chorale ring chorale::rounds allreduce)" 14 \
        "a ring has 2 (P - 1)"
    is "$(sqlite3 s.db "SELECT count(*) FROM counter a JOIN counter b
        ON b.run_id = a.run_id AND a.event = 'sde:::' || b.event
        WHERE a.value IS NOT b.value")" 0 "asked for by PAPI's name, the same"
    # All ranks but the root wait from the start until their message is there;
    # the root sends seven messages, one after the other: at most the duration
    # times the ranks, and at least what the last one waited.
    is "$(sqlite3 s.db "SELECT count(*) FROM counter JOIN run USING (run_id)
        JOIN run_summary USING (run_id) JOIN cell USING (cell_id)
        WHERE coll = 'bcast' AND variant IN ('linear', 'binomial')
        AND event = 'chorale::wait_ns' AND params IN ('', 'segsize=0')
        AND value BETWEEN 0.99e9 * median AND 8.01e9 * median")" 2 \
        "the wait of all ranks is between one and eight durations"
else
    skip "built without SimGrid" "events of simulated ranks"
fi

# On the machine.
real="-P 2 -m 4K -c bcast --root first -i 5 -q --variants binomial,linear"
"$chorale" plan r.db $real --launches 2
timeout 900 "$chorale" run r.db -q 2>err.txt
ok $? "a campaign without counters runs"
is "$(wc -l <err.txt)" 0 "and says nothing of them"
is "$(sqlite3 r.db "SELECT count(*) FROM (SELECT run_id FROM counter
    GROUP BY run_id HAVING group_concat(event) LIKE '%bytes_reduced%'
    AND count(*) = 5)")" "$(sqlite3 r.db "SELECT count(*) FROM run
    JOIN cell USING (cell_id) WHERE provider = 'chorale'")" "our own five events are stored with each run"
is "$(count_of r.db chorale binomial chorale::rounds)" 1 "one round"
is "$(sqlite3 r.db "SELECT count(*) FROM counter
    WHERE event = 'chorale::wait_ns' AND NOT value > 0")" 0 "somebody waited"
# The statement that runners/MEASURING.md shows.
is "$(sqlite3 r.db "SELECT DISTINCT c.variant, b.value / m.value
    FROM cell c JOIN run r USING (cell_id)
    JOIN counter b ON b.run_id = r.run_id AND b.event = 'chorale::bytes_sent'
    JOIN counter m ON m.run_id = r.run_id AND m.event = 'chorale::messages'
    WHERE c.variant = 'binomial' AND params IN ('', 'segsize=0')")" \
    "binomial|4096.0" \
    "bytes per message in one SELECT"

bad_list() { # list, name
    "$chorale" plan b.db $real --counters "$1" 2>err.txt
    is $? 2 "$2 is refused"
    like "$(cat err.txt)" '^chorale: --counters.*(papi_native_avail|fewer)' \
        "$2: in one line"
}
bad_list 'PAPI_TOT_CYC,,x' "an empty name"
bad_list 'PAPI_TOT CYC' "a blank"
bad_list "$(printf 'x%.0s' $(seq 5000))" "a list without end"

"$chorale" --version | grep -q papi=yes || {
    skip "built without PAPI" "what PAPI counts"
    finish
}
"$chorale" --version | grep -q sanitizer=no || {
    skip "built with a sanitizer, which must come first" "what PAPI counts"
    finish
}
"$chorale" plan n.db $real --launches 1 \
    --counters PAPI_NOPE,nothing:::x,$own::rounds 2>err.txt
ok $? "events that are not here may be there where the ranks run"
is "$(lines 'on this machine: PAPI_NOPE: PAPI has no preset' err.txt)" 1 \
    "a preset that PAPI has nowhere is named when it is planned"
is "$(lines 'on this machine: nothing:::x: PAPI has no component' err.txt)" 1 \
    "and a component that is not here"
is "$(lines $own err.txt)" 0 "our own are there"
if command -v papi_native_avail >/dev/null 2>&1; then
    papi_native_avail -sde "$top_builddir/.libs/libchorale_events.so" \
        >listed.txt
    is "$(grep -o "$own::[a-z_]*" listed.txt | sort | tr '\n' ' ')" \
        "$own::bytes_reduced $own::bytes_sent $own::messages $own::rounds $own::wait_ns " \
        "papi_native_avail lists our own events"
    is "$(lines 'bytes of payload sent' listed.txt)" 1 "and what they are"
else
    skip "no papi_native_avail" "PAPI's list of our own events"
fi
here=$top_srcdir/tests/cli
"${MPICC:-mpicc.mpich}" -Wall -Werror -shared -fPIC -o fake.so \
    "$here/fakepapi.c" -ldl &&
    "${MPICC:-mpicc.mpich}" -Wall -Werror -shared -fPIC -o tool.so \
        "$here/papitool.c" -lpapi
ok $? "a PAPI of our own and a tool are made"

with() { # environment... : the launcher with it and the made up PAPI
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
    "three do not exist, and are said once for both launches"
like "$(cat err.txt)" 'counter infiniband:::mlx5_0:x .*infiniband is disabled: no such card' \
    "one because its component is disabled"
like "$(cat err.txt)" 'counter rocm:::y .*no component rocm' \
    "one because there is no such component"
like "$(cat err.txt)" 'counter frob::nic .*does not exist' "one for no reason"
is "$(sqlite3 f.db "SELECT count(*) = 3 * (SELECT count(*) FROM run),
    count(value) FROM counter WHERE event IN ('infiniband:::mlx5_0:x',
    'rocm:::y', 'frob::nic')")" "1|0" \
    "they are stored as absent with each run"
is "$(lines 'take turns.*multiplexing' err.txt)" 1 \
    "more events than counters take turns, which is explained once"
for event in PAPI_TOT_CYC PAPI_TOT_INS PAPI_L1_DCM; do
    is "$(count_of f.db library default $event)" 2000 \
        "$event is that of one call, bounded by it, of two ranks"
done
is "$(count_of f.db library default net:::eth0:tx:bytes)" 1 \
    "the card has one reader a node, and its value is of one call"
is "$(count_of f.db library default meter:::ENERGY)" 0.5 \
    "and so has the meter, whose values are real numbers"
is "$(sort -u log | cut -d' ' -f1 | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
    " 2 meter; 2 net; 4 perf_event;" \
    "in two launches of two ranks, every rank reads its processor"
is "$(count_of f.db chorale linear $own::messages)" 1 \
    "our own events do not need PAPI"
is "$(count_of f.db library default $own::messages)" absent \
    "and nothing is said of the library's"
is "$(count_of f.db chorale linear PAPI_TOT_CYC)" 0 \
    "a variant that calls no MPI_Bcast has none, which is zero and not absent"

cmd=$(with FAKE_PAPI_LACKS=1)
"$chorale" plan l.db $real --launches 1 --counters PAPI_TOT_CYC,PAPI_TOT_INS \
    --launcher-cmd "$cmd"
timeout 900 "$chorale" run l.db -q --launcher-cmd "$cmd" 2>err.txt
is "$(lines 'PAPI_TOT_INS.*some rank lacks it.*stored as absent' err.txt)" 1 \
    "an event that one rank lacks is said"
is "$(count_of l.db library default PAPI_TOT_INS)" absent \
    "and is absent: a part is no sum"
is "$(count_of l.db library default PAPI_TOT_CYC)" 2000 "the other is there"

# What is of the whole node is read between barriers of messages: the
# library's barrier may be what is counted, and forced.
cmd=$(with)
"$chorale" plan a.db -P 2 -c barrier --providers library -i 5 -q \
    --launches 1 --counters net:::eth0:tx:bytes --launcher-cmd "$cmd"
timeout 900 "$chorale" run a.db -q --launcher-cmd "$cmd" 2>err.txt
is "$(sqlite3 a.db "SELECT DISTINCT printf('%.9g', value) FROM counter")" 1 \
    "the card sees of a barrier the calls that are counted, and no other"

# An MPI error in the call that is counted: the counters go, not the samples.
cmd=$(with FAKE_PAPI_BREAKS=1)
"$chorale" plan e.db $real --launches 1 --counters PAPI_TOT_CYC \
    --launcher-cmd "$cmd"
timeout 900 "$chorale" run e.db -q --launcher-cmd "$cmd" 2>err.txt
ok $? "a campaign whose library fails while it is counted runs"
like "$(cat err.txt)" 'bcast, 4096 bytes: MPI error .* the library .*absent' \
    "and says so"
is "$(sqlite3 e.db "SELECT DISTINCT status || ' ' || coalesce(nrep > 0, 0)
    FROM run LEFT JOIN run_summary USING (run_id)")" "ok 1" \
    "all repetitions are kept"
is "$(count_of e.db library default PAPI_TOT_CYC)" absent \
    "what was counted then is absent"
is "$(count_of e.db chorale binomial chorale::messages)" 1 \
    "what was counted of others is there"

mkdir -p root/proc/sys/kernel
for level in 3 1; do
    echo $level >root/proc/sys/kernel/perf_event_paranoid
    cmd=$(with FAKE_PAPI_DISABLED=1 CHORALE_SYSROOT="$work/root")
    "$chorale" plan p$level.db $real --launches 1 --counters PAPI_TOT_CYC \
        --launcher-cmd "$cmd"
    timeout 900 "$chorale" run p$level.db -q --launcher-cmd "$cmd" \
        2>err$level.txt
    ok $? "without hardware counters the campaign runs, paranoid $level"
    is "$(lines "perf_event_paranoid is $level" err$level.txt)" 1 \
        "and the kernel's setting is explained once"
done
like "$(cat err3.txt)" 'sysctl kernel.perf_event_paranoid=2' \
    "where it is the reason, with the remedy"
like "$(cat err1.txt)" 'not exist here, as in many virtual machines' \
    "where it is not, that it is not"

# Another tool in the process, which knows PAPI and nothing of us.
cmd="$MPIEXEC -n {P} env LD_PRELOAD=$work/tool.so PAPITOOL_LOG=$work/tool.txt"
"$chorale" plan t.db $real --launches 1 --launcher-cmd "$cmd"
timeout 900 "$chorale" run t.db -q --launcher-cmd "$cmd" 2>err.txt
ok $? "a campaign under a tool that uses PAPI runs"
for event in messages bytes_sent; do
    is "$(awk -v e=$own::$event '$1 == e { n += $2 } END { print n + 0 }' tool.txt)" \
        "$(sqlite3 t.db "SELECT CAST(sum(value) AS INTEGER) FROM counter
            WHERE event = 'chorale::$event'")" \
        "the tool sees our $event: those of every counted call"
done
like "$(awk -v e=$own::wait_ns '$1 == e { n += $2 } END { print (n > 0) }' tool.txt)" 1 \
    "and the time in waits"
"$chorale" plan u.db $real --launches 1 --counters $own::messages \
    --launcher-cmd "$cmd"
timeout 900 "$chorale" run u.db -q --launcher-cmd "$cmd" 2>err.txt
ok $? "also one that counts the same"
is "$(count_of u.db chorale linear $own::messages)" 1 "and both have them"
finish
