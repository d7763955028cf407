#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# build.sh - builds the sources of a folder and installs them into a prefix.
#
# Usage: build.sh SOURCES PREFIX [CONFIGURE OPTION...]
#   MPICC and MPIEXEC choose the MPI library (default: as configure finds it)
set -eu
if [ $# -lt 2 ]; then
    sed -n '5,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
sources=$(cd "$1" && pwd)
prefix=$2
shift 2
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
jobs=$(getconf _NPROCESSORS_ONLN)
build=$(mktemp -d "${TMPDIR:-/tmp}/chorale-build-XXXXXX")
trap 'rm -rf "$build"' EXIT
trap 'exit 1' HUP INT TERM
[ -x "$sources/configure" ] || (cd "$sources" && ./autogen.sh)
cd "$build"
"$sources/configure" -q --prefix="$prefix" "$@"
make -j"$jobs" generated
make -j"$jobs" install
