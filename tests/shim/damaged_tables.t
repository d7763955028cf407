#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# damaged_tables.t - tables whose files a full disk left zeroes in, or that end too
# early: however they were linked, no process ends by one. It is refused in one
# line, or runs as the whole one does.
. "$(dirname "$0")/helpers.sh"

damaged=$top_builddir/tests/shim/damaged
[ -x "$damaged" ] || skip_all "tests/shim/damaged is not built"
[ -x "$top_builddir/chorale" ] || skip_all "chorale is not built"
table good
drawn 1
whole() { # whole WHAT: all kinds of damage to $work/whole.so
    "$damaged" "$work/whole.so" "$work/copy.so" >"$work/out" 2>"$work/err"
    status=$?
    [ $status -eq 0 ] && [ "$(grep -c ' 0 other, 0 ended$' "$work/out")" -eq 4 ]
    ok $? "$1: no damage ends a process"
    # Each block but those of section names, which nobody loads, matters.
    set -- "$1" $(sed -n 's/^block: \([0-9]*\) tried, \([0-9]*\) .*/\1 \2/p' \
        "$work/out")
    [ "${3:-0}" -ge $((${2:-9} / 2)) ]
    ok $? "$1: $3 of $2 blocks are missed when they are zeroes"
}
for how in -O0 -O2 -s -Wl,-z,noseparate-code -Wl,--hash-style=sysv \
           -Wl,--hash-style=gnu -Wl,-z,pack-relative-relocs -Wl,-z,now \
           -Wl,-z,norelro; do
    for source in "$top_srcdir/tests/shim/table.c" "$work/1.c"; do
        name="$(basename "$source") with $how"
        if ! $CC -shared -fPIC "$how" -I"$top_srcdir" -o "$work/whole.so" \
            "$source" 2>"$work/err"; then
            skip "$name" "the linker does not know it"
            continue
        fi
        whole "$name"
    done
done

# And in a program.
program bcasts
cp "$work/good.so" "$work/hurt.so"
blocks=$((($(wc -c <"$work/good.so") + 4095) / 4096))
at=0
refused=0
while [ $at -lt $blocks ]; do
    cat "$work/good.so" >"$work/hurt.so"
    dd if=/dev/zero of="$work/hurt.so" bs=4096 seek=$at count=1 conv=notrunc \
        2>/dev/null
    run 2 "$shim" CHORALE_DISPATCH="$work/hurt.so" CHORALE_VERBOSE=1 \
        "$work/bcasts"
    if [ "$(lines 'hurt.so: ')" -eq 1 ]; then
        refused=$((refused + 1))
        said=$(grep -c '^chorale:' "$work/err")
        [ $status -eq 0 ] && [ "$said" -eq 1 ] &&
            grep -q 'built in' "$work/told"
    else
        [ $status -eq 0 ] && [ "$(lines 'bcast n=1024 P=2 -> binomial')" -eq 1 ]
    fi
    ok $? "a program with a table whose block $at of $blocks is zeroes"
    at=$((at + 1))
done
[ $refused -ge 3 ]
ok $? "$refused of $blocks were refused"
finish
