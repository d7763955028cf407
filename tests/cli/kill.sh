# SPDX-License-Identifier: BSD-3-Clause
# Functions for tests that kill a command with all its descendants. Sourced
# after lib.sh.

# Wait until a command succeeds; fails after ten minutes.
wait_for() { # command, words
    tries=12000
    until "$@"; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.05
    done
}

# A zombie counts as ended, although it can be signalled.
ended() { # process
    ! kill -0 "$1" 2>/dev/null ||
        grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null
}

tree_of() { # process; prints it and its descendants
    ps -eo pid=,ppid= | awk -v top="$1" '{ parent[$1] = $2 } END {
        for (p in parent) {
            for (q = p; q > 1 && q != top; ) q = parent[q]
            if (q == top) print p
        } }' | sort -n | tr '\n' ' '
}

# Stop a process and its descendants, including those started meanwhile. Sets
# $tree.
stop_tree() { # process
    tree=
    while now=$(tree_of "$1") && [ "$now" != "$tree" ]; do
        tree=$now
        # shellcheck disable=SC2086
        kill -STOP $tree 2>/dev/null
    done
}

# Send SIGKILL to a child of this shell and all its descendants. They are
# stopped first, so that no process reacts to another's end. Returns when all
# have ended.
kill_tree() { # process
    stop_tree "$1"
    # shellcheck disable=SC2086
    kill -KILL $tree 2>/dev/null
    { wait "$1"; } 2>/dev/null
    for process in $tree; do
        wait_for ended "$process"
    done
}

no_process() { # pattern of its command line
    ! pgrep -f "$1" >/dev/null 2>&1
}
