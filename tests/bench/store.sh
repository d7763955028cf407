#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The database: samples stored a second through the runner's record path, with
# the schema, its indexes and checks; the views over ten million samples;
# memory of the command, of merge and of export with 100 000 cells.
#
#   store.sh [SAMPLES]     default: 10000000
here=${top_builddir:-.}
samples=${1:-10000000}
store=$here/tests/bench/store
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Large points show the statements, small ones the disk's commits as well: a
# point of the default plan has seven candidates of 100 repetitions.
"$store" fill "$work/small.db" 7 100 $((samples / 50)) || exit
rm -f "$work/small.db"
"$store" fill "$work/r.db" 40 100 "$samples" || exit
echo "# $(($(wc -c <"$work/r.db") / 1000000)) MB of file"
for view in v_summary v_speedup v_best v_progress; do
    "$store" query "$work/r.db" "SELECT count(*) FROM $view" || exit
done
# All columns: what sorting needs is computed.
"$store" query "$work/r.db" \
    "SELECT count(*) FROM (SELECT * FROM v_summary ORDER BY seconds, lo, p99)"
rm -f "$work/r.db"

"$store" cells "$work/cells.db" 100000 || exit
"$store" memory "$here/chorale" status "$work/cells.db" >"$work/out.txt" || exit
grep '^#' "$work/out.txt"
# A launcher that stops at once leaves the command's own bookkeeping.
printf '#!/bin/sh\necho no >&2\nexit 1\n' >"$work/launcher"
chmod +x "$work/launcher"
CHORALE_MPIEXEC=$work/launcher "$store" memory "$here/chorale" run \
    "$work/cells.db" -q 2>/dev/null
rm -f "$work/cells.db"

# As many cells measured: 500 000 runs of five samples. A shard into a new
# database, a shard that is there already, and out again.
"$store" runs "$work/shard.db" 100000 || exit
for what in new known; do
    "$store" memory "$here/chorale" merge "$work/r.db" "$work/shard.db" || exit
done
rm -f "$work/shard.db"
for what in summary speedup best runs samples cells; do
    echo "# $what as CSV:"
    "$store" memory "$here/chorale" export "$work/r.db" --what $what \
        -o "$work/out.csv" || exit
done
echo "# samples as JSON:"
"$store" memory "$here/chorale" export "$work/r.db" --what samples \
    --format json -o "$work/out.json"
