#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# kill.t with 200 kills.
KILLS=200 exec "$(dirname "$0")/kill.t"
