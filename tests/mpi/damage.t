#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Damaged packets under the MPI library: see damage.c.
here=${top_builddir:-.}
source=${top_srcdir:-$(dirname "$0")/../..}
. "$source/tests/mpi/launch.sh"
run_real 4 damage
