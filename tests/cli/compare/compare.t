#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `chorale compare` and `baseline`: which differences are red, on databases made
# by formula; all formats; the plan of a second measurement.
. "$(dirname "$0")/../../lib.sh"
cd "$work" || exit 99
schema=$top_srcdir/db/schema.sql

# Make a real system with bcast binomial and library at P = 2, 12 sizes, 9
# launches; noise of at most 0.9 % by a fixed rule.
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

# Print SQL for launches of a second measurement of cell 5, from minute M on,
# every second minute, slower by the ratio.
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
is $? 0 "two measurements of the same code exit with 0"
like "$out" '^24 same, of 24 cells: green$' \
    "two measurements of the same code: all cells are the same"

database slow.db 3 "$slow"
out=$("$chorale" compare base.db slow.db)
is $? 0 "a single measurement does not exit with 1"
like "$out" '^suspect +\+[56]\.[0-9]+ %.* bcast binomial; m = 128 B, P = 2.*measured again: --recheck' \
    "a slower cell is suspect, with the remedy"
like "$out" '1 suspect, 23 same, of 24 cells: green' "no other cell is suspect"
"$chorale" compare base.db slow.db --fail-on suspect >/dev/null 2>err.txt
is $? 1 "--fail-on suspect exits with 1"
like "$(cat err.txt)" '1 finding of --fail-on suspect' \
    "--fail-on suspect prints the number of findings"
"$chorale" compare base.db slow.db --unpaired >/dev/null 2>&1
is $? 1 "--unpaired exits with 1 after one measurement"
out=$("$chorale" compare slow.db base.db)
like "$out" '^faster +-[56]\.' "with sides swapped the cell is faster"
"$chorale" compare base.db slow.db --threshold 12% --unpaired >out.txt
is $? 0 "a difference below the threshold exits with 0"

# The second measurement: interleaved, confirmed or not; not interleaved.
database base2.db 1 "$(again 0 1)"
database slow2.db 3 "$slow $(again 1 1.05)"
out=$("$chorale" compare base2.db slow2.db 2>/dev/null)
is $? 1 "slower again, interleaved: exits with 1"
like "$out" '^slower +\+[45]\.[0-9]+ %.*128 B.*measured again 20 times, p = ' \
    "the verdict rests on the second measurement only"
database luck.db 3 "$slow $(again 1 1.0001)"
out=$("$chorale" compare base2.db luck.db)
is $? 0 "not slower again: exits with 0"
like "$out" '^24 same, of' "not slower again: the cell is the same"
database late.db 3 "$slow $(again 40 1.05)"
out=$("$chorale" compare base2.db late.db)
is $? 0 "slower again, but not interleaved: exits with 0"
like "$out" 'measured again, but not in turn' \
    "a measurement that is not interleaved is reported"
"$chorale" compare base2.db late.db --unpaired >/dev/null 2>&1
is $? 1 "--unpaired accepts a measurement that is not interleaved"

# An invalid launch on each side leaves the other pairs valid.
cp base2.db gap.db
cp slow2.db gap2.db
sqlite3 gap.db "DELETE FROM run WHERE launch_id = 104 AND cell_id = 5"
sqlite3 gap2.db "DELETE FROM run WHERE launch_id = 111 AND cell_id = 5"
for db in gap gap2; do
    sqlite3 $db.db "DELETE FROM run_summary WHERE run_id NOT IN
        (SELECT run_id FROM run)"
done
out=$("$chorale" compare gap.db gap2.db 2>/dev/null)
is $? 1 "invalid launches do not invalidate the others"
like "$out" '^slower .*measured again 19 times' \
    "the remaining launches are paired by time"

# The canary: messages are slower by the same ratio.
database machine.db 3 "$slow UPDATE environment SET value = value * 1.06;"
out=$("$chorale" compare base.db machine.db --unpaired)
is $? 0 "a slower machine is not red"
like "$out" '^machine +\+[56].*machine is slower too, by [56]\.' \
    "the verdict is machine"
like "$out" 'note: the machine is slower: messages, P = 2 \+' \
    "a note names the slower messages"

# Notes on the whole comparison are in every format.
for format in markdown tap junit json; do
    like "$("$chorale" compare base.db machine.db --format $format)" \
        'the machine is slower\\?: messages, P = 2 ' \
        "$format has the note"
done
"$chorale" compare base.db machine.db --format junit |
    xmllint --noout --schema "$top_srcdir/tests/cli/compare/junit.xsd" - &&
    "$chorale" compare base.db machine.db --format json | python3 -m json.tool >/dev/null
ok $? "XML and JSON with the note are valid"

# A canary that is faster takes its change off a faster cell.
database faster.db 3 "UPDATE made SET seconds = seconds * 0.94 WHERE cell = 5;
    UPDATE environment SET value = value * 0.94;"
out=$("$chorale" compare base.db faster.db)
like "$out" '^machine +-[56].*machine is faster too, by [56]\.' \
    "on a faster machine a faster cell is the machine's"

# Memory copies are the canary of long blocks only.
database copies.db 3 "UPDATE made SET seconds = seconds * 1.06 WHERE cell IN
    (5, 12); UPDATE environment SET value = value * 1.06
    WHERE key = 'copy_beta_s';"
out=$("$chorale" compare base.db copies.db --unpaired 2>/dev/null)
is $? 1 "slower copies are no excuse of short messages"
like "$out" '^slower .*m = 128 B' "which are slower"
like "$out" '^machine +\+[56].*m = 16 KiB.*machine is slower too, by [56]\.' \
    "long ones are the machine's"
like "$out" 'note: the machine is slower: copies in memory, P = 2 \+' "by copies"

# Cells that are new, gone, failed, or have too few launches.
database holes.db 2 "DELETE FROM made WHERE cell = 7;
    DELETE FROM made WHERE cell = 9 AND launch > 3;"
out=$("$chorale" compare base.db holes.db --fail-on slower)
is $? 0 "missing cells can be allowed"
like "$out" '^gone .*m = 512 B' "a missing cell is gone"
like "$out" '^too few .*m = 2 KiB.*9 and 3 launches; 5 on each side' \
    "a cell with three launches has too few"
"$chorale" compare base.db holes.db >/dev/null 2>&1
is $? 1 "missing cells exit with 1 by default"

is "$("$chorale" compare base.db holes.db --format tap | grep -c 'SKIP not enough data$')" \
    1 "TAP: a cell with too few launches is skipped"
out=$("$chorale" compare base.db holes.db --format tap --fail-on too-few 2>/dev/null)
like "$out" '^not ok [0-9]+ - .*m = 2 KiB.*: too few, [^#]*$' \
    "TAP: with --fail-on too-few it fails"

# Invalid in every launch, because below the physical floor, but not gone.
cp same.db doubted.db
sqlite3 doubted.db "UPDATE run SET validity = 'suspicious' WHERE cell_id IN
    (SELECT cell_id FROM cell WHERE msg_size = 512)"
out=$("$chorale" compare base.db doubted.db)
is $? 0 "a cell without valid launches exits with 0"
like "$out" '^too few .*m = 512 B' "a cell without valid launches has too few"
out=$("$chorale" compare doubted.db base.db)
like "$out" '^too few .*m = 512 B' "with sides swapped it is not new"
cp same.db crowded.db
sqlite3 crowded.db "UPDATE run SET validity = 'oversubscribed' WHERE cell_id = 9"
out=$("$chorale" compare base.db crowded.db)
is $? 0 "an oversubscribed cell exits with 0"
like "$out" '^too few .*m = 2 KiB.*9 and 0 launches; 5 on each side' \
    "an oversubscribed cell has too few"
out=$("$chorale" compare crowded.db crowded.db)
like "$out" '^1 too few, 23 same, of 24' \
    "a cell invalid on both sides is not new"
out=$("$chorale" compare holes.db base.db)
like "$out" '^new .*m = 512 B' "a cell missing in base is new"
sqlite3 holes.db "INSERT INTO run (uuid, cell_id, launch_id, status, reason)
    SELECT 'bad' || launch_id, 7, launch_id, 'invalid', 'wrong data' FROM launch"
out=$("$chorale" compare base.db holes.db 2>/dev/null)
like "$out" '^gone .*512 B.*no correct run in head' "invalid is gone"

cp slow.db batch.db
sqlite3 batch.db "UPDATE run SET batch = 4 WHERE cell_id = 5"
out=$("$chorale" compare base.db batch.db --all --unpaired)
is $? 0 "different batch lengths are not compared"
like "$out" '^undecided .*m = 128 B.*in batches of 1 calls in base, 4 in head' \
    "the cell is undecided, with both batch lengths"
like "$out" '^note: 1 cell was timed in other batches' \
    "a note counts such cells"
"$chorale" compare base.db batch.db --fail-on undecided >/dev/null 2>err.txt
is "$? $(grep -c '1 finding of --fail-on undecided' err.txt)" "1 1" \
    "--fail-on undecided exits with 1"

# --unpaired, and a change that so few launches cannot prove.
small='UPDATE made SET seconds = seconds * 1.015 WHERE cell = 5;'
database small.db 3 "$small"
out=$("$chorale" compare base.db small.db --unpaired)
like "$out" '^1 looks slower: the change is too small for 9 launches a side' \
    "--unpaired: more launches find smaller changes"
database short.db 3 "$slow DELETE FROM made WHERE launch > 5;"
out=$("$chorale" compare base.db short.db --unpaired)
like "$out" '^1 looks slower: with 24 cells at least 8 launches a side are' \
    "--unpaired: the number of cells requires more launches"
like "$out" '^suspect .*; too few launches for so small a change$' \
    "--unpaired does not advise --recheck"

# Formats: the numbers of tests and failures are equal.
"$chorale" compare base2.db slow2.db --format json -o out.json 2>/dev/null
is $? 1 "--format json -o exits with 1 as before"
"$chorale" compare base2.db slow2.db --format json -o - >dash.json 2>/dev/null
cmp -s out.json dash.json
ok $? "-o - writes the same to standard output"
is "$(python3 -c 'import json
d = json.load(open("out.json"))
c = d["cells"][0]
print(d["red"], len(d["cells"]), c["verdict"], c["msg_size"], c["again_head"],
      c["ratio_lo"] < 1.05 < c["ratio_hi"] < 1.06, c["p_adjusted"] < 0.005)')" \
    "1 24 slower 128 20 True True" "JSON"
"$chorale" compare base2.db slow2.db --format junit >out.xml 2>/dev/null
xmllint --noout --schema "$top_srcdir/tests/cli/compare/junit.xsd" out.xml
ok $? "the JUnit file is valid by its schema"
is "$(xmllint --xpath 'string(//failure/../@time)' out.xml | cut -c 1-9)" \
    0.0000011 "JUnit has head's seconds"
is "$(xmllint --xpath 'concat(//testsuite/@tests, " ", //testsuite/@failures,
    " ", count(//testcase), " ", count(//failure), " ",
    //failure/@type)' out.xml)" "24 1 24 1 slower" "JUnit has the right counts"
"$chorale" compare base2.db slow2.db --format tap >out.tap 2>/dev/null
is "$(sed -n 2p out.tap) $(grep -c '^ok' out.tap) $(grep -c '^not ok' out.tap)" \
    "1..24 23 1" "TAP"
out=$("$chorale" compare base2.db slow2.db --format markdown 2>/dev/null)
like "$out" '^### Collectives: slower$' "Markdown has a heading"
like "$out" '^\| \*\*slower\*\* \| \+[45]\.. % \| .* \| bcast binomial \|' \
    "Markdown has the slower row"
out=$("$chorale" compare base.db same.db --format markdown)
like "$out" '^### Collectives: not slower$' "Markdown has the green heading"

# Colours are used only on a terminal and unless disabled.
if command -v script >/dev/null 2>&1; then
    esc=$(printf '\033')
    unset NO_COLOR
    script -qec "'$chorale' compare base2.db slow2.db" tty.txt >/dev/null 2>&1 </dev/null
    is $? 1 "on a terminal compare exits with 1"
    like "$(cat tty.txt)" "${esc}\\[31mslower${esc}\\[0m" \
        "on a terminal slower is red"
    NO_COLOR=1 script -qec "'$chorale' compare base2.db slow2.db" tty.txt \
        >/dev/null 2>&1 </dev/null
    ! grep -q "$esc" tty.txt
    ok $? "NO_COLOR disables colours"
else
    skip "no script" "colours"
fi
! "$chorale" compare base2.db slow2.db 2>/dev/null | grep -q "$(printf '\033')"
ok $? "without a terminal there are no colours"

for format in table json; do
    "$chorale" compare base2.db slow2.db --fail-on none --format $format \
        >/dev/full 2>err.txt
    is $? 3 "$format on a full disk exits with 3"
    like "$(cat err.txt)" 'is the disk full' \
        "$format on a full disk: the error names the disk"
done

# Text of a foreign database is escaped.
cp slow2.db evil.db
sqlite3 evil.db "UPDATE cell SET variant = 'a|<b>&\"''@x [y](z) #' || char(10)
    || '<script>' WHERE cell_id = 5"
cp base2.db evil0.db
sqlite3 evil0.db "UPDATE cell SET variant = (SELECT 'a|<b>&\"''@x [y](z) #' ||
    char(10) || '<script>') WHERE cell_id = 5"
"$chorale" compare evil0.db evil.db --format junit >evil.xml 2>/dev/null
is $? 1 "a hostile name is compared like any other"
xmllint --noout --schema "$top_srcdir/tests/cli/compare/junit.xsd" evil.xml
ok $? "a hostile name is text in XML"
"$chorale" compare evil0.db evil.db --format markdown >evil.md 2>/dev/null
! grep -Eq '<|@x|[^\\]\[y' evil.md
ok $? "a hostile name is text in Markdown"
is "$("$chorale" compare evil0.db evil.db --format tap 2>/dev/null | wc -l)" 26 \
    "in TAP"

# Baselines.
database base.db 1 ""
"$chorale" baseline set good base.db >out.txt
is $? 0 "baseline set exits with 0"
like "$(cat out.txt)" 'baseline good is 1 campaign$' \
    "the baseline has one campaign"
like "$("$chorale" baseline list base.db)" '^good  *system box, set 20' \
    "baseline list prints it"
sqlite3 slow.db "UPDATE campaign SET label = 'head'; UPDATE system SET uuid =
    'sys'" && cp base.db perf.db &&
    "$chorale" merge perf.db slow.db >/dev/null
ok $? "a later measurement is merged"
out=$("$chorale" compare perf.db --baseline good)
like "$out" '^suspect .*m = 128 B' \
    "a later measurement is compared with the baseline"
is "$(printf '%s\n' "$out" | grep -c 'again: --recheck head *$') $(
    printf '%s\n' "$out" | grep -c '1 looks slower: --recheck head measures it again$'
    )" "1 1" "in one database the remedy is --recheck head"
cp perf.db one.db
"$chorale" compare one.db --baseline good --recheck head 2>err.txt
is "$? $(grep -c '1 cell looks slower' err.txt)" "75 1" \
    "compare accepts --recheck head"
"$chorale" compare one.db --baseline good >out.txt 2>err.txt
like "$(cat err.txt)" 'still missing, .*; --recheck head --run continues' \
    "the remedy for missing runs is --recheck head as well"
cp perf.db lost.db
sqlite3 lost.db "DELETE FROM run WHERE launch_id NOT IN (SELECT launch_id FROM
    launch JOIN baseline USING (campaign_id)) AND cell_id = (SELECT cell_id
        FROM cell WHERE uuid = 'cell-binomial-6');
    DELETE FROM run_summary WHERE run_id NOT IN (SELECT run_id FROM run)"
out=$("$chorale" compare lost.db --baseline good 2>/dev/null)
is $? 1 "a cell only in the baseline exits with 1"
like "$out" '^gone .*m = 512 B' "it is gone within one database as well"
out=$("$chorale" compare perf.db --baseline good --label head)
like "$out" '^suspect .*m = 128 B' "a label selects the campaign to compare"
"$chorale" compare perf.db --baseline good --label tail 2>/dev/null
is $? 2 "an unknown label is refused"
out=$("$chorale" compare perf.db same.db --baseline good)
like "$out" '24 same, of 24' "a baseline can be compared with another database"
"$chorale" baseline set good perf.db --label head >/dev/null
out=$("$chorale" compare perf.db slow.db --baseline good)
like "$out" '24 same, of 24' "naming a new baseline accepts a change"
"$chorale" compare perf.db --baseline bad 2>err.txt
is $? 2 "an unknown baseline is refused"
like "$(cat err.txt)" 'no such baseline' "the error reports an unknown baseline"
"$chorale" baseline remove good perf.db && [ -z "$("$chorale" baseline list perf.db)" ]
ok $? "baseline remove removes it"
"$chorale" baseline remove good perf.db 2>/dev/null
is $? 2 "a baseline can be removed only once"

# Planning the second measurement.
"$chorale" compare base.db slow.db --recheck both --again 7 2>err.txt
is $? 75 "--recheck plans and exits with 75"
like "$(cat err.txt)" 'measured again; repeat .chorale run --max-launches 1' \
    "--recheck prints how to run the plan"
for db in base slow; do
    is "$(sqlite3 $db.db "SELECT c.cell_id, c.launches, k.again, k.racing,
        k.launches FROM cell c JOIN campaign k USING (campaign_id)
        WHERE k.again")" "5|16|1|0|7" \
            "$db.db: seven more launches of that cell are planned"
done

# An unfinished second measurement is not planned again, and not used in part.
"$chorale" compare base.db slow.db --recheck both --again 7 2>err.txt
is $? 75 "the repeated command exits with 75 while runs are missing"
like "$(cat err.txt)" '^chorale: 14 runs of the second measurement are still missing; repeat .chorale run --max-launches 1' \
    "the message counts the missing runs"
is "$(sqlite3 slow.db "SELECT launches FROM cell WHERE cell_id = 5")" 16 \
    "--recheck again plans no more launches"
"$chorale" compare base.db slow.db >out.txt 2>err.txt
is $? 0 "without --recheck it judges by the stored runs"
like "$(cat err.txt)" '14 runs of the second .* still missing, and verdicts use those done' \
    "a message counts the missing runs"
sqlite3 slow2.db "UPDATE cell SET campaign_id = 2, launches = 3 + (SELECT
    count(DISTINCT ordinal) FROM launch) WHERE cell_id = 5"
"$chorale" compare base2.db slow2.db --recheck both 2>err.txt
is $? 75 "twenty pairs of twenty-three are no verdict"
like "$(cat err.txt)" ' 3 runs of the second' \
    "the message counts the missing pairs"

"$chorale" compare base.db same.db --min-launches 2 >/dev/null 2>err.txt
is "$? $(wc -l <err.txt)" "2 1" "too few launches are refused in one line"
ln -s base.db link.db
"$chorale" compare base.db link.db --recheck both 2>err.txt
is $? 2 "a database cannot be compared with itself"
like "$(cat err.txt)" 'base and head are one database' \
    "a second name of a database is recognised"

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
like "$out" '^note: two systems: box in base, crate in head' \
    "two systems are reported"
like "$out" '^note: two MPI libraries: MPI 1 in base, MPI 2' \
    "two MPI libraries are reported"
like "$out" '16 gone, of 24 cells' "common cells of two systems are compared"
for db in base2 same; do
    cp $db.db long-$db.db
    sqlite3 long-$db.db "UPDATE system SET name = 'box ' || hex(zeroblob(110))"
done
out=$("$chorale" compare long-base2.db long-same.db 2>err.txt)
is "$? $(cat err.txt)" "0 " "a system with a long name exits with 0"
like "$out" 'of [0-9]+ cells: green' "a system with a long name is compared"

# Decisions: binomial is slower than the library in head, from 128 B on.
better='UPDATE made SET seconds = seconds * 0.9 WHERE cell IN
    (SELECT cell_id FROM cell WHERE provider = '"'chorale'"');'
worse="UPDATE made SET seconds = seconds / 0.8 WHERE cell IN
    (SELECT cell_id FROM cell WHERE provider = 'chorale' AND msg_size >= 128);"
database d1.db 1 "$better"
database d2.db 2 "$better $worse"
out=$("$chorale" compare d1.db d2.db --fail-on decision-changed 2>/dev/null)
is $? 1 "a changed decision can exit with 1"
like "$out" '^decision changed: bcast, P = 2, n = 128 B to 16 KiB: binomial in base, library in head' \
    "the changed range and both choices are printed"
one="UPDATE made SET seconds = seconds / 0.8 WHERE cell IN
    (SELECT cell_id FROM cell WHERE provider = 'chorale' AND msg_size = 8);"
database d3.db 2 "$better UPDATE made SET seconds = seconds / 0.8 WHERE cell IN
    (SELECT cell_id FROM cell WHERE provider = 'chorale' AND msg_size >= 8192);"
database d4.db 3 "$better UPDATE made SET seconds = seconds / 0.8 WHERE cell IN
    (SELECT cell_id FROM cell WHERE provider = 'chorale' AND msg_size >= 4096);"
"$chorale" compare d3.db d4.db --fail-on decision-changed >/dev/null
is $? 0 "a crossover that moves by one size is no change"
database d5.db 2 "$better $one"
out=$("$chorale" compare d1.db d5.db --fail-on decision-changed 2>/dev/null)
is $? 1 "another winner at a single size is a change"

# Guidelines: bcast that grows too fast, or gets faster with size.
database g.db 1 "UPDATE made SET seconds = seconds * 0.01 WHERE cell IN
    (SELECT cell_id FROM cell WHERE msg_size = 16384);"
out=$("$chorale" compare base2.db g.db --guidelines --fail-on guideline-broken 2>/dev/null)
is $? 1 "a broken guideline can exit with 1"
like "$out" '^guideline broken: monotony in n of the library, P = 2, n = 8 KiB' \
    "monotony"
like "$out" '^guideline broken: monotony in n of the table' \
    "guidelines are checked for the library and the table"
"$chorale" compare base2.db g.db --fail-on guideline-broken >/dev/null 2>&1
is $? 1 "a guideline of the given list is checked"
"$chorale" compare base2.db g.db --guidelines >/dev/null 2>&1
is $? 0 "other guidelines do not exit with 1"
"$chorale" compare base2.db same.db --guidelines --fail-on guideline-broken >/dev/null
is $? 0 "without a broken guideline it exits with 0"
# Without a definite verdict the comparison is neither green nor red.
unjudged() { # expected reason, name, words of compare
    want=$1 name=$2
    shift 2
    "$chorale" compare "$@" >out.txt 2>err.txt
    is "$? $(cat err.txt)" "75 chorale: no verdict: $want" "$name"
}
only='DELETE FROM made WHERE cell <> 5;'
first='1 cell looks slower in the first measurement only; add --recheck'
database lone.db 1 "$only"
database lone-slow.db 3 "$slow $only"
unjudged "$first both --run" "suspects of one measurement: --recheck both" \
    lone.db lone-slow.db
two='DELETE FROM made WHERE cell NOT IN (5, 6);'
database two.db 1 "$two"
database two-slow.db 3 "UPDATE made SET seconds = seconds * 1.06; $two"
unjudged "cells look slower${first#1 cell looks slower} both --run" \
    "two suspects are plural" two.db two-slow.db
cp lone.db lone-one.db
"$chorale" baseline set good lone-one.db >/dev/null
"$chorale" merge lone-one.db lone-slow.db -q
unjudged "$first head --run" "suspects within one database: --recheck head" \
    lone-one.db --baseline good
database lone2.db 1 "$only $(again 0 1)"
database lone2-late.db 3 "$slow $only $(again 40 1.05)"
unjudged '1 cell looks slower, but was not measured in turn; measure both sides by `chorale ab`' \
    "suspects measured again, but not in turn: ab" lone2.db lone2-late.db
like "$(cat out.txt)" '^1 looks slower again, but not in turn: `chorale ab` measures' \
    "the table names chorale ab too"
database lone-small.db 3 "UPDATE made SET seconds = seconds * 1.015; $only"
unjudged '1 cell looks slower, by too few launches; measure more on each side' \
    "suspects with --unpaired: more launches" lone.db lone-small.db --unpaired
database lone-machine.db 3 "$only UPDATE made SET seconds = seconds * 0.94;
    UPDATE environment SET value = value * 0.94;"
unjudged 'the machine changed as much; compare on an unchanged machine' \
    "cells and machine both faster: the machine changed" lone.db lone-machine.db
database few-base.db 0 ''
database few-head.db 1 ''
"$chorale" compare few-base.db few-head.db --min-launches 20 >out.txt 2>err.txt
is "$? $(cat err.txt)" "75 chorale: no verdict: too few launches count; \
measure more on each side, or lower --min-launches" \
    "without a verdict compare exits with 75 and gives the reason"
like "$(cat out.txt)" "of 24 cells: no verdict" "the counts end with no verdict"
"$chorale" compare few-base.db few-head.db --min-launches 20 \
    --fail-on slower,too-few >out.txt 2>err.txt
is $? 1 "--fail-on too-few makes it fail"
"$chorale" compare few-base.db few-head.db --min-launches 20 \
    --fail-on slower,undecided >out.txt 2>err.txt
is "$? $(cut -d: -f 1-3 err.txt)" \
    "1 chorale: no verdict: too few launches count; measure more on each \
side, or lower --min-launches" "--fail-on undecided makes it fail"
cp few-head.db doubted.db
sqlite3 doubted.db "UPDATE run SET validity = 'late,suspicious' WHERE launch_id
    IN (SELECT launch_id FROM launch WHERE ordinal >= 4);
    UPDATE run SET validity = 'clock' WHERE launch_id
    IN (SELECT launch_id FROM launch WHERE ordinal = 3)"
"$chorale" compare few-base.db doubted.db >out.txt 2>err.txt
is $? 75 "without enough usable runs there is no verdict"
like "$(cat err.txt)" "too few launches count, ([0-9]+) of [0-9]+ runs are left \
out \(24 clock, [0-9]+ suspicious\); measure more" \
    "the reason counts the runs that are left out"
# Cells of another kind have no verdict, and are not gone.
cp few-head.db back.db
sqlite3 back.db "UPDATE cell SET metric = 'throughput'"
cp back.db again.db
for pair in 'back.db again.db' 'few-base.db back.db' 'back.db few-head.db'; do
    # shellcheck disable=SC2086
    "$chorale" compare $pair >out.txt 2>err.txt
    is $? 4 "$pair: throughput is not compared"
    like "$(cat err.txt)" '^chorale: back.db: only durations are compared, but the cells measured are 24 of throughput; ' \
        "$pair: the message names what was measured"
done
cp few-head.db skewed.db
sqlite3 skewed.db "UPDATE cell SET arrival = 'last:2' WHERE msg_size > 100;
    UPDATE cell SET siblings = 'all' WHERE msg_size < 100"
"$chorale" compare few-base.db skewed.db >out.txt 2>err.txt
like "$(cat err.txt)" 'the cells measured are [0-9]+ with late ranks, [0-9]+ with siblings; ' \
    "each kind is counted"
"$chorale" compare few-base.db few-head.db --all >out.txt 2>err.txt
like "$(sed -n 1p out.txt)" \
    "verdict +change +change low +change high +base +head +cell" \
    "columns have the interval of the change, and both times"
"$chorale" compare base.db slow.db >out.txt
is "$(awk '$1 == "suspect" { mid = $2 + 0; lo = $4 + 0; hi = $6 + 0
    change = 100 * ($10 / $8 - 1)
    print (lo < mid && mid < hi), (5 < lo && hi < 7), $9 $11,
        (change > lo && change < hi) }' out.txt)" "1 1 usus 1" \
    "the change is within its interval, and fits both times"
finish
