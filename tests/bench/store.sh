#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Performance of the database: samples stored per second through the runner's
# record path, with schema, indexes and checks; views over ten million samples;
# the cost to store a point in a shard and to publish the shard; memory of run, runner, status, merge and export with a campaign of 100 000
# cells. Each number is printed with its limit, and a missed limit is marked
# MISSED. Too much memory makes this fail; times depend on the load.
#
#   store.sh [SAMPLES]     default: 10000000
here=$(cd "${top_builddir:-.}" && pwd)
samples=${1:-10000000}
store=$here/tests/bench/store
most=100 # MB
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
code=0

memory() { # command...
    "$store" memory $most "$@" >"$work/out.txt" 2>"$work/err.txt"
    status=$?
    grep '^#' "$work/out.txt"
    [ $status -eq 0 ] && return
    code=1
    echo "# failed with $status: $(tail -n 1 "$work/err.txt")"
}

# Large points show the cost of statements, small ones also that of commits. A
# point of the default plan has seven candidates of 100 repetitions.
"$store" fill "$work/small.db" 7 100 $((samples / 50)) || exit
rm -f "$work/small.db"
# The same beside shards of two sizes, and the time to publish the shard.
for runs in 100 10000; do
    "$store" publish "$work/shard-$runs.db" 7 100 $runs || exit
    rm -f "$work/shard-$runs.db"*
done
"$store" fill "$work/r.db" 40 100 "$samples" || exit
echo "# $(($(wc -c <"$work/r.db") / 1000000)) MB of file"
for view in v_summary v_speedup v_best v_progress; do
    "$store" query "$work/r.db" "SELECT count(*) FROM $view" || exit
done
# Select all columns, so that sorting has to compute them.
"$store" query "$work/r.db" \
    "SELECT count(*) FROM (SELECT * FROM v_summary ORDER BY seconds, lo, p99)" ||
    exit
rm -f "$work/r.db"

# One launch of 100 000 cells, by the real runner on real MPI: the command with
# all its children, and each rank by itself.
if command -v "${MPIEXEC:-mpiexec}" >/dev/null 2>&1; then
    "$store" cells "$work/cells.db" 100000 || exit
    cat >"$work/launcher" <<EOT
#!/bin/sh
n=\$2
shift 2
exec ${MPIEXEC:-mpiexec} -n \$n "$store" memory $most "\$@"
EOT
    chmod +x "$work/launcher"
    CHORALE_MPIEXEC=$work/launcher memory "$here/chorale" run \
        "$work/cells.db" -v
    # With -v the ranks' output goes to standard error.
    grep '^#.*chorale-runner' "$work/err.txt"
    grep -q '^#.*chorale-runner.*MISSED' "$work/err.txt" && code=1
    done=$(sqlite3 "$work/cells.db" "SELECT sum(done) FROM v_progress")
    echo "# $done of 100000 cells are done"
    [ "$done" = 100000 ] || code=1
    memory "$here/chorale" status "$work/cells.db"
    rm -f "$work/cells.db"
else
    echo "# no ${MPIEXEC:-mpiexec}: the runner's memory is left out"
fi

# The same number of measured cells: 500 000 runs of five samples. Merge a shard
# into a new database, merge a known shard, and export.
"$store" runs "$work/shard.db" 100000 || exit
echo "# a new shard and one that is there:"
for what in new known; do
    memory "$here/chorale" merge "$work/r.db" "$work/shard.db"
done
rm -f "$work/shard.db"
memory "$here/chorale" status "$work/r.db"
for what in summary speedup best runs samples cells; do
    echo "# $what as CSV:"
    memory "$here/chorale" export "$work/r.db" --what $what -o "$work/out.csv"
done
echo "# samples as JSON:"
memory "$here/chorale" export "$work/r.db" --what samples \
    --format json -o "$work/out.json"
exit $code
