#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# errors.t - the program's error messages, held against it: errors.tsv has what
# is said of which bad input, with which exit code, and what mends it.
. "$(dirname "$0")/../lib.sh"
table=$top_srcdir/tests/cli/errors.tsv
w=$work
cd "$work" || exit 99
unset CHORALE_SITE

# Databases and files that are not as they should be.
"$chorale" plan "$w/r.db" -P 1 -m 8 -c bcast --launches 1 -i 5 -q
ok $? "a plan"
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" "$w/s.db" \
    fat-tree '2 4' 1 >/dev/null
ok $? "a campaign"
: >"$w/empty.db"
echo "this is not a database at all, only some text that is long enough" \
    >"$w/text.db"
sqlite3 "$w/foreign.db" 'CREATE TABLE t (x); INSERT INTO t VALUES (1)'
cp "$w/r.db" "$w/newer.db"
sqlite3 "$w/newer.db" 'PRAGMA user_version = 99'
head -c $(($(wc -c <"$w/r.db") / 2)) "$w/r.db" >"$w/half.db"
mkdir "$w/folder"
printf '# OSU MPI Broadcast Latency Test v5.9\n# Size  Avg Latency(us)\n1 four\n' \
    >"$w/bad.osu"
printf '# OSU MPI Broadcast Latency Test v5.9\n# Size  Avg Latency(us)\n1 4.0\n' \
    >"$w/good.osu"
sed 's/^/[1,0]<stdout>:/' "$w/good.osu" >"$w/tagged.osu"
cp "$w/s.db" "$w/slow.db"
sqlite3 "$w/slow.db" 'UPDATE run_summary SET median = 2 * median,
    mean = 2 * mean, min = 2 * min, max = 2 * max, q25 = 2 * q25,
    q75 = 2 * q75, p95 = 2 * p95, p99 = 2 * p99'
"$chorale" plan "$w/turns" -P 1 -m 8 -c bcast --launches 2 -i 5 -q
ok $? "a campaign of two launches"
"$chorale" plan "$w/hangs" -P 1 -m 8 -c bcast --launches 1 -i 5 -q \
    --launcher-cmd 'sh -c "sleep 60"'
ok $? "and one that ends with a signal only"
long=$(printf '%0300d' 0)
deep=$(printf '%04100d' 0)
for row in word:frob 'key:frob = 1' 'path:shards = x' 'dash:option = x' \
    'line:option = --partition=x' 'ours:option = --wrap=x' \
    'never:option = --clusters=x' 'letter:partition = a;b' "long:$deep"; do
    echo "${row#*:}" >"$w/${row%%:*}.site"
done
for i in $(seq 100); do echo "option = --hint=$i"; done >"$w/many.site"
cksum ./*.db ./*.osu >"$w/before"

limit=60
one() { # code, verb, wrong, remedy, words
    code=$1 verb=$2 wrong=$3 remedy=$4
    shift 4
    timeout $limit "$chorale" "$@" >out.txt 2>err.txt </dev/null
    is "$? $(wc -c <out.txt | tr -d ' ') $(wc -l <err.txt | tr -d ' ')" \
        "$code 0 1" "$verb: exit $code and one line: $*"
    cat err.txt >>said.txt
    like "$(cat err.txt)" "^chorale: .*($wrong)" "what is wrong"
    like "$(cat err.txt)" "($remedy)" "and what mends it"
    like "$(LC_ALL=C tr -d '\n' <err.txt)" '^[ -~]+[^. ]$' \
        "in plain text, without a full stop"
}
tab=$(printf '\t')
rows=0
while IFS=$tab read -r code verb words wrong remedy; do
    case $code in '#'*) continue ;; esac
    rows=$((rows + 1))
    case $words in @*) words="$verb${words#@}" ;; esac
    [ -n "$remedy" ] || { ok 1 "row $rows has five columns"; continue; }
    eval "set -- $words"
    one "$code" "$verb" "$wrong" "$remedy" "$@"
done <<EOF
$(sed "s/${tab}${tab}/$tab $tab/" "$table")
EOF
[ $rows -gt 190 ]
ok $? "there are $rows rows"
limit='--preserve-status -s INT 2'
one 75 run stopped 'the same command goes on' run "$w/hangs" -q \
    --launcher-cmd 'sh -c "sleep 60"'
limit=60
for verb in $("$chorale" --verbs); do
    n=$(cut -f 2 "$table" | grep -cx "$verb")
    [ "$n" -ge 1 ]
    ok $? "$verb has $n rows"
    one 2 "$verb" "$verb: unknown option --frobnicate" \
        "see .chorale $verb --help" "$verb" --frobnicate
done
is "$(cut -f 2 "$table" | sed '/^#/d; /^-$/d; /^verb$/d' | sort -u)" \
    "$("$chorale" --verbs | sort)" "no row is of a verb that is gone"
perl "$here/messages.pl" said "$here/messages.tsv" said.txt >unsaid.txt
is "$(cat unsaid.txt)" "" "each message that messages.tsv gives to rows here is one of theirs"
cksum ./*.db ./*.osu >"$w/after"
cmp "$w/before" "$w/after"
ok $? "all files are as they were, and none was made"
finish
