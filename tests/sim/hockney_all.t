#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The model of all collectives is recovered from three simulated networks.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/hockney.sh"

check 0.5 1250000000 1e-10
check 5 125000000 2e-9
check 0.05 25000000000 3e-11
finish
