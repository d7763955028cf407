# SPDX-License-Identifier: BSD-3-Clause
# Functions for tests that preload faults.c into one rank of the runner. Sourced
# after lib.sh and kill.sh.
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
"$chorale" --version | grep -q 'sanitizer=no' ||
    skip_all "built with a sanitizer: nothing can be preloaded"
"${MPICC:-mpicc.mpich}" -shared -fPIC -o "$work/faults.so" \
    "$top_srcdir/tests/cli/faults.c" -ldl || exit 99
db=$work/r.db

# Run a campaign of one variant and the library, whose runs are faulty.
campaign() { # name, launches, message sizes, options of run, variable=value...
    what=$1 launches=$2 sizes=$3 options=$4
    shift 4
    rm -f "$db"
    "$chorale" plan "$db" -P 2 -m "$sizes" -c scan --variants linear -q \
        --launches "$launches" -i 25 --min-iterations 25
    # shellcheck disable=SC2086
    env "$@" LD_PRELOAD="$work/faults.so" timeout 900 "$chorale" run "$db" -q \
        $options 2>"$work/err.txt"
    is "$? $(cat "$work/err.txt")" "0 " \
        "$what: the campaign ends with exit 0 and no message"
    is "$(sqlite3 "$db" "SELECT sum(planned) - sum(done) FROM v_progress")" 0 \
        "$what: every planned run is stored"
    is "$(sqlite3 "$db" "PRAGMA integrity_check")" ok \
        "$what: the database is valid"
    is "$(sqlite3 "$db" "SELECT count(*) FROM run JOIN cell USING (cell_id)
        WHERE provider = 'chorale' AND status <> 'ok'")" 0 \
        "$what: the other cells are measured"
    is "$(sqlite3 "$db" "SELECT count(*) FROM launch
        WHERE status = 'running'")" 0 "$what: no launch is marked running"
    diag "$(sqlite3 "$db" "SELECT group_concat(status || ' ' || reason, ', ')
        FROM launch")"
}
bad() { # start of the reason, number of lost launches: check a faulty campaign
    is "$(sqlite3 "$db" "SELECT group_concat(DISTINCT status || ' ' ||
        (reason LIKE '$1%')) FROM run JOIN cell USING (cell_id)
        WHERE provider = 'library' AND status <> 'ok'")" "failed 1" \
        "$what: the faulty cells fail with the reason '$1'"
    is "$(sqlite3 "$db" "SELECT count(*) FROM launch WHERE status = 'failed'")" \
        "$2" "$what: $2 launches are lost"
    is "$(sqlite3 "$db" "SELECT group_concat(DISTINCT (ordinal > 0) || ' ' ||
        (run.reason LIKE '%not tried again%')) FROM (SELECT * FROM run
        JOIN launch USING (launch_id) ORDER BY ordinal) AS run
        WHERE run.status = 'failed'")" "0 0,1 1" \
        "$what: only launches of the first ordinal try the faulty cells"
    "$chorale" status "$db" | grep -q "failed: $1"
    ok $? "$what: status prints the reason"
}
good() { # number of lost launches: check that no run is faulty
    is "$(sqlite3 "$db" "SELECT (SELECT count(*) FROM run WHERE status <> 'ok')
        || ' ' || count(*) FROM launch WHERE status = 'failed'")" "0 $1" \
        "$what: no cell fails and $1 launches are lost"
}

# Measure one point in one launch with a fault.
single() { # fault, call, message size, options of plan...
    fault=$1 after=$2 bytes=$3
    shift 3
    rm -f "$db"
    "$chorale" plan "$db" -q -P 2 -m "$bytes" -c scan --variants linear \
        --launches 1 --width 0% --cell-time 60 --no-racing "$@"
    env FAULT="$fault" AFTER="$after" LD_PRELOAD="$work/faults.so" \
        timeout 900 "$chorale" run "$db" -q
    ok $? "$fault: the campaign is measured"
}
library() { # columns: print them for the library's run and its summary
    sqlite3 "$db" "SELECT $1 FROM run r JOIN cell c USING (cell_id)
        LEFT JOIN run_summary s USING (run_id) WHERE c.provider = 'library'"
}
