#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The correctness matrix as `make check-all` runs it.
exec "$(dirname "$0")/variants.t" --all "$@"
