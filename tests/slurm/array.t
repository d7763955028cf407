#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A campaign through a real Slurm: `submit` makes a job array, its elements
# measure across nodes with MPICH, and the last job merges and decides. One rank
# on each of two nodes is enough; more ranks than processors would be slow.
# Each node has its own /dev/shm, so shared files must be elsewhere.
case ${TMPDIR-} in /dev/shm*) TMPDIR=/tmp && export TMPDIR ;; esac
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
cluster_wanted

trap 'cluster_down; chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
cluster_begin 2

db=$work/results.db
folder=$work/results-slurm/1
# The nodes share one machine: its processors are oversubscribed.
printf '%s\n' 'partition = main' 'bind = no' \
    "prologue = $work/prologue.sh" >"$work/site.txt"
submit() { # further options
    on_head timeout 600 "$chorale" submit "$db" -c bcast -m 8K,64K -P 2 \
        --ppn 1 --launches 2 --providers chorale,library --variants linear \
        -i 20 --cell-time 0.1 --any-nodes --time 5m "$@"
}

# --- before anything is submitted ------------------------------------------
err=$(submit 2>&1)
is $? 3 "submit refuses a Slurm that cannot bind ranks"
like "$err" 'cannot bind ranks.*bind = no' "the error names the remedy"
submit --site "$work/site.txt" --dry-run >"$work/out.txt" 2>"$work/err.txt"
is "$? $(grep '^#SBATCH --[an][ro]' "$work/out.txt" | tr '\n' ' ')" \
    "0 #SBATCH --array=0-1 #SBATCH --nodes=2 #SBATCH --nodes=1 " \
    "--dry-run shows an array of two elements on two nodes, and the last job"
[ ! -e "$work/results-slurm" ] && [ ! -e "$db" ] &&
    [ -z "$(on_head squeue -h)" ]
ok $? "--dry-run makes, writes and submits nothing"

# --- the campaign ----------------------------------------------------------
submit --site "$work/site.txt" >"$work/out.txt" 2>"$work/err.txt"
is $? 0 "submit succeeds"
diag "$(cat "$work/out.txt" "$work/err.txt")"
gather=$(sqlite3 "$db" 'SELECT gather_job FROM submission')
like "$(on_head scontrol show job "$gather")" 'Dependency=afterany:' \
    "the last job depends on the array"
like "$(submit --site "$work/site.txt" --wait 2>&1)" \
    'no run is left to submit' \
    "the same command submits nothing, and --wait waits for the last job"
is "$(cat "$folder/gather.txt")" "0 complete" "the last job finds all runs"
[ "$tap_bad" = 0 ] || diag "$(tail -n 5 "$folder"/*.log "$folder"/*.txt)"
is "$(sqlite3 "$db" "SELECT sum(planned), sum(done), sum(failed)
    FROM v_progress")" "8|8|0" "every cell has run in every launch"
is "$(sqlite3 "$db" "SELECT count(*), max(task), count(DISTINCT job_id)
    FROM element; SELECT DISTINCT host_map FROM launch")" "2|1|1
0,1" "the runs come from two elements of one array, one rank per node"
is "$(sqlite3 "$db" 'SELECT name FROM system')" testbed-main \
    "the system is named for cluster and partition"
like "$("$chorale" status "$db" --jobs)" ' 4 +4 +- +complete; done' \
    "status shows a complete element"

# --- the table -------------------------------------------------------------
[ "$(sqlite3 "$db" "SELECT count(*) FROM decision
    WHERE target = 'dispatch'")" -gt 0 ]
ok $? "the last job has decided"
"$CC" -std=c99 -Wall -Wextra -Werror -c -o "$work/table.o" \
    "$work/results-dispatch.c"
ok $? "the table compiles"
[ -s "$work/results-summary.md" ]
ok $? "the last job writes a summary"

cluster_down
none_left && ! ip netns list | grep -q "$prefix" &&
    ! ls -d /etc/netns/"$prefix"* 2>/dev/null
ok $? "no process, namespace or file in /etc/netns is left"
finish
