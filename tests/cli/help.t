#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every verb explains itself, in a layout that help2man and people can read,
# and the catalogue lists what the build holds.
. "$(dirname "$0")/../lib.sh"

"$chorale" --help >"$work/help.txt"
ok $? "chorale --help"
for verb in $("$chorale" --verbs); do
    grep -q "^  $verb  *[a-z]" "$work/help.txt"
    ok $? "$verb is in chorale --help"
    "$chorale" "$verb" --help >"$work/verb.txt" 2>&1
    ok $? "$verb --help"
    like "$(head -1 "$work/verb.txt")" "^Usage: chorale $verb " "$verb: usage"
    grep -q '^Options:' "$work/verb.txt" && grep -q '^Examples:' "$work/verb.txt" &&
        grep -q "^  \$ chorale $verb" "$work/verb.txt"
    ok $? "$verb: options and an example"
    ! grep -v '^  \$ ' "$work/verb.txt" | grep -q '.\{81\}'
    ok $? "$verb: no line above 80 columns"
    ! LC_ALL=C grep -q '[^ -~]' "$work/verb.txt"
    ok $? "$verb: plain ASCII"
    # What the example shows is what the verb takes.
    sed -n "s/^  \$ chorale $verb \(.*\)/\1/p" "$work/verb.txt" |
        tr ' ' '\n' | sed -n 's/^\(--[a-z-]*\).*/\1/p' |
        while read -r option; do
            grep -q -- "^ .* $option" "$work/verb.txt" || exit 1
        done
    ok $? "$verb: its examples use options it has"
    if [ -d "$top_builddir/tuner" ] && ls "$top_builddir"/tuner/*.1 >/dev/null 2>&1; then
        sed -n 's/.*  *\(--[a-z-]*\).*/\1/p' "$work/verb.txt" | grep '^--[a-z]' | sort -u |
            while read -r option; do
                sed 's/\\-/-/g' "$top_builddir/tuner/chorale-$verb.1" |
                    grep -q -- "$option" || exit 1
            done
        ok $? "$verb: every option is in its man page"
    else
        skip "no help2man at build time" "$verb: man page"
    fi
done
"$chorale" --version | grep -q '^chorale [0-9]'
ok $? "--version"
"$top_builddir/chorale-runner" --help | grep -q '^Usage: chorale-runner'
ok $? "chorale-runner --help"
like "$("$top_builddir/chorale-runner" --probe)" '.' "chorale-runner --probe names the MPI"

like "$("$chorale" plan "$work/none.db" -c bcast -m 8 -P 2 --dry-run)" \
    'would plan [1-9][0-9]* cells' "a dry run says how much there is"
[ ! -e "$work/none.db" ]
ok $? "and makes nothing"

"$chorale" list >"$work/list.txt"
ok $? "list"
n=$(sed -n 's/^\([0-9]*\) variants.*/\1/p' "$work/list.txt")
left_out='nothing at all '
case $("$chorale" --version) in *patented=no*) left_out='\.patents = ' ;; esac
files=$(find "$top_srcdir"/algorithms/*/ -name '*.c' \
    ! -path '*/engines/*' ! -path '*/dispatch/*' -exec grep -L "$left_out" {} + |
    wc -l)
is "$n" "$((files))" "list has one variant for each file of the catalogue"
is "$("$chorale" list --json | python3 -c 'import json,sys; print(len(json.load(sys.stdin)))')" \
    "$n" "and so has its JSON"
is "$(grep -c '^      cost ' "$work/list.txt")" "$n" "every variant states its cost"
is "$(grep -c '^      source ' "$work/list.txt")" "$n" "and its source"
"$chorale" list bcast | grep -q scatter_ring_allgather
ok $? "list of one collective"
"$chorale" list frob 2>"$work/err.txt"
is $? 2 "list of an unknown one"
finish
