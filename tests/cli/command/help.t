#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every verb has a --help in a layout for help2man and people, and `list` prints
# the whole catalogue of the build.
. "$(dirname "$0")/../../lib.sh"

in_step() { # help, name: check that the man page has the same text
    if ls "$top_builddir"/tuner/*.1 >/dev/null 2>&1; then
        python3 "$top_srcdir/tests/cli/command/manpage.py" "$1" \
            "$top_builddir/tuner/$2.1" >"$work/man.txt" 2>&1
        ok $? "$2.1 has the text of its --help"
        diag "$(head -5 "$work/man.txt")"
    else
        skip "no help2man at build time" "$2: man page"
    fi
}

"$chorale" --help >"$work/help.txt"
ok $? "chorale --help exits with 0"
in_step "$work/help.txt" chorale
for verb in $("$chorale" --verbs); do
    # Two blanks, because after one help2man takes the text as part of the name.
    grep -q "^  $verb   *[a-z]" "$work/help.txt"
    ok $? "$verb is in chorale --help"
    "$chorale" "$verb" --help >"$work/verb.txt" 2>&1
    ok $? "$verb --help exits with 0"
    "$chorale" help "$verb" 2>&1 | cmp -s - "$work/verb.txt"
    ok $? "help $verb prints the same"
    like "$(head -1 "$work/verb.txt")" "^Usage: chorale $verb " \
        "$verb: the first line is the usage"
    grep -q '^Options:' "$work/verb.txt" && grep -q '^Examples:' "$work/verb.txt" &&
        grep -q "^  \$ chorale $verb" "$work/verb.txt"
    ok $? "$verb: the help has options and an example"
    ! grep -v '^  \$ ' "$work/verb.txt" | grep -q '.\{81\}'
    ok $? "$verb: no line above 80 columns"
    ! LC_ALL=C grep -q '[^ -~]' "$work/verb.txt"
    ok $? "$verb: the help is plain ASCII"
    # The examples may only use options of the verb.
    sed -n "s/^  \$ chorale $verb \(.*\)/\1/p" "$work/verb.txt" |
        tr ' ' '\n' | sed -n 's/^\(--[a-z-]*\).*/\1/p' |
        while read -r option; do
            grep -q -- "^ .* $option" "$work/verb.txt" || exit 1
        done
    ok $? "$verb: its examples use options it has"
    in_step "$work/verb.txt" "chorale-$verb"
done
"$chorale" --version | grep -q '^chorale [0-9]'
ok $? "--version prints the version"
"$top_builddir/chorale-runner" --help >"$work/runner.txt"
grep -q '^Usage: chorale-runner' "$work/runner.txt"
ok $? "chorale-runner --help prints the usage"
in_step "$work/runner.txt" chorale-runner

like "$("$top_builddir/chorale-runner" --probe)" '.' \
    "chorale-runner --probe prints the MPI library"

like "$("$chorale" plan "$work/none.db" -c bcast -m 8 -P 2 --dry-run)" \
    'would plan [1-9][0-9]* cells' "plan --dry-run prints the number of cells"
[ ! -e "$work/none.db" ]
ok $? "plan --dry-run makes no database"

"$chorale" list >"$work/list.txt"
ok $? "list exits with 0"
n=$(sed -n 's/^\([0-9]*\) variants.*/\1/p' "$work/list.txt")
left_out='nothing at all '
case $("$chorale" --version) in *patented=no*) left_out='\.patents = ' ;; esac
files=$(find "$top_srcdir"/algorithms/*/ -name '*.c' \
    ! -path '*/engines/*' ! -path '*/dispatch/*' ! -path '*/schedule/*' -exec grep -L "$left_out" {} + |
    wc -l)
is "$n" "$((files))" "list has one variant for each file of the catalogue"
is "$("$chorale" list --json | python3 -c 'import json,sys; print(len(json.load(sys.stdin)))')" \
    "$n" "the JSON of list has as many variants"
is "$(grep -c '^      source ' "$work/list.txt")" "$n" \
    "every variant states its source"
"$chorale" list bcast | grep -q scatter_ring_allgather
ok $? "list can be limited to one collective"
finish
