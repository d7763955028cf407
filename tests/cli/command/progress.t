#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# progress.t - long work shows progress: on a terminal a bar that fits and is
# removed at the end; lines with --verbose; no output with --quiet or to a file.
# Interrupted commands stop, and their message is true.
. "$(dirname "$0")/../../lib.sh"
. "$here/../kill.sh"
command -v script >/dev/null 2>&1 || skip_all "no script (bsdutils)"
cd "$work" || exit 99
esc=$(printf '\033')
cr=$(printf '\r')
on_tty() { # file, words: store the terminal output, one line per drawing
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
gone() { # file: the last bar is removed before other output
    tail -n +"$(grep -n '^\[' "$1" | tail -n 1 | cut -d : -f 1)" "$1" |
        sed -n 2p | grep -q "^$esc\\[K"
}

# --- submit --wait: started here, checked at the end --------------------------
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
is $? 0 "run on a terminal exits with 0"
[ "$(bars run.txt)" -ge 2 ]
ok $? "run draws a bar: $(bars run.txt) times"
like "$(cat run.txt)" '^\[#{30}\] 100%  0:00 left  (bcast|barrier) P=1 m=' \
    "run's bar is full at the end and has the current item"
gone run.txt
ok $? "run's bar is removed"
like "$(cat run.txt)" 'r.db: [0-9]+ runs made' \
    "run prints the summary after the bar"
plan q.db
on_tty quiet.txt "'$chorale'" run q.db --quiet
is "$? $(cat quiet.txt)" "0 " "run --quiet prints nothing"
plan p.db
"$chorale" run p.db >out.txt 2>err.txt
is "$? $(cat err.txt)" "0 " "run draws no bar in a file"

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
is $? 0 "merge on a terminal exits with 0"
[ "$(bars merge.txt)" -ge 2 ] && rising merge.txt && gone merge.txt
ok $? "merge draws a rising bar and removes it: $(bars merge.txt) times"
is "$(grep -Ec "^($esc\[K)?[a-z]+\.db: 1 system" merge.txt)" 2 \
    "merge's summary is readable"
"$chorale" merge v.db --other-systems one.db two.db --verbose >out.txt 2>err.txt
is "$? $(sed 's/^ *[0-9]*% //' err.txt | tr '\n' ' ')" "0 one.db two.db " \
    "merge --verbose prints a line per file"
rising err.txt
ok $? "merge --verbose prints rising percentages"
"$chorale" merge n.db --other-systems one.db two.db >out.txt 2>err.txt
is "$? $(cat err.txt)" "0 " "merge draws no bar in a file"
on_tty quiet.txt "'$chorale'" merge o.db --other-systems one.db two.db -q
is "$? $(cat quiet.txt)" "0 " "merge --quiet prints nothing"
is "$("$chorale" export n.db --csv | cksum)" "$("$chorale" export o.db --csv |
    cksum)" "merge stores the same rows without a terminal"
# A bar is one line within the terminal's width; names have no control codes.
evil="$work/a${esc}[31m
b.db"
cp one.db "$evil"
columns=44
on_tty narrow.txt "'$chorale'" merge e.db --other-systems "'$evil'" two.db
is $? 0 "merge with an escape sequence in a name, narrow terminal, exits with 0"
[ "$(sed -n "s/$esc\\[K.*//; /^\\[/p" narrow.txt | awk '{ print length }' |
    sort -n | tail -n 1)" -le 43 ]
ok $? "no bar is wider than the terminal"
! grep '^\[' narrow.txt | grep -q "$esc\\[31m"
ok $? "no bar has the escape sequence"
columns=100

# Interrupted in the middle of half a million samples: no part of the second
# shard is stored, and the same command resumes.
cp one.db big.db
sqlite3 big.db "WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k
    WHERE i < 1000) INSERT INTO sample (run_id, rep, seconds, flags)
    SELECT run_id, 100 + i, 1e-6, 0 FROM run, k"
total=$(sqlite3 big.db 'SELECT count(*) FROM run')
stopped() { # text, words: run, and interrupt once the text is printed
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
is $? 75 "interrupted merge exits with 75"
like "$(tail -n 1 err.txt)" '^chorale: .*(stopped|repeat)' \
    "interrupted merge prints how to resume"
is "$(sqlite3 s.db 'PRAGMA integrity_check; SELECT count(*) FROM system')" "ok
1" "the first shard is stored, no part of the second"
"$chorale" merge s.db --other-systems two.db big.db -q
is "$? $(sqlite3 s.db 'SELECT count(*) FROM run')" "0 $((2 * total))" \
    "the same command resumes the merge"

# --- fit ----------------------------------------------------------------------
synth f.db fit '2 4 8 16'
on_tty fit.txt "'$chorale'" fit f.db
is $? 0 "fit on a terminal exits with 0"
[ "$(bars fit.txt)" -ge 1 ] && rising fit.txt && gone fit.txt
ok $? "fit draws a rising bar and removes it: $(bars fit.txt) times"
like "$(cat fit.txt)" 'alpha ' "fit's parameters are readable"
"$chorale" fit f.db -v >verbose.txt 2>err.txt
is $? 0 "fit --verbose exits with 0"
for words in 'one port' overlapped breakpoints 'predicting P = 16' \
    'predicting above P = 8' 'predicting above m = [0-9]*'; do
    grep -q "^ *[0-9]*% $words\$" err.txt
    ok $? "fit --verbose prints: $words"
done
rising err.txt
ok $? "fit --verbose prints rising percentages"
is "$(grep -vc '^ *[0-9]*% [a-z]' err.txt)" 0 \
    "fit --verbose prints only percentages"
[ "$(sed -n '$s/^ *\([0-9]*\)%.*/\1/p' err.txt)" -ge 80 ]
ok $? "the last line is near 100 %: $(tail -n 1 err.txt)"
"$chorale" fit f.db >out.txt 2>err.txt
is "$? $(cat err.txt)" "0 " "fit draws no bar in a file"
cmp -s out.txt verbose.txt
ok $? "fit's output is the same with --verbose"
on_tty quiet.txt "'$chorale'" fit f.db -q
is "$? $(cat quiet.txt)" "0 " "fit --quiet prints nothing"
is "$(sqlite3 f.db 'SELECT count(*) > 3 FROM model')" 1 \
    "fit --quiet stores a model"
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" l.db fit \
    '2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 20 24 28 32 40 48 56 64' 20
models() { sqlite3 l.db 'SELECT * FROM model; SELECT * FROM model_variant'; }
before=$(models | cksum)
stopped 'one port' fit l.db -v
is $? 75 "a stopped fit exits with 75"
is "$(tail -n 1 err.txt)" "chorale: fit: stopped, the model of system$(
    ) fit is unchanged; repeat the command" "the error gives the remedy"
is "$(models | cksum)" "$before" "and it is true"

# --- tune: each of its long steps shows a bar
# ---------------------------------------------
tune="tune t.db -c bcast,barrier -m 8,64,1K -P 1:2 --launches 2 -i 3$(
    ) --min-iterations 2 --cell-time 0.01 --sync barrier"
on_tty tune.txt "'$chorale'" "$tune"
code=$?
[ $code -le 1 ] # a point may be slower
ok $? "tune on a terminal exits with 0 or 1: $code"
awk '/^\[/ { if (/% .* P=/) step = fitted ? "validates" : "measures"
    else if (/% .*(one port|overlapped|breakpoints|predicting)/) {
        step = "fits"; fitted = 1 } else next
    if (step != last) print step; last = step }' tune.txt >steps.txt
is "$(head -n 3 steps.txt | tr '\n' ' ')" "measures fits validates " \
    "tune draws a bar while it measures, fits and validates"
gone tune.txt
ok $? "tune's bar is removed"
is "$(grep -c 'runs made' tune.txt)" "$(sqlite3 t.db "SELECT
    count(DISTINCT campaign_id) FROM campaign JOIN cell USING (campaign_id)
    WHERE round > 0")" "tune prints one line for each round of measurements"
# shellcheck disable=SC2086
"$chorale" $tune >out.txt 2>err.txt
[ $? -le 1 ] && ! grep -q '^\[\|%  ' err.txt
ok $? "tune draws no bar in a file: $(head -n 1 err.txt)"
on_tty quiet.txt "'$chorale'" "$tune" -q
[ $? -le 1 ] && [ "$(bars quiet.txt)" -eq 0 ]
ok $? "tune --quiet draws no bar"

# --- submit --wait ------------------------------------------------------------
wait_for grep -qsa 'elements run' wait.txt.raw
kill -INT "$(cat waiting)"
wait
is "$(cat wait.code)" 75 "interrupted submit --wait exits with 75"
like "$(cat wait.txt)" '^\[ {30}\]   0%  2 of 3 elements run, 1 wait' \
    "its bar has the states of the elements"
gone wait.txt
ok $? "it goes away"
like "$(cat wait.txt)" 'job 2 is still in the queue; repeat the command to wait' \
    "the message names the command that continues"
finish
