#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Batch jobs that end early: warned of the time limit, cancelled or killed.
# Finished points are kept. Uses a fake Slurm.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/jobs.sh"

submit -q

# --- requeue, with a limit ---------------------------------------------------
# The element is signalled when it reports running, before its launch begins.
cat >"$bin/late" <<END
#!/bin/sh
while [ ! -e "$work/go" ]; do sleep 0.1; done
exec $MPIEXEC "\$@"
END
chmod +x "$bin/late"
told() { # element, restarts, attempts, text: signal at text; print last line
    rm -f "$folder/element-$1.txt" "$work/go"
    : >"$work/asked"
    SLURM_ARRAY_JOB_ID=1 SLURM_ARRAY_TASK_ID=$(($1 - 1)) \
        SLURM_RESTART_COUNT=$2 CHORALE_MPIEXEC=${starter-$bin/late} \
        "$chorale" job "$folder" --element "$1" --publish 1 \
        --attempts "$3" >/dev/null 2>&1 &
    until_true grep -s "^${4-running}" "$folder/element-$1.txt"
    kill -USR1 $!
    : >"$work/go"
    wait $!
    code=$?
    cat "$folder/element-$1.txt"
}
# These have stored runs by then; each of four cells takes half a minute.
timeout 600 "$chorale" submit "$work/again.db" -q -c bcast -m 8:64K -P 2 \
    --ppn 2 --providers chorale,library --variants linear --launches 4 \
    -i 4096 --min-iterations 4096 --width 0.01% --cell-time 1 \
    --site "$work/site.txt"
some() { # element, restarts, attempts
    starter=$MPIEXEC
    folder=$work/again-slurm/1
    told "$@" 'running .* done [1-9]'
}
(some 2 0 3 >"$work/out.txt"; exit $code)
is $? 75 "an element warned of its time limit exits with 75"
like "$(cat "$work/out.txt")" '^requeued attempt 1 ' "it requeues itself"
is "$(grep -c '^scontrol requeue 1_1$' "$work/asked")" 1 \
    "it requeues its own task only"
echo 2 >"$work/busy"
cp "$bin/scontrol" "$bin/idle"
fake scontrol <<END
left=\$(cat "$work/busy")
echo \$((left - 1)) >"$work/busy"
[ "\$left" -le 0 ] || { echo 'Unable to contact slurm controller' >&2; exit 1; }
END
like "$(some 3 0 3)" '^requeued attempt 1 ' \
    "an element requeues itself if the controller does not answer at first"
is "$(grep -c '^scontrol requeue 1_2$' "$work/asked")" 3 \
    "scontrol requeue is repeated"
mv "$bin/idle" "$bin/scontrol"
like "$(some 4 5 9)" '^requeued attempt 6 ' \
    "an attempt that brought something is followed by another"
like "$(told 2 0 9)" '^ended attempt 1 .*added no run' \
    "the first attempt that brought nothing gives up"
is "$(asked scontrol)" 0 "and asks for no second"
like "$(told 2 1 9)" '^ended attempt 2 .*added no run' \
    "so does one after a preemption"
like "$(told 2 2 3)" '^ended attempt 3 .*3 attempts were not enough' \
    "attempts are limited by --attempts"
is "$(asked scontrol)" 0 "after the last attempt it does not requeue itself"

# --- the point being measured ------------------------------------------------
# Its cells soon have the minimum of repetitions, and would continue for
# minutes.
long=$work/long.db
plan() { # database, sizes, further options
    to=$1 sizes=$2
    shift 2
    "$chorale" plan "$to" -q -c reduce -m "$sizes" -P 2 --ppn 2 --launches 1 \
        --providers chorale,library --variants linear -i 4096 --width 0.01% \
        "$@"
}
# The launch's output is copied to $work/said, also after SIGTERM to all.
cat >"$bin/heard" <<END
#!/bin/sh
rm -f "$work/said" "$work/pipe"
mkfifo "$work/pipe"
(trap '' TERM; exec tee "$work/said" <"$work/pipe") &
exec $MPIEXEC "\$@" >"$work/pipe"
END
chmod +x "$bin/heard"
timed() { # "@try 0" after a cell: the repetitions of a point have begun
    sed '1,/^@try [1-9]/d' "$work/said" | grep -q '^@try 0$'
}
stopped() { # signal: print the exit code and the stored runs
    rm -f "$work/said"
    CHORALE_MPIEXEC=$bin/heard "$chorale" run "$long" -q 2>"$work/err.txt" &
    until_true timed
    kill -"$1" $!
    wait $!
    echo "$? $(sqlite3 "$long" "SELECT count(*), group_concat(DISTINCT
        stop_reason) FROM run; SELECT status || ' ' || reason FROM launch" |
        tr '\n' ' ')"
}
plan "$long" 8M,16M --min-iterations 10 --cell-time 100
is "$(stopped TERM)" "75 0| failed stopped " \
    "SIGTERM ends the launch at once, without the point being measured"
rm "$long"
plan "$long" 8M,16M --min-iterations 10 --cell-time 100
is "$(stopped USR1)" "75 2|time failed stopped " \
    "SIGUSR1 ends the point with its samples, and no other begins"
[ ! -e "$long-end" ]
ok $? "the file that requests the end is removed"
rm "$long"
plan "$long" 8M,16M --min-iterations 4096 --cell-time 3
is "$(stopped USR1)" "75 2|time failed stopped " \
    "SIGUSR1 with too few repetitions completes the point"

# --- the same in a job where Slurm sends SIGTERM to all processes -------------
all_of() { # a process: print it and its descendants
    for child in $(pgrep -P "$1"); do
        all_of "$child"
    done
    echo "$1"
}
ended() { # least repetitions, signals, options: print its last line, exit code,
    # runs, and how the launch ended
    name=ended$(find "$work" -maxdepth 1 -name 'ended*.db' | wc -l)
    timeout 600 "$chorale" submit "$work/$name.db" -q -c reduce \
        -m 8M,16M -P 2 --ppn 2 --launches 1 --providers chorale,library \
        --variants linear -i 4096 --width 0.01% --min-iterations "$1" \
        --cell-time 100 --site "$work/site.txt"
    signals=$2
    folder=$work/$name-slurm/1
    shift 2
    : >"$work/asked"
    rm -f "$work/said"
    SLURM_ARRAY_JOB_ID=1 SLURM_ARRAY_TASK_ID=0 CHORALE_MPIEXEC=$bin/heard \
        "$chorale" job "$folder" --element 1 "$@" >/dev/null 2>&1 &
    until_true timed
    ranks=$(all_of $! | tr '\n' ' ')
    for signal in $signals; do
        # shellcheck disable=SC2046
        kill -"$signal" $(if [ "$signal" = TERM ]; then all_of $!
            else echo $!; fi)
    done
    wait $!
    code=$?
    echo "$(sed 's/ attempt.*: / /' "$folder/element-1.txt") $code" \
        "$(sqlite3 "$folder/shard-1.db" "SELECT count(*),
        group_concat(DISTINCT stop_reason) FROM run; SELECT status || ' ' ||
        reason FROM launch" | tr '\n' ' ')"
}
gone() { # processes: wait until all have ended
    for pid; do
        until_true is_gone "$pid" || return 1
    done
}
is_gone() { ! kill -0 "$1" 2>/dev/null; }
(ended 10 TERM --kill-wait 40 >"$work/out.txt"; gone $ranks)
ok $? "SIGTERM to all: the job and its ranks end"
is "$(cat "$work/out.txt")" \
    "ended stopped by Slurm 75 2|time failed stopped " \
    "they have brought the point under way to its end"
is "$(asked scontrol)" 0 "it does not requeue itself"
# With fewer repetitions the warning alone could end it first.
is "$(ended 4096 'USR1 TERM' --kill-wait 6)" \
    "ended stopped by Slurm 75 0| failed stopped " \
    "nor when it was warned of its limit before"
is "$(ended 10 'TERM USR1' --kill-wait 40)" \
    "ended stopped by Slurm 75 2|time failed stopped " "or after"
is "$(asked scontrol)" 0 "it does not ask for it"
for wait in '' '--kill-wait 6'; do # the point needs minutes
    # shellcheck disable=SC2086
    is "$(ended 4096 TERM $wait)" \
        "ended stopped by Slurm 75 0| failed stopped " \
        "job $wait: a point that takes longer is given up"
done

# --- publishing during a launch ---------------------------------------------
timeout 600 "$chorale" submit "$work/kept.db" -q -c bcast -m 8:64K -P 2 \
    --ppn 2 --providers chorale,library --variants linear --launches 1 \
    -i 4096 --min-iterations 4096 --width 0.01% --cell-time 0.5 \
    --site "$work/site.txt"
mkdir "$work/disk1" "$work/disk2"
kept=$work/kept-slurm/1
"$chorale" job "$kept" --element 1 --shards "$work/disk1" --publish 1 \
    >/dev/null 2>&1 &
published() { sqlite3 -readonly "$kept/shard-1.db" "$1" 2>/dev/null; }
told_two() { [ "$(published 'SELECT count(*) FROM run')" -ge 2 ] &&
    grep -q '^running .* done [1-9]' "$kept/element-1.txt"; }
until_true told_two
like "$(cat "$kept/element-1.txt")" '^running .* done [1-9][0-9]* of' \
    "a running element reports its progress"
kill -KILL $!
wait $! 2>/dev/null
before=$(published 'SELECT count(*) FROM run')
is "$(published 'SELECT status FROM launch')" running \
    "points are published during the launch: $before runs"
published 'SELECT uuid FROM run' >"$work/uuids"
timeout 600 "$chorale" job "$kept" --element 1 --shards "$work/disk2" \
    >/dev/null 2>"$work/err.txt"
is $? 0 "after SIGKILL the job resumes on another disk"
is "$(published 'SELECT uuid FROM run' | grep -c -x -F -f "$work/uuids")" \
    "$before" "all published runs are kept"

finish
