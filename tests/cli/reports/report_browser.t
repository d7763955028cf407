#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The page of `chorale report` in headless Chromium, if installed: light and
# dark, wide, narrow and printed; the filter; the policy; the console.
# With CHORALE_SCREENSHOTS=folder it stores screenshots there.
. "$(dirname "$0")/../../lib.sh"
for tool in sqlite3 python3 gnuplot chromedriver; do
    command -v $tool >/dev/null || skip_all "$tool is missing"
done
chromium=$(command -v chromium || command -v chromium-browser ||
    command -v google-chrome) || skip_all "no Chromium"
export CHORALE_DATADIR="$top_srcdir/plots"
cd "$work" || exit 99
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" a.db \
    fat-tree '2 64' 12
# A wide page: intervals, long parameters, counters, a fitted model.
for table in cell decision; do
    sqlite3 a.db "UPDATE $table SET params = 'bottom=scatter_recursive_doubling,'
        || 'middle=linear,segsize=1024,top=linear' WHERE variant = 'binomial'"
done
sqlite3 a.db "UPDATE system SET kind = 'real';
    UPDATE decision SET reason = 'x_' || hex(zeroblob(60)) WHERE n_lo = 128;
    INSERT INTO counter SELECT run_id, -1, e, comm_size FROM run JOIN cell
    USING (cell_id) JOIN (SELECT 'chorale::messages' AS e UNION
    SELECT 'chorale::bytes_sent') WHERE provider = 'chorale';
    INSERT INTO model_variant SELECT 1, coll, variant, 'one-per-node', 1, 20,
    0.0123, 0.0456, 0.05, 0.5, 4, 1, 1 FROM (SELECT DISTINCT coll, variant
    FROM cell WHERE provider = 'chorale');
    INSERT INTO environment SELECT launch_id, 'env:UCX_' || hex(zeroblob(40)),
    hex(zeroblob(99)) FROM launch"
timeout 900 "$chorale" report a.db -q -o page.html || exit 99
timeout 900 python3 "$top_srcdir/tests/cli/reports/browser.py" "$chromium" \
    "$(command -v chromedriver)" page.html ${CHORALE_SCREENSHOTS:+"$CHORALE_SCREENSHOTS"}
