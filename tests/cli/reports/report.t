#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The page of `chorale report`: structure and content security policy, numbers
# equal to the database's, --anonymize, hostile databases, and errors.
. "$(dirname "$0")/../../lib.sh"
for tool in sqlite3 python3; do
    command -v $tool >/dev/null || skip_all "$tool is missing"
done
export CHORALE_DATADIR="$top_srcdir/plots"
cd "$work" || exit 99
synth() {
    sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" "$@"
}
run() { timeout 900 "$chorale" "$@" >out.txt 2>err.txt; }
one_line() { [ "$(wc -l <err.txt)" -eq 1 ]; }
page() { # file, name: check its structure
    python3 "$top_srcdir/tests/cli/reports/page.py" "$1" >page.txt 2>&1
    ok $? "$2"
    grep -v ' pictures, ' page.txt | head -5 | while read -r line; do
        diag "$line"; done
}
has() { # file, extended regular expression, name: a line must match
    grep -Eq -- "$2" "$1"
    ok $? "$3"
}
drawn=no
command -v gnuplot >/dev/null && drawn=yes

# The page.
synth a.db fat-tree '4 64' 12
run report a.db -o page.html
is "$? $(cat out.txt err.txt)" "0 page.html" "report prints the page's name"
page page.html "structure and policy of the page are valid"
if [ $drawn = yes ]; then
    is "$(cat page.txt)" "8 pictures, 12 tables, 8 figures" \
        "the page has maps, speed-up maps, and times per collective and P"
else
    skip "no gnuplot" "the page has maps, speed-up maps, and times"
fi
run report a.db -q
is "$?$(cat out.txt err.txt)" 0 "-q prints nothing"
cmp -s page.html a-report.html
ok $? "the same database gives the same page, by default beside it"
(umask 027 && "$chorale" report a.db -q -o mode.html)
is "$(stat -c %a mode.html)" 640 "the page has the mode by umask"
! ls -A | grep -q 'html\.'
ok $? "no temporary file remains"

# The headline number, from the decisions.
mean=$(sqlite3 a.db "SELECT printf('x%.3f', exp(avg(coalesce(ln(s.speedup), 0))))
    FROM (SELECT DISTINCT coll, comm_size, n FROM v_summary
      WHERE validity = '') p
    LEFT JOIN decision d ON d.coll = p.coll
      AND p.comm_size BETWEEN d.comm_size
      AND max(d.comm_size, d.comm_size_hi)
      AND p.n BETWEEN d.n_lo AND d.n_hi AND d.provider = 'chorale'
    LEFT JOIN v_speedup s ON s.coll = p.coll AND s.comm_size = p.comm_size
      AND s.n = p.n AND s.variant = d.variant AND s.provider = 'chorale'")
has page.html "<p class=\"big\">$mean</p><p>geometric mean" \
    "the headline is the geometric mean of the speed-up"
same=$(sqlite3 a.db "SELECT count(*) FROM (SELECT DISTINCT coll, comm_size, n
    FROM v_summary WHERE validity = '') p WHERE NOT EXISTS (SELECT 1
    FROM decision d WHERE d.coll = p.coll
      AND p.comm_size BETWEEN d.comm_size
      AND max(d.comm_size, d.comm_size_hi)
      AND p.n BETWEEN d.n_lo AND d.n_hi AND d.provider = 'chorale')")
has page.html "over 40 points of n and P, with the library on both sides at $same" \
    "over all points that count, and how many are the library's ($same)"
has page.html "chorale validate</code> has not run" \
    "the page states that validate has not run"
for text in 'Choices of bcast' 'crossover' 'binomial' '1 us</td>' \
    '980 ns to 1.02 us' '1 GB/s' 'oversubscribed' 'synthetic MPI 1.0' \
    '<li>chorale synthetic: 2026-01-01'; do
    grep -qF "$text" page.html
    ok $? "the page has '$text'"
done
is "$(grep -c '<tr data-coll="bcast" data-p="64" data-q="64"><th scope="row" class="n">64</th><td>one-per-node' page.html)" \
    3 "every row of the table is on the page"

# Parameters can be wrapped after commas.
cp a.db comma.db
for table in cell decision; do
    sqlite3 comma.db "UPDATE $table SET params = 'fanout=2,segsize=8192'
        WHERE variant = 'binomial'"
done
run report comma.db -o comma.html
is $? 0 "a choice with parameters exits with 0"
grep -q '>scatter_<wbr>ring_<wbr>allgather<' a-report.html &&
    grep -q 'overflow-wrap: break-word' a-report.html
ok $? "long names can be wrapped after their parts"
has comma.html '<td>binomial fanout=2,<wbr>segsize=8192</td>' \
    "a choice with parameters is complete, with break points"
page comma.html "the page with parameters is valid"

# Two types with different winners: the table has the rows of one.
cp a.db types.db
sqlite3 types.db "INSERT INTO cell (uuid, campaign_id, system_id, provider,
    variant, params, coll, msg_size, n, comm_size, ppn, shape, dtype, op,
    op_class, root_policy, buffers, launches) SELECT uuid || 'f', campaign_id,
    system_id, provider, variant, params, coll, msg_size, n, comm_size, ppn,
    shape, 'float', op, op_class, root_policy, buffers, launches FROM cell
    WHERE coll = 'allreduce';
    INSERT INTO run (uuid, cell_id, launch_id, status, stop_reason)
    SELECT r.uuid || 'f', f.cell_id, r.launch_id, r.status, r.stop_reason
    FROM run r JOIN cell c USING (cell_id) JOIN cell f
    ON f.uuid = c.uuid || 'f';
    INSERT INTO run_summary SELECT g.run_id, nrep, nlate, k * median, k * lo,
    k * hi, k * mean, k * min, k * q25, k * q75, k * p95, k * p99, k * max
    FROM (SELECT g.run_id, r.run_id AS old, iif(variant = 'ring', 0.01, 1) AS k
    FROM run g JOIN run r ON r.uuid || 'f' = g.uuid JOIN cell c
    ON c.cell_id = g.cell_id) g JOIN run_summary s ON s.run_id = g.old;
    INSERT INTO decision (system_id, coll, comm_size, ppn, shape, dtype, op,
    n_lo, n_hi, provider, variant, params, basis, speedup, reason)
    SELECT system_id, coll, comm_size, ppn, shape, 'float', op, n_lo, n_hi,
    provider, 'ring', params, basis, 9, reason FROM decision
    WHERE coll = 'allreduce'"
run report types.db -o types.html
is $? 0 "two types with different winners exit with 0"
page types.html "the page of two types is valid"
is "$(grep -c '<td>int sum</td>.*<td>recursive_<wbr>doubling; not in the table, which takes the row of float sum here</td>' \
    types.html)" 2 "rows of the other type name the type that the table takes"
is "$(grep -c '<td>float sum</td>.*<td>ring</td>' types.html)" 2 \
    "rows of the table's type are not marked"
cp types.db types2.db
run decide types2.db
is "$? $(awk '/^allreduce/ { other = / int sum$/; at = NR }
    at > 0 && NR == at + 1 { said = /^  \(not in the table, which takes the row of float sum here\)$/
        bad += said != other; good += said } END { print (good > 0), bad + 0 }' \
    out.txt)" "0 1 0" "decide's list marks the same rows"
has types.html '<figcaption>allreduce, one-per-node int sum: not in the table, which takes the row of float sum here, on fat-tree' \
    "the map's caption marks the other type"
[ $drawn = no ] || grep -q '<text.*>not in the table<' types.html
ok $? "the map's legend marks the other type"
has types.html 'caption>allreduce, one-per-node int sum: speed-up over the library by rows of float sum on' \
    "the speed-up map names the type of the rows"
has types.html '<td>ring \(row of float sum\)</td>' \
    "each row of the speed-up table names the type of the rows"
has types.html 'caption>allreduce, P = 64, int sum: the table takes the row of float sum on' \
    "pictures of times name the type of the rows"
sed -n '/<caption>allreduce, P = 64, int sum: .*: times</,/<\/table>/p' \
    types.html >times.txt
is "$(grep -c 'ring</td>.*<td>chosen</td>' times.txt) $(grep -c \
    'recursive.*<td>chosen</td>' times.txt)" "9 0" \
    "the table's choice is marked as chosen, not the type's own"
sqlite3 types.db "UPDATE decision SET op_class = 'noncommutative'
    WHERE dtype = 'int'"
run report types.db -o own.html
has own.html '<td>recursive_<wbr>doubling; not in the table, which leaves these operations to the library</td>' \
    "rows that no table serves are marked"

# A validation replaces the headline.
cp a.db v.db
sqlite3 v.db "UPDATE system SET kind = 'real'"
run report v.db -o real.html
is $? 0 "a real system exits with 0"
has real.html "Not validated yet" "a system without validation is marked"
has real.html 'class="big">x[0-9.]* \[[0-9.]*, [0-9.]*\]</p>' \
    "its headline has an interval"
has real.html "each launch counts for the choice of the others" \
    "its headline is cross-fitted"

run validate v.db --dry-run
digest=$(sed -n 's/.*would validate table \([0-9a-f]*\) of.*/\1/p' out.txt)
is "${#digest}" 16 "the table's digest is known"
sqlite3 v.db "INSERT INTO launch (launch_id, uuid, campaign_id, system_id,
    ordinal, comm_size, ppn, shape, part, seed, started, status)
    SELECT launch_id + 1000, uuid || 'v', 1, 1, ordinal, 4, 1, shape,
    'table-$digest', 1, '2026-01-02', 'done' FROM launch WHERE comm_size = 4;
    INSERT INTO cell (cell_id, uuid, campaign_id, system_id, provider, variant,
    params, coll, msg_size, n, comm_size, ppn, shape, dtype, root_policy,
    buffers, launches, part) SELECT 5000 + (v = 'library'), v, 1, 1, 'table', v,
    '$digest' || iif(v = 'choice', ' binomial', ''), 'bcast', 512, 512, 4, 1,
    'one-per-node', 'byte', 'rotate', 'warm', 5, 'table-$digest' FROM
    (SELECT 'choice' AS v UNION SELECT 'library');
    INSERT INTO run (run_id, uuid, cell_id, launch_id, status)
    SELECT launch_id * 10 + cell_id - 5000, 'v' || launch_id || cell_id,
    cell_id, launch_id, 'ok' FROM launch, cell
    WHERE launch_id > 1000 AND cell_id >= 5000;
    INSERT INTO run_summary SELECT run_id, 9, 0, t, t, t, t, t, t, t, t, t, t
    FROM (SELECT run_id, 1e-5 * (1 + ordinal) * iif(cell_id = 5000, 1, 2.5 +
    0.01 * ordinal) AS t FROM run JOIN launch USING (launch_id)
    WHERE cell_id >= 5000)"
run report v.db -o valid.html
is $? 0 "a validated system exits with 0"
has valid.html 'class="big">x2\.520 \[2\.500, 2\.540\]</p><p>geometric mean' \
    "the headline is validate's, with the interval over launches"
has valid.html "Validated: a program that calls MPI" \
    "the headline names validate as its source"
has valid.html "over 1 of [0-9]* points of n and P" \
    "the headline covers validated points only, and counts all"
page valid.html "the page of a validated system is valid"
sqlite3 v.db "UPDATE cell SET msg_size = 3744, n = 3744 WHERE cell_id >= 5000"
run report v.db -o odd.html
has odd.html "bcast, n = 3744 B, P = 4" \
    "n is printed to the byte, so that it can be typed"

# Counters compared with schedules: bcast binomial sends P - 1 messages of m.
cp a.db c.db
sqlite3 c.db "INSERT INTO counter SELECT run_id, -1, e,
    iif(e = 'chorale::messages', comm_size - 1, (comm_size - 1) * msg_size)
    FROM run JOIN cell USING (cell_id) JOIN (SELECT 'chorale::messages' AS e
    UNION SELECT 'chorale::bytes_sent') WHERE variant = 'binomial';
    INSERT INTO counter SELECT run_id, -1, e, 7 FROM run JOIN cell USING (cell_id)
    JOIN (SELECT 'chorale::messages' AS e UNION SELECT 'chorale::bytes_sent')
    WHERE variant = 'ring'"
run report c.db -o c.html
is $? 0 "a database with counters exits with 0"
has c.html "<p>2 of 4 are equal, 2 differ, 0 have no schedule" \
    "counters are compared with the algorithm"
has c.html 'bcast binomial</th><td class="n">64</td>.*<td class="n">63</td><td class="n">[0-9.]* B</td><td class="n">63</td>.*equal' \
    "a broadcast to 64 ranks has 63 messages"

# A traced application.
cp a.db t.db
sqlite3 t.db "INSERT INTO trace VALUES (1, 'u', '', '2026-01-01', '/home/joe/app',
    'MPI', '2026-01-01', 64, 64, NULL, '', 10, 10, 0, 0);
    INSERT INTO trace_point VALUES (1, 'bcast', 512, 512, 64, 'one-per-node',
    'byte', '', 'first', 'library', 64, 1, 64, 1, NULL, NULL, NULL, NULL, '')"
run report t.db -o t.html
is $? 0 "a database with a trace exits with 0"
run evaluate t.db --trace
share=$(sed -n 's/^The table wins [^:]*: \([0-9.]* %\), and.*/\1/p' out.txt)
[ -n "$share" ] && grep -q "The table wins $share of the time" t.html
ok $? "the page has the gain of evaluate --trace ($share)"
page t.html "the page with a trace is valid"

# --anonymize.
sqlite3 t.db "UPDATE system SET name = 'secret-site', mpi_library =
    'MPICH 4 /home/joe/mpich configure: --prefix=/home/joe';
    UPDATE campaign SET command = 'plan /home/joe/x.db --account chem42',
    label = 'joes-branch';
    INSERT INTO environment SELECT launch_id, k, v FROM launch, (
    SELECT 'host' AS k, 'node17.secret' AS v UNION SELECT 'user', 'joe' UNION
    SELECT 'command_line', '/home/joe/bin/runner' UNION
    SELECT 'env:SLURM_JOB_ACCOUNT', 'chem42' UNION
    SELECT 'cpu_model', 'AMD EPYC 9654 96-Core Processor' UNION
    SELECT 'compiler', 'gcc /home/joe/gcc');
    UPDATE environment SET value = value || ' planted-cpu'
    WHERE key = 'cpu_model' AND launch_id = 1;
    UPDATE decision SET reason = 'the gain is below the threshold; planted-why';
    UPDATE campaign SET platform = 'x', network = 'planted-net',
    sim_selector = 'mpich,planted-selector';
    UPDATE model SET level = 'line planted-level', regime = '<= 8192 planted'
    WHERE param = 'beta'"
cp t.db joes.db
run report joes.db -o open.html
for word in secret-site joe chem42 node17 joes-branch planted-cpu \
    planted-why planted-net planted-selector planted-level '8192 planted'; do
    grep -q "$word" open.html
    ok $? "without --anonymize the page has $word"
done
run report joes.db --anonymize -o anon.html
is $? 0 "--anonymize exits with 0"
is "$(grep -o 'secret[a-z-]*\|joe[a-z-]*\|planted[a-z-]*\|chem42\|node17\|/home[^<]*' anon.html)" \
    "" "--anonymize removes hosts, users, accounts, paths, command lines"
has anon.html "MPI collectives on s1<.*" "--anonymize names the system s1"
for text in '>AMD EPYC 9654 96-Core Processor<' '>AMD EPYC .* Processor \*<' \
    '<td>the gain is below the threshold; \*</td>' '<td>line \*</td>' \
    '<td>&#60;= 8192 \*</td>' 'network \*, tau .*, selector \*,'; do
    has anon.html "$text" "--anonymize keeps other facts: $text"
done
page anon.html "the anonymized page is valid"

# Hostile names.
evil='`touch evil1`$(touch evil2)"; system "touch evil3" #'\''); !touch evil4
@x |touch evil5 </title></style></script><script>alert(1)</script>
<svg onload=alert(2)>]]>-->,<img src=x onerror=alert(3)>,&lt;b&gt; %s %n ../../x'
synth evil.db "$evil" '2 4'
name=$(printf %s "$evil" | sed "s/'/''/g")
sqlite3 evil.db "UPDATE cell SET variant = '$name', params = '$name'
    WHERE variant = 'linear';
    UPDATE cell SET coll = '../$name' WHERE coll = 'allreduce';
    UPDATE decision SET coll = '../$name' WHERE coll = 'allreduce';
    UPDATE cell SET dtype = '$name' WHERE cell_id % 2;
    UPDATE decision SET reason = '$name', basis = 'measured';
    UPDATE decision SET variant = '$name' WHERE n_lo = 128;
    UPDATE system SET mpi_library = '$name';
    UPDATE campaign SET command = '$name', label = '$name', network = '$name',
        platform = 'x', sim_selector = '$name';
    UPDATE run SET validity = '$name';
    UPDATE model SET level = '$name', regime = '$name' WHERE param = 'tau';
    INSERT INTO model_variant VALUES (1, '$name', '$name', '$name', 2, 1, 0, 0,
        0, 0.001, 1, 1, 0);
    INSERT INTO environment SELECT launch_id, '$name', '$name' || x'fe8041'
        FROM launch;
    INSERT INTO trace VALUES (1, 'u', '$name', '$name', '$name', '$name',
        '$name', 4, 4, NULL, '$name', 10, 10, 0, 0);
    INSERT INTO trace_point VALUES (1, '$name', 512, 512, 4, '$name', '$name',
        '$name', '$name', '$name', 64, 1, 64, 1, 1, 1, 1, 1, '$name');
    INSERT INTO counter SELECT run_id, -1, e, 1e300 FROM run JOIN (
        SELECT 'chorale::messages' AS e UNION SELECT 'chorale::bytes_sent')"
run report evil.db -o evil.html
is $? 0 "a hostile database exits with 0"
diag "$(head -1 err.txt)"
page evil.html "the page of a hostile database is valid"
! grep -qi '<script>alert\|<svg onload\|<img' evil.html &&
    grep -q '&#60;script&#62;alert(1)&#60;/script&#62;' evil.html
ok $? "scripts in names are escaped"
is "$(find . -name 'evil[0-9]*')" "" \
    "neither the shell nor gnuplot executed a name"
run report evil.db --anonymize -o evil2.html
page evil2.html "the anonymized page of a hostile database is valid"

# Pictures are sanitised: only drawing elements get onto the page.
mkdir bin
cat >bin/gnuplot <<'FAKE'
#!/bin/sh
cat >"$5" <<'SVG'
<?xml version="1.0"?><!DOCTYPE svg PUBLIC "x" "http://x/y.dtd">
<svg width="10" viewBox="0 0 10 10" onload="alert(1)"><title>t</title>
<script>alert(2)</script><style>* { fill: url(http://x) }</style>
<a href="http://x"><path d="M0,0"/></a><foreignObject><p>x</p></foreignObject>
<g id="g" style="fill:none; stroke:black; background:url(x)" onclick="x()">
<path id="p" d="M1,1 L2,2" fill="url(#evil)" stroke='rgb( 51,  34, 136)'/>
<use href="http://x#p"/><use xlink:href="#p" x="1"/><image href="x.png"/>
<text font-family="x&quot;">1 &lt; 2 &amp; &evil; ]]></text></g></svg>
SVG
FAKE
chmod +x bin/gnuplot
GNUPLOT=$work/bin/gnuplot run report a.db -o svg.html
is $? 0 "pictures of another gnuplot exit with 0"
page svg.html "the page with such pictures is valid"
! sed -e 's/<style>/&\n/' -e 's/<script>/&\n/' svg.html |
    grep -q 'alert\|http:\|foreignObject\|<image\|url('
ok $? "scripts, styles and external references are removed"
has svg.html '<path id="f1-p" d="M1,1 L2,2" stroke="var\(--indigo\)"/>' \
    "drawing elements are kept, with unique ids and the page's colours"
has svg.html '<use href="#f1-p" x="1"/>' "internal references are kept"
has svg.html '<g id="f1-g" fill="none" stroke="var\(--ink\)">' \
    "styles become attributes"
printf '#!/bin/sh\necho "<svg><g></svg>" >"$5"\n' >bin/gnuplot
GNUPLOT=$work/bin/gnuplot run report a.db -o cut.html
is "$? $(wc -l <err.txt) $(ls cut.html* 2>/dev/null)" "4 1 " \
    "an invalid picture gives one line and no page"

# A modelled choice has a paler colour than the same choice measured.
if [ $drawn = yes ]; then
    cp a.db pale.db
    sqlite3 pale.db "DELETE FROM decision;
        WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i
            WHERE i < 9)
        INSERT INTO decision (system_id, coll, comm_size, comm_size_hi, ppn,
            shape, dtype, op, n_lo, n_hi, provider, variant, params, basis,
            reason)
        SELECT 1, 'bcast', p.column1, p.column2, 1, 'one-per-node', 'byte', '',
            8 << i, (16 << i) - 1, 'chorale', 'chain',
            'fanout=1,segsize=' || (256 << i), p.column3, 'gain' FROM i,
            (VALUES (2, 2, 'measured'), (3, 63, 'modelled')) p"
    run report pale.db -o pale.html
    is "$?" 0 "nine choices, measured and modelled, are drawn"
    python3 - pale.html >pale.txt 2>&1 <<'PY'
import re, sys
page = open(sys.argv[1], encoding='utf-8').read()
light, dark = [dict(re.findall(r'--([a-z-]+): #([0-9a-f]{6})', part))
               for part in re.findall(r':root \{(.*?)\}', page, re.S)]

def parts(fill, names):
    name = re.fullmatch(r'var\(--([a-z-]+)\)', fill)
    if name:
        return [int(names[name[1]][i:i + 2], 16) for i in (0, 2, 4)]
    return [int(x) for x in re.findall(r'\d+', fill)]

def luminance(rgb):
    return sum(w * (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055)**2.4)
               for w, c in zip((0.2126, 0.7152, 0.0722),
                               (x / 255 for x in rgb)))

part = page[page.index('id="choices"'):page.index('id="speedups"')]
fills = {f: parts(f, light) for f in set(re.findall(
    r'fill="(rgb\([\d, ]+\)|var\(--[a-z-]+\))"', part))}
pairs = [(f, g) for f in fills for g in fills if f != g and
         fills[g] == [int(0.55 * c + 0.45 * 255) for c in fills[f]]]
for f, g in pairs:
    for name, names in ('light', light), ('dark', dark):
        full, pale = luminance(parts(f, names)), luminance(parts(g, names))
        if pale < 1.2 * full:
            print(f'{name}: {f} {full:.3f}, by the model {g} {pale:.3f}')
print(len(pairs), 'pairs')
PY
    is "$(cat pale.txt)" "9 pairs" \
        "modelled choices are paler, on light and dark pages"
else
    skip "no gnuplot" "nine choices, measured and modelled, are drawn"
    skip "no gnuplot" "modelled choices are paler"
fi

# Without gnuplot.
mkdir empty
GNUPLOT=$work/empty/gnuplot run report a.db -o bare.html
is "$?$(cat err.txt)" 0 "without gnuplot report exits with 0"
page bare.html "the page without pictures is valid"
has bare.html "<strong>No pictures: .*install gnuplot" \
    "the page without pictures names the remedy"
has page.txt '^0 pictures, 12 tables' "the page without pictures has the tables"

# Errors.
cp a.db none.db
sqlite3 none.db 'DELETE FROM run_summary; DELETE FROM run; DELETE FROM cell;
    DELETE FROM decision; DELETE FROM model; DELETE FROM launch;
    DELETE FROM campaign; DELETE FROM system'
run report none.db
is "$?$(one_line && echo one)" 4one \
    "an empty database exits with 4 and one line"
cp a.db two.db
sqlite3 two.db "INSERT INTO system SELECT 2, 'b', 'other', kind, 'o', '', '' FROM system"
run report two.db
is "$?$(one_line && echo one)" 2one "several systems exit with 2 and one line"
has err.txt other "the error lists the systems"
run report two.db --system fat-tree -o two.html
is $? 0 "--system selects a system"
run report two.db --system nowhere
is $? 2 "an unknown system exits with 2"
echo old >kept.html
TMPDIR=/nowhere run report a.db -o kept.html
is "$?$(cat kept.html)" 3old "a failure keeps the previous page"
cp a.db undecided.db
sqlite3 undecided.db 'DELETE FROM decision; DELETE FROM model'
run report undecided.db -o undecided.html
is $? 0 "a database without decisions and model exits with 0"
page undecided.html "the page without decisions is valid"
has undecided.html "Nothing decided yet" \
    "the page states that no decision exists"
cp a.db kappa.db
sqlite3 kappa.db "INSERT INTO model (system_id, level, param, value, lo, hi,
    unit, npoints, error, worst_error, trusted, ppn)
    VALUES (1, 'net', 'kappa', 2, 1.9, 2, 'ways', 70, 0.001, 0.03, 1, 2)"
cp kappa.db counted.db
sqlite3 counted.db "INSERT INTO model (system_id, level, param, value,
    unit, npoints, error, worst_error, trusted)
    VALUES (1, 'shift 4', 'kappa', 3, 'ways', 70, 0.001, 0.03, 1)"
run report kappa.db -o kappa.html
run report counted.db -o counted.html
has kappa.html '<td class="n">2 ways</td><td class="n">1.9 ways to 2 ways</td>' \
    "kappa of a node's ranks has an interval"
has counted.html '<td class="n">3 ways</td><td class="n">-</td>' \
    "kappa of a pattern of one launch has no interval"
is "$(grep -c 'kappa without an interval: there is only one launch' counted.html kappa.html |
    tr '\n' ' ')" "counted.html:1 kappa.html:0 " "and it says why"

# Imported results, without empty tables (import_benchmarks.t has the marks).
run import osu.db "$top_srcdir/tests/cli/database/benchmarks/osu-5.9.txt" -P 44 --ppn 22
run report osu.db -o osu.html
is $? 0 "an imported OSU table exits with 0"
page osu.html "the page of imported results is valid"
has osu.html 'What another benchmark printed was not validated here' \
    "the page states that imported results are not validated"
finish
