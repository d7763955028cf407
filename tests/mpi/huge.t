#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run huge.c, calls of more than 2^31 bytes, under the MPI library.
#
#     huge.t                                 a few variants
#     huge.t --all [COLLECTIVE [VARIANT]]    all, or these: `make huge`
here=${top_builddir:-.}
source=${top_srcdir:-$(dirname "$0")/../..}
: "${LAUNCH_SECONDS:=3600}"
. "$source/tests/mpi/launch.sh"
if [ -z "$limit" ] || ! command -v "$MPIEXEC" >/dev/null 2>&1; then
    echo "1..0 # SKIP no mpiexec, or no timeout command (coreutils)"
    exit 0
fi
if [ ! -x "$here/tests/mpi/huge" ]; then
    echo "Bail out! $here/tests/mpi/huge is not built: make full-programs"
    exit 1
fi
case ${1-} in
    --all)
        shift
        ranks="2 3 4 8"
        ;;
    *)
        set -- --few
        ranks=2
        ;;
esac
# Scratch takes gigabytes: request large pages where the system has them.
GLIBC_TUNABLES=${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1}
export GLIBC_TUNABLES
# Join the TAP of all launches; a launch without a plan has failed.
for p in $ranks; do
    echo "launch $p"
    run_real "$p" huge "$@" 2>&1
done | awk '
    function judge() { if (launch != "" && !planned) fail() }
    function fail() {
        print "not ok " ++n " - P=" launch ": ended early"
        bad = 1
    }
    /^launch / { judge(); launch = $2; planned = 0; next }
    /^1\.\./ { planned = 1; next }
    /^(not )?ok [0-9]+ - / {
        not = /^not / ? "not " : ""
        if (not != "")
            bad = 1
        sub(/^(not )?ok [0-9]+ - /, "")
        print not "ok " ++n " - P=" launch ": " $0
        next
    }
    { print "# " $0 }
    END { judge(); print "1.." n + 0; exit bad + 0 }'
