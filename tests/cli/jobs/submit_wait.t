#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `submit --wait` ends when the last job has written its verdict or is gone, and
# exits with that job's code. One waiting command survives a controller restart.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/jobs.sh"

: >"$work/restarts"
fake squeue <<END
[ -n "\$RESTARTS" ] && echo asked >>"$work/restarts"
if [ "\$(wc -l <"$work/restarts")" = 2 ] && [ -n "\$RESTARTS" ]; then
    echo "slurm_load_jobs error: Unable to contact slurm controller" >&2
    exit 1
fi
[ -n "\$RESTARTS" ] && seq -f '%g N/A RUNNING None' 20 || cat "$work/queue"
END
waits() { # name, verdict of its last job
    mkdir "$work/$1-slurm"
    (timeout 600 "$chorale" submit "$work/$1.db" -c bcast -m 8 \
        --variants binomial --ppn 2 -P 4 --launches 1 -q --wait \
        2>"$work/$1.txt"; echo $? >"$work/$1.code") &
    [ -z "$2" ] && return
    [ "$1" != restarts ] || until_true asked_often
    until_true test -f "$work/$1-slurm/1/gather.sh"
    echo "$2" >"$work/$1-slurm/1/gather.txt"
}
asked_often() { [ "$(wc -l <"$work/restarts")" = 3 ]; }
waits whole '0 complete'
waits lacks '75 lacks.db: 3 runs are missing'
waits damaged '4 damaged.db: is damaged'
waits silent ''
(RESTARTS=1 XDG_CACHE_HOME=$work/own; export RESTARTS XDG_CACHE_HOME
    waits restarts '0 complete'; wait) &
wait
is "$(cat "$work/whole.code") $(cat "$work/whole.txt")" "0 " \
    "--wait exits with 0 if all runs are done"
is "$(cat "$work/restarts.code")$(wc -l <"$work/restarts")" 03 \
    "a failing squeue is repeated, and the verdict ends the wait"
is "$(cat "$work/lacks.code") $(cat "$work/lacks.txt")" \
    "75 chorale: lacks.db: 3 runs are missing" \
        "--wait exits with 75 if runs are missing"
is "$(cat "$work/damaged.code") $(cat "$work/damaged.txt")" \
    "4 chorale: damaged.db: is damaged" \
        "--wait exits with the code of a failed last job"
like "$(cat "$work/silent.code" "$work/silent.txt")" \
    '^chorale: .*gather.txt: the last job left no result' \
    "--wait reports a last job without a result"
is "$(cat "$work/silent.code")" 3 "and exits 3"

finish
