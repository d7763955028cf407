#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A launch is killed with SIGKILL in the middle of a long point: what its cells
# had by then is kept and counts, once each, also where the disk that was
# measured on is lost, and of groups that measure at once. What is torn is no
# run. Where a rank is killed, and `run` lives on, all cells but one keep theirs.
# So they do where they have not all been called yet.
. "$(dirname "$0")/../lib.sh"

command -v setsid >/dev/null 2>&1 || skip_all "no setsid"
case $("$top_builddir/chorale-runner" --probe | head -1) in
*MPICH*) ;;
*) skip_all "the runner is built with another MPI" ;;
esac

CHORALE_MPIEXEC=$MPIEXEC
export CHORALE_MPIEXEC
# A point of two cells, each of which goes on for its time.
planned() { # database, options...
    name=$work/$1.db
    shift
    "$chorale" plan "$name" -q --providers chorale,library \
        --variants "${variants-linear}" --launches 1 -i 4096 \
        --min-iterations 4096 --width 0.001% "$@"
}
has() { # database, what is selected
    sqlite3 -cmd '.timeout 9000' "$work/$1.db" "SELECT $2"
}
shorter() { # database: what is measured from here on takes no time
    sqlite3 -cmd '.timeout 9000' "$work/$1.db" \
        'UPDATE campaign SET cell_seconds = 0.1, nrep_min = 3'
}
all_of() { # a process: those that it started, and it
    for child in $(pgrep -P "$1"); do
        all_of "$child"
    done
    echo "$1"
}
# A command that is killed, all of it at a moment, as soon as a file is there.
killed_at() { # file, command...
    file=$1 processes=
    shift
    "$@" >/dev/null 2>"$work/err.txt" &
    pid=$!
    # However long that takes on a busy machine, as long as it measures.
    while kill -0 $pid 2>/dev/null; do
        sleep 0.05
        [ -s "$file" ] || continue
        processes=$(all_of $pid | tr '\n' ' ')
        # shellcheck disable=SC2086
        kill -STOP $processes 2>/dev/null
        # Where clocks fail a point begins again, without the file.
        [ -s "$file" ] && break
        # shellcheck disable=SC2086
        kill -CONT $processes 2>/dev/null
    done
    # shellcheck disable=SC2086
    kill -KILL $processes 2>/dev/null
    wait $pid 2>/dev/null
    for process in $processes; do
        while kill -0 "$process" 2>/dev/null &&
            ! grep -q '^State:.Z' "/proc/$process/status" 2>/dev/null; do
            sleep 0.05
        done
    done
}
# Runs of a database that were cut: as they should be.
cut_runs() { # database
    has "$1" "count(*) FROM run r JOIN run_summary s USING (run_id)
        JOIN environment e ON e.launch_id = r.launch_id AND e.key = 'killed_at'
        WHERE r.status = 'ok' AND stop_reason = 'time' AND s.median > 0
        AND s.nrep BETWEEN ${least-3} AND 4095 AND s.nrep =
            (SELECT count(*) FROM sample p WHERE p.run_id = r.run_id)
        AND NOT EXISTS (SELECT 1 FROM counter u WHERE u.run_id = r.run_id
            AND u.value IS NOT NULL)"
}
once() { # database, name: all that is planned is there, once
    is "$(has "$1" "sum(planned) - sum(done) FROM v_progress")" 0 \
        "$2: all is measured"
    # The library comes along where some of a point is measured again.
    is "$(has "$1" "count(*) - count(DISTINCT cell_id || ' ' || ordinal)
        FROM run JOIN launch USING (launch_id) JOIN cell USING (cell_id)
        WHERE provider = 'chorale'")" 0 "$2: and nothing twice"
    is "$(sqlite3 "$work/$1.db" 'PRAGMA integrity_check;
        PRAGMA foreign_key_check')" ok "$2: the file is whole"
    is "$(find "$work" -name "${3-$1}.db-*" | wc -l)" 0 \
        "$2: no other file is left"
}

    "${MPICC:-mpicc.mpich}" -shared -fPIC -o "$work/faults.so" "$top_srcdir/tests/cli/faults.c" -ldl
    # (After a cell's time one is kept that is not too fast, without the other.)
    planned slow -c scan -P 2 -m 8M --cell-time 60
    has slow "1; UPDATE campaign SET nrep_min = 8, nrep_max = 8" >"$work/out.txt"
    env FAULT=slow LD_PRELOAD="$work/faults.so" timeout 200 "$chorale" run \
        "$work/slow.db" -q &
    pid=$! seen=
    while kill -0 $pid 2>/dev/null; do
        [ ! -e "$work/slow.db-tail-cut" ] || seen=yes
        sleep 0.05
    done
    wait $pid
    is "$? $seen" "0 " "slow: nothing is kept of what cannot be"
    is "$(has slow "count(*) FROM run JOIN cell USING (cell_id)
        WHERE validity LIKE '%suspicious%' AND provider = 'library'")" 1 \
        "slow: and it is suspicious"
finish
