# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# What is measured and where it is kept: the one file to change. Sourced by the
# other scripts of this folder; what is set in the environment wins.

# Options of `chorale plan`, of `chorale ab` alike: few cells, often, tell more
# than many cells once. Short calls in batches of one length everywhere.
: "${CHORALE_PLAN:=-c bcast,allreduce,barrier -m 8:64K:x8 -P 2 --batch 8}"
# The chorale that measures and compares.
: "${CHORALE_PROGRAM:=chorale}"
# What is red, and above which change.
: "${CHORALE_FAIL_ON:=slower,gone}"
: "${CHORALE_THRESHOLD:=2%}"
# Launches of each cell that looks slower, measured again in turn.
: "${CHORALE_AGAIN:=30}"
# Where reports go.
: "${CHORALE_REPORTS:=chorale-reports}"
# How a night is compared with the baseline's, which was not measured in turn
# with it: that believes the machine, so the threshold is wider. What is red is
# for compare.sh to confirm.
: "${CHORALE_NIGHTLY:=--unpaired --threshold 5%}"
