#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# plot.t - the verb plot: pictures are made and valid, and their data are the
# database's. Hostile names: hostile.t. Invalid options: errors.tsv.
. "$(dirname "$0")/../../lib.sh"
for tool in sqlite3 gnuplot; do
    command -v $tool >/dev/null || skip_all "$tool is missing"
done
chorale=$(cd "$top_builddir" && pwd)/chorale
CHORALE_DATADIR=$top_srcdir/plots
export CHORALE_DATADIR
cd "$work" || exit 99
synth() {
    sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" "$@"
}
run() { "$chorale" "$@" > out 2> err; }
one_line() { [ "$(wc -l < err)" -eq 1 ]; }
# Columns of one series in a .dat file, by its label.
series() { # FILE LABEL
    awk -v want="\"$2\"" '$0 == want { on = 1; next } /^$/ { on = 0 } on' "$1"
}
# Two columns of numbers are equal to twelve digits, or to that share.
same_numbers() {
    paste -d ' ' "$1" "$2" | awk -v most="${3:-1e-12}" '
        { a = $1 + 0; b = $2 + 0; d = a - b; if (d < 0) d = -d
          if (NF != 2 || d > most * (b < 0 ? -b : b)) bad = 1 }
        END { exit bad || NR == 0 }'
}
is_png() { [ "$(od -An -tx1 -N8 "$1" | tr -d ' \n')" = 89504e470d0a1a0a ]; }
is_svg() {
    if command -v xmllint > /dev/null; then
        xmllint --nonet --noout "$1"
    elif command -v python3 > /dev/null; then
        python3 -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' "$1"
    else
        grep -q '</svg>' "$1"
    fi
}

# Pictures.
synth a.db fat-tree '2 64' 12
run plot a.db
ok $? 'plot exits with 0'
ls a-plots/*.png > expected
grep -v '^  (' out | LC_ALL=C sort > got # notes on variants that are not drawn
LC_ALL=C sort expected | diff - got > /dev/null && [ "$(wc -l < got)" -eq 8 ]
ok $? 'a picture per collective and P, and maps, are printed'
bad=0
for f in a-plots/*.png; do is_png "$f" || bad=1; done
ok $bad 'pictures are PNG'
[ "$(wc -c < a-plots/bcast_P64.png)" -gt 20000 ]
ok $? 'the picture is not blank'
run plot a.db -o pics --format svg --collectives bcast -P 64
[ $? -eq 0 ] && [ "$(sed 1q out)" = pics/bcast_P64.svg ] && is_svg pics/bcast_P64.svg
ok $? '--format svg -o --collectives -P give one valid SVG'
bad=0
for label in 'bcast, P = 64 on fat-tree (simulated)' library binomial \
    scatter_ring_allgather 'n: bytes of the operation' '64 KiB' '100 us' \
    'dots: model' 'ring, band below: decided'; do
    grep -qF "$label" pics/bcast_P64.svg || { bad=1; echo "# no $label"; }
done
ok $bad 'a picture has title, series, axes with units and a legend of marks'
gnuplot -d -c "$CHORALE_DATADIR/time_vs_n.gp" pics/bcast_P64.dat by-hand.png \
    png 'by hand' > out 2> err && is_png by-hand.png && ! [ -s err ]
ok $? 'the script called directly draws the data file'

# Maps.
run plot a.db -o maps --format svg --collectives bcast
[ $? -eq 0 ] && is_svg maps/bcast_map.svg && ! [ -e maps/allreduce_map.svg ]
ok $? 'a map of the choices is drawn'
bad=0
for label in 'bcast: the choices of the table on fat-tree (simulated)' library \
    binomial 'n: bytes of the operation' 'P: number of processes' \
    'paler: by the model' 'measured points'; do
    grep -qF "$label" maps/bcast_map.svg || { bad=1; echo "# no $label"; }
done
ok $bad 'a map has title, choices, axes with units'
awk 'NF == 2 && /^[0-9]/ { print $2, $1 }' maps/bcast_map.dat >got
grep -v '^#' maps/bcast_map.dat | sed q >frame
read -r lo hi _ _ zero _ <frame
sqlite3 -separator ' ' a.db "SELECT DISTINCT comm_size, CAST(n AS TEXT) FROM
    cell WHERE coll = 'bcast' AND comm_size > 1 AND n BETWEEN max(1, $lo) AND
    $hi ORDER BY comm_size, n" >want
[ "$zero" = 0 ] || awk -v x="$zero" '$2 != 1.4 * x' got >inside
[ "$zero" = 0 ] || mv inside got
[ -s want ] && diff want got >out 2>&1
ok $? 'the marks of a map are the measured points'
series maps/bcast_map.dat binomial | cut -d ' ' -f 1,2,5-9 > got
sqlite3 -separator ' ' a.db "SELECT n_lo, n_hi + 1, basis = 'modelled', n_lo,
    n_hi, comm_size, max(comm_size, comm_size_hi) FROM decision
    WHERE coll = 'bcast' AND variant = 'binomial' ORDER BY comm_size" > want
[ -s want ] && diff want got > out 2>&1
ok $? 'the boxes of a map are the rows of the table'
[ "$(awk '$9 == 64 { print ($4 > 70 && $3 > 60) }' maps/bcast_map.dat |
    sort -u)" = 1 ]
ok $? 'the row of the largest process count is visible'
sed -n 's/^\([0-9]*\) [0-9.]* [0-9.]* [0-9.]* "\([^"]*\)" .*$/\1 \2/p' \
    maps/bcast_map.dat | sort -u > got
printf '%s\n' '128 128 B' '65536 64 KiB' | diff - got > out 2>&1 &&
    [ "$(grep -c '>\(128 B\|64 KiB\)<' maps/bcast_map.svg)" -ge 4 ]
ok $? 'each crossover has its n in the data, at its line and on the axis'
cp a.db near.db
sqlite3 near.db "UPDATE decision SET n_hi = 139 WHERE n_hi = 65535;
    UPDATE decision SET n_lo = 140 WHERE n_lo = 65536"
run plot near.db -o near --format svg -c bcast --figures map
[ $? -eq 0 ] && [ "$(grep -c '>128 B<' near/bcast_map.svg)" -eq \
    "$(grep -c '>128 B<' maps/bcast_map.svg)" ] &&
    [ "$(grep -c '>140 B<' near/bcast_map.svg)" -ge 1 ]
ok $? 'if the next one is near, a crossover has its n before its line'
cp a.db one.db
sqlite3 one.db 'DELETE FROM decision WHERE comm_size = 2'
run plot one.db -o one --format svg -c bcast --figures map
[ $? -eq 0 ] && [ "$(cat out)" = one/bcast_map.svg ] && is_svg "$(cat out)" &&
    grep -q '>64<' one/bcast_map.svg &&
    grep -q 'viewBox="0 0 1200 300"' one/bcast_map.svg
ok $? 'decisions for one process count give a map of one row'
gnuplot -d -c "$CHORALE_DATADIR/decision_map.gp" maps/bcast_map.dat \
    by-hand2.png png "by hand" > out 2> err && is_png by-hand2.png &&
    ! [ -s err ]
ok $? 'the script of maps called directly draws the data file'
# Long names are complete, under the picture; text output shortens them.
cp a.db long.db
params=bottom=scatter_recursive_doubling,middle=linear,segsize=1024,top=linear
for table in cell decision; do
    sqlite3 long.db "UPDATE $table SET params = '$params'
        WHERE variant = 'binomial'"
done
run plot long.db -o long --format svg -c bcast --figures times,map
[ $? -eq 0 ] && grep -qF "binomial $params<" long/bcast_P64.svg &&
    grep -qF "binomial $params<" long/bcast_map.svg
ok $? 'long names are not cut'
for figure in bcast_P64 bcast_map; do
    sed -n 's/.*viewBox="0 0 [0-9]* \([0-9]*\)".*/\1/p' pics/bcast_P64.svg \
        long/$figure.svg | tr '\n' ' ' | awk '{ exit !($2 > $1) }'
    ok $? "long names are under the picture, $figure"
done
for figure in bcast_P64 bcast_map; do
    awk '/translate\(/ { y = $0; sub(/.*translate\([0-9.]*,/, "", y) }
        />n: bytes of/ { axis = y + 0 } />(A: )?library</ { key = y + 0 }
        END { exit !(axis > 0 && key - axis > 26) }' long/$figure.svg
    ok $? "long names do not touch the axis, $figure"
done
run plot long.db --terminal dumb -c bcast -P 64 --figures times
[ $? -eq 0 ] && grep -q 'binomial bottom=scatter.*\.\..*,top=linear' out &&
    [ "$(awk '{ gsub(/ +$/, "") } length > 79' out | wc -l)" -eq 0 ]
ok $? 'text output shortens names in the middle'
cp long.db tie.db
sqlite3 tie.db 'UPDATE run_summary SET median = 1e-5 + 1e-10 * run_id'
run plot tie.db --terminal dumb -c bcast -P 64 --figures times
[ $? -eq 0 ] && grep -q '^[^B]*A[^B]*A[^B]*A[^B]*A[^B]*$' out
ok $? 'text output: the first series is visible where points coincide'
grep -q 'n: bytes of the operation' out
ok $? 'text output: no letter of the axis is overwritten'
awk '!done && /^[0-9]/ { $6 = 9; done = 1 } { print; if (done) last = $0 }
    /^"/ { label = $0 } END { for (i = 0; i < 9; i++)
        printf "\n\n%s\n%s\n", label, last }' pics/bcast_P64.dat >many.dat
gnuplot -d -c "$CHORALE_DATADIR/time_vs_n.gp" many.dat out dumb,79,24 many
grep -q 'many (8 of 9 variants)' out
ok $? 'text output reports how many series it leaves out'
# The part of an axis below one byte has no marks.
run plot a.db -o low --format svg -c bcast --figures map,speedup
bad=0
for kind in decision:map speedup:speedup; do
    name=bcast_${kind#*:} script=${kind%:*}_map.gp
    awk '!done && /^[0-9]/ { $1 = 0.05; $5 = 0.04; $11 = 0; done = 1 } 1' \
        "low/$name.dat" >low.dat
    gnuplot -d -c "$CHORALE_DATADIR/$script" low.dat low.svg svg low >out 2>&1
    grep -q '>1 MiB<\|>64 KiB<\|>1 KiB<' low.svg && ! grep -q '>0 B<' low.svg ||
        { bad=1; echo "# $script"; }
done
ok $bad 'marks of n begin at one byte'
cp a.db gap.db
sqlite3 gap.db "UPDATE decision SET basis = 'modelled', comm_size = 3,
    comm_size_hi = 63 WHERE comm_size = 64; DELETE FROM decision
    WHERE comm_size = 2 AND provider = 'library'"
run plot gap.db -o gap --format svg && grep -q '>2<' gap/bcast_map.svg &&
    grep -q '>63<' gap/bcast_map.svg && ! grep -q '>64<' gap/bcast_map.svg
ok $? "the axis has the first and last process count near a power of two"
awk '!done && /^[0-9]/ { $3 = 54.46; $4 = 115.14; $8 = 56; $9 = 112; done = 1 }
    1' low/bcast_speedup.dat >low.dat
gnuplot -d -c "$CHORALE_DATADIR/speedup_map.gp" low.dat low.svg svg low >out 2>&1
grep -q '>56<' low.svg && grep -q '>64<' low.svg && grep -q '>112<' low.svg &&
    ! grep -q '>128<' low.svg
ok $? "the axis of speed-ups has them too"
cp a.db one.db
sqlite3 one.db "DELETE FROM decision WHERE coll <> 'bcast' OR comm_size <> 64;
    DELETE FROM decision WHERE n_lo <> (SELECT max(n_lo) FROM decision);
    UPDATE decision SET n_lo = 12428, n_hi = 12428"
run plot one.db -o one --format svg --figures map -c bcast
[ $? -eq 0 ] && [ "$(awk '$6 == 12428 && $7 == 12428 { print ($2 > 1.9 * $1) }' \
    one/bcast_map.dat)" = 1 ] && grep -q '>16 KiB<' one/bcast_map.svg
ok $? "a choice at a single size is visible"
# Invalid sizes, as in a damaged file.
cp a.db sizes.db
sqlite3 sizes.db "PRAGMA ignore_check_constraints = 1;
    UPDATE cell SET n = -9, msg_size = -9 WHERE coll = 'bcast'
        AND comm_size = 64 AND n = (SELECT max(n) FROM cell)"
run plot sizes.db -o sizes --figures times -c bcast -P 64 &&
    ! [ -s err ] && ! grep -q '^-9' sizes/*.dat &&
    [ "$(grep -c '^[0-9]' sizes/bcast_P64.dat)" -gt 3 ]
ok $? "a negative size is not drawn"
cat >nothing.dat <<'END'
0.25 1 56 112 0.25 2 23 0


"library"
0.25 0.5 56.49 111.49 0 0 0 57 111


"k_dissemination radix=4"
0.25 0.5 54.46 56.49 0 0 0 56 56
0.25 0.5 111.49 115.14 0 0 0 112 112
END
gnuplot -d -c "$CHORALE_DATADIR/decision_map.gp" nothing.dat nothing.svg svg \
    barrier && is_svg nothing.svg && grep -q '>0<' nothing.svg &&
    ! grep -q '>1 B<' nothing.svg && grep -q '>64<' nothing.svg &&
    grep -q '>56<' nothing.svg && grep -q '>112<' nothing.svg
ok $? "a collective without bytes has n = 0 only"
run plot gap.db -o gap && is_png gap/bcast_map.png && ! [ -s err ] &&
    grep -q ' 3 63$' gap/bcast_map.dat
ok $? 'rows of the model span process counts'

# The letters in a terminal. Rows end just beside measured process counts.
synth ranges.db fat-tree '2 4 16 32 64' 20
sqlite3 ranges.db "DELETE FROM decision; WITH r(p, q, lo, hi, variant) AS
    (VALUES (2, 4, 0, 127, 'default'), (2, 4, 128, 65535, 'binomial'),
    (2, 4, 65536, 2097152, 'linear'), (5, 15, 0, 2097152, 'chain'),
    (16, 31, 0, 255, 'default'), (16, 31, 256, 2097152, 'linear'),
    (32, 63, 0, 1023, 'binomial'), (32, 63, 1024, 2097152, 'chain'),
    (64, 64, 0, 4095, 'linear'), (64, 64, 4096, 2097152, 'default'))
    INSERT INTO decision (system_id, coll, comm_size, comm_size_hi, ppn, shape,
    dtype, op, n_lo, n_hi, provider, variant, params, basis, reason)
    SELECT 1, 'bcast', p, q, 1, 'one-per-node', 'byte', '', lo, hi,
    iif(variant = 'default', 'library', 'chorale'), variant, '', 'measured', ''
    FROM r"
letters() {
    sh "$top_srcdir/tests/cli/reports/letters.sh" "$chorale" "$1" bcast >got
    sed '$!s/^/# /; $d' got
}
letters ranges.db
is "$(tail -n 1 got)" '80 0 5' \
    'text output: each letter is the choice at its n and P, as in the picture'
sqlite3 ranges.db "UPDATE decision SET n_lo = 8 WHERE n_lo = 0"
letters ranges.db
is "$(tail -n 1 got)" '95 0 5' 'text output: the letters of the least n are visible'
# More process counts than lines: each line is of one.
synth dense.db fat-tree '2 60 61 62 63 64'
sqlite3 dense.db "UPDATE decision SET comm_size_hi = comm_size;
    UPDATE decision SET variant = 'linear', provider = 'chorale'
    WHERE comm_size % 2 = 1"
letters dense.db
like "$(tail -n 1 got)" '^[1-9][0-9]* 0 2$' \
    'text output: a line has the letters of one process count'

# Rows of another type than that of the table.
cp a.db types.db
sqlite3 types.db "INSERT INTO decision (system_id, coll, comm_size, ppn, shape,
    dtype, op, n_lo, n_hi, provider, variant, params, basis, reason)
    SELECT system_id, coll, comm_size, ppn, shape, 'float', op, n_lo, n_hi,
    provider, 'ring', params, basis, reason FROM decision
    WHERE coll = 'allreduce'"
run plot types.db -o types --format svg --figures map,times,speedup -c allreduce
[ $? -eq 0 ] && [ "$(grep -A 1 'int_sum_map' out | tail -n 1)" = \
    '  (not in the table, which takes the row of float sum here)' ] &&
    [ "$(grep -c 'not in the table' out)" -eq 1 ]
ok $? 'the map of rows of another type is marked as not in the table'
grep -q 'int sum: not in the table, which takes the row of float sum' \
    types/*int_sum_map.svg && grep -q '>not in the table<' types/*int_sum_map.svg &&
    ! grep -q 'not in the table' types/*float_sum_map.svg
ok $? 'the map of the rows of the table is not marked'
grep -q 'speed-up over the library by rows of float sum on' \
    types/allreduce_speedup.svg && [ "$(awk '$12 == "\"float" && $11 == "\"ring\""' \
    types/allreduce_speedup.dat | wc -l)" -gt 8 ]
ok $? 'speed-up maps name the type of the rows'
grep -q ' "ring"$' types/allreduce_P64.dat &&
    ! grep -q '[0-9] "recursive_doubling"$' types/allreduce_P64.dat
ok $? 'pictures of times mark the choices of the rows that serve them'
[ "$(awk '!done && /^[0-9]/ { print ($1 < 9); done = 1 }' \
    types/*int_sum_map.dat)" = 1 ] && grep -q '>128 KiB<' types/*int_sum_map.svg
ok $? 'rows that all begin at 0 are drawn to their ends'

# Speed-ups, PDF, and text output.
run plot a.db -o fast --format svg --figures speedup
[ $? -eq 0 ] && [ "$(LC_ALL=C sort out | tr '\n' ' ')" = \
    'fast/allreduce_speedup.svg fast/bcast_speedup.svg ' ] &&
    is_svg fast/bcast_speedup.svg
ok $? '--figures speedup draws only maps of the speed-up'
cp a.db uneven.db
sqlite3 uneven.db "DELETE FROM run_summary WHERE run_id IN (SELECT run_id
    FROM run JOIN cell USING (cell_id) WHERE comm_size = 64
    AND n BETWEEN 16384 AND 262144)"
run plot uneven.db -o uneven --format svg --figures speedup -c bcast
[ $? -eq 0 ] && [ "$(awk '/^[0-9]/ && NF == 12 && !n { right = $2; n = $12 }
    NF == 12 && $8 == n { print $2 == right, $9 }' \
    uneven/bcast_speedup.dat | paste -sd ' ')" = '1 2 1 64' ]
ok $? 'rows that end at the same n end at the same place'
bad=0
for label in 'bcast: speed-up over the library on fat-tree (simulated)' \
    'n: bytes of the operation' 'P: number of processes' \
    'times faster than the library'; do
    grep -qF "$label" fast/bcast_speedup.svg || { bad=1; echo "# no $label"; }
done
ok $bad 'speed-up maps have title and axes with units'
awk '$11 ~ /binomial/ && $9 == 64 { print $8, $5 }' fast/bcast_speedup.dat > got
sqlite3 -separator ' ' a.db "SELECT n, speedup FROM v_speedup
    WHERE coll = 'bcast' AND comm_size = 64 AND variant = 'binomial'
    AND n BETWEEN 128 AND 65535 ORDER BY n" > want
for f in got want; do # times are compared to a picosecond
    awk '{ printf "%d %.4f\n", $1, $2 }' $f > $f.short
done
[ -s want.short ] && diff want.short got.short > out
ok $? 'where binomial is chosen its speed-ups are those of v_speedup'
cp a.db wide.db
sqlite3 wide.db "UPDATE system SET kind = 'real';
    UPDATE run_summary SET median = median * (SELECT CASE ordinal WHEN 0 THEN
        0.005 WHEN 1 THEN 0.05 WHEN 2 THEN 0.3 WHEN 3 THEN 1.5 ELSE 5 END
        FROM run JOIN launch USING (launch_id) WHERE run.run_id = run_summary.run_id)
    WHERE run_id IN (SELECT run_id FROM run JOIN cell USING (cell_id)
        WHERE variant = 'binomial' AND comm_size = 64 AND n = 512)"
run plot wide.db -o wide --format svg --figures speedup -c bcast
is "$(awk '/^[0-9]/ && NF == 12 && !n { least = $6; most = $7; n = 1; next }
    NF == 12 && $5 > most && $6 < 1 && $7 > 1 { wide++ }
    END { print (least <= 1), (most > 1.2), (most < 4), wide }' \
    wide/bcast_speedup.dat)" '1 1 1 1' \
    'a speed-up whose interval contains 1 does not set the scale of colours'
gnuplot -d -c "$CHORALE_DATADIR/speedup_map.gp" fast/bcast_speedup.dat \
    by-hand3.png png 'by hand' > out 2> err && is_png by-hand3.png &&
    ! [ -s err ]
ok $? 'the speed-up script called directly draws the data file'
{
    printf '2 120000 32 128 0 0.99 2.55 64 64 5\n\n\n'
    printf '%s\n' '2 512 32 128 1.04 1 1 128 64 0 "library"' \
        '512 2224 32 128 1.05 1 1 2048 64 0 "library"' \
        '2224 2420 32 128 1.06 1 1 2416 64 0 "library"' \
        '2420 8912 32 128 0.99 1 1 2424 64 0 "circulant"' \
        '8912 120000 32 128 2.55 1 1 32768 64 0 "circulant"'
} >near.dat
for kind in svg dumb,79,32; do
    gnuplot -d -c "$CHORALE_DATADIR/speedup_map.gp" near.dat near.$kind $kind \
        near > out 2> err
done
grep -q ' 1\.04 .* 1\.05 .* 0\.99 .* 2\.55 ' near.dumb,79,32 &&
    ! grep -q '[ >]1\.06[ <]' near.svg near.dumb,79,32 && grep -q '>0\.99<' near.svg
ok $? 'numbers of neighbouring points do not overlap'
run plot a.db -o pdf --format pdf --collectives bcast
bad=$?
for f in pdf/bcast_P64.pdf pdf/bcast_map.pdf pdf/bcast_speedup.pdf; do
    [ "$(head -c 5 $f)" = %PDF- ] || bad=1
done
ok $bad '--format pdf gives PDF files'
ls > before
run plot a.db --terminal dumb --collectives bcast
[ $? -eq 0 ] && ! [ -s err ] && ls | diff before - > /dev/null &&
    ! LC_ALL=C grep -q '[^ -~]' out
ok $? '--terminal dumb prints text and makes no file'
run plot types.db --terminal dumb -c allreduce --figures map
tr -s ' \n' '  ' <out | grep -q 'allreduce, one-per-node int sum: not in the table, which takes the row of float sum here, on fat-tree (simulated) '
[ $? -eq 0 ] && [ "$(awk '{ if (length > n) n = length } END { print n }' out)" \
    -le 79 ]
ok $? 'a long title is continued in the next line'
run plot a.db --terminal dumb --collectives bcast
bad=0
for label in 'bcast, P = 64 on fat-tree' 'choices of the table' \
    'speed-up over the library' library binomial '[0-9] KiB' '1.2[0-9]'; do
    grep -q "$label" out || { bad=1; echo "# no $label"; }
done
ok $bad 'text output has all three figures with titles, names and axes'
[ "$(awk '{ if (length > n) n = length } END { print n }' out)" -le 79 ]
ok $? 'text output is no wider than a terminal'

grep '<text>[0-9.]* [KM]*i*B<' fast/bcast_speedup.svg | head -n 1 >first
grep -q '>8 B<' first && [ "$(sqlite3 a.db 'SELECT min(n) FROM cell
    WHERE n > 0')" -eq 8 ] && awk '!done && /^[0-9]/ { exit !($11 == 8 &&
    $12 == 524288) }' fast/bcast_speedup.dat
ok $? 'marks of speed-ups begin at the smallest measured n'

# Data.
dat=a-plots/bcast_P64.dat
series $dat binomial > got
sqlite3 -separator ' ' a.db "SELECT n, msg_size, seconds, lo, hi FROM v_summary
    WHERE coll = 'bcast' AND comm_size = 64 AND variant = 'binomial'
    ORDER BY n" > want
bad=0
for pair in 1:1:1e-12 3:2:1e-12 4:3:1e-6 5:4:1e-5 6:5:1e-5; do
    cut -d ' ' -f ${pair%%:*} got > g
    cut -d ' ' -f "$(echo $pair | cut -d : -f 2)" want > w
    same_numbers g w ${pair##*:} || { bad=1; echo "# columns $pair differ"; }
done
ok $bad 'simulated times are those of v_summary, to a picosecond'
cut -d ' ' -f 7 got > g
sqlite3 a.db "SELECT 6 * (SELECT value FROM model WHERE param = 'alpha')
    + 6 * n * (SELECT value FROM model WHERE param = 'beta') FROM v_summary
    WHERE coll = 'bcast' AND comm_size = 64 AND variant = 'binomial'
    ORDER BY n" > w
same_numbers g w
ok $? 'the model is 6 alpha + 6 n beta for binomial at P = 64'
cut -d ' ' -f 1,4,8 got | awk '
    { want = $1 >= 128 && $1 < 65536 ? $2 : "NaN"; if ($3 != want) bad = 1 }
    END { exit bad || NR == 0 }'
ok $? 'binomial is marked exactly where it is decided'
sed -n '/"binomial"$/p' $dat | grep -q '^128 65536 128 65535 2 "binomial"$'
ok $? 'the data file has the decided range with its series'
series $dat library | cut -d ' ' -f 7 | grep -qv NaN
[ $? -eq 1 ]
ok $? 'the library has no model curve'

# On a real system one launch of binomial is an outlier, so that its geometric
# mean is above the library's. The table is decided by clipped ratios to the
# library in the same launch, plus the dispatch cost.
synth real.db x 64 4
sqlite3 real.db "UPDATE system SET kind = 'real'; UPDATE run_summary
    SET median = 3 * median WHERE run_id IN (SELECT run_id FROM v_run
        WHERE variant = 'binomial' AND n = 2048 AND ordinal = 1);
    UPDATE run_summary SET p95 = 1.5 * median"
time_at() { # series, n: measured time in the data file
    series real-plots/bcast_P64.dat "$1" | awk -v n="$2" '$1 == n { print $4 }'
}
explained() { # variant, n: time of decide --explain
    "$chorale" decide real.db --as-before --explain bcast "$2" 64 --json |
        python3 -c 'import json, sys
for c in json.load(sys.stdin)["systems"][0]["candidates"]:
    if c["variant"] == sys.argv[1]: print("%.12g" % c["seconds"])' "$1"
}
for objective in median p95; do
    "$chorale" decide real.db -q --objective $objective
    run plot real.db -c bcast -P 64 --figures times --format svg
    for n in 8 2048 32768; do
        time_at library $n
        time_at binomial $n
    done > g
    for n in 8 2048 32768; do
        explained default $n
        explained binomial $n
    done > w
    same_numbers g w 1e-11
    ok $? "real times are those of the decision, $objective"
done
awk -v a="$(time_at binomial 2048)" -v b="$(time_at library 2048)" \
    'BEGIN { exit !(a > 0 && a < b) }'
ok $? 'the choice is below the library, in spite of an outlier'
grep -qF 'time of one operation, 95 % quantile, variants with 30 ns of dispatch<' \
    real-plots/bcast_P64.svg
ok $? 'the axis names what the times are'
grep -qF '>3 times do not decide<' real-plots/bcast_P64.svg &&
    [ "$(series real-plots/bcast_P64.dat library | awk '!$9 { print $1 }')" = \
        2097152 ]
ok $? 'times that decisions ignore are counted'

sqlite3 a.db 'DELETE FROM model; DELETE FROM decision'
run plot a.db -o none -P 2 --collectives bcast --format svg
[ $? -eq 0 ] && ! grep -q 'dots: model\|decided' none/bcast_P2.svg
ok $? 'without model and decision neither is drawn or in the legend'
sqlite3 a.db 'DELETE FROM run_summary WHERE run_id IN (SELECT run_id FROM run
    JOIN cell USING (cell_id) WHERE n <> 0)'
run plot a.db -o zero -P 2
[ $? -eq 0 ] && is_png zero/bcast_P2.png
ok $? 'n = 0 alone is drawn'
synth single.db x 4
sqlite3 single.db 'DELETE FROM run_summary WHERE run_id IN (SELECT run_id
    FROM run JOIN cell USING (cell_id) WHERE n <> 512)'
run plot single.db
[ $? -eq 0 ] && is_png single-plots/bcast_P4.png && ! [ -s err ]
ok $? 'a single n is drawn'
# A variant whose good times are those of another one is not drawn beside it.
synth twins.db x 4
sqlite3 twins.db "DELETE FROM decision;
    UPDATE run_summary SET (median, lo, hi) = (SELECT
    f * t, f * t, f * t FROM (SELECT msg_size * 1e-9 + 1e-6 AS t,
        CASE WHEN provider = 'library' THEN 2 WHEN variant = 'binomial' OR
            msg_size <= 2048 THEN 1 ELSE 5 END AS f FROM cell JOIN run
        USING (cell_id) WHERE run.run_id = run_summary.run_id))"
run plot twins.db -c bcast -P 4 --figures times --format svg
[ $? -eq 0 ] && grep -q '>binomial<' twins-plots/bcast_P4.svg &&
    grep -q '^  (2 of 4 variants;' out && ! grep -q '>linear<' twins-plots/bcast_P4.svg
ok $? 'a variant with the times of another one where they are good is not drawn'
synth many.db x 64 20
sqlite3 many.db "WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL
        SELECT i + 1 FROM i WHERE i < 40)
    INSERT INTO cell (uuid, campaign_id, system_id, provider, variant, params,
        coll, msg_size, n, comm_size, ppn, shape, dtype, op, op_class,
        root_policy, buffers, launches)
    SELECT 'more-' || i || '-' || cell_id, 1, 1, provider, variant,
        'more=' || i, coll, msg_size, n, comm_size, ppn, shape, dtype, op,
        op_class, root_policy, buffers, launches FROM cell, i
    WHERE variant = 'linear' AND comm_size = 64;
    INSERT INTO run (uuid, cell_id, launch_id, status, stop_reason, validity)
    SELECT 'more-' || cell_id, cell_id, launch_id, 'ok', 'width', ''
    FROM cell JOIN launch USING (comm_size)
    WHERE params LIKE 'more=%' AND ordinal = 0;
    INSERT INTO run_summary SELECT run_id, 5, 0, t, t, t, t, t, t, t, t, t, t
    FROM (SELECT run_id, 1 + 1e-3 * cell_id AS t FROM run
        WHERE uuid LIKE 'more-%')"
run plot many.db --collectives bcast --all-variants
[ $? -eq 0 ] && grep -q '(56 of 61 variants; the data file has all)' out &&
    [ "$(grep -c '^"' many-plots/bcast_P64.dat)" -eq 61 ]
ok $? 'with more than 56 variants the picture has a note, the data has all'

mkdir './|touch evil'
run plot single.db -o '|touch evil'
[ $? -eq 0 ] && ! [ -e evil ]
ok $? 'a folder with a hostile name is only used as a folder'

# Errors.
synth b.db
mkdir bin
PATH=$work/bin run plot b.db
[ $? -eq 3 ] && one_line && grep -q 'install gnuplot' err &&
    [ "$(wc -l < out)" -eq 8 ] && [ -s "$(head -n 1 out)" ]
ok $? 'without gnuplot plot exits with 3 and one line, and writes data files'
printf '#!/bin/sh\necho "line 1: out of ink" >&2; exit 1\n' > bin/gnuplot
chmod +x bin/gnuplot
GNUPLOT=$work/bin/gnuplot run plot b.db -o ink
[ $? -eq 3 ] && one_line && grep -q 'out of ink' err && ! ls ink | grep -q png
ok $? 'a failing gnuplot exits with 3, its message in one line, no picture'
# Ctrl-C also kills gnuplot, whatever it prints.
printf '#!/bin/sh\n%s\n' ': >begun' 'exec sleep 900' > bin/gnuplot
if command -v setsid > /dev/null; then
    for signal in INT TERM; do
        rm -f ctrl/begun
        GNUPLOT=$work/bin/gnuplot setsid "$chorale" plot b.db -o ctrl \
            > out 2> err &
        pid=$! tries=0
        until [ -e ctrl/begun ] || [ $((tries += 1)) -gt 3000 ]; do
            sleep 0.1
        done
        kill -$signal -$pid
        wait $pid
        [ $? -eq 75 ] && one_line && grep -q 'stopped; ' err &&
            ! ls ctrl | grep -q 'png'
        ok $? "SIG$signal to plot and gnuplot exits with 75 and the remedy"
    done
fi
CHORALE_DATADIR=$work/bin run plot b.db
[ $? -eq 3 ] && one_line
ok $? 'missing scripts exit with 3 and one line'
run plot b.db --system nowhere
[ $? -eq 2 ] && one_line && grep -q nowhere err
ok $? 'an unknown system exits with 2 and is named'
run plot b.db -o /proc/nowhere
[ $? -eq 3 ] && one_line && grep -q /proc/nowhere err
ok $? 'a folder that cannot be made exits with 3'
finish
