#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Slurm with task/affinity: srun binds each rank to a processor of its own where
# chorale asks for it, in `run` and in jobs of `submit`, and the launch stores
# what was asked and what the ranks found. By TaskPluginParam=none srun binds on
# request only. The node has the processors of this machine.
case ${TMPDIR-} in /dev/shm*) TMPDIR=/tmp && export TMPDIR ;; esac
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
cluster_wanted
[ "$("$top_builddir/chorale-runner" --cores)" -ge 2 ] ||
    skip_all "one core, or this test is itself bound"

trap 'cluster_down; chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
task_plugin=task/affinity
more_conf=TaskPluginParam=none
cluster_begin 1 "$(getconf _NPROCESSORS_ONLN)"
SLURM_MPI_TYPE=pmi2
export SLURM_MPI_TYPE
unset SLURM_CPU_BIND HYDRA_BINDING CHORALE_MPIEXEC
in_job() { # command: run it in an allocation of two processors
    on_head timeout 300 salloc -Q -n 2 "$@"
}
fact() { # database, key
    sqlite3 -readonly "$1" "SELECT value FROM environment WHERE key = '$2'"
}
campaign() { # name, launcher, options of run: measure a cell with two ranks
    db=$work/$1.db
    on_head "$chorale" plan "$db" -P 2 -m 8 -c bcast --providers library \
        --launches 1 -i 3 -q --launcher "$2"
    shift 2
    in_job "$chorale" run "$db" -q "$@" >"$work/out.txt" 2>&1
    rc=$?
    [ $rc = 0 ] || diag "$(cat "$work/out.txt")"
}

# --- what this Slurm does ----------------------------------------------------
allowed() { # options of srun: the processors of each of two tasks
    in_job srun "$@" grep Cpus_allowed_list /proc/self/status | cut -f 2 |
        sort | tr '\n' ' '
}
own=$(allowed --cpu-bind=cores)
all=$(allowed)
like "$own" '^([0-9]+) [0-9]+ $' "--cpu-bind=cores gives each task one processor"
is "$(echo "$own" | tr ' ' '\n' | sort -u | grep -c .)" 2 \
    "the two tasks have different processors"
like "$all" '^([0-9]+[-,][0-9,-]+) \1 $' "without it all tasks have all processors"

# --- run in an allocation ----------------------------------------------------
campaign bound srun
is "$rc $(fact "$db" binding_request) $(fact "$db" binding)" \
    "0 core own processors" "run binds the ranks that srun starts"
is "$(sqlite3 "$db" "SELECT value FROM environment WHERE key GLOB 'binding:*'" |
    sed -n 's/^bound: processors \([0-9]*\).*/\1/p' | sort | tr '\n' ' ')" \
    "$own" "the stored processors are those that Slurm gives two tasks"
campaign loose srun --no-bind
is "$rc $(fact "$db" binding_request)" "0 none: --no-bind" \
    "with --no-bind srun is not asked to bind"
like "$(fact "$db" binding)" '^free: 2 of 2 ranks' "then the ranks are free"
campaign hydra mpiexec
is "$rc $(fact "$db" binding_request) $(fact "$db" binding)" \
    "0 core own processors" "mpiexec binds the ranks of an allocation"

# --- submitted jobs ----------------------------------------------------------
db=$work/submitted.db
echo 'mpi = pmi2' >"$work/site.txt"
on_head timeout 600 "$chorale" submit "$db" -c bcast -m 8 -P 2 --ppn 2 \
    --launches 1 --providers library -i 3 --any-nodes --time 5m \
    --site "$work/site.txt" -q >"$work/out.txt" 2>&1
rc=$?
is $rc 0 "submit accepts a Slurm that can bind"
if [ $rc = 0 ]; then
    folder=$work/submitted-slurm/1
    wait_until test -f "$folder/gather.txt"
    is "$(cat "$folder/gather.txt") $(fact "$db" binding_request)" \
        "0 complete core" "the job asks srun to bind the ranks"
    is "$(fact "$db" binding)" "own processors" "the ranks of the job are bound"
    [ "$tap_bad" = 0 ] || diag "$(tail -n 5 "$folder"/*.log)"
else
    diag "$(cat "$work/out.txt")"
fi

cluster_down
none_left && ! ip netns list | grep -q "$prefix"
ok $? "no process and no namespace is left"
finish
