#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hostile.t - a database with names that try to end comments, literals, formats,
# shell words and scripts. Each verb that prints or writes them works, the C
# table compiles and contains them as text, and no name is executed.
. "$(dirname "$0")/../../lib.sh"
for tool in sqlite3 python3; do
    command -v $tool >/dev/null || skip_all "$tool is missing"
done
export CHORALE_DATADIR="$top_srcdir/plots"
cd "$work" || exit 99
esc=$(printf '\033')
evil='x"; */ int evil0; /* '\''`touch evil1`$(touch evil2) system "touch evil3"
#error ??/ %s%n%d \" !touch evil4 |touch evil5 </script><script>alert(1)</script>
@x <b>&{/Symbol a}'"$esc[2J$esc]0;t ../../../tmp/evil6"'\'
name=$(printf %s "$evil" | sed "s/'/''/g")
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" evil.db \
    "$evil" '2 4' 3
sqlite3 evil.db "UPDATE cell SET variant = '$name', params = '$name'
    WHERE variant = 'linear';
    UPDATE run_summary SET median = median / 100, mean = mean / 100
    WHERE run_id IN (SELECT run_id FROM run JOIN cell USING (cell_id)
        WHERE variant = '$name' AND n > 100000);
    UPDATE system SET mpi_library = '$name', signature = '$name';
    UPDATE campaign SET command = '$name', label = '$name', network = '$name',
        sim_selector = '$name', uuid = '$name';
    INSERT INTO environment SELECT launch_id, k, '$name' FROM launch, (
        SELECT 'cpu_model' AS k UNION SELECT 'host' UNION SELECT 'transport'
        UNION SELECT 'kernel' UNION SELECT 'platform' UNION SELECT '$name')"
ok $? "a hostile database is made"

run() { timeout 600 "$chorale" "$@" >out.txt 2>err.txt; }
json() { python3 -c 'import json, sys; json.load(sys.stdin)' <out.txt; }
nothing_ran() { [ -z "$(find . /tmp -maxdepth 2 -name 'evil[0-9]*')" ]; }

# Verbs that print names.
for words in status "status --json" fit "fit --json" "fit --crossval" decide \
    "decide --json" "decide --explain" "decide --explain --json" \
    "evaluate --oracle evil.db" "evaluate --oracle evil.db --points" \
    "evaluate --oracle evil.db --points --json" export "export --json"; do
    at=
    case $words in *--explain*) at="bcast 1M 4" ;; esac
    # shellcheck disable=SC2086
    run ${words%% *} evil.db $at $(echo "$words" | sed 's/^[a-z]* *//')
    is "$? $(cat err.txt)" "0 " "$words: exits with 0 without errors"
    [ -s out.txt ]
    ok $? "$words: prints something"
    case $words in *--json*)
        json
        ok $? "$words: prints JSON" ;;
    esac
done
grep -qF 'alert(1)' out.txt
ok $? "the output has the hostile names"

# The C table.
run generate evil.db -o table.c
is "$? $(cat err.txt)" "0 " "generate --format c: exits with 0 without errors"
bad=0
for file in table.c table.h; do
    LC_ALL=C grep -n '[^ -~]' $file && bad=1
    grep -n '??' $file && bad=1
done
is $bad 0 "the C table has only printable ASCII and no trigraph"
"$CC" -std=c99 -trigraphs -Wall -Wextra -Wpedantic -Werror -c table.c -o t.o \
    2>cc.txt
ok $? "the C table compiles: $(head -n 3 cc.txt)"
cat >header.c <<'END'
#include "table.h"
int evil0(void);
int evil0(void) { return chorale_table.nchoice; } /* is not in the table */
END
"$CC" -std=c99 -Wall -Werror -shared -fPIC header.c table.c -o table.so \
    2>cc.txt
ok $? "a file that includes its header compiles: $(head -n 3 cc.txt)"
is "$(nm t.o | grep -c evil)" 0 "no name became a symbol"
cat >say.c <<'END'
#include <stdio.h>
#include "table.h"
int main(void)
{
    return printf("%s\n%s\n", chorale_table.system,
                  chorale_table.mpi_library) < 0;
}
END
"$CC" say.c table.c -o say && ./say >said.txt
ok $? "a program prints the table's description"
is "$(grep -cF 'x"; */ int evil0; /* '\''`touch evil1`$(touch evil2)' said.txt)" \
    2 "the description has the name as text"
run table list --folder "$work/none"
run table install table.so --mpi mpich-4.0 --folder "$work/site"
is "$? $(LC_ALL=C grep -c '[^ -~]' out.txt)" "0 0" \
    "table install prints only ASCII"
run table list --folder "$work/site"
is "$? $(LC_ALL=C grep -c '[^ -~]' out.txt)" "0 0" \
    "table list prints only ASCII"

# Rules files of MPI libraries.
cp evil.db rules.db
sqlite3 rules.db "DELETE FROM decision;
    UPDATE system SET mpi_library = 'Open MPI v4.1.4, package: ' || name;
    INSERT INTO decision (system_id, target, coll, comm_size, ppn, shape,
    dtype, op, n_lo, n_hi, provider, variant, params, basis, reason)
    VALUES (1, 'rules', 'bcast', 4, 4, 'single-node', 'byte', '', 8, 1000,
    'native', 'binomial', '', 'measured', '$name')"
for format in ompi-rules ompi-json; do
    run generate rules.db --format $format -o $format --no-check
    is "$? $(cat err.txt)" "0 " \
        "generate --format $format: exits with 0 without errors"
    is "$(cat $format* | LC_ALL=C grep -c '[^ -~]')" 0 \
        "$format: the file has only printable ASCII"
done
python3 -c 'import json, sys; json.load(open("ompi-json"))'
ok $? "ompi-json is JSON"
is "$(grep -c '^[^#0-9 ]' ompi-rules)" 0 \
    "every line of ompi-rules has numbers or a comment"

# The report: names are escaped in elements and in attributes.
run report evil.db -o evil.html
is "$? $(cat err.txt)" "0 " "report: exits with 0 without errors"
! grep -q '<script>alert\|<b>&' evil.html &&
    grep -q '&#60;script&#62;alert(1)' evil.html
ok $? "report: a name opens no tag"
! grep -q 'x"; \*/ int' evil.html && grep -q 'x&#34;; \*/ int' evil.html
ok $? "report: a quote in a name ends no attribute"

# Pictures, also with the scripts called directly.
if command -v gnuplot >/dev/null 2>&1; then
    for format in png pdf svg; do
        run plot evil.db --format $format -o "pictures-$format"
        is "$? $(cat err.txt)" "0 " \
            "plot --format $format: exits with 0 without errors"
        bad=0 n=0
        for f in "pictures-$format"/*.$format; do
            n=$((n + 1))
            case $format in
                png) [ "$(od -An -tx1 -N4 "$f" | tr -d ' \n')" = 89504e47 ] ;;
                pdf) [ "$(head -c 5 "$f")" = %PDF- ] ;;
                svg) python3 -c 'import sys, xml.dom.minidom as d
d.parse(sys.argv[1])' "$f" && ! grep -q '<script' "$f" ;;
            esac || { bad=1; diag "$f"; }
        done
        is "$bad $((n > 3))" "0 1" "$format: each of $n files has that format"
    done
    grep -qF 'x?; */ int evil0' pictures-svg/*.svg
    ok $? "titles have the name without its quotes"
    cp evil.db path.db
    sqlite3 path.db "UPDATE cell SET coll = '../../$name' WHERE coll = 'bcast'"
    run plot path.db --format svg -o pictures-path
    is "$? $(find pictures-path -mindepth 1 | LC_ALL=C grep -c \
        '^pictures-path/.*[^A-Za-z0-9_.-]')" "0 0" \
        "a collective with a path as its name is drawn in the folder"
    for data in pictures-svg/*.dat; do
        case $data in
            *_map.dat) script=decision_map ;;
            *_speedup.dat) script=speedup_map ;;
            *) script=time_vs_n ;;
        esac
        gnuplot -d -c "$CHORALE_DATADIR/$script.gp" "$data" by-hand.svg svg \
            "$evil" >out.txt 2>err.txt
        is "$? $(cat err.txt)" "0 " \
            "$script.gp called directly with a hostile title: exits with 0"
    done
    run plot evil.db --terminal dumb
    is "$? $(LC_ALL=C grep -c '[^ -~]' out.txt)" "0 0" \
        "plot --terminal dumb prints only ASCII"
else
    skip "no gnuplot" "pictures"
fi
nothing_ran
ok $? "no name was executed or used as a path"

# Bytes that are not valid UTF-8.
cp evil.db bytes.db
sqlite3 bytes.db "UPDATE system SET name = CAST(x'61fe80c22d' AS TEXT);
    UPDATE cell SET variant = CAST(x'62ff2d' AS TEXT)
    WHERE variant = '$name';
    INSERT INTO trace VALUES (1, 'u', '', '2026-01-01', 'app', 'MPI',
        '2026-01-01', 4, 4, NULL, '', 10, 10, 0, 0);
    INSERT INTO trace_point VALUES (1, 'bcast', 512, 512, 4, 'one-per-node',
        CAST(x'62ff2d' AS TEXT), '', 'first', 'library', 4, 1, 4, 1, NULL,
        NULL, NULL, NULL, CAST(x'62ff2d' AS TEXT))"
for words in status fit decide "evaluate --oracle bytes.db --points" \
    "export --json"; do
    # shellcheck disable=SC2086
    run ${words%% *} bytes.db $(echo "$words" | sed 's/^[a-z]* *//')
    is "$? $(cat err.txt)" "0 " "no UTF-8: $words: exits with 0 without errors"
done
json
ok $? "no UTF-8: export --json prints JSON"
for words in "status --json" "fit --json" "decide --json" \
    "evaluate --oracle bytes.db --points --json" "evaluate --trace --json"; do
    # shellcheck disable=SC2086
    run ${words%% *} bytes.db $(echo "$words" | sed 's/^[a-z]* *//')
    code=$?
    if [ $code -eq 0 ]; then
        json
        ok $? "no UTF-8: $words is JSON"
    else
        is "$code $(wc -l <err.txt) $(wc -c <out.txt)" "4 1 0" \
            "no UTF-8: $words: the error is one line"
        like "$(LC_ALL=C tr -d '\200-\377' <err.txt)" 'bytes.db: .*UTF-8.*--json' \
            "no UTF-8: $words: the error has the remedy"
    fi
done

# The command in a heading can be pasted into a shell.
for said in "two words" "it's" 'a$b "c" d' 'plain_name-1.5'; do
    sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" \
        "my words.db" "$said" '2 4' 3
    run generate "my words.db" -o "my table.c"
    sed -n 's/^ \* *\(chorale generate .*\)$/\1/p' "my table.c" >command
    chorale() { printf '<%s>' "$@"; }
    is "$(. ./command)" \
        "<generate><--format><c><--system><$said><-o><my table.c><my words.db>" \
        "the heading's command is parsed by a shell, system $said"
    unset -f chorale
    rm "my words.db"
done
finish
