#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# nightly.sh - measures into a database of this night, compares it with the
# baseline in a long-lived database, and merges it into that. After a kill, as
# by a time limit, repeat the command to continue the same night.
#
# Usage: nightly.sh FOLDER [LABEL]
#   FOLDER/perf.db is long-lived; FOLDER/night.db is of the current night.
#   LABEL: name of the measurement, for `chorale history` (default: today)
# The first night becomes the baseline. `chorale baseline set nightly
# FOLDER/perf.db --label LABEL` accepts a change: later nights are compared with
# that night. (Without --label it would be all nights so far.)
#
# Exit codes: 0 not slower, 1 slower, 75 not done yet.
set -u
told=no
trap 'told=yes' TERM INT # chorale gets the signal too and exits with 75
here=$(cd "$(dirname "$0")" && pwd) || exit 3
. "$here/settings.sh"
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    sed -n '7,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
folder=$1
label=${2-$(date -u +%Y-%m-%d)}
launcher=
[ -z "${SLURM_JOB_ID-}" ] || launcher='--launcher srun'
mkdir -p "$folder" "$CHORALE_REPORTS" || exit 3

if [ ! -e "$folder/night.db" ]; then
    # shellcheck disable=SC2086 # options are words
    "$CHORALE_PROGRAM" plan "$folder/night.db" $launcher $CHORALE_PLAN \
        --label "$label" --quiet || exit
fi
[ $told = no ] || exit 75
"$CHORALE_PROGRAM" run "$folder/night.db" --quiet || exit

first=no
[ -e "$folder/perf.db" ] || first=yes
"$CHORALE_PROGRAM" merge "$folder/perf.db" "$folder/night.db" || exit
if [ "$first" = yes ]; then
    "$CHORALE_PROGRAM" baseline set nightly "$folder/perf.db" || exit
fi
status=0
if [ "$first" = no ]; then
    for report in markdown:summary.md junit:junit.xml; do
        # shellcheck disable=SC2086 # options are words
        "$CHORALE_PROGRAM" compare "$folder/perf.db" "$folder/night.db" \
            --baseline nightly $CHORALE_NIGHTLY --fail-on "$CHORALE_FAIL_ON" \
            --format "${report%%:*}" -o "$CHORALE_REPORTS/${report#*:}"
        status=$?
        [ $status -le 1 ] || exit $status
    done
    "$CHORALE_PROGRAM" history "$folder/perf.db" \
        >"$CHORALE_REPORTS/history.txt" || exit
fi
rm -f "$folder/night.db"
exit $status
