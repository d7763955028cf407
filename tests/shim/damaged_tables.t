#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# damaged_tables.t - a table whose file a full disk damaged ends no process: an
# installed table is refused after any damage, another one if its file is cut.
. "$(dirname "$0")/helpers.sh"

damaged=$top_builddir/tests/shim/damaged
[ -x "$damaged" ] || skip_all "tests/shim/damaged is not built"
[ -x "$top_builddir/chorale" ] || skip_all "chorale is not built"
table good
drawn 1
mkdir "$work/copies"
for name in good 1; do
    "$damaged" "$work/$name.so" "$work/copies" >"$work/out" 2>"$work/err"
    status=$?
    [ $status -eq 0 ] && [ "$(grep -c ' 0 other, 0 ended$' "$work/out")" -eq 3 ]
    ok $? "table $name: no damage ends a process or changes an answer"
done

# In a program: one line, and the library serves.
program bcasts
"$top_builddir/chorale" table install "$work/good.so" --mpi other \
    --folder "$work/site" -q
installed=$(readlink -f "$work/site/default/default/other/current")
dd if=/dev/zero of="$installed" bs=4096 seek=1 count=1 conv=notrunc 2>/dev/null
run 2 "$shim" CHORALE_DISPATCH="$installed" CHORALE_VERBOSE=1 "$work/bcasts"
[ $status -eq 0 ] && [ "$(grep -c '^chorale:' "$work/err")" -eq 1 ] &&
    [ "$(lines 'its digest differs')" -eq 1 ] && grep -q 'built in' "$work/told"
ok $? "a program with a damaged table: one line, and the library serves"
finish
