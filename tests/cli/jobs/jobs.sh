# SPDX-License-Identifier: BSD-3-Clause
# Batch jobs with a fake Slurm; sourced after ../lib.sh. Elements run here under
# mpiexec, one after the other. submit() submits a campaign of eight elements.
mpi=$("$top_builddir/chorale-runner" --probe | head -1)
case $mpi in
*MPICH*) ;;
*) skip_all "the runner is built with another MPI: $mpi" ;;
esac

bin=$work/bin
fake_slurm
PATH=$bin:$PATH
export PATH
asked() { grep -c "^$1 " "$work/asked"; } # program: number of its calls


db=$work/r.db
kept_answer=$XDG_CACHE_HOME/chorale/squeue-invented.txt
mkdir "$work/etc"
echo 'ClusterName = invented' >"$work/etc/slurm.conf"
SLURM_CONF=$work/etc/slurm.conf
export SLURM_CONF
folder=$work/r-slurm/1
printf '%s\n' 'launcher = mpiexec' 'bind = no' >"$work/site.txt"
submit() {
    timeout 600 "$chorale" submit "$db" -c bcast -m 8,1K -P 2 --ppn 2 \
        --providers chorale,library --variants linear --launches 8 -i 20 \
        --min-iterations 5 --cell-time 0.02 --site "$work/site.txt" "$@"
}
job() { # element, restarts, further options
    element=$1 restarts=$2
    shift 2
    SLURM_ARRAY_JOB_ID=1 SLURM_ARRAY_TASK_ID=$((element - 1)) \
        SLURM_RESTART_COUNT=$restarts timeout 600 "$chorale" job "$folder" \
        --element "$element" "$@"
}
jobs() { timeout 600 "$chorale" status "$db" --jobs "$@" 2>&1; }
row() { jobs | grep -E "^ +1 +$1 "; } # element

# Wait for a condition; the limit only ends hangs.
until_true() { # command
    for i in $(seq 6000); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    return 1
}
