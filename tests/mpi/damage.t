#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run damage.c, scatter with damaged packets, under the MPI library.
here=${top_builddir:-.}
source=${top_srcdir:-$(dirname "$0")/../..}
. "$source/tests/mpi/launch.sh"
if [ -z "$MPIEXEC" ] || [ -z "$limit" ]; then
    echo "1..0 # SKIP mpiexec and timeout are needed"
    exit 0
fi
run_real 4 damage
