#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The page of `chorale report` in headless Chromium, where there is one: light
# and dark, wide, narrow and printed, the filter, the policy, the console.
# With CHORALE_SCREENSHOTS=folder it leaves pictures there to look at.
. "$(dirname "$0")/../lib.sh"
for tool in sqlite3 python3 gnuplot chromedriver; do
    command -v $tool >/dev/null || skip_all "$tool is missing"
done
chromium=$(command -v chromium || command -v chromium-browser ||
    command -v google-chrome) || skip_all "no Chromium"
export CHORALE_DATADIR="$top_srcdir/plots"
cd "$work" || exit 99
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" a.db \
    fat-tree '2 64' 12
timeout 120 "$chorale" report a.db -q -o page.html || exit 99
timeout 500 python3 "$top_srcdir/tests/cli/browser.py" "$chromium" \
    "$(command -v chromedriver)" page.html ${CHORALE_SCREENSHOTS:+"$CHORALE_SCREENSHOTS"}
