#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `chorale compare` and `baseline`: what is red and what is not, on databases
# made by formula; every format; the plan of a second measurement.
. "$(dirname "$0")/../../lib.sh"
cd "$work" || exit 99
schema=$top_srcdir/db/schema.sql

# A real system, bcast binomial and library at P = 2, 12
# sizes, 9 launches; noise of 0.9 % at most by a fixed rule.
database() { # file, hour, SQL
    rm -f "$1"
    {
        cat "$schema"
        cat <<SQL
PRAGMA application_id = $((0x43484f52));
PRAGMA user_version = $(sed -n 's/.* database, version \([0-9]*\).*/\1/p' "$schema");
INSERT INTO system VALUES (1, 'sys', 'box', 'real', 'box', 'MPI 1', 'now');
INSERT INTO campaign (campaign_id, uuid, system_id, created, command, seed,
    launches, nrep_min, nrep_max, nwarmup, target_width, cell_seconds,
    max_memory, sync, launcher)
    VALUES (1, 'camp-$1', 1, '2026-01-01T00:00:00Z', 'made', 1, 9, 5, 100,
    1, 0.02, 1, 1048576, 'barrier', 'custom');
CREATE TEMP TABLE k (i); WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL
    SELECT i + 1 FROM k WHERE i < 59) INSERT INTO k SELECT i FROM k;
INSERT INTO cell (uuid, campaign_id, system_id, provider, variant, coll,
    msg_size, n, comm_size, ppn, shape, dtype, root_policy, buffers, launches)
    SELECT 'cell-' || p.v || '-' || i, 1, 1, p.p, p.v, 'bcast', 8 << i, 8 << i,
    2, 2, 'single-node', 'byte', 'rotate', 'warm', 9
    FROM k, (SELECT 'chorale' p, 'binomial' v UNION ALL
             SELECT 'library', 'default') p WHERE i < 12;
CREATE TEMP TABLE made (launch, cell, seconds);
INSERT INTO launch (launch_id, uuid, campaign_id, system_id, ordinal, comm_size,
    ppn, shape, seed, started, finished, status)
    SELECT i + 1, '$1-' || i, 1, 1, i, 2, 2, 'single-node', i,
    printf('2026-01-01T%02d:%02d:00Z', $2, i), 'then', 'done' FROM k
    WHERE i < 9;
INSERT INTO environment SELECT launch_id, 'message_alpha_s',
    printf('%.9g', 1e-6 * (1 + (ordinal * 7 % 5 - 2) * 0.004)) FROM launch;
INSERT INTO environment SELECT launch_id, 'copy_beta_s',
    printf('%.9g', 1e-10 * (1 + (ordinal * 7 % 5 - 2) * 0.004)) FROM launch;
INSERT INTO made SELECT launch_id, cell_id,
    1e-6 * (1 + msg_size / 1e3) * (1 + ((ordinal * 7 + cell_id * 3
        + $2 * 11) % 13 - 6) * 0.0015) FROM launch, cell;
$3
INSERT INTO run (run_id, uuid, cell_id, launch_id, status, stop_reason)
    SELECT rowid, '$1-run-' || rowid, cell, launch, 'ok', 'width' FROM made;
INSERT INTO run_summary (run_id, nrep, nlate, median, mean, min, q25, q75, p95,
    p99, max) SELECT rowid, 9, 0, seconds, seconds, seconds, seconds, seconds,
    seconds, seconds, seconds FROM made;
SQL
    } | sqlite3 "$1"
}

# SQL for launches of a second measurement of cell 5 from minute M on, every
# second minute, so much slower.
again() { # first minute, ratio
    echo "INSERT INTO campaign (campaign_id, uuid, system_id, created, command,
        seed, launches, nrep_min, nrep_max, nwarmup, target_width, cell_seconds,
        max_memory, sync, launcher, again) SELECT 2, uuid || '-2', 1, created,
        command, seed, 20, nrep_min, nrep_max, nwarmup, target_width,
        cell_seconds, max_memory, sync, launcher, 1 FROM campaign;
    INSERT INTO launch (launch_id, uuid, campaign_id, system_id, ordinal,
        comm_size, ppn, shape, seed, started, finished, status)
        SELECT i + 100, 'again-$1-$2-' || i, 2, 1, i + 9, 2, 2, 'single-node',
        i, printf('2026-01-02T01:%02d:00Z', $1 + 2 * i), 'then', 'done' FROM k
        WHERE i < 20;
    INSERT INTO made SELECT launch_id, 5, 1.128e-6 * $2 *
        (1 + ((launch_id * 7) % 13 - 6) * 0.002) FROM launch
        WHERE launch_id >= 100;"
}
slow='UPDATE made SET seconds = seconds * 1.06 WHERE cell = 5;'

database base.db 1 ""
database same.db 2 ""
out=$("$chorale" compare base.db same.db)
is $? 0 "two measurements of the same code: exit 0"
like "$out" '^24 same, of 24 cells: green$' "all is the same"

database slow.db 3 "$slow"
out=$("$chorale" compare base.db slow.db)
is $? 0 "one look is not red"
like "$out" '^suspect +\+[56]\.[0-9]+ %.* bcast binomial; m = 128 B, P = 2.*measured again: --recheck' \
    "but suspect, with what to do"
like "$out" '1 suspect, 23 same, of 24 cells: green' "and only that cell"
"$chorale" compare base.db slow.db --fail-on suspect >/dev/null 2>err.txt
is $? 1 "unless it shall be"
like "$(cat err.txt)" '1 finding of --fail-on suspect' "which it says"
"$chorale" compare base.db slow.db --unpaired >/dev/null 2>&1
is $? 1 "--unpaired believes what it sees"
out=$("$chorale" compare slow.db base.db)
like "$out" '^faster +-[56]\.' "the other way round it is faster"
"$chorale" compare base.db slow.db --threshold 12% --unpaired >out.txt
is $? 0 "below the threshold nothing is slower"

# The second measurement: in turn, confirmed and not; at another time.
database base2.db 1 "$(again 0 1)"
database slow2.db 3 "$slow $(again 1 1.05)"
out=$("$chorale" compare base2.db slow2.db 2>/dev/null)
is $? 1 "slower again, in turn: red"
like "$out" '^slower +\+[45]\.[0-9]+ %.*128 B.*measured again 20 times, p = ' \
    "by the second measurement alone"
database luck.db 3 "$slow $(again 1 1.0001)"
out=$("$chorale" compare base2.db luck.db)
is $? 0 "not slower again: green"
like "$out" '^24 same, of' "and the same"
database late.db 3 "$slow $(again 40 1.05)"
out=$("$chorale" compare base2.db late.db)
is $? 0 "slower again at another time is not red"
like "$out" 'measured again, but not in turn' "and says why"
"$chorale" compare base2.db late.db --unpaired >/dev/null 2>&1
is $? 1 "unless that is believed"

# One launch of either side that does not count leaves the other pairs.
cp base2.db gap.db
cp slow2.db gap2.db
sqlite3 gap.db "DELETE FROM run WHERE launch_id = 104 AND cell_id = 5"
sqlite3 gap2.db "DELETE FROM run WHERE launch_id = 111 AND cell_id = 5"
for db in gap gap2; do
    sqlite3 $db.db "DELETE FROM run_summary WHERE run_id NOT IN
        (SELECT run_id FROM run)"
done
out=$("$chorale" compare gap.db gap2.db 2>/dev/null)
is $? 1 "launches that do not count do not undo the others"
like "$out" '^slower .*measured again 19 times' "neighbours in time are pairs anew"

# The canary: messages are as much slower.
database machine.db 3 "$slow UPDATE environment SET value = value * 1.06;"
out=$("$chorale" compare base.db machine.db --unpaired)
is $? 0 "a slower machine is not red"
like "$out" '^machine +\+[56].*machine is slower too, by [56]\.' "it says so"
like "$out" 'note: the machine is slower: messages, P = 2 \+' "and by what"

# What is said of the whole is in every format.
for format in markdown tap junit json; do
    like "$("$chorale" compare base.db machine.db --format $format)" \
        'the machine is slower\\?: messages, P = 2 ' \
        "$format says it, too"
done
"$chorale" compare base.db machine.db --format junit |
    xmllint --noout --schema "$top_srcdir/tests/cli/compare/junit.xsd" - &&
    "$chorale" compare base.db machine.db --format json | python3 -m json.tool >/dev/null
ok $? "which is XML and JSON still"

# Copies in memory speak for long blocks alone.
database copies.db 3 "UPDATE made SET seconds = seconds * 1.06 WHERE cell IN
    (5, 12); UPDATE environment SET value = value * 1.06
    WHERE key = 'copy_beta_s';"
out=$("$chorale" compare base.db copies.db --unpaired 2>/dev/null)
is $? 1 "slower copies are no excuse of short messages"
like "$out" '^slower .*m = 128 B' "which are slower"
like "$out" '^machine +\+[56].*m = 16 KiB.*machine is slower too, by [56]\.' \
    "long ones are the machine's"
like "$out" 'note: the machine is slower: copies in memory, P = 2 \+' "by copies"

# Cells that come and go, fail, or have too few launches.
database holes.db 2 "DELETE FROM made WHERE cell = 7;
    DELETE FROM made WHERE cell = 9 AND launch > 3;"
out=$("$chorale" compare base.db holes.db --fail-on slower)
is $? 0 "what is gone need not be red"
like "$out" '^gone .*m = 512 B' "gone"
like "$out" '^too few .*m = 2 KiB.*9 and 3 launches; 5 on each side' "too few"
"$chorale" compare base.db holes.db >/dev/null 2>&1
is $? 1 "but is by default"

is "$("$chorale" compare base.db holes.db --format tap | grep -c 'SKIP not enough data$')" \
    1 "what is too few is skipped"
out=$("$chorale" compare base.db holes.db --format tap --fail-on too-few 2>/dev/null)
like "$out" '^not ok [0-9]+ - .*m = 2 KiB.*: too few, [^#]*$' \
    "but where it is red it fails"

# Faster than the network can be, in every launch: of no use, but not gone.
cp same.db doubted.db
sqlite3 doubted.db "UPDATE run SET validity = 'suspicious' WHERE cell_id IN
    (SELECT cell_id FROM cell WHERE msg_size = 512)"
out=$("$chorale" compare base.db doubted.db)
is $? 0 "what counts in no launch is not gone"
like "$out" '^too few .*m = 512 B' "there is too little of it"
out=$("$chorale" compare doubted.db base.db)
like "$out" '^too few .*m = 512 B' "nor is it new the other way round"
cp same.db crowded.db
sqlite3 crowded.db "UPDATE run SET validity = 'oversubscribed' WHERE cell_id = 9"
out=$("$chorale" compare base.db crowded.db)
is $? 0 "more ranks than processors are not gone"
like "$out" '^too few .*m = 2 KiB.*9 and 0 launches; 5 on each side' "nor wrong"
out=$("$chorale" compare crowded.db crowded.db)
like "$out" '^1 too few, 23 same, of 24' "what counts on neither side is not new"
out=$("$chorale" compare holes.db base.db)
like "$out" '^new .*m = 512 B' "the other way round it is new"
sqlite3 holes.db "INSERT INTO run (uuid, cell_id, launch_id, status, reason)
    SELECT 'bad' || launch_id, 7, launch_id, 'invalid', 'wrong data' FROM launch"
out=$("$chorale" compare base.db holes.db 2>/dev/null)
like "$out" '^gone .*512 B.*no correct run in head' "invalid is gone"

cp slow.db batch.db
sqlite3 batch.db "UPDATE run SET batch = 4 WHERE cell_id = 5"
out=$("$chorale" compare base.db batch.db --all --unpaired)
is $? 0 "batches of two lengths are not held against each other"
like "$out" '^undecided .*m = 128 B.*in batches of 1 calls in base, 4 in head' \
    "which is said of the cell"
like "$out" '^note: 1 cells were timed in other batches' "and above"

# Formats: the numbers of tests and failures agree.
"$chorale" compare base2.db slow2.db --format json -o out.json 2>/dev/null
is $? 1 "--format json -o: the exit code stays"
"$chorale" compare base2.db slow2.db --format json -o - >dash.json 2>/dev/null
cmp -s out.json dash.json
ok $? "-o -: the same on standard output"
is "$(python3 -c 'import json
d = json.load(open("out.json"))
c = d["cells"][0]
print(d["red"], len(d["cells"]), c["verdict"], c["msg_size"], c["again_head"],
      c["ratio_lo"] < 1.05 < c["ratio_hi"] < 1.06, c["p_adjusted"] < 0.005)')" \
    "1 24 slower 128 20 True True" "JSON"
"$chorale" compare base2.db slow2.db --format junit >out.xml 2>/dev/null
xmllint --noout --schema "$top_srcdir/tests/cli/compare/junit.xsd" out.xml
ok $? "JUnit is what its readers want"
is "$(xmllint --xpath 'string(//failure/../@time)' out.xml | cut -c 1-9)" \
    0.0000011 "with head's seconds"
is "$(xmllint --xpath 'concat(//testsuite/@tests, " ", //testsuite/@failures,
    " ", count(//testcase), " ", count(//failure), " ",
    //failure/@type)' out.xml)" "24 1 24 1 slower" "with its counts"
"$chorale" compare base2.db slow2.db --format tap >out.tap 2>/dev/null
is "$(sed -n 2p out.tap) $(grep -c '^ok' out.tap) $(grep -c '^not ok' out.tap)" \
    "1..24 23 1" "TAP"
out=$("$chorale" compare base2.db slow2.db --format markdown 2>/dev/null)
like "$out" '^### Collectives: slower$' "Markdown: a heading"
like "$out" '^\| \*\*slower\*\* \| \+[45]\.. % \| .* \| bcast binomial \|' \
    "and the red row"
out=$("$chorale" compare base.db same.db --format markdown)
like "$out" '^### Collectives: not slower$' "or a green heading"

# Colours, on a terminal alone and where they are wanted.
if command -v script >/dev/null 2>&1; then
    esc=$(printf '\033')
    unset NO_COLOR
    script -qec "'$chorale' compare base2.db slow2.db" tty.txt >/dev/null 2>&1 </dev/null
    is $? 1 "on a terminal: the exit code"
    like "$(cat tty.txt)" "${esc}\\[31mslower .*${esc}\\[0m" "slower is red"
    NO_COLOR=1 script -qec "'$chorale' compare base2.db slow2.db" tty.txt \
        >/dev/null 2>&1 </dev/null
    ! grep -q "$esc" tty.txt
    ok $? "but for NO_COLOR"
else
    skip "no script" "colours"
fi
! "$chorale" compare base2.db slow2.db 2>/dev/null | grep -q "$(printf '\033')"
ok $? "and not elsewhere"

for format in table json; do
    "$chorale" compare base2.db slow2.db --fail-on none --format $format \
        >/dev/full 2>err.txt
    is $? 3 "$format on a full disk: exit 3"
    like "$(cat err.txt)" 'is the disk full' "which it says"
done

# What a foreign database says is text.
cp slow2.db evil.db
sqlite3 evil.db "UPDATE cell SET variant = 'a|<b>&\"''@x [y](z) #' || char(10)
    || '<script>' WHERE cell_id = 5"
cp base2.db evil0.db
sqlite3 evil0.db "UPDATE cell SET variant = (SELECT 'a|<b>&\"''@x [y](z) #' ||
    char(10) || '<script>') WHERE cell_id = 5"
"$chorale" compare evil0.db evil.db --format junit >evil.xml 2>/dev/null
is $? 1 "a hostile name is compared like others"
xmllint --noout --schema "$top_srcdir/tests/cli/compare/junit.xsd" evil.xml
ok $? "and is text in XML"
"$chorale" compare evil0.db evil.db --format markdown >evil.md 2>/dev/null
! grep -Eq '<|@x|[^\\]\[y' evil.md
ok $? "in Markdown"
is "$("$chorale" compare evil0.db evil.db --format tap 2>/dev/null | wc -l)" 26 \
    "in TAP"

# Baselines.
database base.db 1 ""
"$chorale" baseline set good base.db >out.txt
is $? 0 "baseline set"
like "$(cat out.txt)" 'baseline good is 1 campaign$' "of one campaign"
like "$("$chorale" baseline list base.db)" '^good  *system box, set 20' "list"
sqlite3 slow.db "UPDATE campaign SET label = 'head'; UPDATE system SET uuid =
    'sys'" && cp base.db perf.db &&
    "$chorale" merge perf.db slow.db >/dev/null
ok $? "a later measurement is merged"
out=$("$chorale" compare perf.db --baseline good)
like "$out" '^suspect .*m = 128 B' "and compared with the baseline in it"
cp perf.db lost.db
sqlite3 lost.db "DELETE FROM run WHERE launch_id NOT IN (SELECT launch_id FROM
    launch JOIN baseline USING (campaign_id)) AND cell_id = (SELECT cell_id
        FROM cell WHERE uuid = 'cell-binomial-6');
    DELETE FROM run_summary WHERE run_id NOT IN (SELECT run_id FROM run)"
out=$("$chorale" compare lost.db --baseline good 2>/dev/null)
is $? 1 "what only the baseline has is gone"
like "$out" '^gone .*m = 512 B' "from the same database, too"
out=$("$chorale" compare perf.db --baseline good --label head)
like "$out" '^suspect .*m = 128 B' "as what has that label"
"$chorale" compare perf.db --baseline good --label tail 2>/dev/null
is $? 2 "a label that nothing has"
out=$("$chorale" compare perf.db same.db --baseline good)
like "$out" '24 same, of 24' "as another database is"
"$chorale" baseline set good perf.db --label head >/dev/null
out=$("$chorale" compare perf.db slow.db --baseline good)
like "$out" '24 same, of 24' "a change is accepted by naming it"
"$chorale" compare perf.db --baseline bad 2>err.txt
is $? 2 "an unknown baseline"
like "$(cat err.txt)" 'no such baseline' "is said to be that"
"$chorale" baseline remove good perf.db && [ -z "$("$chorale" baseline list perf.db)" ]
ok $? "baseline remove"
"$chorale" baseline remove good perf.db 2>/dev/null
is $? 2 "once"

# Planning the second measurement.
"$chorale" compare base.db slow.db --recheck both --again 7 2>err.txt
is $? 75 "--recheck plans and says 75"
like "$(cat err.txt)" 'measured again; repeat .chorale run --max-launches 1' "how to go on"
for db in base slow; do
    is "$(sqlite3 $db.db "SELECT c.cell_id, c.launches, k.again, k.racing,
        k.launches FROM cell c JOIN campaign k USING (campaign_id)
        WHERE k.again")" "5|16|1|0|7" "$db.db: seven more of that cell"
done

# Begun and not finished: neither planned twice nor judged by a part.
"$chorale" compare base.db slow.db --recheck both --again 7 2>err.txt
is $? 75 "the same command once more"
like "$(cat err.txt)" '^chorale: 14 runs of the second measurement are still missing; repeat .chorale run --max-launches 1' \
    "says what is left"
is "$(sqlite3 slow.db "SELECT launches FROM cell WHERE cell_id = 5")" 16 \
    "and plans no more"
"$chorale" compare base.db slow.db >out.txt 2>err.txt
is $? 0 "without --recheck it judges by what there is"
like "$(cat err.txt)" '14 runs of the second .* still missing, and verdicts use those done' \
    "and says so"
sqlite3 slow2.db "UPDATE cell SET campaign_id = 2, launches = 3 + (SELECT
    count(DISTINCT ordinal) FROM launch) WHERE cell_id = 5"
"$chorale" compare base2.db slow2.db --recheck both 2>err.txt
is $? 75 "twenty pairs of twenty-three are no verdict"
like "$(cat err.txt)" ' 3 runs of the second' "but what is left is said"

# Bad words.
for bad in "--format pdf" "--fail-on red" "--recheck all" "--run" \
    "--min-launches 2"; do
    # shellcheck disable=SC2086
    "$chorale" compare base.db same.db $bad >/dev/null 2>err.txt
    is $? 2 "$bad: exit 2"
    is "$(wc -l <err.txt)" 1 "$bad: one line"
done
"$chorale" compare base.db 2>/dev/null
is $? 2 "one database alone"
ln -s base.db link.db
"$chorale" compare base.db link.db --recheck both 2>err.txt
is $? 2 "nor can one be measured in turn with itself"
like "$(cat err.txt)" 'base and head are one database' "whatever its name"

# Older schemas, other systems, other MPI.
sed -f "$top_srcdir/tests/cli/database/older.sed" "$schema" >older.sql
sh "$top_srcdir/tests/cli/synth.sh" older.sql old.db
sh "$top_srcdir/tests/cli/synth.sh" "$schema" new.db
out=$("$chorale" compare old.db new.db)
is $? 0 "compare reads a database of an older schema"
like "$out" 'of [0-9]+ cells: green' "equal databases of two schemas are green"
is "$(sqlite3 old.db 'PRAGMA user_version')" 0 "the older database is as it was"
"$chorale" compare old.db base.db 2>err.txt
is $? 4 "simulated and measured times"
like "$(cat err.txt)" 'cannot be compared' "have nothing in common"
cp same.db other.db
sqlite3 other.db "UPDATE system SET name = 'crate', mpi_library = 'MPI 2';
    DELETE FROM run_summary WHERE run_id IN (SELECT run_id FROM run JOIN cell
    USING (cell_id) WHERE msg_size > 100); DELETE FROM run WHERE run_id NOT IN
    (SELECT run_id FROM run_summary)"
out=$("$chorale" compare base2.db other.db --fail-on slower)
like "$out" '^note: two systems: box in base, crate in head' "two systems"
like "$out" '^note: two MPI libraries: MPI 1 in base, MPI 2' "and libraries"
like "$out" '16 gone, of 24 cells' "what both have is compared"
for db in base2 same; do
    cp $db.db long-$db.db
    sqlite3 long-$db.db "UPDATE system SET name = 'box ' || hex(zeroblob(110))"
done
out=$("$chorale" compare long-base2.db long-same.db 2>err.txt)
is "$? $(cat err.txt)" "0 " "a system with a long name"
like "$out" 'of [0-9]+ cells: green' "is compared"

# Decisions: binomial is slower than the library in head, from 128 B on.
better='UPDATE made SET seconds = seconds * 0.9 WHERE cell IN
    (SELECT cell_id FROM cell WHERE provider = '"'chorale'"');'
worse="UPDATE made SET seconds = seconds / 0.8 WHERE cell IN
    (SELECT cell_id FROM cell WHERE provider = 'chorale' AND msg_size >= 128);"
database d1.db 1 "$better"
database d2.db 2 "$better $worse"
out=$("$chorale" compare d1.db d2.db --fail-on decision-changed 2>/dev/null)
is $? 1 "a decision that changed can be red"
like "$out" '^decision changed: bcast, P = 2, n = 128 B to 16 KiB: binomial in base, library in head' \
    "it says from where to where"
one="UPDATE made SET seconds = seconds / 0.8 WHERE cell IN
    (SELECT cell_id FROM cell WHERE provider = 'chorale' AND msg_size = 8);"
database d3.db 2 "$better UPDATE made SET seconds = seconds / 0.8 WHERE cell IN
    (SELECT cell_id FROM cell WHERE provider = 'chorale' AND msg_size >= 8192);"
database d4.db 3 "$better UPDATE made SET seconds = seconds / 0.8 WHERE cell IN
    (SELECT cell_id FROM cell WHERE provider = 'chorale' AND msg_size >= 4096);"
"$chorale" compare d3.db d4.db --fail-on decision-changed >/dev/null
is $? 0 "a crossover that moves by one size is none"
database d5.db 2 "$better $one"
out=$("$chorale" compare d1.db d5.db --fail-on decision-changed 2>/dev/null)
is $? 1 "one size at which another wins, next to none of it, is one"

# Guidelines: bcast that grows faster than it should, or shrinks.
database g.db 1 "UPDATE made SET seconds = seconds * 0.01 WHERE cell IN
    (SELECT cell_id FROM cell WHERE msg_size = 16384);"
out=$("$chorale" compare base2.db g.db --guidelines --fail-on guideline-broken 2>/dev/null)
is $? 1 "a guideline can be red"
like "$out" '^guideline broken: monotony in n of the library, P = 2, n = 8 KiB' \
    "monotony"
like "$out" '^guideline broken: monotony in n of the table' "of both choices"
"$chorale" compare base2.db g.db --fail-on guideline-broken >/dev/null 2>&1
is $? 1 "and is looked for where it shall be"
"$chorale" compare base2.db g.db --guidelines >/dev/null 2>&1
is $? 0 "and only there red"
"$chorale" compare base2.db same.db --guidelines --fail-on guideline-broken >/dev/null
is $? 0 "where none is broken none is red"
finish
