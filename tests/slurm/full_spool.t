#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# slurmd's own disk is full: slurmd rejects the job and drains its node, and
# Slurm holds the job. `status`, `submit` and `submit --wait` then name the
# remedy; after the repair and the release the job runs.
case ${TMPDIR-} in /dev/shm*) TMPDIR=/tmp && export TMPDIR ;; esac
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
cluster_wanted

# A small disk, mounted before the nodes exist so that every node sees it.
spool=$cluster/spool
mkdir -p "$spool"
mount -t tmpfs -o size=8M tmpfs "$spool" ||
    skip_all "no file system can be mounted here"
trap 'cluster_down; umount -l "$spool"; rm -rf "$work"' EXIT
cluster_begin

db=$work/results.db
printf '%s\n' 'mpi = pmi2' 'bind = no' "prologue = $work/prologue.sh" \
    'partition = main' >"$work/site.txt"
submit() {
    on_head timeout 1200 "$chorale" submit "$db" -c bcast -m 1K:4K -P 4 \
        --ppn 1 --launches 1 --variants linear -i 50 --cell-time 0.2 \
        --site "$work/site.txt" --time 3m "$@"
}
folder=$work/results-slurm/1
dd if=/dev/zero of="$spool/full" bs=1k 2>/dev/null
[ "$(df --output=avail "$spool" | tail -n 1)" -eq 0 ]
ok $? "the disk is full"
submit --wait >"$work/wait.txt" 2>&1 &
waiting=$!
reason() { on_head squeue -h -r -o '%F_%K %r'; }
held() { reason | grep -q '_0 .*held'; }
wait_until held
ok $? "the element's job is held: $(reason | grep _0)"
job=$(reason | sed -n 's/\(_0\) .*/\1/p')

status=$(on_head "$chorale" status "$db" --jobs)
like "$status" "$job .* PENDING .launch failed requeued held" \
    "status gives Slurm's reason"
like "$status" "$job is held: repair its cause.*scontrol release $job" \
    "and what to do"
told="job $job is PENDING .*held.*; repair .*scontrol release $job"
like "$(submit 2>&1)" "$told" "the same command again says it"
is "$(sqlite3 "$db" 'SELECT count(*) FROM submission')" 1 \
    "the same command again submits no job"
says_so() { grep -q "$told" "$work/wait.txt"; }
wait_until says_so
ok $? "submit --wait names the remedy"

rm "$spool/full"
on_head scontrol update 'nodename=n[1-4]' state=resume
released() { # a launch may find what the failed one left
    [ -f "$folder/gather.txt" ] || {
        held && on_head scontrol release "$job"
        return 1
    }
}
wait_until released
ok $? "the job runs after the disk is repaired and the job released"
wait "$waiting"
is $? 0 "submit --wait exits with 0"
is "$(grep -c "$told" "$work/wait.txt")" 1 "it printed the remedy once"
is "$(cat "$folder/gather.txt")" "0 complete" "the last job finds all runs"
is "$(sqlite3 "$db" "SELECT sum(planned), sum(done), sum(failed)
    FROM v_progress")" "6|6|0" "each cell has one run"

cluster_down
none_left && ! ip netns list | grep -q "$prefix"
ok $? "no process and no namespace is left"
finish
