#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# compare.sh - compares base and head on this machine, in turn. Exit code as of
# `chorale ab`: 0 not slower, 1 slower, 75 stopped, repeat it to continue.
#
# Usage: compare.sh BASE_SIDE HEAD_SIDE
#   as in: compare.sh build:/opt/base/bin/chorale build:/opt/head/bin/chorale
#   (for sides see `chorale ab --help`)
#
# Leaves report.json, summary.md (shown, and added to $GITHUB_STEP_SUMMARY),
# junit.xml, chorale.tap and both databases in $CHORALE_REPORTS. Names of
# commits and branches are not used.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 3
. "$here/settings.sh"
if [ $# -ne 2 ]; then
    sed -n '6,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
mkdir -p "$CHORALE_REPORTS" || exit 3

# The first call measures; the others find everything measured.
for report in json:report.json markdown:summary.md junit:junit.xml \
    tap:chorale.tap; do
    # shellcheck disable=SC2086 # options are words
    "$CHORALE_PROGRAM" ab --base "$1" --head "$2" $CHORALE_PLAN \
        --again "$CHORALE_AGAIN" --threshold "$CHORALE_THRESHOLD" \
        --fail-on "$CHORALE_FAIL_ON" --format "${report%%:*}" \
        -o "$CHORALE_REPORTS/${report#*:}" "$CHORALE_REPORTS/ab"
    status=$?
    [ $status -le 1 ] || exit $status
done
cat "$CHORALE_REPORTS/summary.md"
[ -z "${GITHUB_STEP_SUMMARY-}" ] ||
    cat "$CHORALE_REPORTS/summary.md" >>"$GITHUB_STEP_SUMMARY"
exit $status
