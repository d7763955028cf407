#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The main path of batch jobs with a fake Slurm: `submit`, elements, the last
# job and the verdict. tests/slurm uses a real one.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/jobs.sh"

sed -i s/affinity/none/ "$bin/scontrol"
timeout 600 "$chorale" submit "$db" -c bcast -m 8 -P 2 --ppn 2 \
    >/dev/null 2>"$work/err.txt"
is $? 3 "submit exits with 3 if ranks cannot be bound"
like "$(cat "$work/err.txt")" 'cannot bind ranks.*bind = no' \
    "the error names the remedy 'bind = no'"
[ ! -e "$db" ] && [ ! -e "$work/jobs" ]
ok $? "no cell is planned and no job submitted"
sed -i s/none/affinity/ "$bin/scontrol"

submit -q
is $? 0 "submit exits with 0"
is "$(sqlite3 "$db" 'SELECT count(*), max(task) FROM element')" "8|7" \
    "eight elements are submitted"
grep -q -- ' --kill-wait 30$' "$folder"/1x2-from1.sh
ok $? "the scripts have Slurm's KillWait"
# --- the submitter's environment ---------------~---------------------------
cp "$bin/sbatch" "$bin/quiet"
fake sbatch <<END
env | grep -E '^(SBATCH|SLURM)_' | sort >"$work/env"
echo 9
END
SBATCH_PARTITION=urgent SBATCH_TIMELIMIT=7 SBATCH_NO_REQUEUE=1 \
    SLURM_CPU_BIND=none SLURM_JOB_ID=3 SLURM_CONF=$work/slurm.conf \
    timeout 600 "$chorale" submit "$work/env.db" -q -c bcast -m 8 -P 2 --ppn 2 \
    --partition main
is "$?$(cat "$work/env")" "0SLURM_CONF=$work/slurm.conf" \
    "only the path of slurm.conf overrules a script"
mv "$bin/quiet" "$bin/sbatch"
# shellcheck disable=SC2046
SLURM_JOB_PARTITION=urgent timeout 600 "$chorale" job "$work/env-slurm/1" \
    $(grep -o -e '--partition main' "$work/env-slurm/1"/1x2-from1.sh) \
    --element 1 >/dev/null 2>"$work/err.txt"
is "$?$(grep -c 'in partition urgent but was planned for main' "$work/err.txt")" 31 \
    "an element that runs in another partition fails"
like "$(cat "$work/env-slurm/1/element-1.txt")" '^failed .*partition urgent' \
    "status has the reason"

# --- merging while elements write ---------------------------------------------
(job 1 0 >/dev/null 2>"$work/err.txt"; echo $? >"$work/code") &
broken=0
look() {
    [ "$(sqlite3 -readonly "$folder/shard-1.db" 'PRAGMA integrity_check' \
        2>&1)" = ok ] || broken=$((broken + 1))
    timeout 600 "$chorale" merge "$work/other.db" "$folder/shard-1.db" -q ||
        broken=$((broken + 1))
}
while [ ! -f "$work/code" ]; do
    [ ! -f "$folder/shard-1.db" ] || look
    sleep 0.05
done
wait
look
is "$(cat "$work/code")" 0 "an element exits with 0"
diag "$(cat "$work/err.txt")"
is $broken 0 "a published shard is valid at any time"
[ ! -e "$folder/work-1.db" ] && [ -z "$(ls "$folder"/*.new 2>/dev/null)" ]
ok $? "an element leaves no other files"
# Files that are being written are no valid databases.
for file in work-2.db shard-2.db.new; do
    echo "half a page" >"$folder/$file"
done
# Damaged published shards do not prevent merging the others.
mv "$folder/shard-1.db" "$work/whole.db"
for element in 1 3; do
    echo "half a page" >"$folder/shard-$element.db"
done
mv "$work/whole.db" "$folder/shard-2.db"
timeout 600 "$chorale" job "$folder" --gather "$db" >"$work/out.txt" \
    2>"$work/err.txt"
is $? 75 "the last job, started too early, exits with 75"
! grep -q -e work-2 -e '\.new' "$work/err.txt" "$work/out.txt"
ok $? "the last job opens no file that is being written"
is "$(sqlite3 "$db" 'SELECT count(*) FROM run')" 4 \
    "the last job merges published shards"
is "$(grep -c 'shard-[13].db: ' "$work/err.txt")" 2 \
    "the last job names the damaged shards"
mv "$folder/shard-2.db" "$folder/shard-1.db"
rm "$folder/shard-3.db"
is "$(cat "$folder/work-2.db" "$folder/shard-2.db.new")" "half a page
half a page" "the last job changes no file that is being written"
rm "$folder/work-2.db" "$folder/shard-2.db.new"

# --- completion and verdict --------------------------------------------------
job 2 3 --attempts 3 >/dev/null 2>"$work/err.txt"
is $? 3 "an element that Slurm starts too often exits with 3"
like "$(cat "$work/err.txt")" 'for the 4th time, but --attempts allows 3; find' \
    "the error counts the starts"
for element in 2 3 4 5 6 7 8; do
    job $element 3 --attempts 9 >/dev/null 2>"$work/err.txt" ||
        diag "$(cat "$work/err.txt")"
done
timeout 600 "$chorale" job "$folder" --gather "$db" >/dev/null
is $? 0 "the remaining elements are measured and merged"
is "$(sqlite3 "$db" 'SELECT count(*), count(DISTINCT cell_id) FROM run')" \
    "32|4" "each cell eight times"
like "$(submit)" 'no run is left' "submit has nothing left"

cp "$db" "$work/base.db"
sqlite3 "$work/base.db" "UPDATE launch SET uuid = lower(hex(randomblob(16)));
    UPDATE run SET uuid = lower(hex(randomblob(16)));
    CREATE TEMP TABLE ours AS SELECT run_id FROM run JOIN cell USING (cell_id)
        WHERE provider = 'chorale';
    UPDATE run_summary SET median = median / 1e4, lo = lo / 1e4, hi = hi / 1e4,
        mean = mean / 1e4, min = min / 1e4, q25 = q25 / 1e4, q75 = q75 / 1e4,
        p95 = p95 / 1e4, p99 = p99 / 1e4, max = max / 1e4
        WHERE run_id IN (SELECT run_id FROM ours);
    UPDATE sample SET seconds = seconds / 1e4
        WHERE run_id IN (SELECT run_id FROM ours)"
verdict() { # options: submit --wait; output to out.txt
    submit --wait --compare "$work/base.db" "$@" >"$work/out.txt" 2>&1
}
verdict --unpaired
is $? 1 "--wait --compare: far slower than base exits with 1"
diag "$(tail -n 2 "$work/out.txt")"
verdict --unpaired --fail-on none
is $? 0 "--fail-on none exits with 0"
verdict --unpaired --change 99999999%
is $? 0 "a large --threshold exits with 0"
verdict
is $? 75 "launches that are not interleaved give no verdict: exit code 75"
before=$(cat "$work/jobs")
verdict --fail-on colour
is $? 2 "an unknown --fail-on exits with 2"
submit --compare "$work/base.db" >/dev/null 2>"$work/err.txt"
is $? 2 "--compare without --wait exits with 2"
submit --fail-on none >/dev/null 2>"$work/err.txt"
is $? 2 "--fail-on without --compare exits with 2"
submit --wait --compare "$work/none.db" >/dev/null \
    2>"$work/err.txt"
is $? 3 "a missing base exits with 3"
diag "$(cat "$work/err.txt")"
is "$(cat "$work/jobs")" "$before" "none of these submits a job"

# --- nodes that differ -------------------------------------------------------
sqlite3 "$db" "INSERT INTO environment VALUES
    (1, 'stragglers', '2 (copies 0.5 of the median)'), (2, 'cpus_mixed', 'yes');
    UPDATE run SET validity = 'straggler' WHERE launch_id = 1;
    UPDATE run SET validity = 'mixed_cpus'
        WHERE launch_id = (SELECT max(launch_id) FROM run)"
text=$("$chorale" status "$db")
like "$text" '1 launch of P = 2 .*node 2 \(copies 0.5 of the median\)' \
    "status names a straggler"
like "$text" "1 launch of P = 2 .*first one's processor" \
    "status names mixed processors"
timeout 600 "$chorale" job "$folder" --gather "$db" >/dev/null
text=$(cat "$work/r-summary.md")
like "$text" '4 .*a node slower than the others' \
    "the summary names slower nodes"
like "$text" '4 .*nodes with different processors' \
    "the summary names mixed processors"

finish
