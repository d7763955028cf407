#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# progress.t - long work says how far it is: a bar on a terminal, that fits and
# goes away; lines with --verbose; nothing with --quiet, or to a file. A request
# to stop is heard, and what is said of it is true.
. "$(dirname "$0")/../../lib.sh"
. "$here/../kill.sh"
command -v script >/dev/null 2>&1 || skip_all "no script (bsdutils)"
cd "$work" || exit 99
esc=$(printf '\033')
cr=$(printf '\r')
on_tty() { # file, words: what a terminal gets, a line for each time it is drawn
    file=$1
    shift
    timeout 900 script -qfec "stty cols ${columns:-100}; $*" "$file.raw" \
        >/dev/null 2>&1 </dev/null
    code=$?
    sed -e '1{/^Script started/d;}' -e '/^Script done/d' "$file.raw" |
        tr '\r' '\n' >"$file"
    return $code
}
bars() { grep -c '^\[[# ]\{30\}\] *[0-9]*%' "$1"; } # file
rising() { # file: percentages do not fall
    sed -n 's/^\(\[[# ]*\]\)* *\([0-9]*\)% .*/\2/p' "$1" | sort -nc 2>/dev/null
}
gone() { # file: the last bar is taken away before anything else is said
    tail -n +"$(grep -n '^\[' "$1" | tail -n 1 | cut -d : -f 1)" "$1" |
        sed -n 2p | grep -q "^$esc\\[K"
}

# --- submit --wait: begun here, looked at in the end --------------------------
fake_slurm
printf '%s\n' '1 0 RUNNING None' '1 1 RUNNING None' '1 2 PENDING Resources' \
    '2 N/A PENDING Dependency' >queue
cat >wait.sh <<END
echo \$\$ >"$work/waiting"
PATH=$work/bin:\$PATH
export PATH
exec "$chorale" submit "$work/w.db" -c bcast -m 8,1K -P 2 --ppn 2 \\
    --variants linear --launches 3 --launcher mpiexec --wait "\$@"
END
(on_tty wait.txt sh "$work/wait.sh"; echo $? >wait.code) &

# --- run ----------------------------------------------------------------------
plan() { "$chorale" plan "$1" -q -c bcast,barrier -m 8,64 -P 1 --launches 2 \
    -i 3 --min-iterations 2 --cell-time 0.01 --sync barrier; }
plan r.db
on_tty run.txt "'$chorale'" run r.db
is $? 0 "run on a terminal"
[ "$(bars run.txt)" -ge 2 ]
ok $? "a bar: $(bars run.txt) times"
like "$(cat run.txt)" '^\[#{30}\] 100%  0:00 left  (bcast|barrier) P=1 m=' \
    "which is full in the end, and says what it was at"
gone run.txt
ok $? "it goes away"
like "$(cat run.txt)" 'r.db: [0-9]+ runs made' "before the summary"
plan q.db
on_tty quiet.txt "'$chorale'" run q.db --quiet
is "$? $(cat quiet.txt)" "0 " "--quiet: nothing at all"
plan p.db
"$chorale" run p.db >out.txt 2>err.txt
is "$? $(cat err.txt)" "0 " "no bar in a file"

# --- merge --------------------------------------------------------------------
synth() { # database, seed of its names
    sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" "$1" "$2" \
        "${3:-2 4}" 2
}
synth one.db one
synth two.db two
sqlite3 two.db "UPDATE system SET uuid = 'u2', signature = 'two';
    UPDATE campaign SET uuid = 'c2'; UPDATE cell SET uuid = '2' || uuid;
    UPDATE launch SET uuid = '2' || uuid; UPDATE run SET uuid = '2' || uuid"
on_tty merge.txt "'$chorale'" merge m.db --other-systems one.db two.db
is $? 0 "merge on a terminal"
[ "$(bars merge.txt)" -ge 2 ] && rising merge.txt && gone merge.txt
ok $? "a bar that rises and goes away: $(bars merge.txt) times"
is "$(grep -Ec "^($esc\[K)?[a-z]+\.db: 1 system" merge.txt)" 2 \
    "what was added is readable"
"$chorale" merge v.db --other-systems one.db two.db --verbose >out.txt 2>err.txt
is "$? $(sed 's/^ *[0-9]*% //' err.txt | tr '\n' ' ')" "0 one.db two.db " \
    "--verbose: a line for each"
rising err.txt
ok $? "with how much was done"
"$chorale" merge n.db --other-systems one.db two.db >out.txt 2>err.txt
is "$? $(cat err.txt)" "0 " "no bar in a file"
on_tty quiet.txt "'$chorale'" merge o.db --other-systems one.db two.db -q
is "$? $(cat quiet.txt)" "0 " "--quiet: nothing at all"
is "$("$chorale" export n.db --csv | cksum)" "$("$chorale" export o.db --csv |
    cksum)" "and the same rows"
# A bar is one line, of what the terminal is wide; names cannot steer it.
evil="$work/a${esc}[31m
b.db"
cp one.db "$evil"
columns=44
on_tty narrow.txt "'$chorale'" merge e.db --other-systems "'$evil'" two.db
is $? 0 "a name with an escape sequence, on a narrow terminal"
[ "$(sed -n "s/$esc\\[K.*//; /^\\[/p" narrow.txt | awk '{ print length }' |
    sort -n | tail -n 1)" -le 43 ]
ok $? "no bar is wider"
! grep '^\[' narrow.txt | grep -q "$esc\\[31m"
ok $? "no bar has the sequence"
columns=100

# Stopped in the middle: none of it is there, and the same command goes on. Of
# half a million samples.
cp one.db big.db
sqlite3 big.db "WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k
    WHERE i < 1000) INSERT INTO sample (run_id, rep, seconds, flags)
    SELECT run_id, 100 + i, 1e-6, 0 FROM run, k"
total=$(sqlite3 big.db 'SELECT count(*) FROM run')
stopped() { # what to wait for, words: told to stop once that is said
    until=$1
    shift
    mkfifo said
    "$chorale" "$@" >out.txt 2>said &
    pid=$!
    : >err.txt
    while read -r line; do
        printf '%s\n' "$line" >>err.txt
        case $line in *"$until"*) kill -INT $pid && until=/ ;; esac
    done <said
    rm said
    wait $pid
}
stopped big.db merge s.db --other-systems two.db big.db -v
is $? 75 "merge is told to stop: exit 75"
like "$(tail -n 1 err.txt)" '^chorale: .*(stopped|repeat)' "it says so"
is "$(sqlite3 s.db 'PRAGMA integrity_check; SELECT count(*) FROM system')" "ok
1" "the first shard is there whole, of the second nothing"
"$chorale" merge s.db --other-systems two.db big.db -q
is "$? $(sqlite3 s.db 'SELECT count(*) FROM run')" "0 $((2 * total))" \
    "the same command goes on"

# --- fit ----------------------------------------------------------------------
synth f.db fit '2 4 8 16'
on_tty fit.txt "'$chorale'" fit f.db
is $? 0 "fit on a terminal"
[ "$(bars fit.txt)" -ge 1 ] && rising fit.txt && gone fit.txt
ok $? "a bar that rises and goes away: $(bars fit.txt) times"
like "$(cat fit.txt)" 'alpha ' "the parameters are readable"
"$chorale" fit f.db -v >verbose.txt 2>err.txt
is $? 0 "--verbose"
for words in 'one port' overlapped breakpoints 'foretelling P = 16' \
    'foretelling above P = 8' 'foretelling above m = [0-9]*'; do
    grep -q "^ *[0-9]*% $words\$" err.txt
    ok $? "says: $words"
done
rising err.txt
ok $? "and how much was done"
is "$(grep -vc '^ *[0-9]*% [a-z]' err.txt)" 0 "and nothing else"
[ "$(sed -n '$s/^ *\([0-9]*\)%.*/\1/p' err.txt)" -ge 80 ]
ok $? "the last part is among the last: $(tail -n 1 err.txt)"
"$chorale" fit f.db >out.txt 2>err.txt
is "$? $(cat err.txt)" "0 " "no bar in a file"
cmp -s out.txt verbose.txt
ok $? "what is printed is the same"
on_tty quiet.txt "'$chorale'" fit f.db -q
is "$? $(cat quiet.txt)" "0 " "--quiet: nothing at all"
is "$(sqlite3 f.db 'SELECT count(*) > 3 FROM model')" 1 "there is a model"
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" l.db fit \
    '2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 20 24 28 32 40 48 56 64' 20
models() { sqlite3 l.db 'SELECT * FROM model; SELECT * FROM model_variant'; }
before=$(models | cksum)
stopped 'one port' fit l.db -v
is $? 75 "fit is told to stop: exit 75"
is "$(tail -n 1 err.txt)" "chorale: fit: stopped; nothing of system fit is$(
    ) changed, and the same command fits it again" "it says what that means"
is "$(models | cksum)" "$before" "and it is true"

# --- tune: each of its long steps ---------------------------------------------
tune="tune t.db -c bcast,barrier -m 8,64,1K -P 1:2 --launches 2 -i 3$(
    ) --min-iterations 2 --cell-time 0.01 --sync barrier"
on_tty tune.txt "'$chorale'" "$tune"
code=$?
[ $code -le 1 ] # a point may be slower
ok $? "tune on a terminal: exit $code"
awk '/^\[/ { if (/% .* P=/) step = fitted ? "validates" : "measures"
    else if (/% .*(one port|overlapped|breakpoints|foretelling)/) {
        step = "fits"; fitted = 1 } else next
    if (step != last) print step; last = step }' tune.txt >steps.txt
is "$(head -n 3 steps.txt | tr '\n' ' ')" "measures fits validates " \
    "a bar while it measures, fits and validates"
gone tune.txt
ok $? "it goes away"
is "$(grep -c 'runs made' tune.txt)" 1 "of steps nothing else is printed"
# shellcheck disable=SC2086
"$chorale" $tune >out.txt 2>err.txt
[ $? -le 1 ] && ! grep -q '^\[\|%  ' err.txt
ok $? "no bar in a file: $(head -n 1 err.txt)"
on_tty quiet.txt "'$chorale'" "$tune" -q
[ $? -le 1 ] && [ "$(bars quiet.txt)" -eq 0 ]
ok $? "--quiet: no bar"

# --- submit --wait ------------------------------------------------------------
wait_for grep -qsa 'elements run' wait.txt.raw
kill -INT "$(cat waiting)"
wait
is "$(cat wait.code)" 75 "submit --wait is told to stop: exit 75"
like "$(cat wait.txt)" '^\[ {30}\]   0%  2 of 3 elements run, 1 wait' \
    "its bar says what the elements do"
gone wait.txt
ok $? "it goes away"
like "$(cat wait.txt)" 'job 2 is still in the queue; repeat the command to wait' \
    "and how to go on is said"
finish
