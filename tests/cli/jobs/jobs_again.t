#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Repeated submissions, and how ranks are started and bound in batch jobs, with
# a fake Slurm.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/jobs.sh"

submit -q
job 8 0 >/dev/null 2>&1

# --- ranks that are not bound -----------------------------------------------
cat >"$bin/loose" <<END
#!/bin/sh
# Ignores the binding options and uses all processors.
for word; do
    shift
    case \$word in
    -bind-to | --bind-to) skip=1 ;;
    *) [ -n "\$skip" ] || set -- "\$@" "\$word"
       skip= ;;
    esac
done
exec $MPIEXEC "\$@"
END
chmod +x "$bin/loose"
bound() { # launcher
    CHORALE_MPIEXEC=$1 timeout 600 "$chorale" job "$folder" --element 7 \
        --bind >/dev/null 2>"$work/err.txt"
}
if [ "$(nproc)" -gt 1 ]; then
    bound "$bin/loose"
    is $? 3 "run exits with 3 if srun binds no rank"
    like "$(cat "$work/err.txt")" \
        '2 of 2 ranks are not bound to cores \(rank 0 is free: .*bind = no' \
        "the error names the remedy 'bind = no'"
    like "$(cat "$folder/element-7.txt")" '^failed .* done 0 of 4: .*not bound' \
        "status has the reason, and no cell is measured"
else
    skip "one processor binds all" "unbound ranks end run"
fi

# --- what starts ranks in a job ---------------------------------------------
fake srun <<END
case "\$*" in *--mpi=pmi2*) n=2 ;; *) n=1 ;; esac
while [ "\${1#--}" != "\$1" ]; do shift; done
exec $MPIEXEC -n \$n "\$@"
END
text=$(SLURM_JOB_ID=1 timeout 600 "$chorale" doctor)
like "$text" "srun --mpi=pmi2 starts ranks: .*mpi = pmi2" \
    "doctor in a job reports that srun --mpi=pmi2 starts ranks"
like "$text" "starts ranks: 'launcher = mpiexec'" \
    "doctor in a job reports that mpiexec starts ranks"
! printf '%s\n' "$text" | grep -q 'pmix starts'
ok $? "doctor in a job does not report pmix, whose ranks are singletons"
rm "$work/asked"
timeout 600 "$chorale" doctor >/dev/null
[ ! -e "$work/asked" ]
ok $? "outside a job doctor starts no srun"

# An element tries the --mpi types, that of the runner's MPI first.
auto() { # the srun options with which ranks form one MPI_COMM_WORLD
    fake srun <<END
echo "\$*" >>"$work/sruns"
case "\$*" in *$1*) n=2 ;; *) n=1 ;; esac
while [ "\${1#--}" != "\$1" ]; do shift; done
case "\$*" in
*--world) $MPIEXEC -n \$n "\$@"; exit \${aborts:-\$?} ;;
esac
exec $MPIEXEC -n \$n "\$@"
END
    rm -f "$work/sruns"
    timeout 600 "$chorale" job "$folder" --element 8 --mpi auto >/dev/null \
        2>"$work/err.txt"
    code=$?
    grep -o 'mpi=[a-z0-9]*' "$work/sruns" | tr '\n' ' '
}
is "$(auto --mpi=pmi2)" "mpi=pmi2 " "--mpi auto takes pmi2 if it works"
auto --mpi=pmix >"$work/out.txt"
is "$(cat "$work/out.txt")$code" "mpi=pmi2 mpi=pmix 0" \
    "--mpi auto takes pmix if pmi2 does not work"
# Some libraries abort in MPI_Finalize, after the runner's answer.
is "$(aborts=15 auto --mpi=pmi2)" "mpi=pmi2 " \
    "--mpi auto takes pmi2 although its ranks abort at the end"
auto nothing >/dev/null
is $code 3 "--mpi auto exits with 3 if neither works"
like "$(cat "$work/err.txt")" "neither srun --mpi=pmi2 nor --mpi=pmix starts 2 ranks .*a site file" \
    "the error names the remedy"
like "$(cat "$folder/element-8.txt")" '^failed .*neither srun' \
    "status has the reason"
SLURM_NTASKS=1 auto nothing >"$work/out.txt"
is "$(cat "$work/out.txt")" "mpi=pmi2 " \
    "with one task --mpi auto tries only the first"

# run passes --cpu-bind to srun.
if [ "$(nproc)" -gt 1 ]; then
    fake srun <<END
case "\$*" in *--cpu-bind=cores*) start=$MPIEXEC ;; *) start=$bin/loose ;; esac
while [ "\${1#--}" != "\$1" ]; do shift; done
exec \$start -bind-to core -n 2 "\$@"
END
    printf 'mpi = pmi2\n' >"$work/binds.txt"
    timeout 600 "$chorale" submit "$work/bound.db" -q -c bcast -m 8 -P 2 \
        --ppn 2 --variants linear --launches 1 -i 5 --cell-time 0.02 \
        --site "$work/binds.txt"
    # shellcheck disable=SC2046
    timeout 600 "$chorale" job "$work/bound-slurm/1" --element 1 \
        $(grep -o -e '--mpi [a-z0-9]*' -e '--bind' \
            "$work/bound-slurm/1/1x2-from1.sh") >/dev/null 2>"$work/err.txt"
    is $? 0 "run passes --cpu-bind to srun: $(cat "$work/err.txt")"
    is "$(sqlite3 "$work/bound-slurm/1/shard-1.db" \
        "SELECT count(*) > 0 FROM run WHERE status = 'ok'")" 1 \
            "bound ranks are measured"
else
    skip "one processor binds all" "run passes --cpu-bind to srun"
fi

text=$(SLURM_TOPOLOGY_ADDR=spine.leaf7.$(uname -n) timeout 600 "$MPIEXEC" -n 2 \
    "$top_builddir/chorale-runner" --environment)
like "$text" "^@env switch spine.leaf7.$(uname -n)\$" \
    "a launch records the switch that Slurm names"

# --- repeated submissions ----------------------------------------------------
# Submissions of another database, whose jobs run as called here.
rm -f "$kept_answer"*
: >"$work/queue"
again() { # database, sizes, further options
    name=$1 sizes=$2
    shift 2
    timeout 600 "$chorale" submit "$work/$name.db" -c bcast -m "$sizes" -P 2 \
        --ppn 2 --variants linear --launches 2 -i 20 --min-iterations 5 \
        --cell-time 0.02 --site "$work/site.txt" "$@" 2>&1
}
sent() { grep '^sbatch' "$work/asked" | grep -c -e "$1"; } # pattern
elements() { # folder, job
    for n in 1 2; do
        SLURM_ARRAY_JOB_ID=$2 SLURM_ARRAY_TASK_ID=$((n - 1)) timeout 600 \
            "$chorale" job "$1" --element $n >/dev/null 2>"$work/err.txt" ||
            diag "$(cat "$work/err.txt")"
    done
}
again other 8 -q
timeout 600 "$chorale" status "$work/other.db" --jobs >/dev/null
again mine 8 -q
touch "$kept_answer" # it is of use for 30 seconds
like "$(again mine 8)" 'no run is left to submit' \
    "what was submitted is in the queue before squeue is asked again"
is "$(sent mine-slurm/1/1x2)$(sent mine-slurm/2)" 10 "and not submitted twice"
like "$(timeout 600 "$chorale" status "$work/mine.db" --jobs)" \
    'PENDING .Submitted' "status shows them as submitted"

job=$(sqlite3 "$work/mine.db" 'SELECT DISTINCT job_id FROM element')
last=$(sqlite3 "$work/mine.db" 'SELECT gather_job FROM submission')
printf '%s\n' "$job 0 RUNNING None" "$job 1 RUNNING None" \
    "$last N/A PENDING Dependency" >"$work/queue"
rm -f "$kept_answer"
like "$(again mine 1K)" '^2 launches in 2 elements' \
    "a size without a queued job is submitted"
elements "$work/mine-slurm/1" "$job"
elements "$work/mine-slurm/2" 9
is "$(sqlite3 "$work/mine-slurm/2/shard-1.db" \
    'SELECT group_concat(DISTINCT msg_size) FROM run JOIN cell USING (cell_id)
    JOIN launch USING (launch_id)')" 1024 \
    "the new jobs do not measure cells of the queued ones"
jobs=$(timeout 600 "$chorale" status "$work/mine.db" --jobs)
is "$(printf '%s\n' "$jobs" | awk '$1 ~ /^[12]$/ { print $5 "/" $6 }' |
    tr '\n' ' ')" "2/2 2/2 2/2 2/2 " "status counts each job's own runs"
timeout 600 "$chorale" job "$work/mine-slurm/1" --gather "$work/mine.db" \
    >/dev/null 2>"$work/err.txt"
is "$(cat "$work/mine-slurm/1/gather.txt")" "0 complete" \
    "the first submission completes without the second's runs"

: >"$work/queue"
again lacks 8 -q
timeout 600 "$chorale" job "$work/lacks-slurm/1" --gather "$work/lacks.db" \
    >/dev/null 2>&1
is $? 75 "the last job exits with 75 after all jobs ended early"
like "$(again lacks 8)" 'submitted 1 job array' \
    "their missing runs are submitted"
rm -f "$kept_answer"
like "$(again mine 8,1K --time 10m)" 'submitted merging job [0-9]+ again' \
    "a last job that was cancelled is submitted again"
is "$(sent '--parsable --time=10 [^ ]*mine-slurm/2/gather.sh')" 1 \
    "it is submitted without elements and with the new time limit"
like "$(again mine 8,1K; cat "$work/asked")" 'no run is left to submit' \
    "the new last job counts as queued"
is "$(sent '--parsable --time=[0-9]* [^ ]*mine-slurm/2/gather.sh')" 1 \
    "it is not submitted twice"
rm -f "$kept_answer"
# The last job waits for the lock of the database.
timeout 600 "$chorale" plan "$work/mine.db" -q -c bcast -m 8M -P 2 \
    --system other --launches 1 --variants linear -i 4096 \
    --min-iterations 4096 --cell-time 40
CHORALE_MPIEXEC=$MPIEXEC timeout 600 "$chorale" run "$work/mine.db" \
    --system other -q >/dev/null 2>&1 &
run=$!
holds() { [ "$(sqlite3 -readonly "$work/mine.db" "SELECT count(*) FROM launch
    WHERE status = 'running'")" = 1 ]; }
until_true holds
timeout 600 "$chorale" job "$work/mine-slurm/2" --gather "$work/mine.db" \
    >/dev/null 2>"$work/err.txt" &
gather=$!
sleep 2
kill -0 $gather 2>/dev/null
ok $? "the last job waits for another command"
kill -INT $run
wait $run
wait $gather
is "$? $(cat "$work/mine-slurm/2/gather.txt")" "0 0 complete" "and goes on"
like "$(again mine 8,1K --wait)" 'no run is left' "then all is there"
is "$(sent '--parsable --time=[0-9]* [^ ]*mine-slurm/2/gather.sh')" 1 "and no job is left"

finish
