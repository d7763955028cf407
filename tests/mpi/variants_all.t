#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The correctness matrix with all that `make check-all` has time for.
exec "$(dirname "$0")/variants.t" --all "$@"
