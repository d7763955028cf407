#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# libchorale.t - programs linked with libchorale that call chorale.h.
. "$(dirname "$0")/helpers.sh"

table good
lib=$(lib_of libchorale.so)
[ -n "$lib" ] || skip_all "libchorale.so is not built"
right() { [ $status -eq 0 ] && grep -q 'example: wrong=0' "$work/out"; }

# The flags of the pkg-config file, with this build's folders.
link="-I$top_srcdir/algorithms/dispatch -L$(dirname "$lib") -lchorale"
if command -v pkg-config >/dev/null 2>&1; then
    link=$(PKG_CONFIG_PATH="$top_builddir/algorithms/dispatch" pkg-config \
        --define-variable=includedir="$top_srcdir/algorithms/dispatch" \
        --define-variable=libdir="$(dirname "$lib")" --cflags --libs \
        chorale 2>"$work/err")
    ok $? "pkg-config knows chorale"
else
    skip "pkg-config knows chorale" "it is not installed"
fi
link="$link -Wl,-rpath,$(dirname "$lib")"
# shellcheck disable=SC2086
"$MPICC" "$top_srcdir/tests/shim/programs/example.c" $link -o "$work/example" \
    2>"$work/err"
ok $? "a program compiles with chorale.h and libchorale"
for P in 1 2 4; do
    run $P "" CHORALE_VERBOSE=1 "$work/example" "$work/good.so"
    right && [ "$(lines '^chorale: .* -> ')" -eq $((P > 1 ? 16 : 0)) ]
    ok $? "P=$P: libchorale runs all collectives"
done
sed 's/^    chorale_finalize();/    if (chorale_init_table(argv[argc - 1]) == 0)\
        wrong++;\
&/' "$top_srcdir/tests/shim/programs/example.c" >"$work/late.c"
# shellcheck disable=SC2086
"$MPICC" "$work/late.c" $link -o "$work/late" 2>"$work/err" &&
    run 2 "" "$work/late" "$work/good.so"
right
ok $? "libchorale refuses a table after the first call"
run 2 "$shim" CHORALE_DISPATCH="$work/good.so" CHORALE_VERBOSE=1 \
    CHORALE_AFTER=1 "$work/example"
right
ok $? "libchorale is right under the shim"
echo "not a shared object" >"$work/text.so"
run 2 "" "$work/example" "$work/text.so"
right && grep -q refused "$work/out"
ok $? "libchorale refuses a bad table and works on"
finish
