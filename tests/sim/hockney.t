#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The model of three collectives is recovered from one simulated network.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/hockney.sh"

check 0.5 1250000000 1e-10 -c bcast,allreduce,gather
finish
