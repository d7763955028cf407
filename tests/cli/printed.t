#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# printed.t - what OSU and IMB really printed, of several versions and layouts:
# excerpts of published outputs (tables/README.md). All rows of each file are in
# the database with their numbers, or left out with a reason.
. "$(dirname "$0")/../lib.sh"

files=$top_srcdir/tests/cli/tables
db=$work/r.db
sql() { sqlite3 "$db" "$1"; }

# The rows of a file: lines that have as many words as the table has columns,
# all of them numbers, in the order of the database: bytes, calls, mean, least,
# most. Named rows have seven columns.
rows() { # file, number of columns, awk's words for these five
    awk -v n="$2" "NF == n { ok = 1
        for (i = 1 + (n == 7); i <= NF; i++) if (\$i !~ /^[0-9.]+\$/) ok = 0
        if (ok) printf \"%d %d %.2f %.2f %.2f\\n\", $3 }" "$1" | sort -n
}
stored() { # further condition
    sqlite3 -separator ' ' "$db" "SELECT msg_size, s.nrep,
        printf('%.2f', mean * 1e6), printf('%.2f', s.min * 1e6),
        printf('%.2f', s.max * 1e6) FROM cell c JOIN run USING (cell_id)
        JOIN run_summary s USING (run_id) WHERE ${1:-1}" | sort -n
}
held() { # file, what the rows are of, number of columns, awk's words, options
    file=$1 what=$2 columns=$3 words=$4
    shift 4
    rm -f "$db"
    "$chorale" import "$db" "$files/$file" "$@" >"$work/out" 2>"$work/err"
    is "$? $(cat "$work/err")" "0 " "$file"
    is "$(sql "SELECT DISTINCT coll, comm_size, ppn, shape, dtype, op,
        root_policy, metric FROM cell")" "$what" "$file: what was measured"
    rows "$files/$file" "$columns" "$words" >"$work/want"
    stored >"$work/got"
    [ -s "$work/want" ] && cmp -s "$work/want" "$work/got"
    ok $? "$file: $(($(wc -l <"$work/want"))) rows, each number"
    diff "$work/want" "$work/got" | head -n 5 | sed 's/^/# /'
}
plain='$1, 0, $2, $2, $2' full='$1, $5, $2, $3, $4' imb='$1, $2, $5, $3, $4'
duration='|duration'

held osu-5.4.1.txt "alltoall|20|5|block|byte||none$duration" 2 "$plain" \
    -P 20 --ppn 5
held osu-5.6.2-full.txt "alltoall|6|2|block|byte||none$duration" 5 "$full" \
    -P 6 --ppn 2
held osu-5.7-full.txt "bcast|8|2|block|byte||first$duration" 5 "$full" \
    -P 8 --ppn 2
held osu-5.9.txt "allgather|44|22|block|byte||none$duration" 2 "$plain" \
    -P 44 --ppn 22
held osu-6.2-full.txt "reduce|200|1|one-per-node|float|sum|first$duration" 5 \
    "$full" -P 200 --ppn 1
held osu-7.0.txt "bcast|64|32|block|byte||first$duration" 2 "$plain" \
    -P 64 --ppn 32
held osu-7.5.txt "allreduce|144|36|block|int|sum|none$duration" 2 "$plain" \
    -P 144 --ppn 36
held imb-2018.txt "allreduce|144|36|block|float|sum|none$duration" 5 "$imb" \
    --ppn 36
is "$(sql "SELECT value FROM environment WHERE key = 'import:format'")" \
    "IMB 2018" "and its version"
held imb-2021.6.txt "allreduce|144|36|block|float|sum|none$duration" 5 "$imb" \
    --ppn 36
is "$(sql "SELECT group_concat(value, '|') FROM environment WHERE key IN
    ('import:command', 'import:date')")" \
    "IMB-MPI1 -msglog 3:28 -npmin 144 allreduce  |Thu Jul 20 17:06:33 2023" \
    "with command and date"
held imb-2021-reduce.txt "reduce|2|2|single-node|float|sum|first$duration" 5 \
    "$imb" --ppn 2
like "$(cat "$work/out")" "no heading says IMB's version: taken for 2017 or later" \
    "what is taken for granted is told"
held imb-2016-bare.txt "reduce|180|20|block|float|sum|first$duration" 5 "$imb" \
    --ppn 20

held imb-2008-named.txt "allreduce|96|8|block|float|sum|none$duration" 7 \
    '$3, $4, $7, $5, $6' --ppn 8

# Two tables in one file; what stands round them.
taken() { # file, runs, text that is told, options
    file=$1 want=$2 text=$3
    shift 3
    rm -f "$db"
    "$chorale" import "$db" "$file" "$@" >"$work/out" 2>"$work/err"
    is "$? $(cat "$work/err")" "0 " "$(basename "$file")$text"
    is "$(sql 'SELECT count(*) FROM run')" "$want" "has $want runs"
    [ -z "$text" ] || like "$(cat "$work/out")" "$text" "and says so"
}
taken "$files/osu-5.8.txt" 7 '' -P 192 --ppn 96
is "$(stored "coll = 'barrier'")" "0 0 8.32 8.32 8.32" "the barrier"
rows "$files/osu-5.8.txt" 2 "$plain" >"$work/want"
stored "coll = 'allreduce'" >"$work/got"
cmp "$work/want" "$work/got"
ok $? "the allreduce"
sed -n '/^# Benchmarking/,$p' "$files/imb-2018.txt" >"$work/table"
{
    sed '/^# All processes/,$d' "$files/imb-2018.txt"
    sed 's/= 144/= 72\n# ( 72 additional processes waiting in MPI_Barrier)/
        s/ 16  / 18  /' "$work/table"
} | sed 's/Allreduce/Alltoall/' >"$work/two.txt"
taken "$work/two.txt" 12 '' --ppn 36
rows "$work/two.txt" 5 "$imb" >"$work/want"
stored | cmp - "$work/want"
ok $? "the rows of both numbers of ranks"
is "$(sql 'SELECT group_concat(comm_size) FROM (SELECT comm_size FROM launch
    ORDER BY comm_size)')" "72,144" "each with its launch"

# What is no blocking collective on host buffers, or of unequal blocks here.
left() { # file, text, options
    file=$1 text=$2
    shift 2
    rm -f "$db"
    "$chorale" import "$db" "$files/$file" "$@" >"$work/out" 2>"$work/err"
    is "$? $(wc -l <"$work/err" | tr -d ' ')" "4 1" "$file is refused in a line"
    like "$(cat "$work/err")" "$text" "which says why, and what to do"
}
left osu-7.3-cuda-full.txt 'MPI-CUDA Reduce.*no blocking collective on host buf.*; run the' \
    -P 96 --ppn 96
left osu-7.5-tail.txt 'All-to-Allv.*all blocks are equal there.*; run the' \
    -P 384 --ppn 12
left osu-7.2-tagged.txt 'headings and rows must begin their lines: remove what' \
    -P 2 --ppn 1
left imb-2023-stamped.txt 'headings and rows must begin their lines: remove what' \
    --ppn 2
# Percentiles and stamps in their real layout.
sed 's/All-to-Allv/All-to-All/' "$files/osu-7.5-tail.txt" >"$work/tail.txt"
taken "$work/tail.txt" 1 '' -P 384 --ppn 12
is "$(sql "SELECT printf('%.2f %.2f %.2f', median * 1e6, mean * 1e6, p99 * 1e6)
    FROM run_summary")" "407.18 467.38 634.30" "p50 is the time"
sed 's/^[0-9:]*  //' "$files/imb-2023-stamped.txt" >"$work/stamped.txt"
taken "$work/stamped.txt" 3 '' --ppn 2
is "$(stored | head -n 1)" "0 100 0.05 0.04 0.06" "below what was in the way"

# IMB's defaults changed with 2017: a barrier after each call, and one root.
by() { # version
    sed "s/Benchmarks 2018/Benchmarks $1/" "$files/imb-2018.txt" >"$work/v.txt"
    taken "$work/v.txt" 6 '' --ppn 36
    sql 'SELECT DISTINCT metric FROM cell' >"$work/metric"
}
by '2017 update 2'
is "$(cat "$work/metric")" duration "IMB 2017 has barriers"
by '4.1 Update 1'
is "$(cat "$work/metric")" throughput "IMB 4.1 has none"

# Layouts of IMB's sources: the command in several lines, -map, groups, types.
change() { # name, file, sed script, runs, text
    sed "$3" "$files/$2" >"$work/changed.txt"
    cmp -s "$files/$2" "$work/changed.txt" && ok 1 "$1 changes something"
    taken "$work/changed.txt" "$4" "$5" --ppn 36
}
change "a long command" imb-2018.txt \
    's/-npmin 144 allreduce/-npmin 144 -mem 2 allreduce\n#                 -sync off/' \
    6 ''
is "$(sql "SELECT DISTINCT metric || '|' || value FROM cell, environment
    WHERE key = 'import:command'" | tr -s ' ')" \
    "throughput|/usr/mpi/gcc/openmpi-4.1.2a1/tests/imb/IMB-MPI1 -msglog 3:28 -npmin 144 -mem 2 allreduce -sync off " \
    "its second line counts"
change "-map" imb-2018.txt \
    's/^# #processes = 144 /# #processes = 144; rank order (rowwise): \n#     0   36\n# /' \
    6 '-map: the order of ranks'
change "-multi 1, all ranks in one group" imb-2018.txt \
    's/^       #bytes/        Group       #bytes/; s/^ *[0-9].* [0-9.]*$/\n            0&/' \
    6 ''
rows "$files/imb-2018.txt" 5 "$imb" >"$work/want"
stored | cmp - "$work/want"
ok $? "the same numbers"
sed 's/Benchmarking Allreduce/Benchmarking Multi-Allreduce/
    s/^# #processes = 144 /# ( 4 groups of 36 processes each running simultaneous )/
    s/^       #bytes/        Group       #bytes/' "$files/imb-2018.txt" >"$work/multi.txt"
"$chorale" import "$work/m.db" "$work/multi.txt" --ppn 36 2>"$work/err"
is "$? $(grep -c 'Multi-Allreduce: groups at the same time; run' "$work/err")" \
    "4 1" "several groups are left out"
change "-data_type int" imb-2018.txt \
    's/Allreduce/Alltoall/; s/:   MPI_BYTE/:   MPI_INT/; s/ 16  / 18  /' \
    5 'alltoall of 18 bytes: no whole number of int'
is "$(sql 'SELECT DISTINCT dtype FROM cell')" int "is the type"
sed 's/-npmin 144/-contig_type resize/' "$files/imb-2018.txt" >"$work/gaps.txt"
"$chorale" import "$work/m.db" "$work/gaps.txt" --ppn 36 2>"$work/err"
is "$? $(grep -c 'Allreduce: of derived types, -contig_type resize; run' \
    "$work/err")" "4 1" "types with gaps are left out"

# Named rows that do not fit their table, and rows without a heading.
spoilt() { # file, sed script, text
    sed "$2" "$files/$1" >"$work/bad.txt"
    "$chorale" import "$work/m.db" "$work/bad.txt" --ppn 8 2>"$work/err"
    is "$? $(wc -l <"$work/err" | tr -d ' ')" "4 1" "refused: $2"
    like "$(cat "$work/err")" "^chorale: [^ ]*bad.txt:$3; correct or remove" "and why"
}
spoilt imb-2008-named.txt 's/^Allreduce\( *96  *4 \)/Bcast\1/' \
    "7: a row of 'Bcast' in a table of Allreduce"
spoilt imb-2008-named.txt 's/^Allreduce  *96\( *4 \)/Allreduce 48\1/' \
    '7: 48 processes in a table of 96'
spoilt imb-2008-named.txt 's/^Allreduce  *96\( *4 \)/Allreduce 0\1/' \
    "7: '0' is no number of processes"
spoilt imb-2008-named.txt 's/#Benchmarking /#Running /' \
    '6: a row that has no heading of columns which is known here above it'
spoilt imb-2018.txt '/#bytes/d' \
    '34: a row that has no heading of columns which is known here above it'
[ ! -e "$work/m.db" ]
ok $? "none of these made a database"
finish
