#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# import_benchmarks.t - output of OSU and IMB is imported into a database,
# completely or not at all. Files in benchmarks/ are excerpts of published
# outputs (its README.md). Files written here have layouts of OSU 3.8 to 7.5 and
# IMB 3.2 to 2021.10 with invented numbers.
. "$(dirname "$0")/../../lib.sh"

files=$(cd "$top_srcdir" && pwd)/tests/cli/database/benchmarks
chorale=$(cd "$top_builddir" && pwd)/chorale
plots=$(cd "$top_srcdir" && pwd)/plots
db=r.db
cd "$work" || exit 99
sql() { sqlite3 "$db" "$1"; }
imported() { # name, words of the command
    name=$1
    shift
    rm -f "$db"
    "$chorale" import "$db" "$@" >out 2>err
    is "$? $(cat err)" "0 " "imported without a warning: $name"
}
changed() { # file, sed script: write the changed file to changed.txt
    sed "$2" "$1" >changed.txt
    ! cmp -s "$1" changed.txt || ok 1 "'$2' changes $1"
}
refused() { # status, text, name, words of the command
    status=$1 text=$2 name=$3 line='' more=''
    shift 3
    "$chorale" import "$db" "$@" >out 2>err
    set -- $?
    { IFS= read -r line; IFS= read -r more; } <err
    [ "$1" -eq "$status" ] && [ ! -s out ] && [ -z "$more" ] &&
        printf '%s\n' "$line" | grep -Eq -- "$text"
    set -- "$1" $?
    ok "$2" "refused with status $status in a line: $name"
    [ "$2" -eq 0 ] || diag "status $1: $(cat out err)"
}

# The rows of a file: lines with as many words as the table has columns, all of
# them numbers, in the order of the database: bytes, calls, mean, minimum,
# maximum. Named rows have seven columns.
rows() { # file, number of columns, awk's words for these five
    awk -v n="$2" "NF == n { ok = 1
        for (i = 1 + (n == 7); i <= NF; i++) if (\$i !~ /^[0-9.]+\$/) ok = 0
        if (ok) printf \"%d %d %.2f %.2f %.2f\\n\", $3 }" "$1" | sort -n
}
stored() { # print the same from the database
    sqlite3 -separator ' ' "$db" "SELECT msg_size, s.nrep,
        printf('%.2f', mean * 1e6), printf('%.2f', s.min * 1e6),
        printf('%.2f', s.max * 1e6) FROM cell c JOIN run USING (cell_id)
        JOIN run_summary s USING (run_id)" | sort -n
}
same_rows() { # file, columns, awk's words, name
    rows "$1" "$2" "$3" >want
    stored >got
    [ -s want ] && cmp -s want got
    ok $? "$4"
    diff want got | head -n 5 | sed 's/^/# /'
}
held() { # file, point of the rows, number of columns, awk's words, options
    file=$1 what=$2 columns=$3 words=$4
    shift 4
    imported "$file is imported" "$files/$file" "$@"
    is "$(sql "SELECT DISTINCT coll, comm_size, ppn, shape, dtype, op,
        root_policy, metric FROM cell")" "$what" "$file: the point is right"
    same_rows "$files/$file" "$columns" "$words" \
        "$file: each row and number is stored"
}

# --- published outputs ------------------------------------------------------
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
    "IMB 2018" "IMB's version is stored"
held imb-2021.6.txt "allreduce|144|36|block|float|sum|none$duration" 5 "$imb" \
    --ppn 36
is "$(sql "SELECT group_concat(value, '|') FROM environment WHERE key IN
    ('import:command', 'import:date')")" \
    "IMB-MPI1 -msglog 3:28 -npmin 144 allreduce  |Thu Jul 20 17:06:33 2023" \
    "IMB's command and date are stored"
held imb-2021-reduce.txt "reduce|2|2|single-node|float|sum|first$duration" 5 \
    "$imb" --ppn 2
like "$(cat out)" "no heading gives IMB's version: assumed 2017 or later" \
    "import names the version that it assumes"
held imb-2016-bare.txt "reduce|180|20|block|float|sum|first$duration" 5 "$imb" \
    --ppn 20

held imb-2008-named.txt "allreduce|96|8|block|float|sum|none$duration" 7 \
    '$3, $4, $7, $5, $6' --ppn 8

imported "osu-5.8.txt has two tables" "$files/osu-5.8.txt" -P 192 --ppn 96
{ echo "0 0 8.32 8.32 8.32"; rows "$files/osu-5.8.txt" 2 "$plain"; } >want
stored | cmp - want
ok $? "osu-5.8.txt: the rows of both tables are stored"

# Refused: other than blocking collectives on host buffers; unequal blocks.
rm -f "$db"
while read -r file p ppn text; do
    [ "$p" != - ] && p="-P $p" || p=
    # shellcheck disable=SC2086 # no -P where it is empty
    refused 4 "$text" "$file" "$files/$file" $p --ppn "$ppn"
done <<'EOF'
osu-7.3-cuda-full.txt 96 96 MPI-CUDA Reduce.*no blocking collective on host buf.*; run the
osu-7.5-tail.txt 384 12 All-to-Allv.*all blocks are equal there.*; run the
osu-7.2-tagged.txt 2 1 a heading with marks before it; headings of OSU begin with
imb-2023-stamped.txt - 2 a heading with marks before it; headings of IMB begin with
EOF

# Percentiles, and truncated time stamps.
sed 's/All-to-Allv/All-to-All/' "$files/osu-7.5-tail.txt" >tail.txt
percentiles() { # file, expected median, mean, p95 and p99
    imported "percentiles of $1 are imported" "$1" -P 384 --ppn 12
    is "$(sql "SELECT printf('%.2f %.2f %.2f %.2f', median * 1e6, mean * 1e6,
        p95 * 1e6, p99 * 1e6) FROM run_summary")" "$2" \
        "$1: p50 and p99 are stored, other percentiles are not"
}
percentiles tail.txt "407.18 467.38 407.18 634.30"
changed tail.txt 's/P50/P75/; s/P90/P95/; s/P99/ P5/'
percentiles changed.txt "467.38 467.38 467.38 467.38"
rm -f "$db"
changed tail.txt 's/P90 Tail/P9x Tail/'
refused 4 "column 'P9x Tail" "a column that is not a percentile" changed.txt \
    -P 384 --ppn 12
sed 's/^[0-9:]*  //' "$files/imb-2023-stamped.txt" >stamped.txt
rm -f "$db"
refused 4 'numbers without a known heading above them' \
    "a row above the heading" stamped.txt --ppn 2

# Layouts of IMB's sources: -map, groups, types.
change() { # name, sed script, runs and lines with that text, text
    changed "$files/imb-2018.txt" "$2"
    imported "$1 is imported" changed.txt --ppn 36
    is "$(sql 'SELECT count(*) FROM run') $(grep -c -e "$4" out)" "$3" \
        "$1: the runs are stored, with a note"
}
change "-map" \
    's/^# #processes = 144 /# #processes = 144; rank order (rowwise): \n#     0   36\n# /' \
    "6 1" '-map: ranks were reordered'
change "-multi 1, all ranks in one group" \
    's/^       #bytes/        Group       #bytes/; s/^ *[0-9].* [0-9.]*$/\n            0&/' \
    "6 0" '-multi'
same_rows "$files/imb-2018.txt" 5 "$imb" "-multi 1: the numbers are the same"
change "-data_type int" \
    's/Allreduce/Alltoall/; s/:   MPI_BYTE/:   MPI_INT/; s/ 16  / 18  /' \
    "5 1" 'alltoall of 18 bytes: not a whole number of int'
is "$(sql 'SELECT DISTINCT dtype FROM cell')" int \
    "-data_type int is the type of the cells"
rm -f "$db"
changed "$files/imb-2018.txt" 's/Benchmarking Allreduce/Benchmarking Multi-Allreduce/
    s/^# #processes = 144 /# ( 4 groups of 36 processes each running simultaneous )/
    s/^       #bytes/        Group       #bytes/'
refused 4 'Multi-Allreduce: several groups at the same time; run' "several groups" \
    changed.txt --ppn 36
changed "$files/imb-2018.txt" 's/-npmin 144/-contig_type resize/'
refused 4 'Allreduce: of derived types, -contig_type resize; run' \
    "types with gaps" changed.txt --ppn 36

# --- invented outputs -------------------------------------------------------
# OSU: without and with full statistics, old and new, with what logs have.
cat >bcast.txt <<'EOF'
[node17:4711] Rank 0 bound to package[0][core:0]

# OSU MPI Broadcast Latency Test v5.9
# Size       Avg Latency(us)
1                       2.50
1024                    4.00
65536                  32.25
EOF
imported "OSU, plain" bcast.txt -P 8 --ppn 4 --label before
like "$(cat out)" 'bcast.txt: 3 runs of OSU 5.9 in 1 launch$' "import prints the runs of each file"
is "$(sql "SELECT coll, msg_size, n, comm_size, ppn, shape, dtype, op,
    root_policy, buffers, provider, variant, metric, seconds * 1e6, validity
    FROM v_summary WHERE msg_size = 1024")" \
    "bcast|1024|1024|8|4|block|byte||first|warm|library|default|duration|4.0|imported,not a duration" \
    "a row is a run of the library's default"
is "$(sql "SELECT nrep, median * 1e6, mean * 1e6, min * 1e6, max * 1e6, lo IS
    NULL, (SELECT count(*) FROM sample) FROM run_summary WHERE run_id = 3")" \
    "0|32.25|32.25|32.25|32.25|1|0" "statistics that the file lacks are not made up"
is "$(sql "SELECT label, command LIKE 'import %--label before' FROM campaign")" \
    "before|1" "label and command are kept"
is "$(sql "SELECT value FROM environment WHERE key = 'import:file'")" bcast.txt \
    "the name of the file is kept"
like "$(sql "SELECT value FROM environment WHERE key = 'import:missing'")" \
    '^samples, .*counters' "the kinds of data that the file lacks are listed"
is "$(sql "SELECT kind || signature FROM system")" "realimported
name imported
mpi not known" "its system is called imported"
"$chorale" import "$db" bcast.txt -P 8 --ppn 4 >out 2>err
is "$? $(cat out)$(sql 'SELECT count(*) FROM run')" "0 3" \
    "the same again changes nothing"
like "$(cat err)" '^chorale: .*bcast.txt: imported already' "import warns that the file is imported already"
is "$("$chorale" import "$db" bcast.txt -P 16 --ppn 4 -q 2>&1
    sql 'SELECT count(*) FROM launch')" 2 "with another number of ranks the file is another launch"

cat >full.txt <<'EOF'
# OSU MPI Allreduce Latency Test v7.5
# Datatype: MPI_INT.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
4                       3.00              2.00              5.00        1000
8                       3.25              2.25              5.25         100

# OSU MPI Barrier Latency Test v7.5
# Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
             1.50              1.25              1.75        1000
EOF
imported "OSU -f" full.txt -P 4 --ppn 4
is "$(sql "SELECT coll, dtype, op, msg_size, shape, s.nrep, median * 1e6,
    mean * 1e6, s.min * 1e6, s.max * 1e6 FROM cell JOIN run USING (cell_id)
    JOIN run_summary s USING (run_id) ORDER BY coll, msg_size")" \
    "allreduce|int|sum|4|single-node|1000|3.0|3.0|2.0|5.0
allreduce|int|sum|8|single-node|100|3.25|3.25|2.25|5.25
barrier|byte||0|single-node|1000|1.5|1.5|1.25|1.75" "all columns are stored"
imported "the slowest rank" full.txt -P 4 --ppn 4 --time slowest
is "$(sql "SELECT group_concat(DISTINCT validity) FROM run")" imported \
    "the time of the slowest rank is a duration"
is "$(sql "SELECT group_concat(median * 1e6) FROM (SELECT median FROM run_summary
    ORDER BY median)")" "1.75,5.0,5.25" "--time slowest stores the time of the slowest rank"

# From version 7 on, tables of several datatypes follow one title.
cat >types.txt <<'EOF'
# OSU MPI Allreduce Latency Test v7.5
# Datatype: MPI_INT.
# Size       Avg Latency(us)
4                       3.00
8                       3.25
# Datatype: MPI_FLOAT.
# Size       Avg Latency(us)
4                       4.00
8                       4.25

# Datatype: MPI_DOUBLE.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)
8                       5.00              4.00              6.00
EOF
imported "OSU of several datatypes" types.txt -P 4 --ppn 4
is "$(sql "SELECT dtype, msg_size, ordinal, median * 1e6 FROM cell JOIN run
    USING (cell_id) JOIN launch USING (launch_id) JOIN run_summary
    USING (run_id) ORDER BY 4")" "int|4|0|3.0
int|8|0|3.25
float|4|0|4.0
float|8|0|4.25
double|8|0|5.0" "each datatype is a point of its own, in one launch"

cat >old.txt <<'EOF'
# OSU MPI Reduce Latency Test v3.8
# Size            Latency (us)
4                         1.75

# OSU MPI Broadcast Latency Test v3.8
# Size            Latency (us)
1                         1.25

# OSU MPI Broadcast Latency Test v3.8
# Size            Latency (us)
1                         1.50
# OSU MPI Gatherv Latency Test v3.8
# Size            Latency (us)
1                         7.00
# OSU MPI Non-blocking Broadcast Latency Test v5.9
# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait

# Size           Overall(us)       Compute(us)    Coll. Init(us)
1                       1.50              1.25              0.25
# OSU MPI-CUDA Allreduce Latency Test v7.0
# Size       Avg Latency(us)
4                       8.00
EOF
imported "OSU, old" old.txt -P 6 --ppn 4
is "$(sql "SELECT coll, dtype, ordinal, median * 1e6, c.shape FROM cell c
    JOIN run USING (cell_id) JOIN launch USING (launch_id) JOIN run_summary
    USING (run_id) ORDER BY coll, ordinal")" "bcast|byte|0|1.25|irregular
bcast|byte|1|1.5|irregular
reduce|float|0|1.75|irregular" "a point that occurs twice has two launches"
is "$(grep -c 'left out' out) $(grep -c 'equal there' out)" "4 1" \
    "other tables are left out with a line"
like "$(cat out)" '1 point occurs more than once, taken as launches; bcast of 1 bytes: 1.25 us, then 1.5 us; .*--ppn or --label' \
    "a point that occurs twice is named with both times"

# IMB: several numbers of ranks, the types of its heading, sizes not measured.
cat >imb.txt <<'EOF'
#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part
#----------------------------------------------------------------
# Date                  : Mon Nov 20 19:56:00 2023
# Machine               : x86_64
# MPI Version           : 3.1

# Calling sequence was:

# ./IMB-MPI1 Bcast Reduce Barrier Allgather

# Minimum message length in bytes:   0
#
# MPI_Datatype                   :   MPI_BYTE
# MPI_Datatype for reductions    :   MPI_DOUBLE
# MPI_Op                         :   MPI_SUM

#----------------------------------------------------------------
# Benchmarking Bcast
# #processes = 2
# ( 2 additional processes waiting in MPI_Barrier)
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            0         1000         0.03         0.05         0.04
            8         1000         1.00         2.00         1.50
      4194304 out-of-mem.; needed X=   1.111 GB; use flag "-mem X" or MAX_MEM_USAGE>=X (IMB_mem_info.h)

#----------------------------------------------------------------
# Benchmarking Bcast
# #processes = 4
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            8          500         3.00         5.00         4.00

#----------------------------------------------------------------
# Benchmarking Reduce
# #processes = 4
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]      defects
            8          500         3.50         5.50         4.50         0.00

#---------------------------------------------------
# Benchmarking Barrier
# #processes = 4
#---------------------------------------------------
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1000         1.25         1.75         1.50

#-----------------------------------------------------------------------------
# Benchmarking Sendrecv
# #processes = 4
#-----------------------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec
            8         1000         1.25         1.75         1.50        10.00

# All processes entering MPI_Finalize
EOF
imported "IMB" imb.txt --ppn 2 --mpi 'MPICH 4.0.2' --system old
is "$(sql "SELECT coll, c.comm_size, msg_size, dtype, root_policy, c.shape,
    s.nrep, median * 1e6, s.max * 1e6, metric FROM cell c JOIN run
    USING (cell_id) JOIN run_summary s USING (run_id)
    ORDER BY 1, 2, 3")" "barrier|4|0|byte|none|block|1000|1.5|1.75|duration
bcast|2|0|byte|first|single-node|1000|0.04|0.05|duration
bcast|2|8|byte|first|single-node|1000|1.5|2.0|duration
bcast|4|8|byte|first|block|500|4.0|5.0|duration
reduce|4|8|double|first|block|500|4.5|5.5|duration" "all tables of IMB are stored"
is "$(sql "SELECT name || ' ' || mpi_library FROM system")" "old MPICH 4.0.2" \
    "--system and --mpi name system and library"
like "$(cat out)" 'bcast of 4194304 bytes: out-of-mem' "import names a size that was not measured"
like "$(cat out)" 'Sendrecv: no blocking collective' "import names a table of another benchmark"
is "$(sql "SELECT value FROM environment WHERE key = 'import:date' LIMIT 1")" \
    "Mon Nov 20 19:56:00 2023" "its date is kept"
# IMB's defaults changed with 2017: a barrier after each call, and one root.
kind() { # sed script, metric and root policy, name
    changed imb.txt "$1"
    imported "$3 is imported" changed.txt --ppn 2
    is "$(sql "SELECT DISTINCT metric, root_policy FROM cell
        WHERE coll = 'bcast'")" "$2" "$3: $2"
}
kind 's/2021.3/2017 update 2/' "duration|first" "IMB 2017"
kind 's/2021.3/4.1 Update 1/' "throughput|rotate" "IMB 4.1"
kind 's/2021.3/V3.2.3/' "throughput|rotate" "IMB 3.2.3"
kind 's/ Bcast Reduce Barrier/ -root_shift on Bcast\n#                 -sync off/' \
    "throughput|rotate" "a command of two lines with -root_shift and -sync"

# Editors and other systems change line ends, spaces and columns.
points() {
    sql "SELECT coll, c.comm_size, msg_size, dtype, s.nrep, median * 1e6,
        s.min * 1e6, s.max * 1e6 FROM cell c JOIN run USING (cell_id)
        JOIN run_summary s USING (run_id) ORDER BY 1, 2, 3"
}
"$chorale" import whole.db full.txt -P 4 --ppn 4 -q
want=$(db=whole.db; points)
way() { # name, sed script: import a changed layout
    name=$1
    shift
    sed "$@" full.txt >way.txt
    ! cmp -s full.txt way.txt || ok 1 "$name changes full.txt"
    imported "$name" way.txt -P 4 --ppn 4
    is "$(points)" "$want" "$name: the runs are the same"
}
way "lines that end in CR LF" 's/$/\r/'
way "a mark of UTF-8" '1s/^/\xEF\xBB\xBF/'
way "both" '1s/^/\xEF\xBB\xBF/; s/$/\r/'
way "comments before a table" -e '1i # a note' -e '1i #16 4.0 3.0 5.0 10' -e 1G
way "tabs" 's/   */\t/g'
way "columns in another order" -e 's/Avg Latency(us)\( *\)Min/Min Latency(us)\1Avg/' \
    -e 's/^\([48] *\)\([0-9.]* *\)\([0-9.]* *\)/\1\3\2/' \
    -e 's/^\( *\)\(1.50 *\)\(1.25 *\)/\1\3\2/'
way "a column that says whether data were right" -e 's/Iterations$/& Validation/' \
    -e 's/ 1000*$/& Pass/'

sed 's/^/    /' imb.txt >changed.txt
imported "indented tables of IMB" changed.txt --ppn 2
is "$(sql 'SELECT count(*), count(DISTINCT coll) FROM run JOIN cell
    USING (cell_id)')" "5|3" "indented tables of IMB: all rows are stored"

# Notes are limited; the rows below them are stored.
{
    printf '# OSU MPI Broadcast Latency Test v5.9\n# Size  Avg Latency(us)\n'
    seq 300 | sed 's/$/ 0.00/'
    echo 1000 2.50
} >many.txt
imported "more than 256 notes" many.txt -P 8 --ppn 8
is "$(grep -c 'left out or assumed: bcast of' out) $(tail -n 1 out) $(sql \
    'SELECT count(*) FROM run')" "256   left out or assumed: and more 1" \
    "256 notes are kept, and a last line says that there are more"

# Other verbs on imported rows.
for i in 1 2 3 4 5 6; do
    sed "s/2.50/2.5$i/; s/32.25/32.$i/" bcast.txt >"a$i.txt"
    sed "s/2.50/2.5$i/; s/32.25/4$i.5/" bcast.txt >"b$i.txt"
done
"$chorale" import a.db a?.txt -P 8 --ppn 4 -q &&
    "$chorale" import b.db b?.txt -P 8 --ppn 4 -q
ok $? "files of several runs are imported"
is "$(sqlite3 a.db "SELECT launches FROM v_summary WHERE msg_size = 1")" \
    6 "each file is a launch"
"$chorale" compare a.db b.db --format json \
    --fail-on slower >cmp.json 2>err
is "$?" 1 "compare judges imported runs without pairs, and fails"
is "$(python3 -c 'import json, sys
for c in json.load(open(sys.argv[1]))["cells"]:
    print(c["coll"], c["msg_size"], c["verdict"])' cmp.json | sort)" \
    "bcast 1 same
bcast 1024 same
bcast 65536 slower" "compare marks only the slower cell"
"$chorale" compare a.db b.db >out 2>err
is "$(grep -c '^note: imported runs cannot be measured again, so the unpaired' \
    out) $(grep -c recheck out err | tr '\n' ' ')" "1 out:0 err:0 " \
    "compare prints why, and does not advise --recheck"
cp a.db kept.db
for words in '--recheck both' '--recheck head' \
    '--recheck both --run --launcher-cmd true'; do
    # shellcheck disable=SC2086 # words
    "$chorale" compare a.db b.db $words >out 2>err
    is "$? $(wc -l <err | tr -d ' ') $(grep -c \
        'a.db holds imported runs, which cannot be measured again; ' err)" \
        "2 1 1" "compare refuses $words of imported runs"
done
cmp -s a.db kept.db
ok $? "and plans nothing"
is "$("$chorale" export a.db -c bcast | wc -l | tr -d ' ')" 4 \
    "export prints imported rows"
is "$(sqlite3 a.db "SELECT count(*) FROM v_progress WHERE planned > 0")" \
    0 "imported rows are not planned"
for words in '' '--system imported'; do
    # shellcheck disable=SC2086 # words
    "$chorale" run a.db -q $words 2>err
    is "$? $(grep -c "'imported' was imported and cannot be measured; " err)" \
        "4 1" "run refuses an imported system: '$words'"
done
"$chorale" plan a.db -c bcast -m 8 -P 2 --launches 1 -q --system imported 2>err
is "$? $(grep -c 'that name in a.db was imported and cannot be measured; ' err)" \
    "2 1" "plan refuses the name of an imported system"
# Cells planned in an imported system, beside a system of this machine.
cp a.db both.db
"$chorale" plan both.db -c bcast -m 8 -P 1 --variants linear --launches 1 -i 5 \
    --cell-time 0.01 -q --system here &&
    sqlite3 both.db "UPDATE cell SET launches = 7 WHERE system_id =
        (SELECT system_id FROM system WHERE name = 'imported')" &&
    timeout 300 "$chorale" run both.db -q 2>err
is "$? $(sqlite3 both.db "SELECT name, count(*) FROM launch JOIN system
    USING (system_id) GROUP BY name" | tr '\n' ' ')" "0 here|1 imported|6 " \
    "run stores no launch in an imported system"
cp a.db m.db
"$chorale" merge m.db b.db -q
is "$? $(sqlite3 m.db 'SELECT count(*) FROM launch')" "0 12" \
    "merge copies imported launches"
if command -v gnuplot >/dev/null 2>&1; then
    "$chorale" plot a.db -o pics >/dev/null 2>err
    is "$? $(ls pics | grep -c 'bcast')" "0 $(ls pics | wc -l |
        tr -d ' ')" "plot draws imported rows"
else
    skip "no gnuplot" "plot"
fi

# An error names the line, and the file is not stored.
rm -f "$db"
spoilt() { # sed script, expected text, file to damage, ranks per node
    procs=
    [ -n "${3-}" ] || procs='-P 4'
    changed "${3:-full.txt}" "$1"
    mv changed.txt bad.txt
    # shellcheck disable=SC2086 # words
    refused 4 "^chorale: [^ ]*bad.txt:$2.*(; correct or remove the line)" "$1" \
        bad.txt $procs --ppn "${4:-2}"
}
spoilt 's/^4  .*/4 3.00 2.00 5.00/' '4: 4 of 5 columns'
spoilt 's/1000$/1000 7/' "4: 5 columns, and '7' after them"
spoilt 's/3\.00/3,00/' "4: '3,00' is not a time"
spoilt 's/3\.00/-3.00/' "4: '-3.00' is not a time"
spoilt 's/3\.00/nan/' "4: 'nan' is not a time"
spoilt 's/3\.00/1e2/' "4: '1e2' is not a time"
spoilt 's/^4  /4K /' "4: '4K' is not a number of bytes"
spoilt 's/^4  /5  /' '4: 5 bytes are not a whole number of int'
spoilt 's/^4  /99999999999999999999  /' '4: .* is not a number of bytes'
spoilt 's/ 1000$/ 0/' "4: '0' is not a number of repetitions"
spoilt 's/2\.00 /9.00 /' '4: the fastest rank is slower'
spoilt 's/5\.00 /1.00 /' '4: the slowest rank is faster'
spoilt 's/Avg Lat/Some Lat/' "3: column 'Some Latency"
spoilt 's/Max Lat/Min Lat/' '3: a column occurs twice'
spoilt 's/^# Size  *Avg Latency(us)/# Size /' '3: no column of mean times'
spoilt 's/Iterations$/& Energy(J)/' "3: column 'Energy"
spoilt '4s/$/ # slow/' "4: 5 columns, and '#' after them"
spoilt 's/ 1000$/ 1000 Fail/; s/Iterations$/& Validation/' \
    '4: the benchmark found wrong data'
spoilt 's/MPI_INT/MPI_WCHAR/' "2: datatype 'MPI_WCHAR"
spoilt 's/# Avg/# Size Avg/' '8: a barrier has no sizes'
spoilt 's/#processes = 4/#processes = four/' "30: 'four' is not a number of processes" \
    imb.txt
spoilt '/#processes = 2/d' "23: no '# #processes'" imb.txt
spoilt 's/ 0\.00$/ 0.10/' '.*: the benchmark found wrong data' imb.txt
spoilt 's/MPI_DOUBLE/MPI_COMPLEX/' ".*: datatype 'MPI_COMPLEX'" imb.txt
named=$files/imb-2008-named.txt
spoilt 's/^Allreduce\( *96  *4 \)/Bcast\1/' \
    "7: a row of 'Bcast' in a table of Allreduce" "$named" 8
spoilt 's/^Allreduce  *96\( *4 \)/Allreduce 48\1/' \
    '7: 48 processes in a table of 96' "$named" 8
spoilt 's/^Allreduce  *96\( *4 \)/Allreduce 0\1/' \
    "7: '0' is not a number of processes" "$named" 8
spoilt 's/#Benchmarking /#Running /' \
    '6: a row without a known heading above it' "$named" 8
spoilt 's/^Allreduce  *96  *8 /stray\n&/' \
    '9: numbers without a known heading above them' "$named" 8
spoilt 's/^Allreduce\(  *96  *8 \)/stray\nBcast\1/' \
    '9: numbers without a known heading above them' "$named" 8
spoilt '1i Reduce 96 8 1000 1.00 2.00 1.50' \
    '1: numbers without a known heading above them' "$named" 8
spoilt '/^#Benchmarking/d; s/^# Benchmarking.*/# Benchmarking Sendrecv/; s/^Allreduce  *96  *8 /stray\n&/' \
    '8: numbers without a known heading above them' "$named" 8
spoilt '/#bytes/d' \
    '34: a row without a known heading above it' \
    "$files/imb-2018.txt" 8
printf '# OSU MPI Broadcast Latency Test v5.9\n# Size       Avg Latency(us)\n1 2' \
    >cut.txt
refused 4 'cut.txt:3: the file ends within this row' "a file that is cut off" \
    cut.txt -P 4 --ppn 2
printf '# OSU MPI Broadcast Latency Test v5.9\n# Size  Latency(us)\n1 2\0\n' \
    >zero.txt
refused 4 'zero.txt:1: the file has a zero byte' "a file that is no text" \
    zero.txt -P 4 --ppn 2
echo '# OSU MPI Bandwidth Test v5.9' >none.txt
refused 4 'none.txt: no row of a collective.*Bandwidth' "no collective" \
    none.txt -P 4 --ppn 2
refused 2 'imb.txt contains the.*leave -P out' "-P of IMB" imb.txt -P 4 \
    --ppn 4
[ ! -e "$db" ]
ok $? "a refused file makes no database"
cp a.db "$db"
refused 2 '--system imported: .*that was measured, or imported with another --mpi' \
    "one name for two systems" \
    bcast.txt -P 4 --ppn 4 --mpi 'MPICH 4'
is "$(sql 'SELECT count(*) FROM launch')" 6 \
    "refused files leave the database unchanged"
# Numbers below a heading that is not recognised are no rows of the table above.
osu='# OSU MPI Allreduce Latency Test v5.9
# Size       Avg Latency(us)
4                       3.10
'
below() { # name, expected line, lines below the table
    printf '%s\n%s\n' "$osu" "$3" >below.txt
    rm -f "$db"
    refused 4 "below.txt:$2" "$1" below.txt -P 8 --ppn 8
}
below "rows after a blank line" '5: a row without a known heading' '8  900.00'
below "rows after a comment" '6: a row without a known heading' \
    '# MPI_Bcast
8  900.00'
below "rows of an unknown title" '6: a row without a known heading' \
    '# Benchmarking: MPI_Bcast
8  900.00'
below "a second heading without a title" \
    '5: a heading of columns without a known title' '# Size       Avg Latency(us)
8  900.00'
below "rows of a list" '5: numbers without a known heading' '- 8 900.00'
below "rows of a table with lines" '5: numbers without a known heading' \
    '| 8 | 900.00 |'
below "a table of another benchmark" '5: tables of OSU and of IMB in one file' \
    '# Benchmarking Bcast
#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
8 1000 900 901 902'
below "rows below a text" '6: numbers without a known heading' '- broadcast:
4  900.00'
below "rows of a quoted table" '5: a heading with marks before it; .*OSU' \
    '> # OSU MPI Broadcast Latency Test v5.9
4  900.00'
below "rows of IMB below a list mark" '5: a heading with marks before it; .*IMB' \
    '#- Benchmarking Bcast
4  1000  901.57  904.66  902.41'
below "a table with tabs" '5: a heading with tabs' "#$(printf '\t')Benchmarking$(printf '\t')Bcast
4  1000  901.57  904.66  902.41"
printf '%s\nnotes\n\n    # OSU MPI Broadcast Latency Test v5.9\n    # Size  %s\n    4  900.00\n' \
    "$osu" 'Avg Latency(us)' >notes.txt
imported "indented tables are imported" notes.txt -P 8 --ppn 8
is "$(sql 'SELECT coll, printf("%.2f", median * 1e6) FROM cell
    JOIN run USING (cell_id) JOIN run_summary USING (run_id) ORDER BY coll' |
    tr '\n' ' ')" "allreduce|3.10 bcast|900.00 " \
    "indented headings begin a table of their own"
{ printf '# OSU MPI Latency Test v5.9\n# Size  Latency (us)\n4  0.31\n'
    echo "$osu"; } >both.txt
imported "tables of other benchmarks are skipped" both.txt -P 8 --ppn 8
is "$(sql 'SELECT count(*) FROM run')" 1 "their rows are not taken for others"

# Several files: those with errors are left out.
echo "$osu" >good.txt
printf '# OSU MPI Latency Test v5.9\n# Size  Latency (us)\n4  0.31\n' >pair.txt
: >empty.txt
rm -f "$db"
"$chorale" import "$db" pair.txt good.txt empty.txt -P 8 --ppn 8 >out 2>err
is "$? $(sql 'SELECT count(*) FROM run') $(grep -c 'left out: .*\(pair\|empty\)' \
    err) $(tail -n 1 err)" \
    "1 1 2 chorale: $db: 2 of 3 files left out; the lines above say why" \
    "good files are stored, and each other one is named"
rm -f "$db"
"$chorale" import "$db" pair.txt empty.txt -P 8 --ppn 8 >out 2>err
is "$? $([ -e "$db" ] || echo none)" "4 none" \
    "without a good file there is no database"

# Times of a point that differ by more than a factor of 3.
sed 's/ 3\.10/ 9.90/' good.txt >slow.txt
cat good.txt slow.txt >mixed.txt
rm -f "$db"
refused 4 "mixed.txt:7: allreduce of 4 bytes at P = 8 takes 9.9 us, and 3.1 us in mixed.txt; .* --ppn, else add --label" \
    "two placements in a file" mixed.txt -P 8 --ppn 8
[ ! -e "$db" ]
ok $? "a file that contradicts itself makes no database"
imported "with a label both are imported" mixed.txt -P 8 --ppn 8 --label both
"$chorale" decide "$db" >out 2>err
like "$(cat err)" "factor of 3 at 1 point, most at allreduce of 4 bytes at \
P = 8: 3.1 us and 9.9 us count as one; .*--system" \
    "decide names the times that count as one"
imported "one of them" good.txt -P 8 --ppn 8
refused 4 "slow.txt:3: .* 3.1 us in good.txt" "the other in a later import" \
    slow.txt -P 8 --ppn 8
"$chorale" import "$db" slow.txt -P 8 --ppn 4 >out 2>err
is "$? $(sql 'SELECT count(*) FROM cell')" "0 2" \
    "another number of ranks a node is another cell"
cp a.db "$db"

# Output of other verbs marks imported data with their origin.
imported "again, for pages" bcast.txt -P 8 --ppn 4 --mpi 'MPICH 4.0.2'
"$chorale" status "$db" >out 2>err
like "$(cat out)" \
    'imported: 3 rows imported from bcast.txt \(OSU 5.9\), not planned' \
    "status says which rows are imported, from which file and benchmark"
like "$(cat out)" \
    'a time is the mean over the ranks, mean over calls; 3 of them are not a duration$' \
    "status says what a time is, and that a mean of bcast is not a duration"
is "$(grep -c ': no measurement is planned here$' out) $(grep \
    -c 'are done' out)" "1 0" "and calls none of them planned or done"
CHORALE_DATADIR=$plots "$chorale" report "$db" -o page.html \
    >out 2>err
is "$? $(grep -c '<dt>Kind</dt><dd>3 rows imported from bcast.txt (OSU 5.9)<' \
    page.html) $(grep -c 'Kind<.dt><dd>real machine' page.html)" "0 1 0" \
    "the report marks imported rows, and names no machine"
is "$(grep -c '<dt>Files of</dt>' page.html) $(grep -c \
    '<dt>\(Measured\|Time it took\)</dt>' page.html)" "1 0" \
    "the report gives the date as that of the files"

# Comparison of databases without common cells.
cp "$db" base.db
imported "with other ranks a node" bcast.txt -P 8 --ppn 2 \
    --mpi 'MPICH Version:      4.0.2'
"$chorale" compare base.db "$db" --fail-on none >out \
    2>err
is $? 0 "compare without common cells exits with 0"
like "$(cat out)" 'no cell is in both databases' \
    "compare reports that no cell is common"
like "$(cat out)" \
    'ranks a node: 4 in base, 2 in head; both are imported: import one again' \
    "compare names the key that differs and the remedy"
is "$(grep -c 'two MPI libraries\|: type:\|: root:' out)" 0 \
    "compare does not name equal keys, or two spellings of one library"
finish
