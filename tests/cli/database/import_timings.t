#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# import_timings.t - timings of named algorithms are imported from CSV files and
# from the raw files of two public tools, completely or not at all. All numbers
# are invented.
. "$(dirname "$0")/../../lib.sh"

cd "$work" || exit 99
db=r.db
sql() { sqlite3 "$db" "$1"; }
imported() { # name, words of the command
    name=$1
    shift
    rm -f "$db"
    "$chorale" import "$db" "$@" >out 2>err
    is "$? $(cat err)" "0 " "imported without a warning: $name"
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
same() { # name of a database, name: has the same rows as $db
    for d in "$db" "$1"; do
        sqlite3 "$d" "SELECT coll, provider, variant, params, comm_size, ppn,
            c.shape, msg_size, n, dtype, op, root_policy, validity, median,
            ordinal FROM cell c JOIN run USING (cell_id) JOIN run_summary
            USING (run_id) JOIN (SELECT launch_id, ordinal FROM launch)
            USING (launch_id) ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 15"
    done | sort | uniq -u >unlike
    is "$(cat unlike)" "" "$2"
}

# --- a tidy file --------------------------------------------------------------
heading=system,coll,algorithm,params,nodes,ppn,P,msg_size_bytes,rep,seconds
tidy() { # rows: two launches of three algorithms and two collectives
    for rep in 0 1; do
        for m in 8 64; do
            echo "big,allgather,library,,2,4,8,$m,$rep,${rep}.5e-6"
            echo "big,allgather,ring,coll_tuned_allgather_algorithm=4;count=$m,2,4,8,$m,$rep,0.0000042"
            echo "big,allgather,clever_over,seg=16;impl=mine,2,4,8,$m,$rep,3e-06"
            echo "big,bcast,library,,2,4,8,$m,$rep,0.0000042"
            echo "big,bcast,binary,coll_tuned_bcast_algorithm=5,2,4,8,$m,$rep,0.0000042"
        done
    done
}
{ echo "$heading"; tidy; } >tidy.csv
imported "a tidy file" tidy.csv
cp "$db" tidy.db
is "$(sql 'SELECT count(*), count(DISTINCT launch_id) FROM run')" "20|4" \
    "each row is a run, and a rep of a collective and P is one launch"
is "$(sql "SELECT provider, variant, params FROM cell WHERE coll = 'allgather'
    GROUP BY 1, 2, 3")" "foreign|clever_over|impl=mine,seg=16
library|default|
native|ring|" "providers, names and parameters are those of the algorithms"
is "$(sql "SELECT variant FROM cell WHERE coll = 'bcast' AND
    provider = 'native' GROUP BY 1")" binary_tree \
    "another spelling gets the library's"
is "$(sql "SELECT DISTINCT coll, msg_size, n, dtype, root_policy FROM cell
    ORDER BY 1, 2")" "allgather|8|64|byte|none
allgather|64|512|byte|none
bcast|8|8|byte|first
bcast|64|64|byte|first" "msg_size is a block, and n is of the operation"
is "$(sql "SELECT coll, validity, count(*) FROM run JOIN cell USING (cell_id)
    GROUP BY 1, 2")" "allgather|imported|12
bcast|imported,not a duration|8" "only a mean of a rooted collective is marked"
is "$(sql "SELECT DISTINCT key, value FROM environment WHERE key IN
    ('import:seconds', 'import:file')")" "import:file|tidy.csv
import:seconds|mean over the ranks" "the launch records what a time is"
is "$(sql "SELECT group_concat(DISTINCT launches) FROM v_speedup")" 2 \
    "algorithms are paired with the library in each launch"
like "$(cat out)" '20 runs of CSV in 4 new launches of 1 system' \
    "import prints what it stored"
like "$(cat out)" '8 rows of rooted collectives: the mean .* not a duration' \
    "import prints how many are not a duration"
"$chorale" import "$db" tidy.csv >out 2>err
is "$? $(cat out err) $(sql 'SELECT count(*) FROM run')" \
    "0 chorale: tidy.csv: 20 rows were imported already 20" \
    "importing again changes nothing"
"$chorale" status "$db" >out
like "$(cat out)" '20 rows imported from tidy.csv \(CSV\)' \
    "status prints the file"
like "$(cat out)" 'a time is the mean over the ranks; 8 of them are not a dur' \
    "status prints what a time is"

# Decisions.
"$chorale" decide "$db" >out 2>err
is "$? $(grep -c '^bcast' out) $(cat err)" "0 0 chorale: $db: system big: 8 \
times of rooted collectives, the mean over the ranks, are not a duration and \
left out; --accept-mean includes them" \
    "decide leaves out what is no duration, and says so"
"$chorale" decide "$db" --accept-mean >out 2>err
is "$? $(grep -c '^bcast' out) $(cat err)" "0 2 chorale: $db: system big: 8 \
times of rooted collectives, the mean over the ranks, are not a duration, but \
decide (--accept-mean)" "--accept-mean decides by it"
is "$(sql 'SELECT accept_mean FROM policy')" 1 "the table records --accept-mean"
sed '/allgather/d' tidy.csv >rooted.csv
imported "a file of rooted collectives" rooted.csv
"$chorale" decide "$db" >out 2>err
like "$? $(tail -n 1 err)" "^4 .*only times that are a mean.*add --accept-mean" \
    "decide without any duration exits with 4 and the remedy"
imported "the maximum over the ranks" tidy.csv --statistic max
is "$(sql 'SELECT group_concat(DISTINCT validity) FROM run')" imported \
    "the maximum is a duration"
refused 4 'launch 0 of system big .* another statistic than the mean' \
    "another statistic of a launch" tidy.csv

# Columns of any order and name.
{
    echo 'Latency(us);Collective;Algo;Ranks;"Tasks per node";Bytes;run;cluster'
    tidy | sed 's/;/ /g' | awk -F, -v OFS=';' '{ print $10 * 1e6, "MPI_" $2,
        "\"" $3 "\"", $7, $6, $8, $9, $1 }'
} >other.csv
rm -f "$db"
sed 's/clever_over,seg=16;impl=mine/clever_over,/' tidy.csv >bare.csv
imported "a file without params" bare.csv
cp "$db" bare.db
imported "other names, order, separator and unit" other.csv
same bare.db "they give the same rows"
sed '1s/.*/A,B,C,D,E,F,G,H,I,J/' bare.csv >unnamed.csv
imported "--map" unnamed.csv \
    --map system=A,coll=B,algorithm=C,params=D,nodes=E,ppn=F,P=G,msg_size=H,rep=I,seconds=J
same bare.db "--map gives the same rows"
sed '1s/seconds/x/; s/0.0000042$/4.2/; s/\([0-9.]*\)e-0*6$/\1/' bare.csv >us.csv
imported "a unit by --map" us.csv --map seconds_us=x
same bare.db "the unit of --map counts"
{ printf '\357\273\277# a comment\n\n'; sed 's/$/\r/' bare.csv; } >crlf.csv
imported "a byte order mark, comments and CRLF" crlf.csv
same bare.db "they give the same rows"
sed 's/,library,/,auto,/' bare.csv >auto.csv
imported "--default" auto.csv --default auto
same bare.db "--default names the library's default"
imported "no default" auto.csv
like "$(cat out)" "no row is of the library's default.*--default NAME" \
    "import notes that no row is of the default"
grep ',library,' bare.csv >default.rows
{ sed 1q bare.csv; cat default.rows; } >default.csv
grep -v ',library,' bare.csv >rest.csv
imported "the default alone" default.csv
"$chorale" import "$db" rest.csv >out 2>err
is "$(grep -c "no row is of the library's default" out)" 0 \
    "rows of the default in the database need no note"
cut -d, -f 2,3,8,10 bare.csv | sed 4q >short.csv
imported "P, ppn, system and launch by options" short.csv -P 8 --ppn 4 \
    --system mine --launch 7
is "$(sql 'SELECT name, comm_size, ppn, shape, ordinal FROM launch JOIN system
    USING (system_id) GROUP BY 1, 2, 3')" "mine|8|4|block|7" \
    "options replace the columns that a file lacks"

"$chorale" import --help >help
sed -n '/names\[NCOLUMN\]/,/^};/p' "$top_srcdir/tuner/exchange/timings_csv.c" |
    grep -o '"[a-z_]*"' | tr -d '"' | while read -r word; do
    tr -s '\n ' ' ' <help | grep -Eq "[ (]$word[,:) ]" || echo "$word"
done >unlisted
is "$(cat unlisted)" "" "--help lists each name of a column"

# Names of algorithms.
name() { # --mpi, collective, algorithm, params: print provider and variant
    printf 'coll,algorithm,params,P,ppn,bytes,seconds\n%s,%s,%s,4,1,8,1\n' \
        "$2" "$3" "$4" >name.csv
    rm -f "$db"
    "$chorale" import "$db" name.csv --mpi "$1" -q && sql \
        'SELECT provider, variant, params FROM cell'
}
while IFS='|' read -r mpi coll algorithm params want; do
    is "$(name "$mpi" "$coll" "$algorithm" "$params")" "$want" \
        "$coll $algorithm $params of $mpi"
done <<'EOF'
MPICH 4.1|allreduce|recursive_doubling||native|recursive_doubling|
MPICH 4.1|allreduce|Rabenseifner||native|reduce_scatter_allgather|
MPICH 4.1|bcast|MPIR_Bcast_intra_binomial||native|binomial|
MPICH 4.1|allreduce|segmented_ring||foreign|segmented_ring|
MPICH 4.1|allgather|bruck|k=4|native|brucks|k=4
Cray MPICH 8|allreduce|non_blocking_mpich|impl=mpi|native|nb|
Open MPI v4.1.6|reduce|in_order_binary||native|in-order_binary|
Open MPI v4.1.6|allreduce|4||native|ring|
Open MPI v4.1.6|bcast|3|coll_tuned_bcast_algorithm_segmentsize=8192|native|pipeline|segsize=8192
Open MPI v4.1.6|alltoall|linear_synch_ompi||native|linear_sync|
Open MPI v4.1.6|allreduce|ring_over||foreign|ring_over|
Open MPI v4.1.6|allreduce|ring|impl=libx|foreign|ring|impl=libx
Open MPI v4.1.6|allreduce|mine||foreign|mine|
Intel(R) MPI Library 2021|allreduce|2||native|rabenseifner|
Intel(R) MPI Library 2021|bcast|Shumilin's||native|shumilin|
x|allreduce|new_one|I_MPI_ADJUST_ALLREDUCE=99|native|new_one|
x|allreduce|ring||native|ring|
EOF

# Two systems, and P that is not nodes x ppn.
{ cat bare.csv; sed '1d; s/^big,/small,/; s/,2,4,8,/,2,5,8,/' bare.csv
    } >two.csv
imported "two systems" two.csv
is "$(sql 'SELECT name, shape, count(*) FROM launch JOIN system
    USING (system_id) GROUP BY 1, 2')" "big|block|4
small|irregular|4" "systems stay apart; P other than nodes x ppn is irregular"
like "$(cat out)" '20 rows have P other than nodes x ppn \(the first in line 22' \
    "import reports P other than nodes x ppn"

# --- errors: one line, and nothing is stored ---------------------------------
rm -f "$db"
spoilt() { # sed script, expected text
    sed "$1" tidy.csv >bad.csv
    cmp -s tidy.csv bad.csv && ok 1 "'$1' changes the file"
    refused 4 "^chorale: bad.csv:$2" "$1" bad.csv
}
spoilt '1s/seconds/x/; 1s/algorithm/y/' \
    '1: the heading has no column algorithm, seconds; .*--map algorithm=NAME,sec'
spoilt 1d '1: the heading has no column coll, algorithm, msg_size, seconds; name'
spoilt '1s/nodes/P/' "1: columns 'P' and 'P' are both p; .*--map"
spoilt '1s/P,/Q,/; 1s/ppn/z/' '2: the number of ranks \(column P\) is missing'
spoilt '1s/ppn/z/; 1s/nodes/y/' '2: the number of ranks per node .* is missing'
spoilt '4s/allgather/allgatter/' \
    "4: unknown collective 'allgatter'; did you mean allgather"
spoilt '4s/3e-06/-3e-06/' '4: the time -3e-06 is negative; correct'
spoilt '4s/3e-06/0.0/' '4: the time 0.0 is zero; correct'
spoilt '4s/3e-06/nan/' "4: 'nan' is not a time"
spoilt '4s/3e-06/0x4/' "4: '0x4' is not a time"
spoilt '4s/3e-06/3e9/' '4: the time 3e9 is more than a million seconds'
spoilt '4s/,8,0,/,8.5,0,/' "4: '8.5' in column msg_size is not a whole number"
spoilt '4s/,2,4,8,/,2,4,0,/' "4: '0' in column p is not a whole number from 1"
spoilt '4s/,2,4,8,8,/,2,4,16777216,1099511627776,/' '4: .*more than any buffer'
spoilt '4s/$/,9/' '4: 11 columns, but the heading has 10'
spoilt '4s/clever/"clever/' '4: a quote does not end'
spoilt '4s/^big/"big"x/' '4: text after a quoted word'
spoilt '4s/clever_over//' "4: algorithm '': a name of 0"
spoilt '4s/clever/c\x01ever/' '4: .*other characters than ASCII'
spoilt '5{p;}' '6: repeats line 5 .bcast default of 8 .*launch 0.*column rep'
spoilt '1s/params/provider/' '1: a column provider, as `chorale export`'
sed '1d; s/,allgather,/,allreduce,/; s/,64,/,6,/' tidy.csv >odd.rows
{ echo "$heading"; cat odd.rows; } >bad.csv
refused 4 'bad.csv:7: 6 bytes are not a whole number of float; .*column dtype' \
    "bytes that are no elements" bad.csv
printf '%s\nbig,barrier,library,,2,4,8,0,0,1e-6' "$heading" >bad.csv
refused 4 'bad.csv:2: the file ends within this line' "a file cut off" bad.csv
printf '%s\nbig,barrier,li\0rary,,2,4,8,0,0,1e-6\n' "$heading" >bad.csv
refused 4 'bad.csv:2: the file has a zero byte' "a zero byte" bad.csv
{ echo "$heading"; head -c 70000 /dev/zero | tr '\0' x; echo; } >bad.csv
refused 4 'bad.csv:2: a line of more than 65534 bytes' "a long line" bad.csv
echo "$heading" >bad.csv
refused 4 'bad.csv: no row below the heading' "no row" bad.csv
refused 2 '--map x=y: names no column' "--map of no column" tidy.csv --map x=y
refused 2 '--map seconds=y: the heading of tidy.csv has no' "--map to no column" \
    tidy.csv --map seconds=y
refused 2 '-P: tidy.csv has a column p; leave' "-P beside a column" tidy.csv -P 8
refused 2 '--system: tidy.csv has a column system' "--system beside a column" \
    tidy.csv --system x
while read -r magic format; do
    # shellcheck disable=SC2059 # escapes
    printf "$magic more" >packed
    refused 4 "^chorale: packed: compressed by $format; run" "$format" packed
done <<'EOF'
\037\213\010 gzip
\375\067\172\130\132\000 xz
\050\265\057\375 zstd
EOF
[ ! -e "$db" ]
ok $? "refused files make no database"
imported "one file" tidy.csv
sed 's/3e-06/9e-06/; s/,64,/,32,/' tidy.csv >bad.csv
refused 4 'bad.csv:4: allgather clever_over of 8 bytes at P = 8 takes 9 us, and 3' \
    "another time of a stored launch" bad.csv
same tidy.db "the rows before the contradiction are not stored"
# A file with too many rows is refused before its end.
{ echo "$heading"
    awk 'BEGIN { for (i = 0; i < 1048580; i++)
        print "s,barrier,library,,2,4,8,0," i ",1e-6" }'; } >many.csv
refused 4 'many.csv:1048578: more than 1048576 rows; split the file' \
    "too many rows" many.csv
rm -f many.csv

# --- raw files -------------------------------------------------------------------
osu() { # seconds of the first size, collective's title
    printf '\n# OSU MPI %s Latency Test v5.6.2\n# Size       Avg Latency(us)\n' \
        "${2:-Allreduce}"
    echo "4   $1"
    echo '8   12.25'
}
mkdir raw
for run in 0 1; do
    osu "1$run.50" >raw/allreduce_0_6ranks_run$run.out
    osu "2$run.50" >raw/allreduce_4_6ranks_run$run.out
done
imported "files of the tuning scripts" raw/*.out --ppn 4 --system big
is "$(sql 'SELECT provider, variant, comm_size, ppn, c.shape, mpi_library,
    count(*), count(DISTINCT launch_id) FROM cell c JOIN run USING (cell_id)
    JOIN system USING (system_id) GROUP BY 1, 2')" \
    "library|default|6|4|irregular|Open MPI|4|2
native|ring|6|4|irregular|Open MPI|4|2" \
    "the name gives collective, algorithm, P and launch"
is "$(sql 'SELECT group_concat(DISTINCT launches) FROM v_speedup')" 2 \
    "files of one run are one launch"
"$chorale" status "$db" >out
like "$(cat out)" 'from allreduce_0_6ranks_run0.out, allreduce_4_6ranks_run0.out' \
    "status prints all files of a launch"
refused 2 'run0.out: the number of ranks per node is unknown; add --ppn N$' \
    "a named file without ranks per node" raw/allreduce_0_6ranks_run0.out
osu 3.00 Reduce_scatter | sed 's/^8 /96 /' >reduce_scatter_3_6ranks_run0.out
imported "a reduce_scatter" reduce_scatter_3_6ranks_run0.out --ppn 4
is "$(sql 'SELECT coll, variant, msg_size, n, dtype FROM cell')" \
    "reduce_scatter|ring|16|96|float" "its printed size is of the whole vector"
osu 3.00 Allgatherv >allgatherv_1_6ranks_run0.out
imported "an allgatherv" allgatherv_1_6ranks_run0.out --ppn 4
rm -f "$db"
osu 3.00 Broadcast >allreduce_3_6ranks_run0.out
refused 4 'run0.out:4: a row of bcast in a file that is named after allreduce' \
    "a table of another collective" allreduce_3_6ranks_run0.out --ppn 4
osu 3.00 >allreduce_99_6ranks_run0.out
refused 2 'no algorithm of allreduce in Open MPI is known as 99; .*--variant NAME' \
    "an unknown number" allreduce_99_6ranks_run0.out --ppn 4
refused 2 '--provider library: raw/allreduce_4_.* of algorithm 4 by its name' \
    "a forced algorithm as the default" raw/allreduce_4_6ranks_run0.out \
    --ppn 4 --provider library
refused 2 '-P 8: raw/.* is of 6 ranks by its name' "another P" \
    raw/allreduce_4_6ranks_run0.out --ppn 4 -P 8

# A table of a forced algorithm is not the default.
osu 3.00 >osu_allreduce-recursive_doubling.txt
refused 2 'named after the algorithm recursive_doubling; add --provider native' \
    "a file named after an algorithm" osu_allreduce-recursive_doubling.txt \
    -P 6 --ppn 4
for file in osu_allreduce_alg4.txt allreduce-alg4.out osu_allreduce_ALG_4.txt \
    alg3_allreduce.txt osu_allreduce_algorithm4.log; do
    osu 3.00 >"$file"
    refused 2 'named after algorithm [34]; add --provider native --variant N' \
        "$file" "$file" -P 6 --ppn 4
done
for file in osu_allreduce_alg0.txt osu_allreduce_alg4nodes.txt; do
    osu 3.00 >"$file"
    imported "$file" "$file" -P 6 --ppn 4
done
rm -f "$db"
for line in 'mpirun --mca coll_tuned_allreduce_algorithm 3 ./osu_allreduce' \
    'export MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=ring' \
    '# I_MPI_ADJUST_ALLREDUCE=2'; do
    { echo "$line"; osu 3.00; } >log.txt
    refused 2 'log.txt:1: an algorithm of allreduce is forced.*--provider nat' \
        "$line" log.txt -P 6 --ppn 4
done
[ ! -e "$db" ]
ok $? "none of them is stored"
for line in 'mpirun --mca coll_tuned_bcast_algorithm 3 ./osu_allreduce' \
    'export MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=auto'; do
    { echo "$line"; osu 3.00; } >log.txt
    imported "$line" log.txt -P 6 --ppn 4
done
imported "a stated algorithm" osu_allreduce-recursive_doubling.txt -P 6 --ppn 4 \
    --provider native --variant recursive_doubling --mpi 'MPICH 4.1'
osu 2.00 >default.txt
"$chorale" import "$db" default.txt -P 6 --ppn 4 --provider library \
    --mpi 'MPICH 4.1' -q
is "$? $(sql 'SELECT provider, variant, round(speedup, 3) FROM v_speedup
    WHERE msg_size = 4 ORDER BY 1')" "0 library|default|1.0
native|recursive_doubling|0.667" "it is paired with a stated default"
refused 2 '--provider native: default.txt does not name the algorithm' \
    "no --variant" default.txt -P 6 --ppn 4 --provider native
refused 2 '--statistic: the heading of default.txt states' "--statistic" \
    default.txt -P 6 --ppn 4 --provider library --statistic max

refused 2 '--statistic: the heading of default.txt states' \
    "--statistic of a plain table" default.txt -P 6 --ppn 4 --statistic max
refused 2 '--time: tidy.csv is no table of OSU' "--time of a CSV file" \
    tidy.csv --time slowest

# PICO: nanoseconds of the slowest rank, one call a line.
mkdir 2031_02_03___04_05_06
pico() { # file, nanoseconds
    { echo highest; echo 90000; for i in 1 2 3 4 5 6 7 8 9; do
        echo "$(($2 + i))"; done; } >"2031_02_03___04_05_06/$1"
}
pico 64_default_mpich_int32.csv 1000
pico 64_ring_over_int32.csv 2000
pico 64_rabenseifner_mpich_int32.csv 3000
rm -f "$db"
refused 2 'a file of PICO does not name its collective; add --collective' \
    "no collective" 2031*/64_ring_over_int32.csv
imported "files of PICO" 2031*/*.csv -c allreduce -P 6 --ppn 1 --system big
is "$(sql "SELECT provider, variant, params, msg_size, dtype, nrep,
    round(median * 1e9, 2), round(first_call * 1e9, 1), validity FROM cell
    JOIN run USING (cell_id) JOIN run_summary USING (run_id) ORDER BY 1, 2")" \
    "foreign|ring_over||256|int|8|2005.5|90000.0|imported
library|default||256|int|8|1005.5|90000.0|imported
native|reduce_scatter_allgather||256|int|8|3005.5|90000.0|imported" \
    "the median leaves out the first fifth of the calls"
is "$(sql "SELECT count(*), max(value) FROM environment
    WHERE key = 'import:launch'")" "1|2031_02_03___04_05_06" \
    "a folder of PICO is a launch"
rm -f "$db"
pico 64_ring_over_int32.csv -2005
refused 4 '64_ring_over_int32.csv:3: .-2004. is not a positive time' \
    "a negative time" 2031*/64_ring_over_int32.csv -c allreduce -P 6 --ppn 1
cp 2031*/64_default_mpich_int32.csv x.csv
refused 2 'x.csv: times of PICO, but not named COUNT_ALGORITHM_TYPE' \
    "another name" x.csv -c allreduce -P 6 --ppn 1
finish
