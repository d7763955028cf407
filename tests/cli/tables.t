#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tables.t - output of other benchmarks is read into a database, whole or not
# at all. The layouts are those that OSU 3.8 to 7.5 and IMB 3.2 to 2021.10
# print; the numbers are invented. What was really printed is in printed.t.
. "$(dirname "$0")/../lib.sh"

db=$work/r.db
sql() { sqlite3 "$db" "$1"; }
imported() { # name, words of the command
    name=$1
    shift
    rm -f "$db"
    "$chorale" import "$db" "$@" >"$work/out" 2>"$work/err"
    is "$? $(cat "$work/err")" "0 " "$name"
}

# OSU: without and with full statistics, old and new, with what logs have.
cat >"$work/bcast.txt" <<'EOF'
[node17:4711] Rank 0 bound to package[0][core:0]

# OSU MPI Broadcast Latency Test v5.9
# Size       Avg Latency(us)
1                       2.50
1024                    4.00
65536                  32.25
EOF
imported "OSU, plain" "$work/bcast.txt" -P 8 --ppn 4 --label before
like "$(cat "$work/out")" 'bcast.txt: 3 runs of OSU 5.9 in 1 launch$' "is told"
is "$(sql "SELECT coll, msg_size, n, comm_size, ppn, shape, dtype, op,
    root_policy, buffers, provider, variant, metric, seconds * 1e6, validity
    FROM v_summary WHERE msg_size = 1024")" \
    "bcast|1024|1024|8|4|block|byte||first|warm|library|default|duration|4.0|imported" \
    "a row is a run of the library's default"
is "$(sql "SELECT nrep, median * 1e6, mean * 1e6, min * 1e6, max * 1e6, lo IS
    NULL, (SELECT count(*) FROM sample) FROM run_summary WHERE run_id = 3")" \
    "0|32.25|32.25|32.25|32.25|1|0" "what was not printed is not made up"
is "$(sql "SELECT label, command LIKE 'import %--label before' FROM campaign")" \
    "before|1" "label and command are kept"
is "$(sql "SELECT value FROM environment WHERE key = 'import:file'")" bcast.txt \
    "and whose it was"
like "$(sql "SELECT value FROM environment WHERE key = 'import:missing'")" \
    '^samples, .*counters' "and what it lacks"
is "$(sql "SELECT kind || signature FROM system")" "realimported
name imported
mpi not known" "its system is none that was measured"
"$chorale" import "$db" "$work/bcast.txt" -P 8 --ppn 4 >"$work/out" 2>"$work/err"
is "$? $(cat "$work/out")$(sql 'SELECT count(*) FROM run')" "0 3" \
    "the same again changes nothing"
like "$(cat "$work/err")" '^chorale: .*bcast.txt: imported already' "and is told"
is "$("$chorale" import "$db" "$work/bcast.txt" -P 16 --ppn 4 -q 2>&1
    sql 'SELECT count(*) FROM launch')" 2 "of other ranks it is another launch"

cat >"$work/full.txt" <<'EOF'
# OSU MPI Allreduce Latency Test v7.5
# Datatype: MPI_INT.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
4                       3.00              2.00              5.00        1000
8                       3.25              2.25              5.25         100

# OSU MPI Barrier Latency Test v7.5
# Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
             1.50              1.25              1.75        1000
EOF
imported "OSU -f" "$work/full.txt" -P 4 --ppn 4
is "$(sql "SELECT coll, dtype, op, msg_size, shape, s.nrep, median * 1e6,
    mean * 1e6, s.min * 1e6, s.max * 1e6 FROM cell JOIN run USING (cell_id)
    JOIN run_summary s USING (run_id) ORDER BY coll, msg_size")" \
    "allreduce|int|sum|4|single-node|1000|3.0|3.0|2.0|5.0
allreduce|int|sum|8|single-node|100|3.25|3.25|2.25|5.25
barrier|byte||0|single-node|1000|1.5|1.5|1.25|1.75" "all columns are there"
imported "the slowest rank" "$work/full.txt" -P 4 --ppn 4 --time slowest
is "$(sql "SELECT group_concat(median * 1e6) FROM (SELECT median FROM run_summary
    ORDER BY median)")" "1.75,5.0,5.25" "is the time"

cat >"$work/tail.txt" <<'EOF'
# OSU MPI All-to-All Personalized Exchange Latency Test v7.4
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations   P50 Tail Lat(us)   P90 Tail Lat(us)   P99 Tail Lat(us)
16                      9.00              8.00             10.00        1000               8.50               9.75              20.00
EOF
imported "OSU with percentiles" "$work/tail.txt" -P 4 --ppn 1
is "$(sql "SELECT n, median * 1e6, mean * 1e6, p95 * 1e6, p99 * 1e6, shape
    FROM cell JOIN run USING (cell_id) JOIN run_summary USING (run_id)")" \
    "64|8.5|9.0|8.5|20.0|one-per-node" "p50 and p99 are taken"
sed -e 's/P50/P75/; s/P90/P95/; s/P99/ P5/' "$work/tail.txt" >"$work/asked.txt"
imported "percentiles that were asked for" "$work/asked.txt" -P 4 --ppn 1
is "$(sql "SELECT n, median * 1e6, mean * 1e6, p99 * 1e6
    FROM cell JOIN run USING (cell_id) JOIN run_summary USING (run_id)")" \
    "64|9.0|9.0|9.0" "others are read past"
sed 's/P90 Tail/P9x Tail/' "$work/tail.txt" >"$work/asked.txt"
"$chorale" import "$work/a.db" "$work/asked.txt" -P 4 --ppn 1 \
    >"$work/out" 2>"$work/err"
is "$? $(grep -c "column 'P9x Tail" "$work/err")" "4 1" "but nothing else"

cat >"$work/old.txt" <<'EOF'
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
imported "OSU, old" "$work/old.txt" -P 6 --ppn 4
is "$(sql "SELECT coll, dtype, ordinal, median * 1e6, c.shape FROM cell c
    JOIN run USING (cell_id) JOIN launch USING (launch_id) JOIN run_summary
    USING (run_id) ORDER BY coll, ordinal")" "bcast|byte|0|1.25|irregular
bcast|byte|1|1.5|irregular
reduce|float|0|1.75|irregular" "a point that is there twice has two launches"
is "$(grep -c 'left out' "$work/out") $(grep -c 'equal there' "$work/out")" "3 1" \
    "other tables are left out with a line"

# IMB: several numbers of ranks, the types of its heading, sizes not measured.
cat >"$work/imb.txt" <<'EOF'
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
imported "IMB" "$work/imb.txt" --ppn 2 --mpi 'MPICH 4.0.2' --system old
is "$(sql "SELECT coll, c.comm_size, msg_size, dtype, root_policy, c.shape,
    s.nrep, median * 1e6, s.max * 1e6, metric FROM cell c JOIN run
    USING (cell_id) JOIN run_summary s USING (run_id)
    ORDER BY 1, 2, 3")" "barrier|4|0|byte|none|block|1000|1.5|1.75|duration
bcast|2|0|byte|first|single-node|1000|0.04|0.05|duration
bcast|2|8|byte|first|single-node|1000|1.5|2.0|duration
bcast|4|8|byte|first|block|500|4.0|5.0|duration
reduce|4|8|double|first|block|500|4.5|5.5|duration" "all its tables"
is "$(sql "SELECT name || ' ' || mpi_library FROM system")" "old MPICH 4.0.2" \
    "system and library are as said"
like "$(cat "$work/out")" 'bcast of 4194304 bytes: out-of-mem' "what was not measured is told"
like "$(cat "$work/out")" 'Sendrecv: no blocking collective' "and what is no collective"
is "$(sql "SELECT value FROM environment WHERE key = 'import:date' LIMIT 1")" \
    "Mon Nov 20 19:56:00 2023" "its date is kept"
sed 's/2021.3/V3.2.3/' "$work/imb.txt" >"$work/imb3.txt"
imported "IMB of before 2017" "$work/imb3.txt" --ppn 2
is "$(sql "SELECT DISTINCT metric, root_policy FROM cell WHERE coll = 'bcast'")" \
    "throughput|rotate" "calls back to back, from all roots"
sed 's/Bcast Reduce Barrier/-sync off -root_shift on Bcast/' "$work/imb.txt" \
    >"$work/imbs.txt"
imported "IMB with -sync off -root_shift on" "$work/imbs.txt" --ppn 2
is "$(sql "SELECT DISTINCT metric, root_policy FROM cell WHERE coll = 'bcast'")" \
    "throughput|rotate" "so it was asked"

# The same by way of editors and other systems: the same runs.
rows() {
    sql "SELECT coll, c.comm_size, msg_size, dtype, s.nrep, median * 1e6,
        s.min * 1e6, s.max * 1e6 FROM cell c JOIN run USING (cell_id)
        JOIN run_summary s USING (run_id) ORDER BY 1, 2, 3"
}
"$chorale" import "$work/whole.db" "$work/full.txt" -P 4 --ppn 4 -q
want=$(db=$work/whole.db; rows)
way() { # name, sed script
    name=$1
    shift
    sed "$@" "$work/full.txt" >"$work/way.txt"
    cmp -s "$work/full.txt" "$work/way.txt" && ok 1 "$name changes something"
    imported "$name" "$work/way.txt" -P 4 --ppn 4
    is "$(rows)" "$want" "$name: the same runs"
}
way "lines that end in CR LF" 's/$/\r/'
way "a mark of UTF-8" '1s/^/\xEF\xBB\xBF/'
way "both" '1s/^/\xEF\xBB\xBF/; s/$/\r/'
way "comments between rows" -e '4a # a note' -e '4a #16 4.0 3.0 5.0 10' -e 4G
way "tabs" 's/   */\t/g'
way "columns in another order" -e 's/Avg Latency(us)\( *\)Min/Min Latency(us)\1Avg/' \
    -e 's/^\([48] *\)\([0-9.]* *\)\([0-9.]* *\)/\1\3\2/' \
    -e 's/^\( *\)\(1.50 *\)\(1.25 *\)/\1\3\2/'
way "a column that says whether data were right" -e 's/Iterations$/& Validation/' \
    -e 's/ 1000*$/& Pass/'

# Used like others: launches of three files, compared with slower ones.
for i in 1 2 3 4 5 6; do
    sed "s/2.50/2.5$i/; s/32.25/32.$i/" "$work/bcast.txt" >"$work/a$i.txt"
    sed "s/2.50/2.5$i/; s/32.25/4$i.5/" "$work/bcast.txt" >"$work/b$i.txt"
done
"$chorale" import "$work/a.db" "$work"/a?.txt -P 8 --ppn 4 -q &&
    "$chorale" import "$work/b.db" "$work"/b?.txt -P 8 --ppn 4 -q
ok $? "files of several runs"
is "$(sqlite3 "$work/a.db" "SELECT launches FROM v_summary WHERE msg_size = 1")" \
    6 "each is a launch"
"$chorale" compare "$work/a.db" "$work/b.db" --format json \
    --fail-on slower,suspect >"$work/cmp.json" 2>"$work/err"
is "$?" 1 "compare finds what looks slower"
is "$(python3 -c 'import json, sys
for c in json.load(open(sys.argv[1]))["cells"]:
    print(c["coll"], c["msg_size"], c["verdict"])' "$work/cmp.json" | sort)" \
    "bcast 1 same
bcast 1024 same
bcast 65536 suspect" "and only that"
is "$("$chorale" export "$work/a.db" -c bcast | wc -l | tr -d ' ')" 4 \
    "export takes them"
is "$(sqlite3 "$work/a.db" "SELECT count(*) FROM v_progress WHERE planned > 0")" \
    0 "there is nothing to run"
"$chorale" run "$work/a.db" -q 2>"$work/err"
is "$?" 0 "and run finds nothing to do"
cp "$work/a.db" "$work/m.db"
"$chorale" merge "$work/m.db" "$work/b.db" -q
is "$? $(sqlite3 "$work/m.db" 'SELECT count(*) FROM launch')" "0 12" \
    "merge takes them"
if command -v gnuplot >/dev/null 2>&1; then
    "$chorale" plot "$work/a.db" -o "$work/plots" >/dev/null 2>"$work/err"
    is "$? $(ls "$work/plots" | grep -c 'bcast')" "0 $(ls "$work/plots" | wc -l |
        tr -d ' ')" "plot takes them"
else
    skip "no gnuplot" "plot"
fi

# What is wrong is said with its line, and nothing is stored.
rm -f "$db"
bad() { # status, text, name, words of the command
    want=$1 text=$2 name=$3
    shift 3
    "$chorale" import "$db" "$@" >"$work/out" 2>"$work/err"
    is "$? $(cat "$work/out")" "$want " "$name"
    like "$(cat "$work/err")" "$text" "$name: what and how to mend it"
    is "$(wc -l <"$work/err" | tr -d ' ')" 1 "$name: one line"
}
spoilt() { # sed script, expected text, file it spoils
    sed "$1" "$work/${3:-full.txt}" >"$work/bad.txt"
    procs="-P 4"
    [ "${3:-full.txt}" = full.txt ] || procs=
    # shellcheck disable=SC2086
    bad 4 "^chorale: [^ ]*bad.txt:$2.*(; correct or remove the line)" \
        "refused: $1" "$work/${3:-full.txt}" "$work/bad.txt" $procs --ppn 2
}
spoilt 's/^4  .*/4 3.00 2.00 5.00/' '4: 4 of 5 columns'
spoilt 's/1000$/1000 7/' "4: 5 columns, and '7' after them"
spoilt 's/3\.00/3,00/' "4: '3,00' is no time"
spoilt 's/3\.00/-3.00/' "4: '-3.00' is no time"
spoilt 's/3\.00/nan/' "4: 'nan' is no time"
spoilt 's/3\.00/1e2/' "4: '1e2' is no time"
spoilt 's/^4  /4K /' "4: '4K' is no number of bytes"
spoilt 's/^4  /5  /' '4: 5 bytes are no whole number of int'
spoilt 's/^4  /99999999999999999999  /' '4: .* is no number of bytes'
spoilt 's/ 1000$/ 0/' "4: '0' is no number of repetitions"
spoilt 's/2\.00 /9.00 /' '4: the fastest rank is slower'
spoilt 's/5\.00 /1.00 /' '4: the slowest rank is faster'
spoilt 's/Avg Lat/Some Lat/' "3: column 'Some Latency"
spoilt 's/Max Lat/Min Lat/' '3: a column is there twice'
spoilt 's/^# Size  *Avg Latency(us)/# Size /' '3: no column of mean times'
spoilt 's/Iterations$/& Energy(J)/' "3: column 'Energy"
spoilt '4s/$/ # slow/' "4: 5 columns, and '#' after them"
spoilt 's/ 1000$/ 1000 Fail/; s/Iterations$/& Validation/' \
    '4: the benchmark found wrong data'
spoilt 's/MPI_INT/MPI_WCHAR/' "2: datatype 'MPI_WCHAR"
spoilt 's/# Avg/# Size Avg/' '8: a barrier has no sizes'
spoilt 's/#processes = 4/#processes = four/' "30: 'four' is no number of processes" \
    imb.txt
spoilt '/#processes = 2/d' "23: no '# #processes'" imb.txt
spoilt 's/ 0\.00$/ 0.10/' '.*: the benchmark found wrong data' imb.txt
spoilt 's/MPI_DOUBLE/MPI_COMPLEX/' ".*: datatype 'MPI_COMPLEX'" imb.txt
printf '# OSU MPI Broadcast Latency Test v5.9\n# Size       Avg Latency(us)\n1 2' \
    >"$work/cut.txt"
bad 4 'cut.txt:3: the file ends within this row' "a file that is cut off" \
    "$work/cut.txt" -P 4 --ppn 2
printf '# OSU MPI Broadcast Latency Test v5.9\n# Size  Latency(us)\n1 2\0\n' \
    >"$work/zero.txt"
bad 4 'zero.txt:1: the file has a zero byte' "a file that is no text" \
    "$work/zero.txt" -P 4 --ppn 2
echo '# OSU MPI Bandwidth Test v5.9' >"$work/none.txt"
bad 4 'none.txt: no row of a collective.*Bandwidth' "no collective" \
    "$work/none.txt" -P 4 --ppn 2
sed 's/^/0: /' "$work/bcast.txt" >"$work/tagged.txt"
bad 4 'tagged.txt: no row .*must begin their lines' "lines with a rank before them" \
    "$work/tagged.txt" -P 4 --ppn 2
bad 2 'bcast.txt: does not say how many ranks a node had.*--ppn' "no --ppn" \
    "$work/bcast.txt" -P 4
bad 2 'OSU does not print how many ranks.*-P N' "no -P" "$work/bcast.txt" \
    --ppn 4
bad 2 'imb.txt says itself.*leave -P out' "-P of IMB" "$work/imb.txt" -P 4 \
    --ppn 4
bad 2 '--time slowest: .*bcast.txt:5 has only the mean' "no slowest rank" \
    "$work/bcast.txt" -P 4 --ppn 4 --time slowest
bad 2 '--time best: there are' "an unknown time" "$work/bcast.txt" -P 4 \
    --ppn 4 --time best
bad 2 '--shape torus: there are' "an unknown shape" "$work/bcast.txt" -P 4 \
    --ppn 4 --shape torus
bad 2 '--system: has 0 characters' "no name" "$work/bcast.txt" -P 4 --ppn 4 \
    --system ''
[ ! -e "$db" ]
ok $? "none of these made a database"
cp "$work/a.db" "$db"
bad 2 '--system imported: .*another --mpi' "one name for two systems" \
    "$work/bcast.txt" -P 4 --ppn 4 --mpi 'MPICH 4'
is "$(sql 'SELECT count(*) FROM launch')" 6 "the database is as it was"
# What people see of it says that it was imported, and from where.
imported "again, for pages" "$work/bcast.txt" -P 8 --ppn 4 --mpi 'MPICH 4.0.2'
"$chorale" status "$db" >"$work/out" 2>"$work/err"
like "$(cat "$work/out")" \
    'imported: 3 rows imported from bcast.txt \(OSU 5.9\), not planned' \
    "status says which rows are imported, from which file and benchmark"
is "$(grep -c ': nothing is planned to be measured here$' "$work/out") $(grep \
    -c 'are done' "$work/out")" "1 0" "and calls none of them planned or done"
CHORALE_DATADIR=$top_srcdir/plots "$chorale" report "$db" -o "$work/page.html" \
    >"$work/out" 2>"$work/err"
is "$? $(grep -c '<dt>Kind</dt><dd>3 rows imported from bcast.txt (OSU 5.9)<' \
    "$work/page.html") $(grep -c 'Kind<.dt><dd>real machine' "$work/page.html")" "0 1 0" \
    "so does the page, which calls it no machine"
is "$(grep -c '<dt>Files of</dt>' "$work/page.html") $(grep -c \
    '<dt>\(Measured\|Time it took\)</dt>' "$work/page.html")" "1 0" \
    "and the day as that of the files, not of a measurement"

# Two that have no cell in common: in what they differ.
cp "$db" "$work/base.db"
imported "with other ranks a node" "$work/bcast.txt" -P 8 --ppn 2 \
    --mpi 'MPICH Version:      4.0.2'
"$chorale" compare "$work/base.db" "$db" --fail-on none >"$work/out" \
    2>"$work/err"
is $? 0 "compare of two that have no cell in common"
like "$(cat "$work/out")" 'no cell is in both, so nothing is compared' "says so"
like "$(cat "$work/out")" \
    'ranks a node: 4 in base, 2 in head; both are imported: import one again' \
    "and which key differs, and what to do"
is "$(grep -c 'two MPI libraries\|: type:\|: root:' "$work/out")" 0 \
    "what is the same is not named, nor one library in two spellings"
finish
