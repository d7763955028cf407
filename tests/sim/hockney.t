#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# On exact one-port Hockney networks the whole way from plan to fit recovers
# alpha, beta and tau within 0.1 %: alpha is 2 lat + 16 beta there, because a
# message pays the latency up and down and carries 16 bytes of its own.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"

check() { # latency_us bytes_per_second tau
    db=$work/h.db
    rm -f "$db"
    platform "$work/h.xml" "$1" "$2" 16
    "$chorale" plan "$db" --launcher smpirun --platform "$work/h.xml" \
        --network hockney --charge-tau "$3" -m 8:256K:x8 -P 2,5,8 -q &&
        timeout 600 "$chorale" run "$db" -q
    ok $? "a network of 2 x $1 us, $2 B/s, tau $3 s/B is measured"
    is "$(sqlite3 "$db" "SELECT count(*) FROM run WHERE stop_reason <> 'equal' AND status = 'ok'")" \
        0 "repeated simulations are equal"
    is "$(sqlite3 "$db" "SELECT count(*) FROM run JOIN cell USING (cell_id)
        WHERE provider = 'chorale' AND status NOT IN ('ok', 'inapplicable')")" 0 \
        "every variant is right"
    "$chorale" fit "$db" --json >"$work/fit.json"
    ok $? "the model is fitted"
    for p in alpha beta tau; do
        err=$(sqlite3 "$db" "SELECT abs(value / (CASE param
                WHEN 'alpha' THEN 2e-6 * $1 + 16.0 / $2
                WHEN 'beta' THEN 1.0 / $2 ELSE $3 END) - 1)
            FROM model WHERE param = '$p'")
        [ "$(sqlite3 "$db" "SELECT $err < 1e-3")" = 1 ]
        ok $? "$p is recovered within 0.1 %"
        diag "$p: relative error $err"
    done
    is "$(sqlite3 "$db" "SELECT DISTINCT trusted FROM model")" 1 \
        "the model is trusted"
    is "$(sqlite3 "$db" "SELECT count(*) FROM model WHERE value NOT BETWEEN lo * (1 - 1e-12) AND hi * (1 + 1e-12)")" 0 \
        "every value lies in its interval"
    # Not the fit alone: no variant's coefficients are off anywhere.
    is "$(sqlite3 "$db" "SELECT max(worst_error) < 1e-3 FROM model")" 1 \
        "the stated costs meet every measured point within 0.1 %"
}

check 0.5 1250000000 1e-10
check 5 125000000 2e-9
check 0.05 25000000000 3e-11
finish
