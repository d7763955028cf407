#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# jobs_queue.t - `status --jobs` calls squeue and sacct of a fake Slurm: how
# often, where it caches their output, and with --watch.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/jobs.sh"

submit -q

# --- states of elements -----------------------------------------------------
printf '1 %s RUNNING None\n' 0 1 >"$work/queue"
printf '1 %s PENDING Resources\n' 2 3 4 5 6 7 >>"$work/queue"
rm -f "$kept_answer" "$work/asked"
like "$(row 1)" ' 0 +4 +[0-9]+ s +RUNNING' \
    "status shows a running element with the time left"
touch "$kept_answer" # a cached answer is valid for 30 seconds
like "$(row 3)" 'PENDING \(Resources\)' \
    "status shows a pending element with its reason"
touch "$kept_answer"
like "$(jobs)" '^0 of 32 runs; about .* of work is left, .* in one element' \
    "status shows the work left"
touch "$kept_answer"
like "$(jobs --json)" '"left_s": [1-9]' "JSON has the time left"
is "$(asked squeue)" 1 "four calls run squeue once"
touch -d '20 seconds' "$kept_answer"
row 1 >/dev/null
is "$(asked squeue)" 1 "a cache file from a clock ahead of time is used"
touch -d '100 seconds' "$kept_answer"
row 1 >/dev/null
is "$(asked squeue)" 2 "such a cache file is not used for long"
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
is "$(asked squeue)" 1 "three simultaneous calls run squeue once"
is "$(grep -c ' RUNNING' "$work"/row[123] | cut -d : -f 2 | tr '\n' ' ')" \
    "1 1 1 " "all three show its answer"
fake squeue <<'END'
echo "slurm_load_jobs error: Unable to contact slurm controller" >&2
exit 1
END
rm -f "$kept_answer" "$work/asked"
for i in 1 2; do
    jobs >"$work/err$i.txt"
done
is "$(asked squeue)" 1 "a failed squeue is not repeated at once"
is "$(grep -c 'not known: .*Unable to contact' "$work"/err[12].txt |
    cut -d : -f 2 | tr '\n' ' ')" "1 1 " "both calls report the failure"
mv "$bin/quick" "$bin/squeue"
rm -f "$kept_answer"

# --- the cache of its answer ------------------------------------------------
rm -f "$kept_answer" "$work/asked"
row 1 >/dev/null
like "$(stat -c '%a %F' "$kept_answer" "${kept_answer%/*}" | tr '\n' ' ')" \
    '^600 regular .* 700 directory' "the cache is readable by its user only"
cp "$db" "$work/r2.db"
touch "$kept_answer"
timeout 600 "$chorale" status "$work/r2.db" --jobs >"$work/out.txt"
is "$(asked squeue)$(grep -c RUNNING "$work/out.txt")" 12 \
    "another database uses the same answer"
sed -i s/invented/another/ "$SLURM_CONF"
row 1 >/dev/null
is "$(asked squeue)" 2 "another cluster has its own answer"
SLURM_CLUSTERS=../third row 1 >/dev/null
is "$(asked squeue)$(ls "${kept_answer%/*}" | grep -c '^squeue-.._third.txt$')" \
    31 "a named cluster has its own cache file with a safe name"
sed -i s/another/invented/ "$SLURM_CONF"
# Files that others may have put there are neither read nor written.
echo '1 0 FAILED Link' >"$work/elsewhere.txt"
ln -sf "$work/elsewhere.txt" "$kept_answer"
ln -sf "$work/nowhere.lock" "$kept_answer.lock"
like "$(row 1)" ' RUNNING' "a symbolic link is not read"
is "$(cat "$work/elsewhere.txt")$(ls "$work/nowhere.lock" 2>&1 |
    grep -c 'No such')" "1 0 FAILED Link1" \
        "a symbolic link is not written through"
[ -f "$kept_answer" ] && [ ! -L "$kept_answer" ]
ok $? "a symbolic link is replaced"
rm -f "$kept_answer"*
beside() { # what: the cache must be beside the database then
    rm -f "$work/r-slurm/squeue.txt" "$work/asked"
    row 1 >/dev/null
    row 1 >/dev/null
    is "$(asked squeue)$(cut -d ' ' -f 3 "$work/r-slurm/squeue.txt" |
        head -n 1)" 1RUNNING "$1: the cache is beside the database"
}
chmod 777 "${kept_answer%/*}"
beside "a folder that others can write"
chmod 700 "${kept_answer%/*}"
mv "${kept_answer%/*}" "$work/mine"
ln -s "$work/mine" "${kept_answer%/*}"
beside "a link to a folder"
rm "${kept_answer%/*}"
: >"${kept_answer%/*}"
beside "no folder"
is "$(ls "$work/mine" | grep -c invented)" 0 "no cache file is in such a folder"
rm "${kept_answer%/*}"
(unset XDG_CACHE_HOME; HOME=$work/home; export HOME; mkdir "$HOME"
    row 1 >/dev/null)
is "$(ls "$work/home/.cache/chorale")" "squeue-invented.txt
squeue-invented.txt.lock" "without XDG_CACHE_HOME the cache is below HOME"
(XDG_CACHE_HOME=relative; export XDG_CACHE_HOME; cd "$work" && HOME=/dev/null &&
    export HOME && beside "no home")
tap_n=$((tap_n + 1))
rm -f "$work/r-slurm/squeue.txt"*

# --- reasons of ended jobs
# -~-----------------------------------------------------
job 1 0 >/dev/null 2>&1
: >"$work/queue"
rm -f "$kept_answer" "$work/asked"
printf '%s\n' '1_0|COMPLETED|0:0' '1_1|TIMEOUT|0:0' '1_2|FAILED|3:0' \
    >"$work/sacct"
text=$(jobs)
like "$text" ' 2 +1_1 .* 0 +4 .*TIMEOUT$' \
    "sacct: a job that exceeded its time limit is shown"
like "$text" ' 3 +1_2 .*FAILED \(exit code 3\)' \
    "sacct: a failed job is shown with its exit code"
like "$text" ' 4 +1_3 .*not in the queue' \
    "a job unknown to sacct is shown as not in the queue"
like "$text" ' 1 +1_0 .* 4 +4 +- +complete; done' "a complete element is shown"
is "$(asked sacct)" 1 "sacct is run once"
like "$(grep '^sacct' "$work/asked")" '--jobs=1$' \
    "sacct is run for the whole array"
mv "$bin/sacct" "$bin/none"
like "$(row 2)" 'not in the queue' \
    "without sacct a missing job is shown as not in the queue"
mv "$bin/none" "$bin/sacct"

# --- --watch ----------------------------------------------------------------
printf '1 1 RUNNING None\n' >"$work/queue"
rm -f "$kept_answer" "$work/asked"
timeout -s INT 600 "$chorale" status "$db" --jobs --watch 1 >"$work/out.txt" &
watching=$!
looked() { [ "$(grep -c '^batch jobs' "$work/out.txt")" -ge 3 ]; }
until_true looked
kill -INT "$watching"
looked
ok $? "--watch prints the state repeatedly"
is "$(asked squeue) $(asked sacct)" "1 1" \
    "--watch uses the cached answers"
: >"$work/queue"
rm -f "$kept_answer"
timeout 600 "$chorale" status "$db" --jobs --watch 100 >/dev/null
is $? 0 "--watch ends with an empty queue"
"$chorale" plan "$work/idle.db" -q -c bcast -m 8 -P 2
like "$("$chorale" status "$work/idle.db" --jobs)" '^no batch jobs; ' \
    "status --jobs states that the database has no jobs"
"$chorale" status "$db" --watch 5 2>"$work/err.txt"
is $? 2 "--watch without --jobs exits with 2"

finish
