#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Error rates of decisions over 200 seeds.
exec "$top_builddir/tests/unit/tuner/decide_noise.t" 200
