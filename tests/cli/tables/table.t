#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# table.t - tables of a site are installed atomically, and rolled back.
. "$(dirname "$0")/../../lib.sh"
"$chorale" --version | grep -q 'sanitizer=no' ||
    skip_all "loaded tables would need the sanitizer's runtime"
umask 022
unset CHORALE_SITE
site=$work/etc/chorale

table() { # name, macros
    name=$1
    shift
    "$CC" -shared -fPIC -I"$top_srcdir" -DDIGEST="\"$name\"" \
        "$@" "$top_srcdir/tests/shim/table.c" -o "$work/$name.so"
}
mpich='-DLIBRARY="MPICH Version: 4.0.2"'
if ! table one "$mpich" || ! table two "$mpich" '-DVARIANT="linear"' ||
    ! table other '-DLIBRARY="Open MPI v4.1.4, package: x"' ||
    ! table abi "$mpich" -DABI=1 || ! table none "$mpich" -DNO_TABLE ||
    ! table mute; then
    skip_all "$CC does not make shared objects"
fi
t() { # words
    "$chorale" table "$@" --folder "$site" >"$work/out" 2>"$work/err"
}
place=$site/default/default/mpich-4.0
link() { # link: what it points at, without the digest
    readlink "$1" | sed 's/-[0-9a-f]\{16\}\.so$/.so/'
}

t install "$work/one.so"
is "$? $(cat "$work/err")" "0 " "a table is installed"
is "$(link "$place/current")" table-1-0.so "current is a link to it"
cmp -s "$work/one.so" "$place/current"
ok $? "current has the bytes of the table"
is "$(stat -c '%a' "$place/current/.." 2>/dev/null || stat -c %a "$place") \
$(stat -L -c %a "$place/current")" "755 644" "that all may read"
like "$(cat "$work/out")" 'current is now table-1-0-[0-9a-f]{16}.so$' \
    "install prints the new table"
like "$(cat "$work/out")" 'digest +one' "with what it is"
t install "$work/two.so"
is "$? $(link "$place/current")" "0 table-2-1.so" "a second one takes its place"
t install "$work/two.so" --cluster big --partition main
is "$? $(link "$site/big/main/mpich-4.0/current")" "0 table-1-0.so" \
    "another partition has its own"
t install "$work/other.so"
is "$? $(ls "$site/default/default" | tr '\n' ' ')" "0 mpich-4.0 openmpi-4.1 " \
    "the folder is that of the measured MPI library"
t install "$work/mute.so" --mpi mpich-4.0 --cluster big
is "$?" 0 "--mpi selects the folder"

t list
is "$? $(grep -c '^[a-z]' "$work/out")" "0 4" "list has all places"
like "$(cat "$work/out")" '^big/main/mpich-4.0: table-1-0-[0-9a-f]{16}.so$' \
    "list has the first place by name"
like "$(cat "$work/out")" '^default/default/mpich-4.0: table-2-1-[0-9a-f]{16}.so$' \
    "list has the last place"
like "$(cat "$work/out")" 'before +table 1' \
    "list has the previous table"
t diff "$work/two.so"
is "$? $(grep -c 'the same choices' "$work/out")" "0 1" \
    "diff of equal tables reports no difference"
t diff "$work/one.so"
like "$(cat "$work/out")" '^  bcast +P = 2 .*linear -> binomial' \
    "diff prints where and how tables differ"
is "$(grep '^  ' "$work/out" | grep -vc '^  bcast ')" 0 \
    "diff prints no equal collective"

# Rollback, and installation after it.
t rollback --mpi mpich-4.0
is "$? $(link "$place/current")" "0 table-1-0.so" \
    "rollback links the previous table"
like "$(cat "$work/out")" 'is table-1-0-[0-9a-f]+.so again, and was table-2-1-[0-9a-f]+.so' \
    "rollback prints both tables"
t rollback --mpi mpich-4.0
[ $? -eq 0 ] && [ ! -e "$place/current" ]
ok $? "rollback of the first table leaves none"
like "$(cat "$work/out")" 'no current table again, as before table-1-0-[0-9a-f]+.so$' \
    "rollback names the first table"
t install "$work/one.so"
t remove --mpi mpich-4.0
[ $? -eq 0 ] && [ ! -e "$place/current" ] &&
    [ "$(find "$place" -name 'table-*.so' | wc -l)" -ge 2 ]
ok $? "remove leaves no current table, and keeps the files"
t remove --mpi mpich-4.0
is $? 4 "there is nothing to remove twice"
t install "$work/two.so"
t rollback --mpi mpich-4.0
is "$? $(cat "$work/err")$(ls "$place" | grep -c current)" "0 0" \
    "rollback of a table installed after remove leaves no table"
like "$(cat "$work/out")" 'no current table again, as before table-4-0-[0-9a-f]+.so$' \
    "rollback does not call it the first table"
rm "$place"/table-[34]-0-*.so
ln -s "$(basename "$(ls "$place"/table-1-0-*.so)")" "$place/current"
t install "$work/two.so"
is "$? $(link "$place/current")" "0 table-3-1.so" "the next one comes after the first"
t rollback --mpi mpich-4.0
is "$? $(link "$place/current")" "0 table-1-0.so" "so does its rollback"
t rollback --cluster big --partition main
is "$? $(wc -l <"$work/err" | tr -d ' ')" "0 0" \
    "--mpi is not needed with a single library"
t install "$work/one.so" --cluster big --partition main
t rollback
is "$? $(grep -c 'tables of 2 MPI libraries.*--mpi' "$work/err")" "2 1" \
    "--mpi is needed with two libraries"
t install "$work/two.so" -q
is "$(cat "$work/out")" "" "-q is quiet"
t remove --cluster big --partition night
is "$? $(grep -c 'big/night: no table is installed there; ' "$work/err")" \
    "2 1" "remove names the place that has no table"
rm "$place"/table-1-0-*.so
t rollback --mpi mpich-4.0
is "$? $(link "$place/current")" "4 table-4-1.so" "what was before is gone"
t install "$work/one.so"

# A table that leaves all calls to the library is marked.
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" "$work/a.db"
"$chorale" decide "$work/a.db" -q
sqlite3 "$work/a.db" "UPDATE decision SET provider = 'library',
    variant = 'default', params = ''"
"$chorale" generate "$work/a.db" -q -o "$work/empty.c" &&
    "$CC" -shared -fPIC -I"$top_srcdir" "$work/empty.c" -o "$work/empty.so"
ok $? "a table without a choice is compiled"
grep -q 'chooses' "$work/out"
is $? 1 "a table with choices is not marked"
out=$("$chorale" table install "$work/empty.so" --mpi mpich-4.0 \
    --folder "$work/left")
like "$out" "chooses +nothing: all calls are the library's" \
    "a table without a choice is marked"

# install is ended at each of its calls that change files.
cat >"$work/die.c" <<'EOF'
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void die(const char *name)
{
    if (strcmp(getenv("DIE"), name) == 0)
        _exit(77);
}
int rename(const char *a, const char *b)
{
    (void)a; (void)b;
    die("rename");
    return -1;
}
int symlink(const char *a, const char *b)
{
    int (*next)(const char *, const char *);
    void *p = dlsym(RTLD_NEXT, "symlink");
    memcpy(&next, &p, sizeof(next));
    die("symlink");
    return next(a, b);
}
int link(const char *a, const char *b)
{
    int (*next)(const char *, const char *);
    void *p = dlsym(RTLD_NEXT, "link");
    memcpy(&next, &p, sizeof(next));
    die("link");
    return next(a, b);
}
EOF
"$CC" -D_GNU_SOURCE -shared -fPIC "$work/die.c" -o "$work/die.so"
now=$(link "$place/current")
for call in link symlink rename; do
    DIE=$call LD_PRELOAD="$work/die.so" "$chorale" table install \
        "$work/two.so" --folder "$site" >/dev/null 2>&1
    is "$? $(link "$place/current")" "77 $now" \
        "ended at $call: the old one is current"
done
cmp -s "$work/one.so" "$place/current"
ok $? "the old table is complete"
t install "$work/two.so"
is "$? $(cmp "$work/two.so" "$place/current" && echo same)" "0 same" \
    "the same command again installs the new table"

# Files that are no tables, or not trusted.
bad() { # status, text, name, words
    want=$1 text=$2 name=$3
    shift 3
    t "$@"
    is "$? $(cat "$work/out")" "$want " "$name"
    like "$(cat "$work/err")" "^chorale: .*$text" \
        "$name: the error has problem and remedy"
    is "$(wc -l <"$work/err" | tr -d ' ')" 1 "$name: the error is one line"
}
now=$(link "$place/current")
head -c 3000 "$work/one.so" >"$work/short.so"
bad 4 'cut short' "half a table" install "$work/short.so"
bad 4 'table interface 1.*generate it again' "another interface" \
    install "$work/abi.so"
bad 4 'no symbol chorale_table' "no table" install "$work/none.so"
bad 2 'its MPI library is unknown.*--mpi' "no library" install "$work/mute.so"
cp "$work/one.so" "$work/loose.so"
chmod go+w "$work/loose.so"
bad 4 'others may write it; chmod go-w' "one that others may write" \
    install "$work/loose.so"
bad 3 'nowhere.so: No such file' "nothing there" install "$work/nowhere.so"
bad 2 "--cluster '../x': a folder" "a cluster name that leaves the folder" \
    install "$work/one.so" --cluster ../x
bad 4 'has no table; .*table install' "no place" rollback --mpi mpich-9.9
is "$(link "$place/current")" "$now" "the current one is as it was"
"$chorale" table list --folder "$work/none" 2>"$work/err"
is "$? $(grep -c 'none: is not there' "$work/err")" "3 1" \
    "a missing folder exits with 3"
mkdir "$work/empty"
like "$("$chorale" table list --folder "$work/empty")" 'empty: no table' \
    "an empty folder is reported"
CHORALE_SITE=here "$chorale" table list 2>"$work/err"
is "$? $(grep -c 'is a relative path' "$work/err")" "2 1" \
    "a relative CHORALE_SITE is refused"
is "$(CHORALE_SITE=$site "$chorale" table list | grep -c '^[a-z]')" 4 \
    "CHORALE_SITE selects the folder"
mkdir -p "$site/hand/default/mpich-4.0"
cp "$work/one.so" "$site/hand/default/mpich-4.0/current"
bad 4 'current: was put there by hand' "a table put there by hand" \
    install "$work/two.so" --cluster hand
bad 4 'by hand.*unknown; move it away, then install' \
    "a table put there by hand cannot be rolled back" rollback --cluster hand
bad 4 'current: was put there by hand; move it away by hand$' \
    "a table put there by hand cannot be removed" remove --cluster hand
[ -f "$site/hand/default/mpich-4.0/current" ]
ok $? "a table put there by hand stays"
nine=table-9-0-0123456789abcdef.so
echo text >"$place/$nine"
ln -sf $nine "$place/current"
t list
like "$(cat "$work/out")" 'unused: .*its digest differs' \
    "list marks files that are not used"

# Without permission: as user nobody, if possible.
if command -v setpriv >/dev/null 2>&1 && [ "$(id -u)" = 0 ] &&
    chmod 755 "$work" && setpriv --reuid=65534 --clear-groups \
        "$chorale" --version >/dev/null 2>&1; then
    now=$(link "$place/current")
    setpriv --reuid=65534 --clear-groups "$chorale" table install \
        "$work/one.so" --folder "$site" >"$work/out" 2>"$work/err"
    is "$? $(link "$place/current")" "3 $now" \
        "install without permission exits with 3"
    like "$(cat "$work/err")" 'Permission denied; run it as the owner' \
        "the error gives the remedy"
    is "$(wc -l <"$work/err" | tr -d ' ')" 1 "the error is one line"
    cp "$work/one.so" "$work/theirs.so"
    chown 65534 "$work/theirs.so"
    t install "$work/theirs.so"
    is "$?" 4 "another user's table exits with 4"
    like "$(cat "$work/err")" 'belongs to user 65534' \
        "the error names the owner"
else
    skip "cannot become another user" "without permission install exits with 3"
fi

# The shim uses the installed table.
if command -v "$MPIEXEC" >/dev/null 2>&1 && command -v "$MPICC" >/dev/null 2>&1 &&
    [ -f "$top_builddir/.libs/libchorale_pmpi.so" ]; then
    said=$("$top_builddir/chorale-runner" --probe | tr '\t' ' ')
    table real "-DLIBRARY=\"$said\"" && "$chorale" table install \
        "$work/real.so" --folder "$work/served" >/dev/null 2>"$work/err"
    is "$? $(cat "$work/err")" "0 " "a table for this library is installed"
    "$MPICC" "$top_srcdir/tests/shim/programs/bcasts.c" -I"$top_srcdir" -o "$work/bcasts" &&
        CHORALE_SITE=$work/served CHORALE_VERBOSE=1 timeout 900 "$MPIEXEC" -n 2 \
            env LD_PRELOAD="$top_builddir/.libs/libchorale_pmpi.so" \
            "$work/bcasts" >"$work/out" 2>&1
    like "$(cat "$work/out")" 'bcast n=1024 P=2 -> binomial' \
        "the shim runs the installed table"
else
    skip "no MPI, or no shim" "the shim runs the installed table"
fi
finish
