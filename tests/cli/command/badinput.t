#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Bad input that needs more than one command (errors.t has the rest): damaged
# databases, failing launchers, file systems without space or permission. The
# error is one line, the exit code is documented, and no data is lost.
. "$(dirname "$0")/../../lib.sh"

# bad CODE PATTERN NAME COMMAND...
bad() {
    code=$1 pattern=$2 name=$3
    shift 3
    "$@" >"$work/out.txt" 2>"$work/err.txt"
    is $? "$code" "$name: exit $code"
    is "$(wc -l <"$work/err.txt" | tr -d ' ')" 1 "$name: the error is one line"
    like "$(cat "$work/err.txt")" "$pattern" "$name: the error names the fault and the remedy"
}

db=$work/r.db
# A long message is shortened in the middle of its path, between whole
# characters; the remedy stays.
deep=$(python3 -c 'print("begin" + "/d\u00fcsen" * 500 + "/end.db")')
for verb in run export; do
    bad 3 '^chorale: begin/d.* \.\.\. .*/end\.db: No such file.*; name a database' \
        "missing database with a long path, $verb" "$chorale" $verb "$deep"
    iconv -f UTF-8 -t UTF-8 "$work/err.txt" >/dev/null 2>&1
    ok $? "$verb: the shortened message has whole characters"
done
"$chorale" plan "$db" -P 1,2 -m 8:512:x8 -c bcast --launches 1 -i 5 -q
ok $? "a valid plan is made"
cells=$(sqlite3 "$db" 'SELECT count(*) FROM cell')
size=$(wc -c <"$db")
cp "$db" "$work/hurt.db"
dd if=/dev/urandom of="$work/hurt.db" bs=1 seek=4096 count=$((size - 4096)) \
    conv=notrunc 2>/dev/null
bad 4 'damaged|malformed|corrupt' "corrupt pages" "$chorale" status "$work/hurt.db"
# A run without a launcher keeps the plan.
mkdir "$work/bin"
for tool in sh sed uname; do ln -s "$(command -v $tool)" "$work/bin/"; done
bad 3 'no program .* in PATH' "no mpiexec in PATH" \
    env PATH="$work/bin" "$chorale" run "$db"
is "$(sqlite3 "$db" 'SELECT count(*) FROM cell')" "$cells" \
    "a run without a launcher keeps the plan"
is "$(sqlite3 "$db" 'SELECT count(*) FROM launch')" 0 \
    "a run without a launcher stores no launch"
printf '#!/bin/sh\nshift 2\nexec "$@"\n' >"$work/bin/lone"
chmod +x "$work/bin/lone"
if command -v "$MPIEXEC" >/dev/null 2>&1; then
    sqlite3 "$db" "DELETE FROM cell WHERE comm_size = 1"
    bad 3 'planned for 2 ranks, MPI_COMM_WORLD has 1' \
        "a launcher of another MPI" \
        env CHORALE_MPIEXEC="$work/bin/lone" "$chorale" run "$db"
    # Its message is framed, like those of Open MPI.
    printf '#!/bin/sh\necho "-----\n\nsrun: error: Unable to allocate" >&2\nexit 1\n' \
        >"$work/bin/broken"
    chmod +x "$work/bin/broken"
    bad 3 'failed before its first point.*Unable to allocate' \
        "a launcher that fails" \
        env CHORALE_MPIEXEC="$work/bin/broken" "$chorale" run "$db"
    # The line of the killed task comes after messages of other failed tasks.
    printf '#!/bin/sh\nprintf "[n1:7] Caught signal 11\\nsrun: error: n3: task 5: Killed\\nsrun: error: n1: task 0: Aborted\\n" >&2\nexit 1\n' \
        >"$work/bin/broken"
    bad 3 'failed before its first point.*n3: task 5: Killed' \
        "a launcher one of whose ranks is killed" \
        env CHORALE_MPIEXEC="$work/bin/broken" "$chorale" run "$db"
    timeout 600 "$chorale" run "$db" -q && "$chorale" decide "$db" -q
    ok $? "with the right launcher the same command succeeds"
fi

# A launch that cannot start does not prevent the others. MPICH starts both ranks
# on this node; Open MPI refuses, since version 5 with a reason.
refused='(exit code|Your job has requested more processes)'
if command -v "$MPIEXEC" >/dev/null 2>&1; then
    "$chorale" plan "$work/mix.db" -P 2 --ppn 1 -m 8 -c bcast --launches 1 -i 3 -q
    "$chorale" plan "$work/mix.db" -P 1,2 -m 8 -c bcast --launches 1 -i 3 -q
    bad 3 "placed.*--ppn|before its first point was stored: $refused" \
        "a launch that cannot start" \
        timeout 600 "$chorale" run "$work/mix.db" -q
    is "$(sqlite3 "$work/mix.db" "SELECT group_concat(comm_size) FROM
        (SELECT comm_size FROM launch WHERE status = 'done' ORDER BY 1)")" 1,2 \
        "the other launches have run"
    timeout 600 "$chorale" tune "$work/mix.db" -P 2 -m 8 -c bcast --launches 1 \
        -i 3 -q -o "$work/mix" >/dev/null 2>&1
    ok $? "tune runs its own plan in spite of other pending launches"
fi

# Platforms.
if [ -x "$top_builddir/chorale-runner-sim" ]; then
    sim="$chorale plan $work/s.db --launcher smpirun -P 4 --platform"
    bad 3 'none.xml: No such file' "missing platform" $sim "$work/none.xml"
    echo '<platform version="4.1"><cluster id=' >"$work/bad.xml"
    bad 4 'bad.xml: platform: SimGrid cannot use line 1: .*XML' \
        "platform that does not parse" $sim "$work/bad.xml"
    platform "$work/two.xml" 1 1000000000 2
    bad 2 'the platform has 2 hosts; use at most 2' "more ranks than hosts" $sim "$work/two.xml"
    [ ! -e "$work/s.db" ]
    ok $? "no invalid platform made a database"
fi

# No write access: a file system mounted read-only or, without the right to
# mount, a folder without permission.
sh "$here/../synth.sh" "$top_srcdir/db/schema.sql" "$work/synth.db"
mkdir "$work/ro"
if mount -t tmpfs -o size=8m tmpfs "$work/ro" 2>/dev/null; then
    cp "$db" "$work/ro/r.db"
    cp "$work/synth.db" "$work/ro/s.db"
    mount -o remount,ro "$work/ro"
elif [ "$(id -u)" != 0 ]; then
    cp "$db" "$work/ro/r.db"
    cp "$work/synth.db" "$work/ro/s.db"
    chmod a-w "$work/ro" "$work/ro"/*.db
fi
if [ -e "$work/ro/r.db" ]; then
    bad 3 '(Read-only file system|Permission denied).*may write' \
        "plan in a read-only folder" "$chorale" plan "$work/ro/new.db" -P 1
    bad 3 '(Read-only file system|Permission denied|cannot be written)' \
        "run in a read-only folder" "$chorale" run "$work/ro/r.db"
    for verb in fit "decide -q"; do
        # shellcheck disable=SC2086
        bad 3 '(Read-only file system|Permission denied|cannot be written)' \
            "$verb in a read-only folder" "$chorale" $verb "$work/ro/s.db"
    done
    "$chorale" decide "$work/ro/s.db" >"$work/out.txt" 2>"$work/err.txt"
    like "$? $(grep -c '^bcast' "$work/out.txt")" '^0 [1-9]' \
        "decide prints the table of a database that may only be read"
    like "$(cat "$work/err.txt")" \
        '^chorale: .*/s.db: may not be written: the table of system fat-tree is not stored$' \
        "decide reports that it is not stored"
    "$chorale" decide "$work/ro/s.db" --explain bcast 8 64 >"$work/out.txt" \
        2>"$work/err.txt"
    is "$? $(cat "$work/err.txt")" "0 " "decide --explain needs no write access"
    "$chorale" fit --dry-run "$work/ro/s.db" >"$work/out.txt" \
        2>"$work/err.txt"
    like "$? $(grep -c beta "$work/out.txt")$(cat "$work/err.txt")" '^0 [1-9]$' \
        "fit --dry-run prints the model of such a database"
    bad 3 '(Read-only file system|Permission denied|cannot be written)' \
        "table into a read-only folder" \
        "$chorale" generate "$db" -o "$work/ro/t.c"
    "$chorale" status "$work/ro/r.db" >/dev/null
    ok $? "status reads a database in a read-only folder"
    umount "$work/ro" 2>/dev/null
else
    skip "cannot make a read-only folder here" "read-only folder"
fi

cksum <"$work/synth.db" >"$work/before.txt"
"$chorale" fit --dry-run -q "$work/synth.db"
is "$? $(cksum <"$work/synth.db")" "0 $(cat "$work/before.txt")" \
    "fit --dry-run does not change the database"

# A full disk: a small file system of this test.
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
        "the database on a full disk is intact"
    now=$(sqlite3 "$full/r.db" 'SELECT count(*) FROM run')
    [ "$now" -ge "$kept" ]
    ok $? "no finished run is lost"
    rm "$full/fill"
    mount -o remount,size=64m "$full"
    timeout 600 "$chorale" run "$full/r.db" -q
    ok $? "with space again the same command finishes"
    "$chorale" decide "$full/r.db" -q
    dd if=/dev/zero of="$full/fill" bs=1k 2>/dev/null
    bad 3 'No space|full' "a table on a full disk" \
        "$chorale" generate "$full/r.db" -o "$full/t.c"
    [ ! -e "$full/t.c" ]
    ok $? "no partial table is left"
    umount "$full"
else
    skip "cannot mount a small file system here" "full disk"
fi
finish
