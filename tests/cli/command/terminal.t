#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# terminal.t - names and reasons in databases may come from others. On a
# terminal they are printed without control characters; in a file they are
# unchanged.
. "$(dirname "$0")/../../lib.sh"
command -v script >/dev/null 2>&1 || skip_all "no script (bsdutils)"
cd "$work" || exit 99
esc=$(printf '\033')
c1=$(printf '\302\205')
name="a${esc}[2J${esc}]0;title$(printf '\007')${c1}b${esc}[31"
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" h.db "$name" \
    '2 4' 2
sqlite3 h.db "UPDATE run SET status = 'failed', reason = '$name'
    WHERE run_id = 1"
on_tty() { # words: terminal output in tty.txt, its control characters except
    # line ends in controls.txt
    timeout 900 script -qfec "'$chorale' $*" raw.txt >/dev/null 2>&1 </dev/null
    code=$?
    sed -e '1{/^Script started/d;}' -e '/^Script done/d' raw.txt >tty.txt
    LC_ALL=C tr -cd '\001-\010\013\014\016-\037\177' <tty.txt >controls.txt
    return $code
}
for verb in status fit decide "merge m.db"; do
    on_tty $verb h.db
    is $? 0 "$verb exits with 0"
    [ -s tty.txt ]
    ok $? "$verb prints something"
    # The bar's own escape sequence is allowed.
    left=$(sed "s/$esc\\[K//g" tty.txt | LC_ALL=C tr -cd '\001-\010\033\177' |
        wc -c | tr -d ' ')
    is "$left" 0 \
        "$verb: no control character of the database reaches the terminal"
    ! LC_ALL=C grep -qF "$c1" tty.txt
    ok $? "$verb: no two-byte control character reaches the terminal"
done
on_tty status h.db
is "$(wc -c <controls.txt | tr -d ' ')" 0 "status has no control character"
like "$(cat tty.txt)" 'a\?\[2J\?\]0;title\?' \
    "status prints the name with ? for control characters"
"$chorale" status h.db >out.txt
grep -qF "$name" out.txt
ok $? "status prints the unchanged name to a file"
"$chorale" fit h.db --system "$name.none" >out.txt 2>err.txt
is "$? $(LC_ALL=C tr -cd '\001-\010\013-\037\177' <err.txt | wc -c |
    tr -d ' ')" "2 0" "an error line has no control character"

# Long output is complete.
"$chorale" list >out.txt
on_tty list
code=$?
tr -d '\r' <tty.txt | sed '$d' >plain.txt # script ends it with an empty line
is "$code $(cksum <plain.txt)" "0 $(cksum <out.txt)" \
    "a long list is the same on a terminal"
finish
