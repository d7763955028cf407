# SPDX-License-Identifier: BSD-3-Clause
# Functions for shell tests: TAP output, a temporary folder, locations.
# Sourced with . "$(dirname "$0")/../lib.sh", or ../../lib.sh.
here=$(cd "$(dirname "$0")" && pwd)
top_srcdir=${top_srcdir:-${here%%/tests/*}}
top_builddir=${top_builddir:-$PWD}
chorale=$top_builddir/chorale
: "${MPIEXEC:=mpiexec.mpich}" "${CC:=cc}"
work=$(mktemp -d "${TMPDIR:-/tmp}/chorale-test-XXXXXX") || exit 99
# Private caches: no cached answers of another Slurm, and no files remain.
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
trap 'chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
tap_n=0
tap_bad=0

ok() { # command's status, name
    tap_n=$((tap_n + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tap_n - $2"
    else
        echo "not ok $tap_n - $2"
        tap_bad=1
    fi
}

is() { # got, expected, name
    [ "$1" = "$2" ]
    ok $? "$3"
    [ "$1" = "$2" ] || diag "got '$1', expected '$2'"
}

like() { # text, extended regular expression, name
    printf '%s\n' "$1" | grep -Eq -- "$2"
    set -- "$1" $? "$3"
    ok "$2" "$3"
    [ "$2" -eq 0 ] || diag "got '$1'"
}

skip() { # reason, name
    tap_n=$((tap_n + 1))
    echo "ok $tap_n - $2 # SKIP $1"
}

diag() { printf '%s\n' "$*" | sed 's/^/# /'; }

skip_all() { echo "1..0 # SKIP $1"; exit 0; }

finish() {
    echo "1..$tap_n"
    exit $tap_bad
}

# For tests with invented nodes: start all ranks on this machine. Unlike MPICH's,
# mpiexec of Open MPI refuses more ranks than --ppn and real nodes allow.
on_one_machine() {
    "$MPIEXEC" --version 2>&1 | grep -q -i 'open.\?mpi\|OpenRTE' || return 0
    cat >"$work/one_machine" <<END
#!/bin/sh
ranks=\$2
shift 2
[ "\$1" != --map-by ] || shift 2
exec $MPIEXEC -n "\$ranks" "\$@"
END
    chmod +x "$work/one_machine"
    MPIEXEC=$work/one_machine
    CHORALE_MPIEXEC=$MPIEXEC
    export CHORALE_MPIEXEC
}

# Write a flat platform: latency of a link in us, bandwidth in B/s, hosts.
platform() { # file latency_us bytes_per_second hosts
    cat >"$1" <<EOF
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-$(($4 - 1))" speed="1Gf" bw="$3Bps" lat="$2us" sharing_policy="SPLITDUPLEX"/></platform>
EOF
}

# Programs of a fake Slurm in $work/bin, to be added to PATH. Jobs are numbered
# 1, 2, ...; squeue, sacct and sinfo print $work/queue, $work/sacct and
# $work/nodes. $work/asked has a line for each call.
fake() { # name: its text on standard input
    { echo '#!/bin/sh'; echo "echo \"$1 \$*\" >>$work/asked"; cat; } \
        >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
fake_slurm() {
    mkdir "$work/bin"
    : >"$work/queue"
    : >"$work/sacct"
    : >"$work/nodes"
    fake scontrol <<'END'
[ "$1" = show ] || exit 0
echo 'ClusterName             = invented'
echo 'MaxArraySize            = 1001'
echo 'KillWait                = 30 sec'
echo 'TaskPlugin              = task/affinity'
END
    fake sbatch <<END
n=\$((\$(cat "$work/jobs" 2>/dev/null || echo 0) + 1))
echo \$n | tee "$work/jobs"
END
    fake squeue <<END
cat "$work/queue"
END
    fake sinfo <<END
cat "$work/nodes"
END
    fake sacct <<END
cat "$work/sacct"
END
    fake scancel </dev/null
}

# For tests that measure a table through the shim: change to $work, and define
# run(), which runs chorale with its output in out.txt and err.txt.
validating() {
    command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
    "$chorale" --version | grep -q 'sanitizer=no' ||
        skip_all "a sanitizer's runtime would have to be preloaded first"
    export CHORALE_MPIEXEC="$MPIEXEC"
    cd "$work" || exit 99
    run() { timeout 900 "$chorale" "$@" >out.txt 2>err.txt; }
}
