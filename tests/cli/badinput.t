#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Bad input gives one clear line on standard error, the documented exit code,
# and nothing is lost.
. "$(dirname "$0")/../lib.sh"

# bad CODE PATTERN NAME COMMAND...
bad() {
    code=$1 pattern=$2 name=$3
    shift 3
    "$@" >"$work/out.txt" 2>"$work/err.txt"
    is $? "$code" "$name: exit $code"
    is "$(wc -l <"$work/err.txt" | tr -d ' ')" 1 "$name: one line"
    like "$(cat "$work/err.txt")" "$pattern" "$name: it says what and how to mend it"
}

db=$work/r.db
plan="$chorale plan $db"
bad 2 'unknown verb .frob' "unknown verb" "$chorale" frob
bad 2 'no verb' "no verb" "$chorale"
bad 2 'unknown option --frob' "unknown option" "$chorale" plan "$db" --frob
bad 2 'needs a value' "option without its value" "$chorale" plan "$db" -m
bad 2 'name a database' "no database named" "$chorale" plan
bad 2 'one word too many' "two databases" "$chorale" plan "$db" other.db
bad 2 'unknown frobnicate.*chorale list' "unknown collective" \
    $plan -c bcast,frobnicate
bad 2 "-m 8,12Q: '12Q' is neither.*64K" "size 12Q" $plan -m 8,12Q
bad 2 "-m 8:4: '8:4' has the larger end first" "range that falls" $plan -m 8:4
bad 2 "-m 8:64:x1: '8:64:x1' is neither" "range that stands still" \
    $plan -m 8:64:x1
bad 2 "-m -8: '-8' is neither" "negative size" $plan -m -8
bad 2 "-m '8,,64': a number is missing" "a comma too many" $plan -m 8,,64
bad 2 "-m '': a number is missing" "an empty list" $plan -m ''
bad 2 'more than 100000 values' "a list too long" $plan -m 1:100000000:+1
bad 2 '--procs 4: given before, as 2' "an option twice" $plan -P 2 --procs 4
bad 2 '-P 0: 0 is too small; the least is 1' "P = 0" $plan -P 0
bad 2 'P 99999999999999999999: .* is neither' "P beyond any number" \
    $plan -P 99999999999999999999
bad 2 'unknown quux' "unknown variant" $plan --variants quux
bad 2 '--type complex.*there are byte' "unknown type" $plan --type complex
bad 2 '--op bor: not defined on type double' "bitwise operation on double" \
    $plan --op bor
bad 2 '--root up.*first' "unknown root policy" $plan --root up
bad 2 '--launches: .two. is not a whole number' "launches in words" \
    $plan --launches two
bad 2 '--launches 0: must lie in' "no launch" $plan --launches 0
bad 2 '--network token.*hockney' "unknown network" $plan --network token
bad 2 'launcher smpirun: name the platform' "simulation without a platform" \
    $plan --launcher smpirun
bad 2 'launcher custom: give the command' "custom launcher without one" \
    $plan --launcher custom
[ ! -e "$db" ]
ok $? "none of these made a database"

# Databases that are none of ours.
for verb in run status fit decide plot export; do
    bad 3 'No such file.*chorale plan' "missing database, $verb" \
        "$chorale" $verb "$work/none.db"
done
# A message that is too long loses the middle of the path, not its remedy, and no
# half of a character is left.
deep=$(python3 -c 'print("begin" + "/d\u00fcsen" * 500 + "/end.db")')
for verb in run export; do
    bad 3 '^chorale: begin/d.* \.\.\. .*/end\.db: No such file.*; name a database' \
        "missing database with a long path, $verb" "$chorale" $verb "$deep"
    iconv -f UTF-8 -t UTF-8 "$work/err.txt" >/dev/null 2>&1
    ok $? "whole characters, $verb"
done
bad 3 'No such file' "missing database, generate" \
    "$chorale" generate "$work/none.db" -o "$work/t.c"
: >"$work/empty.db"
bad 4 'is empty' "empty database" "$chorale" status "$work/empty.db"
echo "this is not a database at all, only some text that is long enough" \
    >"$work/text.db"
bad 4 'not a SQLite database' "text file" "$chorale" status "$work/text.db"
bad 4 'not a SQLite database' "text file to plan into" \
    "$chorale" plan "$work/text.db" -P 1
grep -q 'only some text' "$work/text.db"
ok $? "the text file is as it was"
sqlite3 "$work/foreign.db" 'CREATE TABLE t (x); INSERT INTO t VALUES (1)'
sum=$(cksum <"$work/foreign.db")
bad 4 'another program' "another program's database" \
    "$chorale" plan "$work/foreign.db" -P 1
is "$(cksum <"$work/foreign.db")" "$sum" "it is as it was"
bad 2 'is a folder' "a folder" "$chorale" status "$work"

"$chorale" plan "$db" -P 1,2 -m 8:512:x8 -c bcast --launches 1 -i 5 -q
ok $? "a good plan"
cells=$(sqlite3 "$db" 'SELECT count(*) FROM cell')
cp "$db" "$work/newer.db"
sqlite3 "$work/newer.db" 'PRAGMA user_version = 99'
bad 4 'schema version 99' "a newer schema" "$chorale" status "$work/newer.db"
size=$(wc -c <"$db")
head -c $((size / 2)) "$db" >"$work/half.db"
bad 4 'truncated.*of' "truncated database" "$chorale" status "$work/half.db"
is "$(wc -c <"$work/half.db" | tr -d ' ')" "$((size / 2))" "it is as it was"
cp "$db" "$work/hurt.db"
dd if=/dev/urandom of="$work/hurt.db" bs=1 seek=4096 count=$((size - 4096)) \
    conv=notrunc 2>/dev/null
bad 4 'damaged|malformed|corrupt' "corrupt pages" "$chorale" status "$work/hurt.db"
bad 2 'no system of that name' "unknown system" "$chorale" fit "$db" --system nowhere
bad 4 'no successful measurement' "fit before any run" "$chorale" fit "$db"
bad 2 'format.*json5' "unknown format" \
    "$chorale" generate "$db" --format json5 -o "$work/t.c"

# No launcher: said, and the plan is still there.
mkdir "$work/bin"
for tool in sh sed uname; do ln -s "$(command -v $tool)" "$work/bin/"; done
bad 3 'no program .* in PATH' "no mpiexec in PATH" \
    env PATH="$work/bin" "$chorale" run "$db"
is "$(sqlite3 "$db" 'SELECT count(*) FROM cell')" "$cells" "the plan is still there"
is "$(sqlite3 "$db" 'SELECT count(*) FROM launch')" 0 "no launch was begun"
printf '#!/bin/sh\nshift 2\nexec "$@"\n' >"$work/bin/lone"
chmod +x "$work/bin/lone"
if command -v "$MPIEXEC" >/dev/null 2>&1; then
    sqlite3 "$db" "DELETE FROM cell WHERE comm_size = 1"
    bad 3 'planned for 2 ranks, MPI_COMM_WORLD has 1' \
        "a launcher of another MPI" \
        env CHORALE_MPIEXEC="$work/bin/lone" "$chorale" run "$db"
    # Its message has a frame, as Open MPI's have.
    printf '#!/bin/sh\necho "-----\n\nsrun: error: Unable to allocate" >&2\nexit 1\n' \
        >"$work/bin/broken"
    chmod +x "$work/bin/broken"
    bad 3 'failed before its first point.*Unable to allocate' \
        "a launcher that fails" \
        env CHORALE_MPIEXEC="$work/bin/broken" "$chorale" run "$db"
    # What ends a task is said after what another died of that heard no more.
    printf '#!/bin/sh\nprintf "[n1:7] Caught signal 11\\nsrun: error: n3: task 5: Killed\\nsrun: error: n1: task 0: Aborted\\n" >&2\nexit 1\n' \
        >"$work/bin/broken"
    bad 3 'failed before its first point.*n3: task 5: Killed' \
        "a launcher one of whose ranks is killed" \
        env CHORALE_MPIEXEC="$work/bin/broken" "$chorale" run "$db"
    timeout 60 "$chorale" run "$db" -q && "$chorale" decide "$db" -q
    ok $? "with the right launcher the same command does it"
fi

# Contradictions.
for words in '--network hockney' '--min-iterations 50 -i 10' \
             '-c bcast --variants ring' '--charge-tau -1' '-P 1000000'; do
    # shellcheck disable=SC2086
    bad 2 '--?[a-zA-Z]' "contradiction: $words" "$chorale" plan "$work/c.db" $words
done
bad 2 'already in .*as' "another name for a known system" \
    "$chorale" plan "$db" --system other -P 1
bad 3 'products go there' "products into a folder that is not there" \
    "$chorale" tune "$work/c.db" -o "$work/nowhere/p" -P 1
[ ! -e "$work/c.db" ]
ok $? "none of these made a database"

# A launch that cannot start does not keep the others from running.
if command -v "$MPIEXEC" >/dev/null 2>&1; then
    "$chorale" plan "$work/mix.db" -P 2 --ppn 1 -m 8 -c bcast --launches 1 -i 3 -q
    "$chorale" plan "$work/mix.db" -P 1,2 -m 8 -c bcast --launches 1 -i 3 -q
    bad 3 'placed.*--ppn' "a launch that cannot start" \
        timeout 60 "$chorale" run "$work/mix.db" -q
    is "$(sqlite3 "$work/mix.db" "SELECT group_concat(comm_size) FROM
        (SELECT comm_size FROM launch WHERE status = 'done' ORDER BY 1)")" 1,2 \
        "the others have run"
    timeout 100 "$chorale" tune "$work/mix.db" -P 2 -m 8 -c bcast --launches 1 \
        -i 3 -q -o "$work/mix" >/dev/null 2>&1
    ok $? "tune does what it has planned, whatever else is pending"
fi

# Platforms.
if [ -x "$top_builddir/chorale-runner-sim" ]; then
    sim="$chorale plan $work/s.db --launcher smpirun -P 4 --platform"
    bad 3 'none.xml: No such file' "missing platform" $sim "$work/none.xml"
    echo '<platform version="4.1"><cluster id=' >"$work/bad.xml"
    bad 4 'bad.xml: SimGrid cannot use the platform, line 1: .*XML' "platform that does not parse" \
        $sim "$work/bad.xml"
    platform "$work/two.xml" 1 1000000000 2
    bad 2 'platform has 2 hosts' "more ranks than hosts" $sim "$work/two.xml"
    [ ! -e "$work/s.db" ]
    ok $? "none of these made a database"
fi

# Where nothing can be written: a file system mounted read-only, or, without
# the right to mount, a folder without permission.
mkdir "$work/ro"
if mount -t tmpfs -o size=8m tmpfs "$work/ro" 2>/dev/null; then
    cp "$db" "$work/ro/r.db"
    mount -o remount,ro "$work/ro"
elif [ "$(id -u)" != 0 ]; then
    cp "$db" "$work/ro/r.db"
    chmod a-w "$work/ro" "$work/ro/r.db"
fi
if [ -e "$work/ro/r.db" ]; then
    bad 3 '(Read-only file system|Permission denied).*may write' \
        "plan in a read-only folder" "$chorale" plan "$work/ro/new.db" -P 1
    bad 3 '(Read-only file system|Permission denied|cannot be written)' \
        "run in a read-only folder" "$chorale" run "$work/ro/r.db"
    bad 3 '(Read-only file system|Permission denied|cannot be written)' \
        "fit in a read-only folder" "$chorale" decide "$work/ro/r.db"
    bad 3 '(Read-only file system|Permission denied|cannot be written)' \
        "table into a read-only folder" \
        "$chorale" generate "$db" -o "$work/ro/t.c"
    "$chorale" status "$work/ro/r.db" >/dev/null
    ok $? "status reads it all the same"
    umount "$work/ro" 2>/dev/null
else
    skip "cannot make a read-only folder here" "read-only folder"
fi

# A disk that is full: a small file system of our own.
full=$work/full
mkdir "$full"
if mount -t tmpfs -o size=1m tmpfs "$full" 2>/dev/null; then
    cp "$db" "$full/r.db"
    "$chorale" plan "$full/r.db" -P 1 -m 8:1K -c bcast,reduce --launches 9 -i 400 \
        --min-iterations 400 --width 0% -q
    kept=$(sqlite3 "$full/r.db" 'SELECT count(*) FROM run')
    dd if=/dev/zero of="$full/fill" bs=1k count=600 2>/dev/null
    bad 3 'full|space' "a full disk" "$chorale" run "$full/r.db"
    is "$(sqlite3 "$full/r.db" 'PRAGMA integrity_check')" ok \
        "the database is whole"
    now=$(sqlite3 "$full/r.db" 'SELECT count(*) FROM run')
    [ "$now" -ge "$kept" ]
    ok $? "no finished run is lost"
    rm "$full/fill"
    mount -o remount,size=64m "$full"
    timeout 100 "$chorale" run "$full/r.db" -q
    ok $? "with space again the same command finishes"
    "$chorale" decide "$full/r.db" -q
    dd if=/dev/zero of="$full/fill" bs=1k 2>/dev/null
    bad 3 'No space|full' "a table on a full disk" \
        "$chorale" generate "$full/r.db" -o "$full/t.c"
    [ ! -e "$full/t.c" ]
    ok $? "half a table is not left behind"
    umount "$full"
else
    skip "cannot mount a small file system here" "full disk"
fi
finish
