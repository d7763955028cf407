#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# jobs_queue.t - `status --jobs` asks squeue and sacct of a fake Slurm: how often,
# where it keeps their answers, and with --watch.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/jobs.sh"

submit -q

# --- how far they are -------------------------------------------------------
printf '1 %s RUNNING None\n' 0 1 >"$work/queue"
printf '1 %s PENDING Resources\n' 2 3 4 5 6 7 >>"$work/queue"
rm -f "$kept_answer" "$work/asked"
like "$(row 1)" ' 0 +4 +[0-9]+ s +RUNNING' "an element runs, with work left"
touch "$kept_answer" # an answer is of use for 30 seconds
like "$(row 3)" 'PENDING \(Resources\)' "another one waits, and for what"
touch "$kept_answer"
like "$(jobs)" '^0 of 32 runs; about .* of work is left, .* in one element' \
    "what is left of all"
touch "$kept_answer"
like "$(jobs --json)" '"left_s": [1-9]' "as JSON too"
is "$(asked squeue)" 1 "four looks ask squeue once"
touch -d '20 seconds' "$kept_answer"
row 1 >/dev/null
is "$(asked squeue)" 1 "nor by a server whose clock is ahead is it asked again"
touch -d '100 seconds' "$kept_answer"
row 1 >/dev/null
is "$(asked squeue)" 2 "but not for as long as that clock says"
mv "$bin/squeue" "$bin/quick"
fake squeue <<END
sleep 2
cat "$work/queue"
END
rm -f "$kept_answer" "$work/asked"
for i in 1 2 3; do
    row 1 >"$work/row$i" &
done
wait
is "$(asked squeue)" 1 "so do three at one moment"
is "$(grep -c ' RUNNING' "$work"/row[123] | cut -d : -f 2 | tr '\n' ' ')" \
    "1 1 1 " "and all have its answer"
fake squeue <<'END'
echo "slurm_load_jobs error: Unable to contact slurm controller" >&2
exit 1
END
rm -f "$kept_answer" "$work/asked"
for i in 1 2; do
    jobs >"$work/err$i.txt"
done
is "$(asked squeue)" 1 "nor is it asked again at once when it fails"
is "$(grep -c 'not known: .*Unable to contact' "$work"/err[12].txt |
    cut -d : -f 2 | tr '\n' ' ')" "1 1 " "which both say"
mv "$bin/quick" "$bin/squeue"
rm -f "$kept_answer"

# --- where its answer is kept -----------------------------------------------
rm -f "$kept_answer" "$work/asked"
row 1 >/dev/null
like "$(stat -c '%a %F' "$kept_answer" "${kept_answer%/*}" | tr '\n' ' ')" \
    '^600 regular .* 700 directory' "it is for its user alone"
cp "$db" "$work/r2.db"
touch "$kept_answer"
timeout 600 "$chorale" status "$work/r2.db" --jobs >"$work/out.txt"
is "$(asked squeue)$(grep -c RUNNING "$work/out.txt")" 12 \
    "another database asks for no answer of its own"
sed -i s/invented/another/ "$SLURM_CONF"
row 1 >/dev/null
is "$(asked squeue)" 2 "another cluster does"
SLURM_CLUSTERS=../third row 1 >/dev/null
is "$(asked squeue)$(ls "${kept_answer%/*}" | grep -c '^squeue-.._third.txt$')" \
    31 "so does one that is named, and its name is a word"
sed -i s/another/invented/ "$SLURM_CONF"
# What somebody else might have put there is neither read nor written.
echo '1 0 FAILED Link' >"$work/elsewhere.txt"
ln -sf "$work/elsewhere.txt" "$kept_answer"
ln -sf "$work/nowhere.lock" "$kept_answer.lock"
like "$(row 1)" ' RUNNING' "a link is not followed"
is "$(cat "$work/elsewhere.txt")$(ls "$work/nowhere.lock" 2>&1 |
    grep -c 'No such')" "1 0 FAILED Link1" "nor written through"
[ -f "$kept_answer" ] && [ ! -L "$kept_answer" ]
ok $? "but replaced"
rm -f "$kept_answer"*
beside() { # what: the answer is kept beside the database then
    rm -f "$work/r-slurm/squeue.txt" "$work/asked"
    row 1 >/dev/null
    row 1 >/dev/null
    is "$(asked squeue)$(cut -d ' ' -f 3 "$work/r-slurm/squeue.txt" |
        head -n 1)" 1RUNNING "$1: it is kept beside the database"
}
chmod 777 "${kept_answer%/*}"
beside "a folder that others may write"
chmod 700 "${kept_answer%/*}"
mv "${kept_answer%/*}" "$work/mine"
ln -s "$work/mine" "${kept_answer%/*}"
beside "a link to a folder"
rm "${kept_answer%/*}"
: >"${kept_answer%/*}"
beside "no folder"
is "$(ls "$work/mine" | grep -c invented)" 0 "the folder is empty"
rm "${kept_answer%/*}"
(unset XDG_CACHE_HOME; HOME=$work/home; export HOME; mkdir "$HOME"
    row 1 >/dev/null)
is "$(ls "$work/home/.cache/chorale")" "squeue-invented.txt
squeue-invented.txt.lock" "without XDG_CACHE_HOME it is at home"
(XDG_CACHE_HOME=relative; export XDG_CACHE_HOME; cd "$work" && HOME=/dev/null &&
    export HOME && beside "no home")
tap_n=$((tap_n + 1))
rm -f "$work/r-slurm/squeue.txt"*

# --- why a job ended --------------------------------------------------------
job 1 0 >/dev/null 2>&1
: >"$work/queue"
rm -f "$kept_answer" "$work/asked"
printf '%s\n' '1_0|COMPLETED|0:0' '1_1|TIMEOUT|0:0' '1_2|FAILED|3:0' \
    >"$work/sacct"
text=$(jobs)
like "$text" ' 2 +1_1 .* 0 +4 .*TIMEOUT$' "sacct says that one was too long"
like "$text" ' 3 +1_2 .*FAILED \(exit code 3\)' "and one failed"
like "$text" ' 4 +1_3 .*not in the queue' "and does not know of another"
like "$text" ' 1 +1_0 .* 4 +4 +- +complete; done' "one is complete"
is "$(asked sacct)" 1 "it is asked once"
like "$(grep '^sacct' "$work/asked")" '--jobs=1$' "for the array"
mv "$bin/sacct" "$bin/none"
like "$(row 2)" 'not in the queue' "without sacct: as far as is known"
mv "$bin/none" "$bin/sacct"

# --- watched ----------------------------------------------------------------
printf '1 1 RUNNING None\n' >"$work/queue"
rm -f "$kept_answer" "$work/asked"
timeout -s INT 600 "$chorale" status "$db" --jobs --watch 1 >"$work/out.txt" &
watching=$!
looked() { [ "$(grep -c '^batch jobs' "$work/out.txt")" -ge 3 ]; }
until_true looked
kill -INT "$watching"
looked
ok $? "--watch looks again and again"
is "$(asked squeue) $(asked sacct)" "1 1" \
    "and asks neither squeue nor sacct more often"
: >"$work/queue"
rm -f "$kept_answer"
timeout 600 "$chorale" status "$db" --jobs --watch 100 >/dev/null
is $? 0 "it ends if the queue is empty"
"$chorale" plan "$work/idle.db" -q -c bcast -m 8 -P 2
like "$("$chorale" status "$work/idle.db" --jobs)" '^no batch jobs; ' \
    "where there are none it says so"
"$chorale" status "$db" --watch 5 2>"$work/err.txt"
is $? 2 "--watch without --jobs: exit 2"

finish
