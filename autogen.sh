#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Make configure from configure.ac. Needs autoconf, automake, libtool.
set -e
cd "$(dirname "$0")"
for tool in autoreconf automake libtoolize pkg-config; do
    command -v $tool >/dev/null 2>&1 || {
        echo "autogen.sh: $tool is missing; install autoconf, automake," \
             "libtool and pkg-config" >&2
        exit 3
    }
done
mkdir -p build-aux
exec autoreconf --install "$@"
