#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# paths.t - databases with blanks and wildcards in their names can be measured,
# although smpirun splits arguments at blanks and expands wildcards.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] &&
    command -v smpirun >/dev/null 2>&1 || skip_all "no SimGrid"
top_srcdir=$(cd "$top_srcdir" && pwd)
chorale=$(cd "$top_builddir" && pwd)/chorale
cd "$work" || exit 99
mkdir 'a folder  with blanks'
platform 'a folder  with blanks/flat net.xml' 10 1e9 4
touch other-1.db other-2.db

measured() { # path of a database: plan and run
    db=$1
    "$chorale" plan "$db" -q -c bcast --variants linear -m 8 -P 2 --launches 1 \
        --launcher smpirun --platform 'a folder  with blanks/flat net.xml' \
        >/dev/null 2>err
    timeout 3000 "$chorale" run "$db" -q >out 2>>err
    is "$? $(cat err)" "0 " "$db is planned and run"
    is "$(sqlite3 "$db" "SELECT count(*) > 0 AND sum(status <> 'ok') = 0
        FROM run")" 1 "$db has its runs"
}
measured plain.db
measured 'a folder  with blanks/r 1.db'
measured 'other-*.db'
measured '100%20[x]?.db'
measured "$(printf 'a\tb.db')"
measured "$work/a folder  with blanks/-e \$HOME.db"
is "$(find . -type f | wc -l | tr -d ' ')" 11 "no other file was made"
finish
