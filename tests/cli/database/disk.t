#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The file system of a campaign becomes read-only or full while it runs: one
# error line, stored runs are kept, and when writing works again the same
# command resumes. (badinput.t has file systems that are full or read-only from
# the start.) Tested twice: with C library calls that fail (baddisk.c), which
# needs no privilege, and on file systems that root can mount.
. "$(dirname "$0")/../../lib.sh"

disk=$work/disk
db=$disk/r.db
planned=6
trap 'umount "$disk" 2>/dev/null; rm -rf "$work"' EXIT

# Measure on that file system with a launcher that spoils the disk: from the
# second launch on it runs the given command first.
launcher() { # command
    cat >"$work/launcher" <<EOT
#!/bin/sh
n=\$(sqlite3 -cmd '.timeout 9000' "$db" "SELECT count(*) FROM run")
[ "\$n" -gt 0 ] && [ ! -e "$work/spoilt" ] && { $1 touch "$work/spoilt"; }
exec $MPIEXEC "\$@"
EOT
    chmod +x "$work/launcher"
}

plan() {
    "$chorale" plan "$db" -P 2 -m 8 -c bcast --variants linear -q \
        --launches $((planned / 2)) -i 300 --min-iterations 300 --width 0%
}

spoil() { # what, pattern
    rm -f "$work/spoilt"
    # shellcheck disable=SC2086
    env $preload CHORALE_MPIEXEC="$work/launcher" timeout 900 "$chorale" \
        run "$db" -q 2>"$work/err.txt"
    code=$?
    [ -e "$work/spoilt" ]
    ok $? "$1: the disk fails while the campaign runs"
    is "$code $(wc -l <"$work/err.txt")" "3 1" \
        "$1: run exits with 3 and one line"
    like "$(cat "$work/err.txt")" "$2" "$1: the error gives the reason"
    diag "$(cat "$work/err.txt")"
}

again() { # what
    is "$(sqlite3 "$db" 'PRAGMA integrity_check')" ok \
        "$1: the database is intact"
    is "$(sqlite3 "$db" "SELECT count(*) FROM run r JOIN run_summary s
        USING (run_id) WHERE s.nrep = (SELECT count(*) FROM sample a
        WHERE a.run_id = r.run_id AND a.flags & 2 = 0)")" 2 \
        "$1: runs measured before are kept"
    timeout 900 "$chorale" run "$db" -q
    ok $? "$1: afterwards the same command resumes"
    is "$(sqlite3 "$db" "SELECT count(*) FROM run WHERE status = 'ok'")" \
        $planned "$1: it completes, and no run is measured twice"
    is "$(sqlite3 "$db" "SELECT count(*) FROM launch WHERE status = 'running'")" \
        0 "$1: no launch is left running"
}

command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
mkdir "$disk"
PATH=$PATH:/sbin:/usr/sbin

if "$chorale" --version | grep -q 'sanitizer=no'; then
    ${CC:-cc} -shared -fPIC -o "$work/baddisk.so" \
        "$top_srcdir/tests/cli/database/baddisk.c" -ldl || exit 99
    preload="LD_PRELOAD=$work/baddisk.so DISK=$disk SPOILT=$work/spoilt"
    plan
    launcher ""
    spoil "calls fail with EROFS" 'Read-only file system|read-only'
    again "calls fail with EROFS"
    rm "$db"
    plan
    launcher "echo ENOSPC >'$work/spoilt';"
    spoil "calls fail with ENOSPC" 'full|No space'
    again "calls fail with ENOSPC"
    rm "$db"
else
    skip "built with a sanitizer: a preload is not possible" "calls that fail"
fi
preload=

# An error to which the kernel reacts by making the file system read-only, with
# files open on it: ext4 can be made to behave as after one.
if command -v mkfs.ext4 >/dev/null 2>&1 &&
   dd if=/dev/zero of="$work/image" bs=1M count=16 2>/dev/null &&
   mkfs.ext4 -q "$work/image" 2>/dev/null &&
   mount -o loop "$work/image" "$disk" 2>/dev/null; then
    plan
    launcher "mount -o remount,abort '$disk';"
    spoil "read-only" 'Read-only file system'
    "$chorale" status "$db" >/dev/null 2>"$work/err.txt"
    is "$? $(cat "$work/err.txt")" "0 " \
        "read-only: status can read the database"
    umount "$disk"
    e2fsck -fp "$work/image" >/dev/null 2>&1
    [ $? -le 1 ] && mount -o loop "$work/image" "$disk"
    ok $? "read-only: the file system is mounted again"
    again "read-only"
    umount "$disk"
else
    skip "cannot make and mount a file system here" "read-only"
fi

# A disk that becomes full.
if mount -t tmpfs -o size=1m tmpfs "$disk" 2>/dev/null; then
    plan
    launcher "dd if=/dev/zero of='$disk/fill' bs=1k 2>/dev/null;"
    spoil "full" 'full|No space'
    rm "$disk/fill"
    again "full"
    umount "$disk"
else
    skip "cannot mount a small file system here" "full"
fi
finish
