#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# verbs.t - the main path of each verb, on simulated campaigns and on a real one
# of one and two ranks. Other tests cover `submit` and `job` (Slurm), `try`
# (try.t) and `table` (table.t).
. "$(dirname "$0")/../../lib.sh"
chorale=$(cd "$top_builddir" && pwd)/chorale
CHORALE_DATADIR=$(cd "$top_srcdir" && pwd)/plots
export CHORALE_DATADIR
cd "$work" || exit 99
sql() { sqlite3 "$1" "$2"; }
run() { timeout 900 "$chorale" "$@" >out 2>err; }
pictures() { # folder: number of its PNG files
    find "$1" -name '*.png' -size +1k 2>/dev/null | grep -c .
}

run doctor
like "$? $(grep '^launcher' out)" '^0 launcher ' "doctor reports the launcher"
run list
is "$? $(grep -c '^ *cost ' out)" \
    "0 $(sed -n 's/^\([0-9]*\) variants; .*/\1/p' out)" \
    "list prints the cost of every variant"
run replicate --system RS2 --n 16 --accesses 2 --tm 50
like "$?: $(grep '^best' out)" '^0: best groups: 6 a side' "replicate computes the best groups"
cat >osu.txt <<'END'
# OSU MPI Broadcast Latency Test v5.9
# Size       Avg Latency(us)
1                       2.50
1024                    4.00
END
run import osu.db osu.txt -P 8 --ppn 4
is "$? $(sql osu.db 'SELECT msg_size, median * 1e6 FROM run_summary
    JOIN run USING (run_id) JOIN cell USING (cell_id)' | tr '\n' ' ')" \
    "0 1|2.5 1024|4.0 " "import stores the rows of an OSU table"
sed 's/Broadcast/Allreduce/; s/^1 /4 /' osu.txt >sums.txt
run import sums.db sums.txt -P 8 --ppn 4
is "$? $(sql sums.db 'SELECT DISTINCT coll, dtype, op FROM cell')" \
    "0 allreduce|float|sum" "import stores the type of reductions"

if "$chorale" --version | grep -q simgrid=yes; then
    platform flat.xml 10 1000000000 4
    platform slow.xml 11 1000000000 4
    sim='--launcher smpirun --network hockney'
    # shellcheck disable=SC2086 # options are words
    run plan s.db $sim --platform flat.xml --system ring -c bcast,allreduce \
        -m 8,1K,64K -P 2,4
    like "$? $(cat out)" '^0 s.db: planned ([0-9]+) cells at 12 points' \
        "plan counts cells and points"
    run run s.db -q
    is "$? $(sql s.db "SELECT sum(planned) = sum(done), sum(done) = sum(ok)
        FROM v_progress")" "0 1|1" "run measures every planned cell"
    cells=$(sql s.db 'SELECT count(*) FROM cell')
    run status s.db
    like "$(cat out)" "^s.db: $cells of $cells runs .* are done" \
        "status counts the runs"
    run fit s.db
    is "$? $(sql s.db "SELECT sum(abs(value / CASE param WHEN 'alpha' THEN 2e-5
        ELSE 1e-9 END - 1) < 0.01) FROM model WHERE param IN
        ('alpha', 'beta')")" "0 2" "fit recovers latency and bandwidth"
    like "$(tr -s ' \n' ' ' <out)" \
        'adds a header of 16 bytes .* their 16 ns alpha is 20 us ' \
        "fit states alpha without SimGrid's header"
    is "$(sql s.db "SELECT abs(a.value - 16 * b.value - 2e-5) < 1e-12
        FROM model a, model b WHERE a.param = 'alpha' AND b.param = 'beta'")" \
        1 "alpha without the header is the latency of the platform's links"
    run decide s.db
    is "$? $(sql s.db "SELECT max(2 BETWEEN comm_size AND comm_size_hi) +
        max(4 BETWEEN comm_size AND comm_size_hi), min(speedup > 1.4)
        FROM v_decision WHERE coll = 'bcast' AND variant = 'binomial'")" \
        "0 2|1" "decide chooses the fastest variant"
    run evaluate s.db --oracle s.db --json
    is "$? $(python3 -c 'import json
print(*[(s["coll"], s["points"], round(s["speedup"], 2), s["worst"] < 0.01)
        for s in json.load(open("out"))["scores"]][:2])')" \
        "0 ('bcast', 6, 1.73, True) ('allreduce', 6, 1.0, True)" \
        "evaluate computes speed-up and regret of the table"
    run export s.db -o s.csv
    is "$? $(wc -l <s.csv)" "0 $((cells + 1))" "export writes a row per cell"
    run report s.db -o page.html
    is "$? $(grep -c '</html>' page.html)" "0 1" "report writes an HTML page"
    if command -v gnuplot >/dev/null 2>&1; then
        run plot s.db -c bcast -P 4 -o pics
        [ $? -eq 0 ] && [ "$(pictures pics)" -gt 0 ]
        ok $? "plot draws pictures"
    else
        skip "no gnuplot" "plot draws pictures"
    fi

    one="$sim --system one -c bcast --variants binomial -m 1K -P 2"
    for k in flat slow; do
        # shellcheck disable=SC2086
        run plan $k.db $one --platform $k.xml --label $k && run run $k.db -q
    done
    # Both may have started in the same second.
    sql slow.db "UPDATE launch SET started = '2100-01-01T00:00:00Z'"
    run compare flat.db slow.db
    like "$? $(grep '^slower' out)" '^1 slower .* bcast binomial' \
        "compare names a slower variant"
    run history flat.db slow.db
    like "$(cat out)" '^[1-9][0-9]* of [0-9]+ cells changed over 2 runs' \
        "history finds the slower run"
    run baseline set good flat.db --label flat
    like "$? $("$chorale" baseline list flat.db)" \
        '^0 good .* 1 campaign, label flat$' "baseline names a campaign"
    run merge m.db s.db flat.db
    is "$? $(sql m.db 'SELECT count(*) FROM run')" \
        "0 $((cells + $(sql flat.db 'SELECT count(*) FROM run')))" \
        "merge copies the runs of both databases"
    # shellcheck disable=SC2086
    run ab --base this --head this $one --platform flat.xml aa
    like "$?: $(tail -n 1 out)" '^0: ([1-9][0-9]*) same, of [0-9]+ cells: green$' \
        "ab of a program with itself is green"
else
    skip "no SimGrid" "simulated campaigns"
fi

# A real campaign; its times are replaced before they are judged.
if command -v "$MPIEXEC" >/dev/null 2>&1; then
    export CHORALE_MPIEXEC="$MPIEXEC"
    run tune r.db -P 1,2 -m 8 -c bcast --variants binomial --launches 4 -i 5 \
        --cell-time 0.01 --no-validate
    is "$? $(sql r.db "SELECT sum(planned) = sum(done), sum(done) = sum(ok)
        FROM v_progress")" "0 1|1" "tune measures every planned cell"
    [ -s r-dispatch.c ] && [ -s r-dispatch.h ] && [ -s r-summary.md ]
    ok $? "tune writes the table and a summary"
    sql r.db "UPDATE run SET validity = ''; UPDATE run_summary SET median =
        (SELECT CASE provider WHEN 'library' THEN 1e-3 ELSE 1e-4 END
            * (1 + ordinal / 100.0) FROM run JOIN cell USING (cell_id)
            JOIN launch USING (launch_id)
            WHERE run.run_id = run_summary.run_id)"
    run decide r.db && run generate r.db -o table.c &&
        "$CC" -std=c99 -shared -fPIC -o table.so table.c
    is "$? $(grep -c '"binomial"' table.c)" "0 1" \
        "generate writes a table that compiles"
    if "$chorale" --version | grep -q sanitizer=no; then
        run validate r.db --launches 2
        is "$(sql r.db "SELECT group_concat(DISTINCT r.status || r.reason) FROM
            run r JOIN cell USING (cell_id) WHERE provider = 'table'")|$(sql r.db \
            "SELECT group_concat(DISTINCT comm_size || choice) FROM validation")" \
            'ok|2binomial:segsize=0' "validate finds the choice of the table"
    else
        skip "a sanitizer's runtime must be preloaded first" "validate"
    fi
else
    skip "no $MPIEXEC" "a real campaign"
fi
finish
