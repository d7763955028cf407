# SPDX-License-Identifier: BSD-3-Clause
# hockney.sh - plan, run and fit recover alpha, beta and tau within 0.1 % on an
# exact one-port Hockney network. alpha is 2 lat + 16 beta there: a message pays
# the latency of two links and has 16 bytes of header. Sourced after lib.sh.
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"

check() { # latency_us bytes_per_second tau [OPTION of plan...]
    lat=$1 bw=$2 tau=$3
    shift 3
    db=$work/h.db
    rm -f "$db"
    platform "$work/h.xml" "$lat" "$bw" 16
    "$chorale" plan "$db" --launcher smpirun --platform "$work/h.xml" \
        --network hockney --charge-tau "$tau" -m 8:256K:x8 -P 2,5,8 -q "$@" &&
        timeout 3000 "$chorale" run "$db" -q
    ok $? "a network of 2 x $lat us, $bw B/s, tau $tau s/B is measured"
    is "$(sqlite3 "$db" "SELECT count(*) FROM run WHERE stop_reason <> 'equal' AND status = 'ok'")" \
        0 "repeated simulations are equal"
    is "$(sqlite3 "$db" "SELECT count(*) FROM run JOIN cell USING (cell_id)
        WHERE provider = 'chorale' AND status NOT IN ('ok', 'inapplicable')")" 0 \
        "every variant gives right data"
    "$chorale" fit "$db" --json >"$work/fit.json"
    ok $? "the model is fitted"
    for p in alpha beta tau; do
        err=$(sqlite3 "$db" "SELECT abs(value / (CASE param
                WHEN 'alpha' THEN 2e-6 * $lat + 16.0 / $bw
                WHEN 'beta' THEN 1.0 / $bw ELSE $tau END) - 1)
            FROM model WHERE param = '$p'")
        [ "$(sqlite3 "$db" "SELECT $err < 1e-3")" = 1 ]
        ok $? "$p is recovered within 0.1 %"
        diag "$p: relative error $err"
    done
    is "$(sqlite3 "$db" "SELECT DISTINCT trusted FROM model")" 1 \
        "the model is trusted"
    is "$(sqlite3 "$db" "SELECT count(*) FROM model WHERE value NOT BETWEEN lo * (1 - 1e-12) AND hi * (1 + 1e-12)")" 0 \
        "every value lies in its interval"
    # Checks the coefficients of all variants, not only the fit.
    is "$(sqlite3 "$db" "SELECT max(worst_error) < 1e-3 FROM model")" 1 \
        "stated costs equal every measured time within 0.1 %"
}
