# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Settings of the measurement and its files: the only file to change. Sourced by
# the other scripts of this folder; environment variables take precedence.

# Options of `chorale plan` and `chorale ab`. Few cells measured often are
# better than many cells measured once. Use the same --batch everywhere.
: "${CHORALE_PLAN:=-c bcast,allreduce,barrier -m 8:64K:x8 -P 2 --batch 8}"
# The chorale program to measure and compare with.
: "${CHORALE_PROGRAM:=chorale}"
# Findings that fail, and the smallest change that counts.
: "${CHORALE_FAIL_ON:=slower,gone}"
: "${CHORALE_THRESHOLD:=2%}"
# Launches per side in the second measurement of suspect cells.
: "${CHORALE_AGAIN:=30}"
# Folder of the reports.
: "${CHORALE_REPORTS:=chorale-reports}"
# Options to compare a night with the baseline. Both are measured at different
# times, perhaps on a changed machine; hence the wider threshold. Confirm
# findings with compare.sh.
: "${CHORALE_NIGHTLY:=--unpaired --threshold 5%}"
