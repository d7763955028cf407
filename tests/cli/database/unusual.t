#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Valid but unusual databases: no runs, one size, impossible times, unknown
# names. Every verb that reads them has a documented exit code and at most one
# line on standard error, never NaN, an infinity or a signal; JSON is valid.
. "$(dirname "$0")/../../lib.sh"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is missing"
top_srcdir=$(cd "$top_srcdir" && pwd)
chorale=$(cd "$top_builddir" && pwd)/chorale
CHORALE_DATADIR=$top_srcdir/plots
export CHORALE_DATADIR
cd "$work" || exit 99

synth() {
    sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" "$@"
}
synth whole.db odd '2 8 16' 3
sqlite3 whole.db "DELETE FROM cell WHERE msg_size NOT IN (8, 128, 2048, 32768,
    524288); DELETE FROM run WHERE cell_id NOT IN (SELECT cell_id FROM cell);
    DELETE FROM run_summary WHERE run_id NOT IN (SELECT run_id FROM run)"
plan="$chorale plan empty.db -q -c bcast,allreduce -P 2,4 -m 8,64
    --launches 1 -i 3 --launcher custom --launcher-cmd true"
$plan >/dev/null 2>&1
ok $? "a plan is made"

# One database per oddity: its name and the SQL that makes it.
keep_runs="DELETE FROM run_summary WHERE run_id NOT IN (SELECT run_id FROM run);
    DELETE FROM decision; DELETE FROM model"
drop_cells() { # condition
    echo "DELETE FROM run WHERE cell_id IN (SELECT cell_id FROM cell WHERE $1);
        DELETE FROM cell WHERE $1; $keep_runs"
}
all_times() { # expression
    echo "DELETE FROM decision; DELETE FROM model; UPDATE run_summary SET
        median = $1, lo = $1, hi = $1, mean = $1, min = $1, q25 = $1,
        q75 = $1, p95 = $1, p99 = $1, max = $1"
}
odd() { # name, SQL; newer shells of SQLite defend the schema
    cp whole.db "$1.db"
    sqlite3 -cmd ".dbconfig defensive off" "$1.db" \
        "PRAGMA foreign_keys = off; $2" >/dev/null || echo "$1" >>bad
}
odd unrun "DELETE FROM run; DELETE FROM launch; $keep_runs"
odd one_size "$(drop_cells 'msg_size <> 2048')"
odd one_procs "$(drop_cells 'comm_size <> 8')"
odd one_point "$(drop_cells 'comm_size <> 8 OR msg_size <> 2048')"
odd alone "$(drop_cells 'comm_size <> 2'); UPDATE cell SET comm_size = 1;
    UPDATE launch SET comm_size = 1"
odd invalid "UPDATE run SET status = 'invalid'; DELETE FROM run_summary;
    DELETE FROM decision; DELETE FROM model"
odd failed "UPDATE run SET status = 'failed', reason = 'ended';
    DELETE FROM run_summary; DELETE FROM decision; DELETE FROM model"
odd two_systems "INSERT INTO system SELECT 2, 'sys-2', 'other', 'real', 'other',
    'another MPI', created FROM system; UPDATE cell SET system_id = 2 WHERE
    comm_size > 2; UPDATE launch SET system_id = 2 WHERE comm_size > 2;
    DELETE FROM decision; DELETE FROM model"
odd variant "UPDATE cell SET variant = 'telepathy' WHERE variant = 'binomial';
    DELETE FROM decision; DELETE FROM model"
odd variants "UPDATE cell SET variant = 'own_' || variant
    WHERE provider <> 'library'; DELETE FROM decision; DELETE FROM model"
odd parameter "UPDATE cell SET params = 'mood=3' WHERE variant = 'binomial';
    DELETE FROM decision; DELETE FROM model"
odd collective "UPDATE cell SET coll = 'broadcast' WHERE coll = 'bcast';
    DELETE FROM decision; DELETE FROM model"
odd type "UPDATE cell SET dtype = 'quaternion'; DELETE FROM decision;
    DELETE FROM model"
odd zero "$(all_times 0)"
odd negative "$(all_times -1e-6)"
odd huge "$(all_times 1e300)"
odd infinite "$(all_times 9e999)"
odd tiny "$(all_times 1e-300)"
odd equal "$(all_times 1e-6)"
odd mixed "$(all_times 'CASE run_id % 4 WHEN 0 THEN 1e300 WHEN 1 THEN 0
    WHEN 2 THEN -1 ELSE 1e-300 END')"
odd huge_n "UPDATE cell SET n = (1 << 62) + n, msg_size = (1 << 62) + msg_size
    WHERE msg_size > 8; DELETE FROM decision; DELETE FROM model"
odd no_library "$(drop_cells "provider = 'library'")"
odd only_library "$(drop_cells "provider <> 'library'")"
odd one_launch "DELETE FROM run WHERE launch_id NOT IN (SELECT min(launch_id)
    FROM launch GROUP BY comm_size); $keep_runs"
odd summaries "INSERT INTO sample (run_id, rep, seconds)
    SELECT run_id, 0, median FROM run_summary;
    DELETE FROM run_summary; DELETE FROM decision;
    DELETE FROM model"
odd decided "UPDATE decision SET variant = 'telepathy'
    WHERE provider <> 'library'"
odd decided_params "UPDATE decision SET params = 'mood=3'
    WHERE provider <> 'library'"
odd decided_type "UPDATE decision SET dtype = 'quaternion'"
odd overlapping "UPDATE decision SET n_hi = n_hi + 1000 WHERE n_hi < 1 << 40"
odd backwards "PRAGMA ignore_check_constraints = on; UPDATE decision SET
    n_lo = n_hi, n_hi = n_lo"
odd decided_null "UPDATE decision SET seconds = NULL, library_seconds = NULL,
    speedup = NULL, speedup_lo = NULL, speedup_hi = NULL, regret = NULL"
odd decided_huge "UPDATE decision SET seconds = 9e999, library_seconds = 0,
    speedup = 9e999, speedup_lo = -9e999, speedup_hi = 9e999, regret = 9e999"
odd modelled "DELETE FROM decision; UPDATE model SET value = 0, lo = NULL,
    hi = NULL"
odd modelled_huge "DELETE FROM decision; UPDATE model SET value = 9e999,
    lo = -9e999, hi = 9e999"
# A missing median: the column does not allow NULL.
odd null "$(all_times 0); PRAGMA writable_schema = on; UPDATE sqlite_schema SET
    sql = replace(sql, 'REAL NOT NULL', 'REAL') WHERE name = 'run_summary'"
sqlite3 null.db "UPDATE run_summary SET median = NULL, p95 = NULL"
[ ! -e bad ]
ok $? "they are made"
[ ! -e bad ] || diag "$(cat bad)"

# Run a verb; store its output in out.N, errors in err.N, words in commands.
answer() { # JSON|text, words...
    kind=$1 n=$((n + 1))
    shift
    timeout 600 "$chorale" "$@" >out.$n 2>err.$n
    code=$?
    echo "$n: $*" >>commands
    case $code in 0|1|2|3|4) ;; *) wrong "exit $code: $*" ;; esac
    [ $code -lt 2 ] || [ "$(wc -l <err.$n)" -eq 1 ] ||
        wrong "exit $code and $(wc -l <err.$n) lines: $*"
    [ "$kind" != JSON ] || [ $code -gt 1 ] || [ ! -s out.$n ] ||
        echo "SELECT 'out.$n' WHERE NOT json_valid(CAST(readfile('out.$n') AS TEXT));" \
            >>json.sql
}
# Check all outputs for a database: no NaN or infinity, and valid JSON.
check_answers() {
    grep -EiwH -- '-?(nan|inf|infinity)|assert(ion)?|abort(ed)?' out.* err.* \
        >words && wrong "$(cat words commands)"
    sqlite3 :memory: <json.sql >words
    [ ! -s words ] || wrong "not JSON: $(cat words commands)"
    rm -f out.* err.* json.sql commands
}
wrong() {
    what="$what
$*"
}
# Files that a verb wrote must not have NaN or infinity either.
files() {
    for left in "$@"; do
        [ ! -e "$left" ] || ! grep -Eiw -- '-?(nan|inf|infinity)' "$left" \
            >words || wrong "$left: $(head -n 1 words)"
    done
    rm -rf "$@"
}

for file in empty.db [a-tv-z]*.db unrun.db; do
    db=${file%.db} what='' n=0
    [ "$db" != whole ] || continue
    for turn in found made; do
        answer text status "$file"
        answer JSON status "$file" --json
        answer text generate "$file" -o t.c
        files t.c
        answer text evaluate "$file" --oracle whole.db --oracle-system odd
        answer JSON evaluate "$file" --oracle "$file" --json
        answer text validate "$file" --dry-run
        answer text export "$file" -o e.csv
        answer text export "$file" --what best -o b.csv
        answer JSON export "$file" --what decisions --format json
        answer JSON export "$file" --what speedup --format json
        files e.csv b.csv
        [ $turn = found ] || break
        answer text fit "$file" --crossval
        answer JSON fit "$file" --json
        answer text decide "$file"
        answer JSON decide "$file" --json
        answer text decide "$file" --objective p95
        answer text decide "$file" --explain bcast 2K 8
        answer JSON decide "$file" --explain bcast 2K 8 --json
        answer text decide "$file" --explain bcast 1G 5
    done
    answer text plot "$file" -o pictures --format svg
    ! grep -Eiw -- '-?(inf|infinity)' pictures/*.dat >words 2>/dev/null ||
        wrong "$(head -n 1 words)"
    rm -rf pictures
    check_answers
    [ -z "$what" ]
    ok $? "$db"
    [ -z "$what" ] || diag "$what"
done

# Errors name the problem.
says() { # code, pattern, verb, databases...
    code=$1 pattern=$2 verb=$3
    shift 3
    for db in "$@"; do
        # shellcheck disable=SC2086
        timeout 600 "$chorale" $verb "$db.db" >out 2>&1
        is $? "$code" "$verb, $db: exit $code"
        like "$(cat out)" "$pattern" "$verb, $db: it says why"
    done
}
says 4 'no successful measurement of Chorale.*chorale run' fit \
    empty unrun invalid failed only_library variants summaries zero alone
says 4 'system .* has no measurement.*chorale run' decide \
    empty unrun no_library
says 0 'no usable measurement' decide \
    invalid failed summaries zero negative infinite null
says 0 'no variant was measured that ran correctly' decide only_library
says 0 'no variant that ran correctly may be chosen.*--explain' decide variants
says 0 'note: .* runs were left out, of unknown variants, parameters' fit \
    variant parameter
says 2 'several systems.*--system' 'generate -o t.c' two_systems
finish
