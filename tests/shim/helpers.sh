# SPDX-License-Identifier: BSD-3-Clause
# helpers.sh - shared by the shim's test scripts: TAP output, the built
# libraries, and launches with or without them. Sourced.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${top_builddir:=$(pwd)}"
first_of() {
    for word in "$@"; do
        command -v "$word" >/dev/null 2>&1 && { echo "$word"; return; }
    done
    echo "$1"
}
: "${MPICC:=$(first_of mpicc.mpich mpicc)}"
: "${MPIEXEC:=$(first_of mpiexec.mpich mpiexec)}"
: "${CC:=$(first_of cc gcc clang)}"

count=0
failed=0
ok() { # ok STATUS NAME: one test
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
    else
        failed=$((failed + 1))
        echo "not ok $count - $2"
        [ -s "$work/out" ] && tail -n 12 "$work/out" | sed 's/^/# out: /'
        [ -s "$work/err" ] && tail -n 12 "$work/err" | sed 's/^/# err: /'
    fi
    return 0
}
skip() { count=$((count + 1)); echo "ok $count - $1 # SKIP $2"; }
skip_all() { echo "1..0 # SKIP $1"; exit 0; }
finish() { echo "1..$count"; exit $((failed > 0)); }

lib_of() { # the library as built, or as found beside
    for dir in "$top_builddir/.libs" "$top_builddir"; do
        [ -f "$dir/$1" ] && { (cd "$dir" && echo "$(pwd)/$1"); return; }
    done
}
shim=$(lib_of libchorale_pmpi.so)
[ -n "$shim" ] || skip_all "libchorale_pmpi.so is not built"
if nm -D "$shim" 2>/dev/null | grep -q '__[aut]*san_'; then
    skip_all "built with a sanitizer, which cannot be preloaded"
fi
command -v "$MPICC" >/dev/null 2>&1 || skip_all "no MPI compiler"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no MPI launcher"

work=$(mktemp -d "${TMPDIR:-/tmp}/chorale-shim.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
umask 022
unset CHORALE_DISPATCH CHORALE_DISABLE CHORALE_FORCE CHORALE_AFTER \
      CHORALE_VERBOSE CHORALE_ANY_SYSTEM CHORALE_CHECK CHORALE_DETERMINISTIC \
      CHORALE_MAX_SCRATCH CHORALE_MAX_COMMS CHORALE_HOST_BUFFERS CHORALE_TRACE \
      CHORALE_TRACE_SIGNAL SLURM_CLUSTER_NAME SLURM_JOB_PARTITION LD_PRELOAD
CHORALE_SITE=$work/none
export CHORALE_SITE

# Open MPI asks twice for confirmation before it starts ranks as root, or more
# ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # since 5.0

# Ranks share the cores with other tests, so a waiting rank must give up its
# core and soon sleep (tests/mpi/yield.c).
: "${YIELD_PATIENCE:=4}"
export YIELD_PATIENCE
yield=
if [ -f "$top_builddir/tests/mpi/.libs/libyield.so" ]; then
    yield=$(cd "$top_builddir/tests/mpi/.libs" && pwd)/libyield.so
fi
preload_for() { # preload_for P LIBS: these, and the yielding one
    if [ "$1" -gt 1 ] && [ -n "$yield" ]; then
        echo "$2${2:+ }$yield"
    else
        echo "$2"
    fi
}
with=$shim${yield:+:$yield} # for run_two

# run P LIBS [VAR=VALUE ...] PROGRAM ...: status in $status, output in
# $work/out, errors in $work/err. Only the program gets the preload. A launch
# that takes longer than $limit seconds (600) is killed.
run() {
    ranks=$1
    preload=$(preload_for "$1" "$2")
    shift 2
    launch_of "$ranks" env LD_PRELOAD="$preload" "$@"
}
# run_apart P RANK "VAR=VALUE ..." "VAR=VALUE ..." PROGRAM ...: that rank gets the
# first settings, the other ranks the last. Several preloaded libraries are
# separated by colons. Each rank looks up its number, because mpiexec of Open MPI
# 5.0.7 on Debian 13 ends with SIGSEGV if it has to start several programs.
run_apart() {
    ranks=$1
    shift
    # shellcheck disable=SC2016 # expanded by the ranks
    launch_of "$ranks" sh -c '
        one=$1 settings=$2 others=$3
        shift 3
        [ "${PMI_RANK:-${OMPI_COMM_WORLD_RANK-}}" = "$one" ] ||
            settings=$others
        exec env $settings "$@"' sh "$@"
}
run_two() { # settings of rank 0, settings of rank 1, PROGRAM ...
    run_apart 2 0 "$@"
}
launch_of() { # launch_of P WORD...: the command of each rank
    # Ranks open the file for errors themselves. mpiexec of Open MPI 5.0.7 would
    # put parts of lines of stdout into stderr (libraries.md).
    ranks=$1
    shift
    : >"$work/all"
    # shellcheck disable=SC2016 # expanded by the ranks
    timeout -k 10 "${limit:-600}" "$MPIEXEC" -n "$ranks" \
        sh -c 'exec "$@" 2>>"$0"' "$work/all" "$@" \
        >"$work/out" 2>>"$work/all" </dev/null
    status=$?
    # Lines that CHORALE_VERBOSE prints once per run go to $work/told. Open MPI 5
    # prints bytes that are not text, and warns of machines with one network,
    # sometimes in two lines.
    told='^chorale: (table|of all ranks,|rank [0-9]+ took) '
    warning='Unable to find reachable pairing'
    grep -aE "$told" "$work/all" >"$work/told"
    grep -avE "$told|$warning" "$work/all" >"$work/err"
}

table() { # table NAME [-DMACRO ...]: the hand-written table, $work/NAME.so
    name=$1
    shift
    $CC -shared -fPIC -I"$top_srcdir" "$@" -o "$work/$name.so" \
        "$top_srcdir/tests/shim/table.c"
}
drawn() { # drawn SEED: a random table (random_table.sh), $work/SEED.so
    top_builddir=$top_builddir sh "$top_srcdir/tests/shim/random_table.sh" \
        "$1" >"$work/$1.c" 2>"$work/err" &&
        $CC -Wall -Werror -shared -fPIC -I"$top_srcdir" "$work/$1.c" \
            -o "$work/$1.so" 2>"$work/err"
}
program() { # program NAME [OPTION ...]: $work/NAME
    name=$1
    shift
    "$MPICC" -g "$top_srcdir/tests/shim/programs/$name.c" -o "$work/$name" "$@"
}
lines() { # how many lines of errors match
    grep -a -c -e "$1" "$work/err"
}

# Run errors.c without the shim: its lines in $work/plain; in $fatal the calls
# that the library itself does not survive; in $again the number of launches.
alone_errors() {
    fatal=
    for again in $(seq 12); do
        run 2 "" "$work/errors" $fatal
        culprit=$(sed -n 's/^begins //p' "$work/out" | tail -n 1)
        grep -q '^rank 1: after all, 1' "$work/out" && [ $status -eq 0 ] &&
            break
        fatal="$fatal $culprit"
    done
    grep '^rank' "$work/out" | sort >"$work/plain"
    [ $status -eq 0 ]
}
errors_as_alone() { # errors_as_alone SETTINGS NAME: same lines, except NAME
    # shellcheck disable=SC2086
    run 2 "$shim" $1 CHORALE_AFTER=1 "$work/errors" $fatal "$2"
    grep -v "^rank [01]: $2[ ,]" "$work/plain" >"$work/expected"
    grep '^rank' "$work/out" | sort | diff "$work/expected" - >"$work/diff"
}

variants_ran() { # WHAT COLLECTIVE...: check that variants ran all of them
    what=$1
    shift
    for coll in "$@"; do
        grep "^chorale: $coll [nP]=" "$work/err" | grep -qv 'library$'
        ok $? "$what: a variant runs $coll"
    done
}

came() { # came NAME: the program succeeded, with right results
    [ $status -eq 0 ] && grep -q "^$1: wrong=0" "$work/out"
}
under() { # under P PROGRAM WORD...: under the shim with settings $on
    ranks=$1
    name=$2
    shift 2
    run "$ranks" "$shim" $on "$work/$name" "$@"
    came "$name"
    ok $? "P=$ranks: $name${1:+ $1} is right under the shim"
}
