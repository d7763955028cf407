#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# suite.t - ci/mpich_suite judges correctly. It gets a tree like MPICH's, with
# tests that pass, that fail or hang in any case, and that do so only under the
# shim (suite.c).
. "$(dirname "$0")/helpers.sh"

[ -n "$yield" ] || skip_all "tests/mpi/libyield.la is not built"
suite=$(cd "$top_srcdir" && pwd)/ci/mpich_suite
source=$work/source/test/mpi
mkdir -p "$source/util" "$source/mixed/inner" "$source/good" "$source/idle"
cp "$top_srcdir/tests/shim/programs/suite.c" "$source/util/"
# A minimal configure: writes makefiles in their own folders.
cat >"$source/configure" <<'END'
#!/bin/sh
source=$(cd "$(dirname "$0")" && pwd)
for word; do
    case $word in MPICC=*) mpicc=${word#MPICC=} ;; esac
done
[ -n "$mpicc" ] || { echo "this configure was not told MPICC"; exit 1; }
[ ! -f "$source/refuses" ] || { echo "this configure refuses"; exit 1; }
folder() { # FOLDER PROGRAM...
    mkdir -p "$1"
    make=$1/Makefile
    shift
    echo "all: $*" >"$make"
    for program; do
        printf '%s:\n\t%s -o $@ %s/util/suite.c\n' "$program" "$mpicc" \
            "$source" >>"$make"
    done
}
folder util
folder mixed passes silent fails hangs differs ends waits words
printf 'all: absent inner\nabsent:\n\tfalse\n%s\n%s\n\t$(MAKE) -C inner\n' \
    '.PHONY: absent inner' 'inner:' >>mixed/Makefile
folder mixed/inner passes
folder good passes words
folder idle silent
: >config.status
END
chmod +x "$source/configure"
cat >"$source/mixed/testlist" <<'END'
# each test ends as its name says; waits must pass alone within its limit

passes 2
fails 2
hangs 2 timeLimit=3
absent 2
differs 2 xfail=ticket1
ends 2
waits 2 timeLimit=60
words 2 arg=-n=5 arg=last env=SUITE_WORD=one=two
silent 2
inner
without_list
END
echo 'passes 3' >"$source/mixed/inner/testlist"
printf 'passes 2\nwords 1 arg=-n=5 arg=last env=SUITE_WORD=one=two\n' \
    >"$source/good/testlist"
echo 'silent 2' >"$source/idle/testlist"

judge() { # judge ARGUMENT...: status in $status
    top_builddir=$top_builddir MPICC=$MPICC MPIEXEC=$MPIEXEC CC=$CC \
        TMPDIR=$work timeout 1800 sh "$suite" --build "$work/build" "$@" \
        >"$work/out" 2>"$work/err" </dev/null
    status=$?
}
said() { grep -qxF -e "$1" "$work/out"; }
how_often() { grep -cxF -e "$1" "$work/out"; }
last() { [ "$(tail -n 1 "$work/out")" = "$1" ]; }

judge --folder mixed --seeds 'simplest simplest' "$work/source"
[ $status -eq 1 ]
ok $? "failures under tables give exit code 1"
last '7 tests pass alone, 14 launches under tables, 6 of them fail'
ok $? "the last line counts the tests, launches and failures"
said '12 launches ran variants'
ok $? "the line before it counts the launches where a variant ran"
said '# mixed/fails, P=2: does not pass alone' &&
    said '# mixed/hangs, P=2: does not pass alone' &&
    ! grep -q 'mixed/\(fails\|hangs\),.*under' "$work/out"
ok $? "tests that fail or hang alone are named and not run with tables"
said '# mixed/absent: is not built'
ok $? "tests that are not built are named"
[ "$(how_often 'mixed/differs, P=2: fails under table simplest')" -eq 2 ] &&
    grep -v 'Unable to find reachable pairing' "$work/out" | # Open MPI 5
        grep -A 1 'mixed/differs, P=2: fails' | grep -qx 'a value is wrong'
ok $? "wrong values under a table are reported with the output, whatever is \
expected to fail"
[ "$(how_often 'mixed/ends, P=2: fails under table simplest')" -eq 2 ]
ok $? "an exit code under a table is reported, whatever the program prints"
[ "$(how_often 'mixed/waits, P=2: fails under table simplest')" -eq 2 ]
ok $? "a hang under a table is reported"
! grep -q 'mixed/\(inner/\)\{0,1\}\(passes\|words\|silent\),' "$work/out"
ok $? "tests that pass are not named, also in subfolders"
[ "$(grep -c 'fails under table ' "$work/out")" -eq 6 ]
ok $? "only failures are named"
if command -v pgrep >/dev/null 2>&1; then
    ! pgrep -f "$work/build" >/dev/null && ! pgrep -x 'waits|hangs' >/dev/null
    ok $? "no process is left running"
else
    skip "no process is left running" "no pgrep"
fi

judge --folder good --seeds 'simplest' "$work/source"
[ $status -eq 0 ] &&
    last '2 tests pass alone, 2 launches under tables, 0 of them fail'
ok $? "success gives exit code 0"
judge --folder idle --seeds 'simplest' "$work/source"
[ $status -eq 1 ] && said '0 launches ran variants' &&
    last '1 tests pass alone, 1 launches under tables, 0 of them fail'
ok $? "exit code 1 if no variant ran"

# Trees and options that cannot be judged.
judge --folder nowhere "$work/source"
[ $status -eq 2 ] &&
    grep -qF "'nowhere': no list of tests in that folder" "$work/err"
ok $? "exit code 2 for a folder without a list of tests"
judge "$work/build"
[ $status -eq 2 ] && grep -qF 'no test/mpi/configure' "$work/err"
ok $? "exit code 2 for a tree that is not MPICH's"
judge --seeds
[ $status -eq 2 ] && grep -qF -e '--seeds wants a value' "$work/err"
ok $? "exit code 2 for an option without its value"
rm -r "$work/build"
: >"$source/refuses"
judge --folder good "$work/source"
[ $status -eq 3 ] && grep -qF 'this configure refuses' "$work/err"
ok $? "exit code 3, with the reason, for a tree that cannot be built"
finish
