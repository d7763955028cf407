#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A node is lost, with the disk that an element of a job array measures on, long
# after the element has published: what it stored since is in the tail beside
# the published copy, and neither the attempt elsewhere nor a merge lacks more
# than the point that was under way.
. "$(dirname "$0")/../../lib.sh"
. "$here/../kill.sh"

mpi=$("$top_builddir/chorale-runner" --probe | head -1)
case $mpi in
*MPICH*) ;;
*) skip_all "the runner is built with another MPI: $mpi" ;;
esac

bin=$work/bin
fake_slurm
PATH=$bin:$PATH CHORALE_MPIEXEC=$MPIEXEC
export PATH CHORALE_MPIEXEC
printf '%s\n' 'launcher = mpiexec' 'bind = no' >"$work/site.txt"
runs_in() { # database
    n=$(sqlite3 -readonly "$1" 'SELECT count(*) FROM run' 2>/dev/null)
    echo "${n:-0}"
}

# --- a node is lost -----------------------------------------------------------
# Points are two cells of a tenth of a second; copies are made of the first, and
# then no more for an hour: a backup that takes its time costs too much.
timeout 900 "$chorale" submit "$work/r.db" -q -c bcast,reduce -m 8:64K -P 2 \
    --ppn 2 --providers chorale,library --variants linear --launches 1 \
    -i 4096 --min-iterations 4096 --width 0.01% --cell-time 0.1 \
    --site "$work/site.txt"
ok $? "submit"
folder=$work/r-slurm/1
mkdir "$work/disk1" "$work/disk2"
"$chorale" job "$folder" --element 1 --shards "$work/disk1" --publish 1h \
    >/dev/null 2>"$work/err.txt" &
job=$!
behind() { # runs that are stored and not published
    echo $(($(runs_in "$work"/disk1/chorale-*.db) -
        $(runs_in "$folder/shard-1.db")))
}
# However long that takes on a busy machine, as long as it measures.
while kill -0 $job 2>/dev/null && [ "$(behind)" -lt 6 ]; do
    sleep 0.02
done
kill_tree $job
sqlite3 "$work"/disk1/chorale-*.db 'SELECT uuid FROM run ORDER BY 1' \
    >"$work/stored"
published=$(runs_in "$folder/shard-1.db")
stored=$(wc -l <"$work/stored")
[ "$published" -gt 0 ] && [ $((stored - published)) -ge 6 ]
ok $? "the killed element has published $published of $stored runs"
rm -r "$work/disk1"

lacks() { # database: stored runs that it has not
    sqlite3 "$1" 'SELECT uuid FROM run ORDER BY 1' |
        comm -23 "$work/stored" - | wc -l
}
cp "$folder/shard-1.db" "$work/before.db"
cp "$work/r.db" "$work/merged.db"
timeout 900 "$chorale" merge "$work/merged.db" "$folder/shard-1.db" -q
is $? 0 "its published shard is merged"
missing=$(lacks "$work/merged.db")
[ "$missing" -le 2 ]
ok $? "and brings what it stored but for a point: $missing runs are missing"
cmp -s "$folder/shard-1.db" "$work/before.db"
ok $? "merge leaves the shard as it is"
ls "$folder"/shard-1.db-tail* >/dev/null
ok $? "and its tail"
is "$(sqlite3 "$work/merged.db" "SELECT count(*) FROM run
    JOIN run_summary s USING (run_id) WHERE nrep <> (SELECT count(*)
        FROM sample p WHERE p.run_id = s.run_id AND NOT flags & 2);
    PRAGMA integrity_check; PRAGMA foreign_key_check")" "0
ok" "each run has its samples"
mkdir "$work/later"
cp "$folder"/shard-1.db* "$work/later"
for tail in "$work"/later/*-tail*; do # its first record is of version 210
    printf '\322' | dd of="$tail" bs=1 seek=8 conv=notrunc 2>/dev/null
done
cp "$work/r.db" "$work/other.db"
timeout 900 "$chorale" merge "$work/other.db" "$work/later/shard-1.db" -q \
    2>"$work/err.txt"
is "$? $(grep -c 'is of schema version 210, this' "$work/err.txt")" "0 1" \
    "what another version of chorale stored is left out, which is told"
cp "$work/r.db" "$work/gathered.db"
timeout 900 "$chorale" job "$folder" --gather "$work/gathered.db" \
    >/dev/null 2>&1
is "$? $(lacks "$work/gathered.db")" "75 $missing" \
    "the last job finds as much, and that runs are missing"

# A point is measured with its default beside it: both are there, or none.
cells=$(sqlite3 "$work/r.db" 'SELECT count(*) FROM cell')
timeout 900 "$chorale" job "$folder" --element 1 --shards "$work/disk2" \
    >/dev/null 2>"$work/err.txt"
is $? 0 "the attempt on another node measures the rest"
diag "$(cat "$work/err.txt")"
is "$(lacks "$folder/shard-1.db")" "$missing" \
    "it began with what was stored"
# With what the point that was under way had, if it had lasted long enough.
before=$(sqlite3 "$folder/shard-1.db" "SELECT count(*) FROM run
    WHERE launch_id = (SELECT min(launch_id) FROM launch)")
[ "$before" -ge $((stored - missing)) ]
ok $? "and with what the point under way had: $before runs"
is "$(sqlite3 "$folder/shard-1.db" "SELECT count(*), count(DISTINCT cell_id)
    FROM run WHERE launch_id > (SELECT min(launch_id) FROM launch)")" \
    "$((cells - before))|$((cells - before))" \
    "and measured nothing twice"
[ -z "$(ls "$folder" "$work/disk2" | grep -e -tail -e '^chorale-.*db')" ]
ok $? "and leaves no tail and no other file"

# --- groups -------------------------------------------------------------------
# What first ranks of other groups hand in goes the same way.
skew=$top_builddir/tests/mpi/.libs/libskew.so
yield=$top_builddir/tests/mpi/.libs/libyield.so
if [ -r "$skew" ] && [ -r "$yield" ] &&
    "$chorale" --version | grep -q 'sanitizer=no'; then
    for p in 2,4,6:2 1:1; do
        "$chorale" plan "$work/g.db" -q -P "${p%:*}" --ppn "${p#*:}" -m 8 \
            -c scan,bcast --set core --system made -i 10 --min-iterations 5
    done
    cp "$work/g.db" "$work/copy.db"
    cat >"$bin/tailed" <<END
#!/bin/sh
# With a published copy.
for word; do
    shift
    set -- "\$@" "\$word"
    case \$word in
    */chorale-runner) set -- "\$@" "--published=$work/copy.db" ;;
    esac
done
exec $MPIEXEC "\$@"
END
    chmod +x "$bin/tailed"
    CHORALE_MPIEXEC=$bin/tailed CHORALE_NODE=2 LD_PRELOAD="$skew $yield" \
        timeout 900 "$chorale" run "$work/g.db" -q 2>"$work/err.txt"
    is $? 0 "one start measures groups"
    timeout 900 "$chorale" merge "$work/all.db" "$work/copy.db" -q
    content() {
        sqlite3 "$1" "SELECT r.uuid, l.uuid, l.host_map, c.variant,
            (SELECT count(*) || ' ' || total(s.seconds) FROM sample s
                WHERE s.run_id = r.run_id),
            (SELECT count(*) > 20 FROM environment e WHERE e.launch_id =
                l.launch_id)
            FROM run r JOIN cell c USING (cell_id) JOIN launch l
            USING (launch_id) ORDER BY 1"
    }
    content "$work/g.db" >"$work/g.txt"
    content "$work/all.db" >"$work/all.txt"
    [ -s "$work/g.txt" ] && cmp "$work/g.txt" "$work/all.txt" >"$work/cmp.txt"
    ok $? "the tail has the runs of all of them"
    diag "$(diff "$work/g.txt" "$work/all.txt" | head -n 4)"
else
    skip "built without shared libraries or with a sanitizer" "groups"
fi

finish
