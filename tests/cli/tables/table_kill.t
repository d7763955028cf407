#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# table_kill.t - `chorale table install` and `rollback` are killed with SIGKILL
# before each of their calls that touch files. `current` is then a complete
# table, the old or the new one, and the next command works.
. "$(dirname "$0")/../../lib.sh"
. "$here/../kill.sh"
"$chorale" --version | grep -q 'sanitizer=no' ||
    skip_all "loaded tables would need the sanitizer's runtime"
umask 022
unset CHORALE_SITE
site=$work/etc/chorale
place=$site/default/default/mpich-4.0

table() { # name, macros
    name=$1
    shift
    "$CC" -shared -fPIC -I"$top_srcdir" -DDIGEST="\"$name\"" \
        '-DLIBRARY="MPICH Version: 4.0.2"' "$@" \
        "$top_srcdir/tests/shim/table.c" -o "$work/$name.so"
}
if ! table one || ! table two '-DVARIANT="linear"'; then
    skip_all "$CC does not make shared objects"
fi
cat >"$work/die.c" <<'EOF'
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static void *next(const char *name)
{
    static int calls;

    if (getenv("DIE_AT") != NULL && ++calls == atoi(getenv("DIE_AT")))
        raise(SIGKILL);
    return dlsym(RTLD_NEXT, name);
}
#define CALL(type, name, params, args)                                        \
    type name params                                                          \
    {                                                                         \
        type (*real) params;                                                  \
        void *p = next(#name);                                                \
        memcpy(&real, &p, sizeof(real));                                      \
        return real args;                                                     \
    }
CALL(int, mkdir, (const char *a, mode_t m), (a, m))
CALL(int, chmod, (const char *a, mode_t m), (a, m))
CALL(int, fchmod, (int f, mode_t m), (f, m))
CALL(int, mkstemp, (char *a), (a))
CALL(ssize_t, write, (int f, const void *b, size_t n), (f, b, n))
CALL(int, fsync, (int f), (f))
CALL(int, close, (int f), (f))
CALL(int, link, (const char *a, const char *b), (a, b))
CALL(int, symlink, (const char *a, const char *b), (a, b))
CALL(int, unlink, (const char *a), (a))
CALL(int, unlinkat, (int f, const char *a, int g), (f, a, g))
CALL(int, rename, (const char *a, const char *b), (a, b))
EOF
"$CC" -D_GNU_SOURCE -shared -fPIC "$work/die.c" -o "$work/die.so"
ok $? "calls that touch files can be counted"

t() { # words
    "$chorale" table "$@" --folder "$site" >"$work/out" 2>"$work/err"
}
dying() { # number of the call, words: run and kill at that call
    at=$1
    shift
    { DIE_AT=$at LD_PRELOAD="$work/die.so" "$chorale" table "$@" \
        --folder "$site" >/dev/null 2>&1; } 2>/dev/null
}
which_is() { # the table that is current, "none", or "broken"
    if [ ! -L "$place/current" ]; then
        [ ! -e "$place/current" ] && echo none || echo broken
    elif cmp -s "$work/one.so" "$place/current"; then
        echo one
    elif cmp -s "$work/two.so" "$place/current"; then
        echo two
    else
        echo broken
    fi
}
readable() { # 1: all users can read all folders on its path
    [ -z "$(find "$site" ! -name '.*' \( -type d ! -perm -755 -o \
        -name '*.so' ! -perm -644 \))" ]
}
# Kill a command at each call, starting from a state. Check which table is then
# current, run the next command, and check again.
every_call() { # name, allowed tables, next command, table after it, words
    name=$1 allowed=$2 following=$3 want=$4
    shift 4
    k=0 bad=0 code=137 seen=
    while [ $code -eq 137 ] && [ $k -lt 200 ]; do
        k=$((k + 1))
        rm -rf "$work/etc"
        start || return
        dying $k "$@"
        code=$?
        now=$(which_is)
        seen="$seen $now"
        case " $allowed " in *" $now "*) ;; *) bad=$((bad + 1))
            diag "killed at call $k: $now is current" ;; esac
        if [ $code -eq 137 ]; then
            if [ "$now" != none ] &&
                { ! t list || grep -q unused: "$work/out"; }; then
                bad=$((bad + 1))
                diag "list after call $k: $(cat "$work/out" "$work/err")"
            fi
            # shellcheck disable=SC2086
            t $following
            now="$? $(which_is)"
            if [ "$now" != "0 $want" ] || ! readable; then
                bad=$((bad + 1))
                diag "after call $k: $now: $(cat "$work/err")"
                find "$site" -ls | sed 's/^/# /'
            fi
        fi
    done
    is "$code $bad" "0 0" "$name: killed at each of $((k - 1)) calls"
    for word in $allowed; do
        case "$seen " in *" $word "*) ;; *) bad=1 ;; esac
    done
    [ $k -gt 3 ] && [ $bad -eq 0 ]
    ok $? "$name: some calls are before the change, some after it"
}

start() { :; }
umask 077
every_call "the first table" "none one" "install $work/one.so" one \
    install "$work/one.so"
umask 022
start() { t install "$work/one.so"; }
every_call "a second one" "one two" "install $work/two.so" two \
    install "$work/two.so"
start() { t install "$work/one.so" && t install "$work/two.so"; }
every_call "a rollback" "two one" "install $work/one.so" one rollback
start() { t install "$work/one.so" && t install "$work/two.so" &&
    t install "$work/one.so"; }
rm -rf "$work/etc"
start && t rollback && t rollback
is "$? $(which_is)" "0 one" \
    "rollback works while a previous table exists"

rm -rf "$work/etc"
start

# Files that killed commands leave.
: >"$place/.table-abcdef"
: >"$place/.table-fresh1"
ln -s table-1-0.so "$place/.current-1"
mkdir "$place/.table-folder"
find "$place" -name '.table-*' ! -name '*fresh1' -exec \
    touch -d '2 hours ago' {} +
touch -h -d '2 hours ago' "$place"/.current-*
t install "$work/two.so"
is "$? $(cd "$place" && ls -d .table-[!f]* .current-* 2>/dev/null)" "0 " \
    "their temporary files are removed after an hour"
[ -e "$place/.table-fresh1" ] && [ -d "$place/.table-folder" ]
ok $? "recent files, which may be in use, and folders are kept"

# Interrupted while a table is made from a database.
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" \
    "$work/a.db" site '2 4' 3
cat >"$work/slow-cc" <<EOF
#!/bin/sh
: >"$work/compiling"
exec sleep 600
EOF
chmod +x "$work/slow-cc"
compiling() { # leaves process $pid compiling a table
    rm -f "$work/compiling"
    CC=$work/slow-cc "$chorale" table install "$work/a.db" --mpi mpich-4.0 \
        --folder "$site" >"$work/out" 2>"$work/err" &
    pid=$!
    wait_for [ -e "$work/compiling" ]
}
made_for() { (cd "$work" && ls -d .chorale-table-?????? 2>/dev/null); }
compiling
now=$(readlink "$place/current")
like "$(made_for)" '^.chorale-table-......$' \
    "the temporary folder is beside the database"
kill -TERM $pid
wait $pid
is "$? $(readlink "$place/current")" "75 $now" \
    "interrupted install exits with 75"
like "$(cat "$work/err")" '^chorale: table: stopped.*; repeat the command' \
    "interrupted install prints how to resume"
is "$(made_for)" "" "interrupted install removes its folder"

# After SIGKILL the folder is removed when it is old.
compiling
kill -KILL $pid
{ wait $pid; } 2>/dev/null
left=$(made_for)
[ -n "$left" ] && [ -n "$(find "$work/$left" -name 'table.c*' -size +0)" ]
ok $? "a killed install leaves a folder"
mkdir "$work/.chorale-table-others" "$work/.chorale-table-otherss"
: >"$work/.chorale-table-others/mine"
t install "$work/a.db" --mpi mpich-4.0
is "$? $(cd "$work" && ls -d "$left")" "0 $left" \
    "a recent folder, which may be in use, is kept"
touch -d '8 days ago' "$work/$left" "$work"/.chorale-table-others*
t install "$work/a.db" --mpi mpich-4.0
is "$? $(made_for) $(ls "$work/.chorale-table-others")" \
    "0 .chorale-table-others mine" \
        "after a week the folder is removed, but no others"
[ -d "$work/.chorale-table-otherss" ]
ok $? "a folder with another name is kept"
t diff "$work/a.db" --mpi mpich-4.0
is "$? $(grep -c '^+++ .*/a.db$' "$work/out") $(grep -c 'the same choices' \
    "$work/out") $(made_for)" "0 1 1 .chorale-table-others" \
    "diff makes a table from a database and removes it"
finish
