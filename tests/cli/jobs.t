#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What happens to batch jobs after `submit`, with programs that answer as
# Slurm's do: elements run here, one after the other, under mpiexec. How far
# they are, what is merged while others write, when an element gives up, and the
# verdict of the whole. tests/slurm has the real one.
. "$(dirname "$0")/../lib.sh"

mpi=$("$top_builddir/chorale-runner" --probe | head -1)
case $mpi in
*MPICH*) ;;
*) skip_all "the runner is built with another MPI: $mpi" ;;
esac

bin=$work/bin
fake_slurm
PATH=$bin:$PATH
export PATH
asked() { grep -c "^$1 " "$work/asked"; } # program

db=$work/r.db
kept_answer=$XDG_CACHE_HOME/chorale/squeue-invented.txt
mkdir "$work/etc"
echo 'ClusterName = invented' >"$work/etc/slurm.conf"
SLURM_CONF=$work/etc/slurm.conf
export SLURM_CONF
folder=$work/r-slurm/1
printf '%s\n' 'launcher = mpiexec' 'bind = no' >"$work/site.txt"
submit() {
    timeout 200 "$chorale" submit "$db" -c bcast -m 8,1K -P 2 --ppn 2 \
        --providers chorale,library --variants linear --launches 8 -i 20 \
        --min-iterations 5 --cell-time 0.02 --site "$work/site.txt" "$@"
}
job() { # element, restarts, further options
    element=$1 restarts=$2
    shift 2
    SLURM_ARRAY_JOB_ID=1 SLURM_ARRAY_TASK_ID=$((element - 1)) \
        SLURM_RESTART_COUNT=$restarts timeout 100 "$chorale" job "$folder" \
        --element "$element" "$@"
}
jobs() { timeout 60 "$chorale" status "$db" --jobs "$@" 2>&1; }
row() { jobs | grep -E "^ +1 +$1 "; } # element

sed -i s/affinity/none/ "$bin/scontrol"
timeout 60 "$chorale" submit "$db" -c bcast -m 8 -P 2 --ppn 2 \
    >/dev/null 2>"$work/err.txt"
is $? 3 "ranks that nobody would bind: exit 3"
like "$(cat "$work/err.txt")" 'cannot bind ranks.*bind = no' "it says so"
[ ! -e "$db" ] && [ ! -e "$work/jobs" ]
ok $? "nothing is planned or submitted"
sed -i s/none/affinity/ "$bin/scontrol"

submit -q
is $? 0 "submit"
is "$(sqlite3 "$db" 'SELECT count(*), max(task) FROM element')" "8|7" \
    "eight elements"
grep -q -- ' --kill-wait 30$' "$folder"/1x2-from1.sh
ok $? "their script knows Slurm's KillWait"

# --- what the submitter has in the environment ------------------------------
cp "$bin/sbatch" "$bin/quiet"
fake sbatch <<END
env | grep -E '^(SBATCH|SLURM)_' | sort >"$work/env"
echo 9
END
SBATCH_PARTITION=urgent SBATCH_TIMELIMIT=7 SBATCH_NO_REQUEUE=1 \
    SLURM_CPU_BIND=none SLURM_JOB_ID=3 SLURM_CONF=$work/slurm.conf \
    timeout 60 "$chorale" submit "$work/env.db" -q -c bcast -m 8 -P 2 --ppn 2 \
    --partition main
is "$?$(cat "$work/env")" "0SLURM_CONF=$work/slurm.conf" \
    "nothing but where Slurm is overrules a script"
mv "$bin/quiet" "$bin/sbatch"
# shellcheck disable=SC2046
SLURM_JOB_PARTITION=urgent timeout 60 "$chorale" job "$work/env-slurm/1" \
    $(grep -o -e '--partition main' "$work/env-slurm/1"/1x2-from1.sh) \
    --element 1 >/dev/null 2>"$work/err.txt"
is "$?$(grep -c 'in partition urgent, planned is main' "$work/err.txt")" 31 \
    "an element that runs in another partition fails"
like "$(cat "$work/env-slurm/1/element-1.txt")" '^failed .*partition urgent' \
    "and says so to status"

# --- how far they are -------------------------------------------------------
printf '1 %s RUNNING None\n' 0 1 >"$work/queue"
printf '1 %s PENDING Resources\n' 2 3 4 5 6 7 >>"$work/queue"
rm -f "$kept_answer" "$work/asked"
like "$(row 1)" ' 0 +4 +[0-9]+ s +RUNNING' "an element runs, with work left"
like "$(row 3)" 'PENDING \(Resources\)' "another one waits, and for what"
like "$(jobs)" '^0 of 32 runs; about .* of work is left, .* in one element' \
    "what is left of all"
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
timeout 60 "$chorale" status "$work/r2.db" --jobs >"$work/out.txt"
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
is "$(ls "$work/mine" | grep -c invented)" 0 "and nothing is there"
rm "${kept_answer%/*}"
(unset XDG_CACHE_HOME; HOME=$work/home; export HOME; mkdir "$HOME"
    row 1 >/dev/null)
is "$(ls "$work/home/.cache/chorale")" "squeue-invented.txt
squeue-invented.txt.lock" "without XDG_CACHE_HOME it is at home"
(XDG_CACHE_HOME=relative; export XDG_CACHE_HOME; cd "$work" && HOME=/dev/null &&
    export HOME && beside "no home")
tap_n=$((tap_n + 1))
rm -f "$work/r-slurm/squeue.txt"*

# --- merged while others write ----------------------------------------------
(job 1 0 >/dev/null 2>"$work/err.txt"; echo $? >"$work/code") &
looked=0 broken=0
while [ ! -f "$work/code" ]; do
    [ -f "$folder/shard-1.db" ] || continue
    looked=$((looked + 1))
    [ "$(sqlite3 -readonly "$folder/shard-1.db" 'PRAGMA integrity_check' \
        2>&1)" = ok ] || broken=$((broken + 1))
    timeout 60 "$chorale" merge "$work/other.db" "$folder/shard-1.db" -q ||
        broken=$((broken + 1))
done
wait
is "$(cat "$work/code")" 0 "an element measures"
diag "$(cat "$work/err.txt")"
[ $looked -gt 0 ] && [ $broken = 0 ]
ok $? "what it publishes is whole whenever it is read: $looked times"
[ ! -e "$folder/work-1.db" ] && [ -z "$(ls "$folder"/*.new 2>/dev/null)" ]
ok $? "and it leaves nothing else behind"
# What is written at the moment is no database yet.
for file in work-2.db shard-2.db.new; do
    echo "half a page" >"$folder/$file"
done
# What is published and is none keeps no other from being merged.
mv "$folder/shard-1.db" "$work/whole.db"
for element in 1 3; do
    echo "half a page" >"$folder/shard-$element.db"
done
mv "$work/whole.db" "$folder/shard-2.db"
timeout 100 "$chorale" job "$folder" --gather "$db" >"$work/out.txt" \
    2>"$work/err.txt"
is $? 75 "the last job, too early: exit 75"
! grep -q -e work-2 -e '\.new' "$work/err.txt" "$work/out.txt"
ok $? "it opens nothing that is being written"
is "$(sqlite3 "$db" 'SELECT count(*) FROM run')" 4 "it merges what is published"
is "$(grep -c 'shard-[13].db: ' "$work/err.txt")" 2 \
    "and says which shards are damaged"
mv "$folder/shard-2.db" "$folder/shard-1.db"
rm "$folder/shard-3.db"
is "$(cat "$folder/work-2.db" "$folder/shard-2.db.new")" "half a page
half a page" "and changes nothing else"
rm "$folder/work-2.db" "$folder/shard-2.db.new"

# --- why a job ended --------------------------------------------------------
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
timeout -s INT 20 "$chorale" status "$db" --jobs --watch 1 >"$work/out.txt" &
watching=$!
looks() { grep -c '^batch jobs' "$work/out.txt"; }
for i in $(seq 150); do
    [ "$(looks)" -ge 3 ] && break
    sleep 0.1
done
kill -INT "$watching"
[ "$(looks)" -ge 3 ]
ok $? "--watch looks again and again"
is "$(asked squeue) $(asked sacct)" "1 1" \
    "and asks neither squeue nor sacct more often"
: >"$work/queue"
rm -f "$kept_answer"
timeout 20 "$chorale" status "$db" --jobs --watch 100 >/dev/null
is $? 0 "it ends where nothing is in the queue"
"$chorale" plan "$work/idle.db" -q -c bcast -m 8 -P 2
like "$("$chorale" status "$work/idle.db" --jobs)" '^no batch jobs: ' \
    "where there are none it says so"
"$chorale" status "$db" --watch 5 2>"$work/err.txt"
is $? 2 "--watch without --jobs: exit 2"

# --- requeued by itself, but not for ever -----------------------------------
# Told to end as soon as it says that it runs, while its launch takes its time.
cat >"$bin/late" <<END
#!/bin/sh
sleep 5
exec $MPIEXEC "\$@"
END
chmod +x "$bin/late"
told() { # element, restarts, attempts, what it is to say first; what it says last
    rm -f "$folder/element-$1.txt" "$work/asked"
    : >"$work/asked"
    SLURM_ARRAY_JOB_ID=1 SLURM_ARRAY_TASK_ID=$(($1 - 1)) \
        SLURM_RESTART_COUNT=$2 CHORALE_MPIEXEC=${starter-$bin/late} \
        "$chorale" job "$folder" --element "$1" --publish 1 \
        --attempts "$3" >/dev/null 2>&1 &
    for i in $(seq 600); do
        grep -qs "^${4-running}" "$folder/element-$1.txt" && break
        sleep 0.05
    done
    kill -USR1 $!
    wait $!
    code=$?
    cat "$folder/element-$1.txt"
}
# These have stored some by then; each of four goes on for half a minute.
timeout 100 "$chorale" submit "$work/again.db" -q -c bcast -m 8:64K -P 2 \
    --ppn 2 --providers chorale,library --variants linear --launches 4 \
    -i 4096 --min-iterations 4096 --width 0.01% --cell-time 1 \
    --site "$work/site.txt"
some() { # element, restarts, attempts
    starter=$MPIEXEC
    folder=$work/again-slurm/1
    told "$@" 'running .* done [1-9]'
}
(some 2 0 3 >"$work/out.txt"; exit $code)
is $? 75 "told to end ahead of its limit: exit 75"
like "$(cat "$work/out.txt")" '^requeued attempt 1 ' "it requeues itself"
is "$(grep -c '^scontrol requeue 1_1$' "$work/asked")" 1 "its own task alone"
echo 2 >"$work/busy"
cp "$bin/scontrol" "$bin/idle"
fake scontrol <<END
left=\$(cat "$work/busy")
echo \$((left - 1)) >"$work/busy"
[ "\$left" -le 0 ] || { echo 'Unable to contact slurm controller' >&2; exit 1; }
END
like "$(some 3 0 3)" '^requeued attempt 1 ' "a controller that does not answer"
is "$(grep -c '^scontrol requeue 1_2$' "$work/asked")" 3 "is asked again"
mv "$bin/idle" "$bin/scontrol"
like "$(some 4 5 9)" '^requeued attempt 6 ' \
    "an attempt that brought something is followed by another"
like "$(told 2 0 9)" '^ended attempt 1 .*brought nothing' \
    "the first attempt that brought nothing gives up"
is "$(asked scontrol)" 0 "and asks for no second"
like "$(told 2 1 9)" '^ended attempt 2 .*brought nothing' \
    "so does one after a preemption"
like "$(told 2 2 3)" '^ended attempt 3 .*3 attempts were not enough' \
    "nor is it started more often than allowed"
is "$(asked scontrol)" 0 "whatever it brought"

# --- the point under way ------------------------------------------------------
# Its cells have all they need soon, and would go on for minutes.
long=$work/long.db
plan() { # database, sizes, further options
    to=$1 sizes=$2
    shift 2
    "$chorale" plan "$to" -q -c reduce -m "$sizes" -P 2 --ppn 2 --launches 1 \
        --providers chorale,library --variants linear -i 4096 --width 0.01% \
        "$@"
}
kept() { # file: of the point under way there is something
    for i in $(seq 300); do
        [ -s "$1" ] && break
        sleep 0.1
    done
}
stopped() { # signal; the code it ends with, and what there is
    CHORALE_MPIEXEC=$MPIEXEC "$chorale" run "$long" -q 2>"$work/err.txt" &
    for i in $(seq 300); do
        sqlite3 -readonly "$long" 'SELECT count(*) FROM environment' \
            2>/dev/null | grep -q '^[1-9][0-9]' && break
        sleep 0.1
    done
    kept "$long-tail-cut"
    kill -"$1" $!
    wait $!
    echo "$? $(sqlite3 "$long" "SELECT count(*), group_concat(DISTINCT
        stop_reason) FROM run; SELECT status || ' ' || reason FROM launch" |
        tr '\n' ' ')"
}
plan "$long" 8M,16M --min-iterations 10 --cell-time 100
is "$(stopped TERM)" "75 2|time failed stopped " \
    "SIGTERM ends it at once: what it has is kept"
rm "$long"
plan "$long" 8M,16M --min-iterations 10 --cell-time 100
is "$(stopped USR1)" "75 2|time failed stopped " \
    "SIGUSR1 keeps it, with the repetitions that it has, and begins no other"
[ ! -e "$long-end" ]
ok $? "and nothing is left of the request"
rm "$long"
plan "$long" 8M,16M --min-iterations 4096 --cell-time 3
is "$(stopped USR1)" "75 2|time failed stopped " \
    "too few repetitions: it comes to its planned end"

# --- the same in a job that Slurm ends: all its processes get SIGTERM ---------
all_of() { # a process: those that it started, and it
    for child in $(pgrep -P "$1"); do
        all_of "$child"
    done
    echo "$1"
}
ended() { # least repetitions, signals, further options: what it says last, the
    # code that it ends with, its runs, and how the launch ended
    name=ended$(find "$work" -maxdepth 1 -name 'ended*.db' | wc -l)
    timeout 100 "$chorale" submit "$work/$name.db" -q -c reduce \
        -m 8M,16M -P 2 --ppn 2 --launches 1 --providers chorale,library \
        --variants linear -i 4096 --width 0.01% --min-iterations "$1" \
        --cell-time 100 --site "$work/site.txt"
    signals=$2
    folder=$work/$name-slurm/1
    shift 2
    : >"$work/asked"
    SLURM_ARRAY_JOB_ID=1 SLURM_ARRAY_TASK_ID=0 CHORALE_MPIEXEC=$MPIEXEC \
        "$chorale" job "$folder" --element 1 "$@" >/dev/null 2>&1 &
    for i in $(seq 300); do
        sqlite3 -readonly "$folder/work-1.db" \
            'SELECT count(*) FROM environment' 2>/dev/null |
            grep -q '^[1-9][0-9]' && break
        sleep 0.1
    done
    kept "$folder/shard-1.db-tail-cut"
    ranks=$(all_of $! | tr '\n' ' ')
    for signal in $signals; do
        # shellcheck disable=SC2046
        kill -"$signal" $(if [ "$signal" = TERM ]; then all_of $!
            else echo $!; fi)
    done
    since=$(date +%s)
    wait $!
    code=$?
    took=$(($(date +%s) - since))
    echo "$(sed 's/ attempt.*: / /' "$folder/element-1.txt") $code" \
        "$(sqlite3 "$folder/shard-1.db" "SELECT count(*),
        group_concat(DISTINCT stop_reason) FROM run; SELECT status || ' ' ||
        reason FROM launch" | tr '\n' ' ')"
}
gone() { # processes: all are, within ten seconds
    for pid; do
        for i in $(seq 100); do
            kill -0 "$pid" 2>/dev/null || continue 2
            sleep 0.1
        done
        return 1
    done
}
(ended 10 TERM --kill-wait 40 >"$work/out.txt"; gone $ranks)
ok $? "SIGTERM to all: the job ends, and its ranks"
is "$(cat "$work/out.txt")" \
    "ended it was told to end 75 2|time failed stopped " \
    "they have brought the point under way to its end"
is "$(asked scontrol)" 0 "it does not requeue itself"
is "$(ended 10 'USR1 TERM' --kill-wait 40)" \
    "ended it was told to end 75 2|time failed stopped " \
    "nor when it was warned of its limit before"
is "$(ended 10 'TERM USR1' --kill-wait 40)" \
    "ended it was told to end 75 2|time failed stopped " "or after"
is "$(asked scontrol)" 0 "it does not ask for it"
is "$(ended 10 TERM)" "ended it was told to end 75 2|time failed stopped " \
    "who does not know how long Slurm waits keeps what the point has"
is "$(ended 10 TERM --kill-wait 2)" \
    "ended it was told to end 75 2|time failed stopped " "and who has no time to"
(ended 4096 TERM --kill-wait 6 >"$work/out.txt"; [ "$took" -le 6 ])
ok $? "a point that takes longer: the job ends before it is killed"
is "$(cat "$work/out.txt")" \
    "ended it was told to end 75 2|time failed stopped " "and keeps what it has"

# --- published while a launch runs ------------------------------------------
timeout 100 "$chorale" submit "$work/kept.db" -q -c bcast -m 8:64K -P 2 \
    --ppn 2 --providers chorale,library --variants linear --launches 1 \
    -i 4096 --min-iterations 4096 --width 0.01% --cell-time 0.5 \
    --site "$work/site.txt"
mkdir "$work/disk1" "$work/disk2"
kept=$work/kept-slurm/1
"$chorale" job "$kept" --element 1 --shards "$work/disk1" --publish 1 \
    >/dev/null 2>&1 &
published() { sqlite3 -readonly "$kept/shard-1.db" "$1" 2>/dev/null; }
for i in $(seq 600); do
    [ "$(published 'SELECT count(*) FROM run')" -ge 2 ] 2>/dev/null &&
        grep -q '^running .* done [1-9]' "$kept/element-1.txt" && break
    sleep 0.05
done
like "$(cat "$kept/element-1.txt")" '^running .* done [1-9][0-9]* of' \
    "a launch that runs tells how far it is"
kill -KILL $!
wait $! 2>/dev/null
before=$(published 'SELECT count(*) FROM run')
is "$(published 'SELECT status FROM launch')" running \
    "its points are published before it has ended: $before runs"
published 'SELECT uuid FROM run' >"$work/uuids"
timeout 100 "$chorale" job "$kept" --element 1 --shards "$work/disk2" \
    >/dev/null 2>"$work/err.txt"
is $? 0 "killed for good, the job goes on where it has another disk"
is "$(published 'SELECT uuid FROM run' | grep -c -x -F -f "$work/uuids")" \
    "$before" "and all that was published is kept"

# --- ranks that were to be bound --------------------------------------------
cat >"$bin/loose" <<END
#!/bin/sh
# With none of the words that bind, on all processors.
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
    CHORALE_MPIEXEC=$1 timeout 100 "$chorale" job "$folder" --element 7 \
        --bind >/dev/null 2>"$work/err.txt"
}
if [ "$(nproc)" -gt 1 ]; then
    bound "$bin/loose"
    is $? 3 "ranks that nobody bound: exit 3"
    like "$(cat "$work/err.txt")" \
        '2 of 2 ranks are not bound to cores \(rank 0 is free: .*bind = no' \
        "it says so"
    like "$(cat "$folder/element-7.txt")" '^failed .* done 0 of 4: .*not bound' \
        "to status as well, and nothing is measured"
else
    skip "one processor binds all" "ranks that nobody bound"
fi

# --- all of it, and the verdict ---------------------------------------------
job 2 3 --attempts 3 >/dev/null 2>"$work/err.txt"
is $? 3 "one that Slurm itself starts too often: exit 3"
like "$(cat "$work/err.txt")" 'for the 4th time, and --attempts allows 3; see' \
    "it says so"
for element in 2 3 4 5 6 7 8; do
    job $element 3 --attempts 9 >/dev/null 2>"$work/err.txt" ||
        diag "$(cat "$work/err.txt")"
done
timeout 100 "$chorale" job "$folder" --gather "$db" >/dev/null
is $? 0 "the rest is measured and merged"
is "$(sqlite3 "$db" 'SELECT count(*), count(DISTINCT cell_id) FROM run')" \
    "32|4" "each cell eight times"
like "$(submit)" 'nothing is missing' "submit has nothing left"

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
verdict() { # options; output to out.txt
    submit --wait --compare "$work/base.db" "$@" >"$work/out.txt" 2>&1
}
verdict --unpaired
is $? 1 "--wait --compare: far slower than base is red, exit 1"
diag "$(tail -n 2 "$work/out.txt")"
verdict --unpaired --fail-on none
is $? 0 "not with --fail-on none"
verdict --unpaired --change 99999999%
is $? 0 "nor if such changes do not count"
verdict
is $? 0 "nor by launches that were not made in turn"
before=$(cat "$work/jobs")
verdict --fail-on colour
is $? 2 "a word that --fail-on does not have: exit 2"
submit --compare "$work/base.db" >/dev/null 2>"$work/err.txt"
is $? 2 "--compare without --wait: exit 2"
submit --fail-on none >/dev/null 2>"$work/err.txt"
is $? 2 "--fail-on without --compare: exit 2"
submit --wait --compare "$work/none.db" >/dev/null \
    2>"$work/err.txt"
is $? 3 "no such base: exit 3"
diag "$(cat "$work/err.txt")"
is "$(cat "$work/jobs")" "$before" "none of these submits anything"

# --- what starts ranks in a job ---------------------------------------------
fake srun <<END
case "\$*" in *--mpi=pmi2*) n=2 ;; *) n=1 ;; esac
while [ "\${1#--}" != "\$1" ]; do shift; done
exec $MPIEXEC -n \$n "\$@"
END
text=$(SLURM_JOB_ID=1 timeout 100 "$chorale" doctor)
like "$text" "srun --mpi=pmi2 starts ranks: .*mpi = pmi2" \
    "doctor in a job finds that pmi2 does"
like "$text" "starts ranks: 'launcher = mpiexec'" "and mpiexec"
! printf '%s\n' "$text" | grep -q 'pmix starts'
ok $? "and that pmix does not: its ranks are alone"
rm "$work/asked"
timeout 100 "$chorale" doctor >/dev/null
[ ! -e "$work/asked" ]
ok $? "elsewhere it starts nothing by srun"

# An element tries them, the one of the runner's MPI first. It is all measured.
auto() { # the words with which srun starts ranks that find each other
    fake srun <<END
echo "\$*" >>"$work/sruns"
case "\$*" in *$1*) n=2 ;; *) n=1 ;; esac
while [ "\${1#--}" != "\$1" ]; do shift; done
exec $MPIEXEC -n \$n "\$@"
END
    rm -f "$work/sruns"
    timeout 100 "$chorale" job "$folder" --element 8 --mpi auto >/dev/null \
        2>"$work/err.txt"
    code=$?
    grep -o 'mpi=[a-z0-9]*' "$work/sruns" | tr '\n' ' '
}
is "$(auto --mpi=pmi2)" "mpi=pmi2 " "--mpi auto takes pmi2 where that works"
auto --mpi=pmix >"$work/out.txt"
is "$(cat "$work/out.txt")$code" "mpi=pmi2 mpi=pmix 0" "pmix where it does not"
auto nothing >/dev/null
is $code 3 "neither: exit 3"
like "$(cat "$work/err.txt")" "neither srun --mpi=pmi2 nor --mpi=pmix starts 2 ranks .*a site file" \
    "which says what to do"
like "$(cat "$folder/element-8.txt")" '^failed .*neither srun' \
    "for status as well"
SLURM_NTASKS=1 auto nothing >"$work/out.txt"
is "$(cat "$work/out.txt")" "mpi=pmi2 " "of one task there is nothing to find"

# Ranks that srun is to bind: it is told so, or the launch measures nothing.
if [ "$(nproc)" -gt 1 ]; then
    fake srun <<END
case "\$*" in *--cpu-bind=cores*) start=$MPIEXEC ;; *) start=$bin/loose ;; esac
while [ "\${1#--}" != "\$1" ]; do shift; done
exec \$start -bind-to core -n 2 "\$@"
END
    printf 'mpi = pmi2\n' >"$work/binds.txt"
    timeout 100 "$chorale" submit "$work/bound.db" -q -c bcast -m 8 -P 2 \
        --ppn 2 --variants linear --launches 1 -i 5 --cell-time 0.02 \
        --site "$work/binds.txt"
    # shellcheck disable=SC2046
    timeout 100 "$chorale" job "$work/bound-slurm/1" --element 1 \
        $(grep -o -e '--mpi [a-z0-9]*' -e '--bind' \
            "$work/bound-slurm/1/1x2-from1.sh") >/dev/null 2>"$work/err.txt"
    is $? 0 "ranks that srun is told to bind: $(cat "$work/err.txt")"
    is "$(sqlite3 "$work/bound-slurm/1/shard-1.db" \
        "SELECT count(*) > 0 FROM run WHERE status = 'ok'")" 1 "are measured"
else
    skip "one processor binds all" "ranks that srun is told to bind"
fi

text=$(SLURM_TOPOLOGY_ADDR=spine.leaf7.$(uname -n) timeout 60 "$MPIEXEC" -n 2 \
    "$top_builddir/chorale-runner" --environment)
like "$text" "^@env switch spine.leaf7.$(uname -n)\$" \
    "a launch records the switch that Slurm names"

# --- nodes that are not alike -----------------------------------------------
sqlite3 "$db" "INSERT INTO environment VALUES
    (1, 'stragglers', '2 (copies 0.5 of the median)'), (2, 'cpus_mixed', 'yes');
    UPDATE run SET validity = 'straggler' WHERE launch_id = 1;
    UPDATE run SET validity = 'mixed_cpus'
        WHERE launch_id = (SELECT max(launch_id) FROM run)"
text=$("$chorale" status "$db")
like "$text" '1 launch of P = 2 .*node 2 \(copies 0.5 of the median\)' \
    "status names a straggler"
like "$text" "1 launch of P = 2 .*first one's processor" "and mixed processors"
timeout 100 "$chorale" job "$folder" --gather "$db" >/dev/null
text=$(cat "$work/r-summary.md")
like "$text" '4 .*a node slower than the others' "so does the summary"
like "$text" '4 .*nodes with different processors' "both"

# --- submitted again --------------------------------------------------------
# A submission of a database of its own, by jobs as they come.
rm -f "$kept_answer"*
: >"$work/queue"
again() { # database, sizes, further options
    name=$1 sizes=$2
    shift 2
    timeout 100 "$chorale" submit "$work/$name.db" -c bcast -m "$sizes" -P 2 \
        --ppn 2 --variants linear --launches 2 -i 20 --min-iterations 5 \
        --cell-time 0.02 --site "$work/site.txt" "$@" 2>&1
}
sent() { grep '^sbatch' "$work/asked" | grep -c -e "$1"; } # pattern
elements() { # folder, job
    for n in 1 2; do
        SLURM_ARRAY_JOB_ID=$2 SLURM_ARRAY_TASK_ID=$((n - 1)) timeout 100 \
            "$chorale" job "$1" --element $n >/dev/null 2>"$work/err.txt" ||
            diag "$(cat "$work/err.txt")"
    done
}
again other 8 -q
timeout 60 "$chorale" status "$work/other.db" --jobs >/dev/null
again mine 8 -q
like "$(again mine 8)" 'nothing is missing that is not in the queue' \
    "what was submitted is in the queue before squeue is asked again"
is "$(sent mine-slurm/1/1x2)$(sent mine-slurm/2)" 10 "and not submitted twice"
like "$(timeout 60 "$chorale" status "$work/mine.db" --jobs)" \
    'PENDING .Submitted' "status knows as much"

job=$(sqlite3 "$work/mine.db" 'SELECT DISTINCT job_id FROM element')
last=$(sqlite3 "$work/mine.db" 'SELECT gather_job FROM submission')
printf '%s\n' "$job 0 RUNNING None" "$job 1 RUNNING None" \
    "$last N/A PENDING Dependency" >"$work/queue"
rm -f "$kept_answer"
like "$(again mine 1K)" '^2 launches in 2 elements' \
    "a size that no job in the queue knows is missing"
elements "$work/mine-slurm/1" "$job"
elements "$work/mine-slurm/2" 9
is "$(sqlite3 "$work/mine-slurm/2/shard-1.db" \
    'SELECT group_concat(DISTINCT msg_size) FROM run JOIN cell USING (cell_id)
    JOIN launch USING (launch_id)')" 1024 \
    "the new jobs leave the others' cells to them"
jobs=$(timeout 60 "$chorale" status "$work/mine.db" --jobs)
is "$(printf '%s\n' "$jobs" | awk '$1 ~ /^[12]$/ { print $5 "/" $6 }' |
    tr '\n' ' ')" "2/2 2/2 2/2 2/2 " "each counts what it was made for"
timeout 100 "$chorale" job "$work/mine-slurm/1" --gather "$work/mine.db" \
    >/dev/null 2>"$work/err.txt"
is "$(cat "$work/mine-slurm/1/gather.txt")" "0 complete" \
    "the first is complete without the second's"

: >"$work/queue"
again lacks 8 -q
job=$(sqlite3 "$work/lacks.db" 'SELECT DISTINCT job_id FROM element')
timeout 100 "$chorale" job "$work/lacks-slurm/1" --gather "$work/lacks.db" \
    >/dev/null 2>&1
is "$?$(grep -c "^$job 0 PENDING Submitted" "$kept_answer")" 751 \
    "all jobs have ended, a moment after they were submitted"
like "$(again lacks 8)" 'submitted 1 job array' "what they lack is missing"
rm -f "$kept_answer"
like "$(again mine 8,1K --time 10m)" 'submitted job [0-9]+, which merges, again' \
    "a last job that was cancelled is submitted again"
is "$(sent '--parsable --time=10 [^ ]*mine-slurm/2/gather.sh')" 1 \
    "without elements, with the time that is asked for now"
like "$(again mine 8,1K; cat "$work/asked")" 'in the queue' "once"
is "$(sent '--parsable --time=[0-9]* [^ ]*mine-slurm/2/gather.sh')" 1 "not twice"
rm -f "$kept_answer"
# It has to wait for who holds the database.
timeout 100 "$chorale" plan "$work/mine.db" -q -c bcast -m 8M -P 2 \
    --system other --launches 1 --variants linear -i 4096 \
    --min-iterations 4096 --cell-time 40
CHORALE_MPIEXEC=$MPIEXEC timeout 100 "$chorale" run "$work/mine.db" \
    --system other -q >/dev/null 2>&1 &
run=$!
sleep 1
timeout 100 "$chorale" job "$work/mine-slurm/2" --gather "$work/mine.db" \
    >/dev/null 2>"$work/err.txt" &
gather=$!
sleep 5
kill -0 $gather 2>/dev/null
ok $? "the last job waits for another command"
kill -INT $run
wait $run
wait $gather
is "$? $(cat "$work/mine-slurm/2/gather.txt")" "0 0 complete" "and goes on"
like "$(again mine 8,1K --wait)" 'nothing is missing' "then all is there"
is "$(sent '--parsable --time=[0-9]* [^ ]*mine-slurm/2/gather.sh')" 1 "and no job is left"

finish
