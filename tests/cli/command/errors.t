#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# errors.t - bad input gives the exit code and the single error line that
# errors.tsv lists for it, and changes no file.
. "$(dirname "$0")/../../lib.sh"
table=$here/errors.tsv
w=$work
cd "$work" || exit 99
unset CHORALE_SITE

# Databases and files with one fault each.
"$chorale" plan "$w/r.db" -P 1 -m 8 -c bcast --launches 1 -i 5 -q
ok $? "plan makes a campaign"
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" "$w/s.db" \
    fat-tree '2 4' 1 >/dev/null
ok $? "synth.sh makes a measured campaign"
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
printf 'coll,algorithm,P,ppn,bytes,time_us\nallredcue,ring,4,2,8,1\n' \
    >"$w/bad.csv"
sed 's/^/[1,0]<stdout>:/' "$w/good.osu" >"$w/tagged.osu"
cp "$w/s.db" "$w/slow.db"
sqlite3 "$w/slow.db" 'UPDATE run_summary SET median = 2 * median,
    mean = 2 * mean, min = 2 * min, max = 2 * max, q25 = 2 * q25,
    q75 = 2 * q75, p95 = 2 * p95, p99 = 2 * p99'
"$chorale" plan "$w/turns" -P 1 -m 8 -c bcast --launches 2 -i 5 -q
ok $? "plan makes a campaign of two launches"
long=$(printf '%0300d' 0)
deep=$(printf '%04100d' 0)
for row in word:frob 'key:frob = 1' 'path:shards = x' 'dash:option = x' \
    'line:option = --partition=x' 'ours:option = --wrap=x' \
    'never:option = --clusters=x' 'letter:partition = a;b' "long:$deep"; do
    echo "${row#*:}" >"$w/${row%%:*}.site"
done
for i in $(seq 100); do echo "option = --hint=$i"; done >"$w/many.site"
cksum ./*.db ./*.osu >"$w/before"

# Row N: the expectation is in row.N, the output in out.N, the error in err.N.
tab=$(printf '\t')
n=0
one() { # code, verb, wrong, remedy, words
    n=$((n + 1))
    printf '%s\n%s\n%s\n%.70s\n' "$1" "$3" "$4" "$words" >row.$n
    shift 4
    timeout 600 "$chorale" "$@" >out.$n 2>err.$n </dev/null
    echo $? >>row.$n
}
verbs=$("$chorale" --verbs)
while IFS=$tab read -r code verb words wrong remedy; do
    case $code in '#'*) continue ;; esac
    case $words in @*) words="$verb${words#@}" ;; esac
    eval "set -- $words"
    one "$code" "$verb" "$wrong" "$remedy" "$@"
done <<EOF
$(sed "s/${tab}${tab}/$tab $tab/" "$table")
EOF
for verb in $verbs; do
    words="$verb --frobnicate"
    one 2 "$verb" "$verb: unknown option --frobnicate" \
        "see .chorale $verb --help" "$verb" --frobnicate
done
# One process checks all rows, for speed.
perl -e 'sub text { local $/; open my $in, "<", $_[0] or die "$_[0]: $!"; <$in> }
for my $n (1 .. $ARGV[0]) {
    my ($code, $wrong, $remedy, $what, $got) = split /\n/, text("row.$n");
    my $err = text("err.$n");
    print join("\t", $n, $what, grep { $_ } $got ne $code && "exit $got, not $code",
        -s "out.$n" && "output", $err !~ /^[ -~]+[^. \n]\n\z/ && "form",
        $err !~ /^chorale: .*(?:$wrong)/ && "no \"$wrong\"",
        ($remedy eq "" || $err !~ /$remedy/) && "no remedy \"$remedy\""), "\n";
}' $n >results.txt
while IFS=$tab read -r row what faults; do
    is "$faults" "" "row $row, $what: exit code and error line are as listed"
    [ -z "$faults" ] || diag "$(cat "err.$row")"
done <results.txt
is "$(wc -l <results.txt)" "$n" "every row is checked"
is "$(cut -f 2 "$table" | sed '/^#/d; /^-$/d; /^verb$/d' | sort -u)" \
    "$(echo "$verbs" | sort)" "every verb has a row, and no other verb has one"
cksum ./*.db ./*.osu >"$w/after"
cmp "$w/before" "$w/after"
ok $? "bad input changes no file and makes none"
finish
