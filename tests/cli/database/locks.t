#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Databases on file systems without locks, without fsync, or whose locks do not
# exclude other nodes (badlocks.c). No database is damaged, and errors name the
# cause.
. "$(dirname "$0")/../../lib.sh"

"$chorale" --version | grep -q 'sanitizer=no' ||
    skip_all "built with a sanitizer: a preload is not possible"
${CC:-cc} -shared -fPIC -o "$work/badlocks.so" \
    "$top_srcdir/tests/cli/database/badlocks.c" -ldl || exit 99
cd "$work" || exit 99
bad() { # kind of locks, command...
    kind=$1
    shift
    env LD_PRELOAD="$work/badlocks.so" BADLOCKS="$kind" "$@"
}
fails() { # kind of locks, pattern, name, arguments of chorale...
    kind=$1 pattern=$2 name=$3
    shift 3
    bad "$kind" timeout 300 "$chorale" "$@" >out.txt 2>err.txt
    is "$? $(wc -l <err.txt)" "3 1" "$name: exit 3 and one line"
    like "$(cat err.txt)" "$pattern" "$name: the error names the cause"
}
synth() { sh "$here/../synth.sh" "$top_srcdir/db/schema.sql" "$@"; }

synth a.db one && synth b.db two "2 4 8"
sqlite3 b.db "UPDATE cell SET uuid = 'b' || uuid; UPDATE run SET
    uuid = 'b' || uuid; UPDATE launch SET uuid = 'b' || uuid; UPDATE campaign
    SET uuid = 'b' || uuid; UPDATE system SET uuid = 'b' || uuid"
plan="-c bcast -m 8 -P 1 --providers library"

# No locks, and no fsync.
fails none 'cannot lock it \(No locks available\)' "status without locks" \
    status a.db
fails none 'cannot lock it \(No locks available\)' "fit without locks" fit a.db
# shellcheck disable=SC2086
fails none 'cannot lock it \(No locks available\)' "plan without locks" \
    plan new.db $plan
# shellcheck disable=SC2086
fails fsync 'flushed to the disk \(Input/output error\)' \
    "plan without fsync" plan new.db $plan
fails fsync 'flushed to the disk \(Input/output error\)' \
    "decide without fsync" decide a.db
is "$(ls new.db* 2>/dev/null)" "" "a plan that fails leaves no file"
is "$(sqlite3 a.db 'PRAGMA integrity_check')" ok "a.db is intact"

# Locks that do not exclude other nodes: merges at the same time take turns.
broken=0 short=0
for round in 1 2 3 4 5 6; do
    rm -f all.db*
    for side in a b; do
        bad local timeout 300 "$chorale" merge all.db $side.db \
            --other-systems -q 2>>err.txt &
        eval "pid_$side=$!"
    done
    # shellcheck disable=SC2154
    { wait "$pid_a" && wait "$pid_b"; } || broken=$((broken + 1))
    [ "$(sqlite3 all.db 'PRAGMA integrity_check')" = ok ] ||
        broken=$((broken + 1))
    [ "$(sqlite3 all.db 'SELECT count(*) FROM run')" = "$(sqlite3 a.db \
        "ATTACH 'b.db' AS b; SELECT (SELECT count(*) FROM main.run) +
         (SELECT count(*) FROM b.run)")" ] || short=$((short + 1))
done
is "$broken $short" "0 0" "two merges at once: both succeed, and all runs are kept"
is "$(ls all.db?* 2>/dev/null)" "" "no lock file is left"

# A reader does not wait for another writer and does not roll back its
# transaction.
sleep 300 &
holder=$!
hold() { # process: a lock file of that process on this host
    echo "$(uname -n) $1 $(cat /proc/sys/kernel/random/boot_id) $(stat -Lc %i \
        /proc/self/ns/pid) $(sed 's/.*) //' /proc/"$1"/stat |
        cut -d' ' -f20) now"
}
hold $holder >all.db.lock
bad local timeout 15 "$chorale" status all.db >out.txt 2>err.txt
is $? 0 "status reads while another process may write"
is "$(cat all.db.lock)" "$(hold $holder)" "status leaves the lock file"
python3 - <<'EOF'
# A database in the middle of a transaction, with its journal.
import shutil, sqlite3
db = sqlite3.connect('all.db', isolation_level=None)
db.execute('PRAGMA cache_size = 1')
db.execute('BEGIN')
db.execute("UPDATE run SET reason = 'half'")
for end in '', '-journal':
    shutil.copy('all.db' + end, 'half.db' + end)
db.execute('ROLLBACK')
EOF
hold $holder >half.db.lock
cksum half.db half.db-journal >before.txt
fails local 'a command on another node is writing it' \
    "status of a database in a transaction" status half.db
is "$(cksum half.db half.db-journal)" "$(cat before.txt)" \
    "status does not roll back the transaction"
kill $holder
{ wait $holder; } 2>/dev/null
timeout 60 "$chorale" status half.db >out.txt 2>err.txt
is "$? $(sqlite3 half.db "SELECT count(*) FROM run WHERE reason = 'half'")" \
    "0 0" "once the writer has ended its transaction is rolled back"

# A killed process's lock does not stop the next command on its host.
timeout 20 "$chorale" merge all.db a.db --other-systems -q 2>err.txt
is "$? $(ls all.db.lock 2>/dev/null)" "0 " \
    "the lock of a process that has ended is replaced and removed"
# A silent lock of another host is stale after 90 s.
echo "n2 77 another-boot 1 1 now" >all.db.lock
touch -d '-100 seconds' all.db.lock
timeout 60 "$chorale" merge all.db a.db --other-systems -q 2>err.txt
is "$? $(ls all.db.lock 2>/dev/null)" "0 " \
    "the silent lock of another host is replaced"
# doctor tests a folder. The launcher need not start anything.
printf '#!/bin/sh\necho "@env ranks 2"\n' >launcher
chmod +x launcher
CHORALE_SYSROOT=$work/root CHORALE_MPIEXEC=$work/launcher
export CHORALE_SYSROOT CHORALE_MPIEXEC
mkdir -p root/proc/self mnt
mount_is() { # type, options
    printf 'root / ext4 rw 0 0\nhost:/x %s %s %s 0 0\n' "$work/mnt" "$1" "$2" \
        >root/proc/self/mounts
}
folder() { # pattern, name, folder
    timeout 300 "$chorale" doctor "$3" 2>/dev/null | grep '^folder' >out.txt
    like "$(cat out.txt)" "$1" "$2"
}
mount_is nfs4 rw,local_lock=none
folder 'mnt \(nfs4\): locks exclude other processes' "doctor reports sound locks" mnt
mount_is nfs rw,nolock,local_lock=all
folder 'WARNING: .*one node, by mount option (nolock|local_lock=all):' \
    "doctor warns of NFS options by which locks exclude one node" mnt
mount_is lustre rw,localflock
folder 'WARNING: .*by mount option localflock' "doctor warns of the same option of Lustre" mnt
mount_is nfs rw,local_lock=flock
folder 'mnt \(nfs\): locks exclude' "doctor accepts local flock" mnt
folder 'FAILS: none: writing fails' "doctor reports a missing folder" none
bad local timeout 300 "$chorale" doctor mnt 2>/dev/null >out.txt
like "$(grep '^folder' out.txt)" 'WARNING: .*locks exclude no other process' \
    "doctor warns of locks that exclude no other process"
bad none timeout 300 "$chorale" doctor mnt >out.txt 2>err.txt
is $? 3 "doctor exits with 3 if a folder has no locks"
like "$(grep '^folder' out.txt)" 'FAILS: .*locking a file fails .No locks' \
    "doctor reports missing locks"
bad fsync timeout 300 "$chorale" doctor mnt >out.txt 2>err.txt
like "$(grep '^folder' out.txt)" 'FAILS: .*flushing a file' "doctor reports a failing fsync"
is "$(ls -A mnt)" "" "doctor leaves no file"
finish
