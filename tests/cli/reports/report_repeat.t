#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The commands of a page of `chorale report` are what a shell takes: fed to one
# they make the same again, whatever names there are, of one of several systems,
# and of `tune`, which is one command.
. "$(dirname "$0")/../../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"
for tool in sqlite3 python3; do
    command -v $tool >/dev/null || skip_all "$tool is missing"
done
export CHORALE_DATADIR="$top_srcdir/plots"
mkdir "$work/bin" "$work/first" "$work/second"
ln -s "$chorale" "$work/bin/chorale"
PATH=$work/bin:$PATH
export PATH
platform "$work/flat.xml" 0.5 1250000000 4
platform "$work/slow.xml" 5 125000000 4
cd "$work/first" || exit 99
run() { timeout 600 chorale "$@" >out.txt 2>err.txt; }
commands() { # page
    python3 -c 'import html, re, sys
print(html.unescape(re.search(r"<pre>(.*?)</pre>", open(sys.argv[1]).read(),
    re.S).group(1)), end="")' "$1"
}
again() { # script: all of it, in another folder
    (cd "$work/second" && timeout 600 sh -e "$1" >out.txt 2>err.txt)
    is "$? $(cat "$work/second/err.txt")" "0 " "a shell takes them"
}
same() { # database, system, name: what both folders have of it
    sql="SELECT coll, msg_size, comm_size, variant, params, seconds
        FROM v_summary WHERE system = '$2' ORDER BY 1, 2, 3, 4, 5;
        SELECT coll, n_lo, n_hi, variant, basis FROM decision
        JOIN system USING (system_id) WHERE name = '$2' ORDER BY 1, 2"
    sqlite3 "$1" "$sql" >one.txt
    sqlite3 "$work/second/$1" "$sql" >two.txt
    [ "$(grep -c . one.txt)" -gt 4 ] && cmp -s one.txt two.txt
    ok $? "$3"
}
plan="-c bcast -m 8,1K -P 2,4 --launcher smpirun --network loggp"

# Names that a shell would take apart, and two systems.
db=two.db
run plan $db $plan --platform ../flat.xml --label 'it'"'"'s $x `y`' \
    --system 'fl at' -q
is "$? $(cat err.txt)" "0 " "a plan"
is "$(sqlite3 $db "SELECT command FROM campaign")" "plan $db $plan \
--platform ../flat.xml --label 'it'\\''s \$x \`y\`' --system 'fl at' -q" \
    "is kept as a shell takes it"
run run $db -q
run fit $db -q
run decide $db -q --threshold 1%
run validate $db --points
is "$?" 0 "measured, fitted, decided, validated"
run report $db -o one.html
commands one.html >one.sh
is "$(sed 's/^chorale \([a-z]*\) .*/\1/' one.sh | tr '\n' ' ')" \
    "plan run fit decide generate validate report " "each step is there, once"
is "$(grep -c -- --system one.sh)" 1 "of the one system there is"
again "$work/first/one.sh"
same $db 'fl at' "and all is as it was"
[ -s "$work/second/two-report.html" ] && [ -s "$work/second/two-dispatch.c" ]
ok $? "with the table and the page"

run plan $db $plan --platform ../slow.xml --system slow -q
run run $db -q
run report $db --system 'fl at' -o two.html
commands two.html >two.sh
is "$(grep -c -- "--system 'fl at'" two.sh)" 6 \
    "where there are several, they name it"
run report $db --system slow -o slow.html
commands slow.html >slow.sh
is "$(sed 's/^chorale \([a-z]*\) .*/\1/' slow.sh | tr '\n' ' ')" \
    "plan run report " "what was not done is not there"
again "$work/first/slow.sh"
again "$work/first/two.sh"

# tune plans, measures, decides and validates: it is one command.
run tune tuned.db $plan --platform ../flat.xml --threshold 2% -q
is "$?" 0 "tune"
is "$(sqlite3 tuned.db "SELECT count(*) > 1 FROM campaign")" 1 \
    "makes several campaigns"
commands tuned-report.html >tune.sh
is "$(cat tune.sh)" "chorale tune tuned.db $plan --platform ../flat.xml \
--threshold 2% -q
chorale report tuned.db" "and is there once"
again "$work/first/tune.sh"
system=$(sqlite3 tuned.db "SELECT name FROM system")
same tuned.db "$system" "and all is as it was"
run decide tuned.db --threshold 4% -q
run report tuned.db -o tuned.html
commands tuned.html | sed -n '2,$p' >tune.sh
is "$(cat tune.sh)" "chorale decide tuned.db --threshold=0.04
chorale generate tuned.db -o tuned-dispatch.c
chorale report tuned.db" "decided otherwise after it: that follows"
again "$work/first/tune.sh"
run report tuned.db --anonymize -o anonymous.html
commands anonymous.html >anonymous.sh
is "$(grep -c 'flat\|tune' anonymous.sh)" 0 "--anonymize leaves it out"

# A plan from traces: what these are called is not known, but that they come
# first is.
sqlite3 tuned.db "UPDATE campaign SET command = 'plan tuned.db --from-trace';
    INSERT INTO trace SELECT NULL, 'u' || value, '', '', 'a b', '', '', 2, 2,
        NULL, '', 1, 1, 0, 0 FROM generate_series(1, 2)"
run report tuned.db -o traced.html
is "$(commands traced.html | head -n 3)" "chorale import tuned.db app-1.trace
chorale import tuned.db app-2.trace
chorale plan tuned.db --from-trace" "traces are imported before the plan"
sqlite3 tuned.db "DELETE FROM trace WHERE uuid = 'u1'"
run report tuned.db -o traced.html
is "$(commands traced.html | head -n 1)" "chorale import tuned.db app.trace" \
    "one trace"

# A database in a folder with a blank; smpirun would take its name apart.
if command -v "$MPIEXEC" >/dev/null 2>&1; then
    export CHORALE_MPIEXEC="$MPIEXEC"
    mkdir "sp ace" "$work/second/sp ace"
    db="sp ace/it's a b.db"
    run plan "$db" -c barrier -P 2 --launches 1 -i 5 --min-iterations 2 -q
    run run "$db" -q
    is "$?" 0 "measured into a folder with a blank"
    run report "$db" -o blank.html
    commands blank.html >blank.sh
    again "$work/first/blank.sh"
    is "$(sqlite3 "$work/second/$db" "SELECT count(*) FROM v_summary")" \
        "$(sqlite3 "$db" "SELECT count(*) FROM v_summary")" "with all cells"
    [ -s "$work/second/sp ace/it's a b-report.html" ]
    ok $? "and the page"
fi
finish
