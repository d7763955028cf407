#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# export.t - CSV and JSON contain every value of the database; files are written
# completely or not at all; --anonymize removes names, hosts and paths.
. "$(dirname "$0")/../../lib.sh"

TMPDIR=$work/tmp
export TMPDIR
mkdir "$TMPDIR"
db=$work/r.db
all="summary samples speedup best runs counters environment decisions cells"

# bad CODE PATTERN NAME COMMAND...
bad() {
    code=$1 pattern=$2 name=$3
    shift 3
    "$@" >"$work/out.txt" 2>"$work/err.txt"
    is $? "$code" "$name: exit $code"
    is "$(wc -l <"$work/err.txt" | tr -d ' ')" 1 "$name: the error is one line"
    like "$(cat "$work/err.txt")" "$pattern" "$name: the error gives the reason"
}

# Names and texts that need quotes, bytes that are not UTF-8.
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" "$db" \
    'se,cr"et
host' "2 16"
sqlite3 "$db" "
    INSERT INTO sample SELECT run_id, k.value, run_id / 3e7 + k.value, 1e-300,
        -1.5e300, iif(k.value, NULL, 0.1), k.value, 0
        FROM run, json_each('[0,1,2,3]') k;
    INSERT INTO counter SELECT run_id, -1, 'chorale::messages', 1e15 + run_id
        FROM run;
    INSERT INTO counter SELECT run_id, -1, 'PAPI_TOT_CYC', NULL FROM run;
    UPDATE run SET first_call = 9e999 WHERE run_id = 7;
    UPDATE run SET first_call = 1 / 3.0 WHERE run_id = 8;
    UPDATE run SET status = 'failed', reason = 'secrethost: /home/alice: gone'
        WHERE run_id = 9;
    UPDATE run SET status = 'inapplicable', reason = 'needs a power of two'
        WHERE run_id = 10;
    UPDATE run SET status = 'inapplicable', reason =
        'the library: open /home/alice/tuning at secrethost: too many ranks'
        WHERE run_id = 11;
    UPDATE run SET status = 'invalid', reason =
        'after the repetitions: wrong data near byte 8 of secrethost:/home/x'
        WHERE run_id = 12;
    UPDATE decision SET reason = 'tab' || char(9) || 'bell' || char(7) || ' é ∑'
        WHERE decision_id = 1;
    UPDATE decision SET reason = CAST(X'61ff62c3' AS TEXT)
        WHERE decision_id = 2;
    UPDATE decision SET reason = 'the gain is secret-y' WHERE decision_id = 3;
    UPDATE campaign SET command = 'chorale plan /home/alice/secret.db';
    UPDATE launch SET job_id = 'secret4711';
    INSERT INTO environment VALUES (1, 'host:0', 'secrethost'),
        (1, 'command', '/home/alice/bin/chorale-runner'),
        (1, 'env:SLURM_JOB_PARTITION', 'secretpart'),
        (1, 'env:SLURM_CLUSTER_NAME', 'secretcluster'),
        (1, 'env:SLURM_JOB_NODELIST', 'secrethost[1-2]'),
        (1, 'env:SLURM_TASKS_PER_NODE', '2(x4)'),
        (1, 'env:UCX_RNDV_THRESH', '8k'),
        (1, 'env:UCX_NET_DEVICES', 'secretdevice'),
        (1, 'env:UCX_TLS/home/alice', '1'),
        (1, 'env:MPIR_CVAR_CH3_INTERFACE_HOSTNAME', '10.11.12.13'),
        (1, 'mpi:MPIR_CVAR_BCAST_MIN_PROCS', '8'),
        (1, 'mpi:MPIR_CVAR_NEMESIS_NETMOD', 'secretmod'),
        (1, 'binding:3', '0-1'),
        (1, 'host:1:cpu_model', 'secretcpu'),
        (1, 'run_command', 'srun -A secret /home/alice/x'),
        (1, 'secretkey', '1'),
        (1, 'odd:' || char(34), 'a,b' || char(10) || '\"q\" ' || char(9) ||
            'é' || char(0x1F600) || ' back' || char(92) || ' '),
        (1, 'cpu_model', 'Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz'),
        (2, 'cpu_model', 'AMD secretcpu 7742'),
        (1, 'compiler', 'gcc -I/home/alice/include 12.2'),
        (1, 'mpi_library', 'Open MPI v5 alice@secrethost'),
        (2, 'mpi_library', 'MPICH 4.0.2 MPICH configure: --with-x=secret');
    CREATE TEMP TABLE r AS SELECT * FROM decision LIMIT 1;
    UPDATE r SET decision_id = NULL, target = 'rules', variant = 'rules';
    INSERT INTO decision SELECT * FROM r;"
is "$("$chorale" export --help | tr -s '\n ' ' ' |
    sed 's/.*--what=NAME one of \([^(]*\) (default.*/\1/' | tr -d ,)" "$all" \
    "this test has every dataset of --help"
for what in $all; do
    "$chorale" export "$db" --what "$what" >"$work/$what.csv" &&
        "$chorale" export "$db" --what "$what" --format json -o "$work/$what.json"
    ok $? "$what is exported"
done
is "$("$chorale" export "$db" | cksum)" "$(cksum <"$work/summary.csv")" \
    "without options export writes the summary as CSV"

# Parse the files with Python and compare with the database.
cat >"$work/check.py" <<'EOF'
import csv, json, sqlite3, sys
folder, what, sql = sys.argv[1:]
db = sqlite3.connect(folder + '/r.db')
db.text_factory = bytes
cursor = db.execute(sql)
names = [d[0] for d in cursor.description]
want = cursor.fetchall()
with open(folder + '/' + what + '.csv', newline='', encoding='utf-8',
          errors='surrogateescape') as f:
    rows = list(csv.reader(f, strict=True, lineterminator='\n'))
assert rows[0] == names, (rows[0], names)
assert len(rows) - 1 == len(want) > 0, (len(rows), len(want))
for have, row in zip(rows[1:], want):
    assert len(have) == len(row)
    for text, value in zip(have, row):
        if value is None:
            assert text == ''
        elif isinstance(value, bytes):
            assert text.encode('utf-8', 'surrogateescape') == value
        elif isinstance(value, int):
            assert text == str(value)
        else:
            assert float(text) == value, (text, value)
with open(folder + '/' + what + '.json', encoding='utf-8') as f:
    lines = f.read().split('\n')
assert lines[0] == '[' and lines[-2:] == [']', '']
assert len(lines) == len(want) + 3
for line, row in zip(lines[1:-2], want):
    have = json.loads(line.rstrip(','))
    assert list(have) == names
    for value, other in zip(have.values(), row):
        if isinstance(other, bytes):
            try:
                other = other.decode()
            except UnicodeDecodeError:
                assert other == b'a\xffb\xc3'
                other = 'a\ufffdb\ufffd'
        assert value == other, (value, other)
json.loads('\n'.join(lines))
print(len(want))
EOF
point="y.name AS system, c.coll, c.msg_size, c.n, c.comm_size, c.ppn, c.shape,
    c.provider, c.variant, c.params, c.dtype, c.op, c.root_policy, c.buffers,
    c.arrival, c.siblings, c.metric"
from="FROM run r JOIN cell c USING (cell_id) JOIN launch l USING (launch_id)
    JOIN system y ON y.system_id = c.system_id"
same() { # what, rows, query
    is "$(python3 "$work/check.py" "$work" "$1" "$3" 2>&1 | tail -n 1)" "$2" \
        "$1: every value equals the database's"
}
n_run=$(sqlite3 "$db" 'SELECT count(*) FROM run')
same summary 176 "SELECT * FROM v_summary ORDER BY cell_id"
same speedup 176 "SELECT *, 0 AS exploratory FROM v_speedup ORDER BY cell_id"
same best 44 "SELECT *, 0 AS exploratory FROM v_best ORDER BY cell_id"
same samples $((4 * n_run)) "SELECT $point, l.uuid AS launch, l.ordinal,
    r.uuid AS run, s.rep, s.seconds, s.first_in, s.last_in, s.root_out, s.root,
    s.flags $from JOIN sample s USING (run_id) ORDER BY launch_id, run_id, rep"
same runs "$n_run" "SELECT $point, l.uuid AS launch, l.ordinal, l.started,
    r.uuid AS run, r.status, r.reason, r.stop_reason, r.validity, r.first_call,
    r.sync, r.batch, r.separator, r.clock_error, r.skew, u.nrep, u.nlate,
    u.median, u.lo, u.hi, u.mean, u.min, u.q25, u.q75, u.p95, u.p99, u.max
    $from LEFT JOIN run_summary u USING (run_id) ORDER BY launch_id, run_id"
same counters $((2 * n_run)) "SELECT $point, l.uuid AS launch, l.ordinal,
    r.uuid AS run, k.rank, k.event, k.value $from JOIN counter k USING (run_id)
    ORDER BY launch_id, run_id, event, rank"
same environment 22 "SELECT y.name AS system, l.uuid AS launch, l.ordinal,
    l.started, l.comm_size, l.ppn, l.shape, e.key, e.value FROM environment e
    JOIN launch l USING (launch_id) JOIN system y USING (system_id)
    ORDER BY launch_id, key"
same decisions 8 "SELECT y.name AS system, d.coll, d.comm_size,
    max(d.comm_size, d.comm_size_hi) AS comm_size_hi, d.ppn, d.shape,
    d.dtype, d.op, d.n_lo, d.n_hi, d.provider, d.variant, d.params, d.basis,
    d.seconds, d.library_seconds, d.speedup, d.speedup_lo, d.speedup_hi,
    d.regret, d.reason, d.arrival, 0 AS exploratory FROM decision d
    JOIN system y USING (system_id)
    WHERE d.target = 'dispatch' ORDER BY decision_id"
same cells 176 "SELECT $point, c.op_class, c.launches, c.part, c.uuid AS cell,
    p.uuid AS campaign FROM cell c JOIN system y USING (system_id)
    JOIN campaign p USING (campaign_id) ORDER BY cell_id"

# Filters.
n() { "$chorale" export "$db" --format json "$@" | grep -c '^{'; }
is "$(n -c bcast) $(n -c bcast,allreduce) $(n -P 2) $(n -P 1:64 -c bcast)" \
    "88 176 88 88" "-c and -P filter the summary"
is "$(n --what environment -P 16) $(n --what decisions -P 2 -c bcast)" "0 3" \
    "-c and -P filter tables"
is "$(n --system "$(sqlite3 "$db" 'SELECT name FROM system')")" 176 \
    "--system filters"
is "$("$chorale" export "$db" -P 64 --format json)" "[
]" "without rows JSON is an empty array"

# --anonymize: no user, host or path.
for what in $all; do
    for format in csv json; do
        "$chorale" export "$db" --what "$what" --format $format --anonymize \
            >"$work/anonymous.txt"
        ok $? "$what as $format is exported with --anonymize"
        ! grep -Eq 'secret|se,cr|alice|home|10\.11' "$work/anonymous.txt"
        ok $? "$what as $format: no name or path remains"
        grep -Eq '^s1,|"system": "s1"' "$work/anonymous.txt"
        ok $? "$what as $format: the system is s1"
    done
done
"$chorale" export "$db" --what environment --anonymize >"$work/e.csv"
for line in 'UCX_RNDV_THRESH,8k' 'UCX_NET_DEVICES,\*' 'compiler,gcc \* 12.2' \
            'cpu_model,Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz$' \
            'cpu_model,AMD \* 7742$' 'mpi_library,MPICH 4.0.2 MPICH$' \
            'TASKS_PER_NODE,2.x4.' 'BCAST_MIN_PROCS,8' 'NETMOD,\*' \
            'binding:3,0-1'; do
    grep -q "$line" "$work/e.csv"
    ok $? "--anonymize keeps facts of the measurement: $line"
done
is "$(wc -l <"$work/e.csv" | tr -d ' ')" 13 "--anonymize keeps no other facts"
is "$("$chorale" export "$db" --what runs --anonymize --format json |
    grep -c 'needs a power of two')" 1 \
        "--anonymize keeps reasons of the catalogue"
"$chorale" export "$db" --what runs --anonymize >"$work/e.csv"
is "$(grep -c ',"\{0,1\}the library: [*]"\{0,1\},' "$work/e.csv")" 1 \
    "--anonymize removes messages of the library"
is "$(grep -o 'after the rep.*byte 8 of [^,]*' "$work/e.csv")" \
    "after the repetitions: wrong data near byte 8 of *" \
    "--anonymize replaces host names and paths by *"
# Collect all reasons of the catalogue and the runner.
(
    cd "$top_srcdir" || exit 1
    perl -0777 -ne 'while (/(?:\breturn |\b(?:why_p|no)\ =\ |_NO_MEMORY\s
        |fail_all\(&t,\ |snprintf\((?:why|res->reason),\s*[^,]+,)
        (?:[^";]*\?)?[\s\\]*((?:(?::\ )?"[^"]*"[\s\\]*)+)/gx) {
            for (split /: (?=")/, $1) {
                my $text = join "", /"([^"]*)"/g;
                next if $text !~ / / || $text =~ /%[-.*]*[\dl]*s|parameter/;
                print $text =~ s/%(?:zu|d|\.0f)/8/gr =~ s/%\.3g/1.5e-06/gr, "\n";
            }
        }' algorithms/*.c algorithms/[!d]*/*.c runners/measure/provider.c \
        runners/measure/warm_up.c runners/measure/measure.c runners/measure/point.h runners/measure/buffers.c \
        runners/measure/verify.c runners/native/native.c runners/native/native_sim.c
) | sort -u >"$work/reasons.txt"
[ "$(wc -l <"$work/reasons.txt")" -gt 30 ]
ok $? "$(wc -l <"$work/reasons.txt") reasons are collected"
cp "$db" "$work/reasons.db"
{
    printf '%s\n' '.mode tabs' "CREATE TABLE reasons (reason);" \
        ".import '$work/reasons.txt' reasons"
    echo "UPDATE run SET status = iif(run_id % 2, 'invalid', 'inapplicable'),
        reason = (SELECT reason FROM reasons WHERE rowid = run_id)
        WHERE run_id <= (SELECT count(*) FROM reasons); DROP TABLE reasons;"
} >"$work/reasons.sql"
sqlite3 "$work/reasons.db" <"$work/reasons.sql"
"$chorale" export "$work/reasons.db" --what runs --anonymize --format json |
    sed -n 's/.*"reason": "\([^"]*[^"]\)", .*/\1/p' >"$work/said.txt"
is "$(sort -u "$work/said.txt" | grep -v "the library: \*$\|byte 8 of \*$" |
    diff "$work/reasons.txt" - | grep '^[<>]')" "" \
    "--anonymize keeps all reasons of the catalogue and the runner"

# Every reason that decide writes is kept.
for kind in simulated real; do
    sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" \
        "$work/$kind.db" x "2 4 16"
    sqlite3 "$work/$kind.db" "UPDATE system SET kind = '$kind'"
    "$chorale" decide "$work/$kind.db" -q
    for way in '' --anonymize; do
        "$chorale" export "$work/$kind.db" --what decisions --format json $way |
            sed -n 's/.*"reason": //p' >"$work/reasons$way.txt"
    done
    [ -s "$work/reasons.txt" ] &&
        cmp "$work/reasons.txt" "$work/reasons--anonymize.txt"
    ok $? "$kind: --anonymize keeps the reasons of decisions"
done
is "$("$chorale" export "$db" --what decisions --anonymize --format json |
    grep -c '"reason": "the gain is \*"')" 1 \
        "--anonymize removes other words from a decision's reason"

# Files.
(umask 027 && "$chorale" export "$db" -o "$work/f.csv")
is "$(stat -c %a "$work/f.csv")" 640 "a new file has the mode by umask"
cmp -s "$work/f.csv" "$work/summary.csv"
ok $? "a file has the same content as standard output"
(cd "$work" && "$chorale" export "$db" -o - >dash.csv && [ ! -e ./- ])
ok $? "-o - makes no file named -"
cmp -s "$work/dash.csv" "$work/summary.csv"
ok $? "-o - writes to standard output"
bad 2 'is not a file' "onto a device" "$chorale" export "$db" -o /dev/null
bad 3 'standard output: No space.*; free some space, and repeat' "a full device" \
    sh -c "exec '$chorale' export '$db' >/dev/full"
{ "$chorale" export "$db" --what samples 2>"$work/err.txt"; echo $? >"$work/code"; } |
    head -n 1 >/dev/null
is "$(cat "$work/code") $(wc -l <"$work/err.txt" | tr -d ' ')" "3 1" \
    "a closed pipe: exits with 3 and one line"
like "$(cat "$work/err.txt")" \
    'standard output: Broken pipe, as its reader ended .*; read all, or' \
        "a closed pipe: the error gives the reason"
mkdir "$work/full"
if mount -t tmpfs -o size=256k tmpfs "$work/full" 2>/dev/null; then
    echo before >"$work/full/f.csv"
    bad 3 'full/f.csv: No space.*no file was written' "a full disk" \
        "$chorale" export "$db" --what samples -o "$work/full/f.csv"
    is "$(cat "$work/full/f.csv")" before \
        "a full disk: the existing file is unchanged"
    is "$(ls "$work/full")" f.csv "a full disk: no temporary file remains"
    umount "$work/full"
else
    skip "cannot mount a small file system here" "full disk"
fi

# Interrupted while the reader is slow.
mkfifo "$work/fifo"
exec 8<>"$work/fifo"
"$chorale" export "$db" --what samples >&8 2>"$work/err.txt" &
pid=$!
head -c 100 <&8 >/dev/null
while kill -TERM $pid 2>/dev/null; do sleep 0.2; done
wait $pid
is "$? $(wc -l <"$work/err.txt" | tr -d ' ')" "75 1" \
    "interrupted export exits with 75 and one line"
exec 8>&-

# A database that is being measured: a slow reader of an export does not prevent
# the campaign from storing.
printf '#!/bin/sh\nexec sleep 600\n' >"$work/slow"
chmod +x "$work/slow"
cp "$db" "$work/live.db"
"$chorale" plan "$work/live.db" -P 1 -m 8 -c bcast --launches 1 -q
CHORALE_MPIEXEC=$work/slow "$chorale" run "$work/live.db" -q 2>/dev/null &
campaign=$!
i=0
until [ "$(sqlite3 "$work/live.db" "SELECT count(*) FROM launch
    WHERE status = 'running'" 2>&1)" = 1 ] || [ $i -ge 3000 ]; do
    sleep 0.1
    i=$((i + 1))
done
exec 8<>"$work/fifo"
"$chorale" export "$work/live.db" --what samples >&8 2>/dev/null &
pid=$!
head -c 100 <&8 >/dev/null
sqlite3 "$work/live.db" "BEGIN IMMEDIATE; UPDATE launch SET reason = 'stored';
    COMMIT"
ok $? "a campaign can store during a slow export"
while kill -TERM $pid 2>/dev/null; do sleep 0.2; done
wait $pid
kill -9 $campaign
wait $campaign 2>/dev/null
exec 8>&-
is "$(ls "$TMPDIR")" "" "no temporary copy remains"

bad 2 'no system of that name' "an unknown system" \
    "$chorale" export "$db" --system nowhere
page=$(sqlite3 "$db" 'PRAGMA page_size')
root=$(sqlite3 "$db" "SELECT rootpage FROM sqlite_master WHERE name = 'sample'")
dd if=/dev/urandom of="$db" bs="$page" seek=$((root - 1)) count=1 \
    conv=notrunc 2>/dev/null
sum=$(cksum <"$work/samples.csv")
bad 4 'r.db: the file is damaged' "a damaged database" \
    "$chorale" export "$db" --what samples -o "$work/samples.csv"
is "$(cksum <"$work/samples.csv")" "$sum" "the previous file is unchanged"
finish
