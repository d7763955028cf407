#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every verb explains itself, in a layout that help2man and people can read,
# and the catalogue lists what the build holds.
. "$(dirname "$0")/../../lib.sh"

in_step() { # help, name: the man page says the same
    if ls "$top_builddir"/tuner/*.1 >/dev/null 2>&1; then
        python3 "$top_srcdir/tests/cli/command/manpage.py" "$1" \
            "$top_builddir/tuner/$2.1" >"$work/man.txt" 2>&1
        ok $? "$2.1 says what its --help does"
        diag "$(head -5 "$work/man.txt")"
    else
        skip "no help2man at build time" "$2: man page"
    fi
}

"$chorale" --help >"$work/help.txt"
ok $? "chorale --help"
in_step "$work/help.txt" chorale
for verb in $("$chorale" --verbs); do
    # Two blanks: with one, help2man takes the text for more of the name.
    grep -q "^  $verb   *[a-z]" "$work/help.txt"
    ok $? "$verb is in chorale --help"
    "$chorale" "$verb" --help >"$work/verb.txt" 2>&1
    ok $? "$verb --help"
    "$chorale" help "$verb" 2>&1 | cmp -s - "$work/verb.txt"
    ok $? "help $verb is the same"
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
    in_step "$work/verb.txt" "chorale-$verb"
done
"$chorale" --version | grep -q '^chorale [0-9]'
ok $? "--version"
"$top_builddir/chorale-runner" --help >"$work/runner.txt"
grep -q '^Usage: chorale-runner' "$work/runner.txt"
ok $? "chorale-runner --help"
in_step "$work/runner.txt" chorale-runner

# A page that was not made again is found out, whatever is old in it.
page=$top_builddir/tuner/chorale-runner.1
if [ -f "$page" ]; then
    for old in 's/^Measure the pending/Measure/' \
        's/how many ranks the launcher started/how many/' 's/probe/test/' \
        's/^show the version$/show it/' 's/a checkpoint of/checkpoints of/'; do
        sed "$old" "$page" >"$work/old.1"
        ! cmp -s "$page" "$work/old.1" &&
            ! python3 "$top_srcdir/tests/cli/command/manpage.py" "$work/runner.txt" \
                "$work/old.1" >/dev/null
        ok $? "an old page: $old"
    done
fi
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
    ! -path '*/engines/*' ! -path '*/dispatch/*' ! -path '*/schedule/*' -exec grep -L "$left_out" {} + |
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
