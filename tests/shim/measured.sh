# SPDX-License-Identifier: BSD-3-Clause
# measured.sh - makes tables from measurements on this machine, from `chorale
# plan` to `chorale generate`. Sourced after helpers.sh.

# generated DATABASE NAME: write the decisions as $work/NAME.so
generated() {
    timeout 600 "$chorale" generate "$1" --format c -o "$work/$2.c" \
        >"$work/out" 2>"$work/err" &&
        $CC -std=c99 -Wall -Wextra -Werror -shared -fPIC "$work/$2.c" \
            -o "$work/$2.so" 2>"$work/err"
}

# Replace the decisions by the fastest Chorale variant at each measured point,
# whether faster than the library or not. Each size holds from the one before
# it on, the last one without end.
take_fastest() {
    sqlite3 "$1" "DELETE FROM decision;
        INSERT INTO decision (system_id, coll, comm_size, comm_size_hi, ppn,
            shape, dtype, op, op_class, n_lo, n_hi, provider, variant, params,
            basis, reason)
        SELECT system_id, coll, comm_size, comm_size, ppn, shape, dtype, op,
            CASE op WHEN '' THEN '' ELSE 'builtin' END,
            coalesce(1 + lag(n) OVER size, 0),
            CASE WHEN lead(n) OVER size IS NULL AND coll <> 'barrier'
            THEN 1000000000 ELSE n END, provider, variant, params,
            'measured', 'the fastest variant'
        FROM (SELECT *, row_number() OVER (PARTITION BY coll, comm_size, n
                  ORDER BY seconds, variant, params) AS place
              FROM v_summary WHERE provider = 'chorale')
        WHERE place = 1
        WINDOW size AS (PARTITION BY coll, comm_size ORDER BY n);"
}

# measured: make $work/decided.so by `decide` without a threshold, which may
# choose the library everywhere, and $work/fastest.so, which chooses variants.
measured() {
    chorale=$(cd "$top_builddir" && pwd)/chorale
    export CHORALE_MPIEXEC="$MPIEXEC"
    timeout 600 "$chorale" plan "$work/m.db" -q -P 2,4 -m 64,4K --launches 4 \
        -c bcast,reduce,allreduce,barrier,allgather,alltoall -i 4 \
        --min-iterations 2 --cell-time 0.01 >"$work/out" 2>"$work/err" &&
        LD_PRELOAD=$yield timeout 3000 "$chorale" run "$work/m.db" -q \
            >"$work/out" 2>"$work/err"
    ok $? "chorale measures points on 2 and 4 ranks"
    timeout 600 "$chorale" decide "$work/m.db" --threshold 0 -q \
        >"$work/out" 2>"$work/err" && generated "$work/m.db" decided
    ok $? "chorale decides: $(sqlite3 "$work/m.db" "SELECT count(*) || ' rows, ' ||
        sum(provider = 'chorale') || ' of variants' FROM decision")"
    take_fastest "$work/m.db" && generated "$work/m.db" fastest
    ok $? "the fastest variants, without the library, make a table"
    [ "$(sqlite3 "$work/m.db" "SELECT count(DISTINCT coll || comm_size)
        FROM decision WHERE provider = 'chorale'")" -eq 12 ]
    ok $? "that table covers six collectives at both numbers of ranks"
}

# may_measure: 0 if everything needed is present
may_measure() {
    command -v sqlite3 >/dev/null 2>&1 && [ -x "$top_builddir/chorale" ] &&
        [ -x "$top_builddir/chorale-runner" ]
}

# Make the tables for applications, in $work, and go there: the hand-written
# one, one for each of $seeds, and measured ones if possible.
application_tables() {
    table good
    seeds="simplest ${SEEDS:-$(seq 8)}"
    for seed in $seeds; do
        drawn "$seed"
        ok $? "table $seed"
    done
    if may_measure; then
        measured
    else
        skip "measured tables" \
            "no sqlite3, or chorale and its runner are not built"
    fi
    cd "$work" || exit 1
}
