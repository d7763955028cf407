#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run levels.c, the messages on each of two levels, on 8 ranks.
here=${top_builddir:-.}
source=${top_srcdir:-$(dirname "$0")/../..}
. "$source/tests/mpi/launch.sh"
if [ -z "$MPIEXEC" ] || [ -z "$limit" ]; then
    echo "1..0 # SKIP mpiexec and timeout are needed"
    exit 0
fi
run_real 8 levels
