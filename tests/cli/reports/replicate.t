#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The verb replicate: output, picture, fitted databases, invalid input. Its
# computations are tested in tests/unit/tuner/replicate.c.
. "$(dirname "$0")/../../lib.sh"
cd "$work" || exit 99

"$chorale" replicate --system RS2 --n 16 --accesses 2 --tm 50 >out.txt 2>err.txt
is "$? $(cat err.txt)" "0 " "a mesh of 16 by 16 exits with 0"
like "$(cat out.txt)" 'best groups: 6 a side' "the best groups are printed"
like "$(cat out.txt)" '6 x 6 +104\.763 .*\+0\.00 %' "their cost is printed"
like "$(cat out.txt)" 'closed form: 6 \(T_o falls to 5\.9128 .* 5\.8557' \
    "the closed form and its roots are printed"
like "$("$chorale" replicate --system RS2 --n 16 --accesses 2 --tm 50 \
    --divisors)" 'best groups: 8 a side' "--divisors gives other best groups"
like "$("$chorale" replicate --system RS2 --n 3 --accesses 0.75 --tm 0.1)" \
    'as printed: 2, which is not the best' \
        "an invalid result of the proposition is reported"
like "$("$chorale" replicate --system WS2 --n 12 --accesses 8 --tm 0)" \
    'a root of a negative number; repaired: 1' \
        "a result of the proposition that is not real is reported"
like "$("$chorale" replicate --system ring --n 64 --accesses 1 --tm 100)" \
    'best groups: 29 as in the paper' \
        "the best groups of a ring need not divide its elements"
is "$("$chorale" replicate --n 16 --accesses 2 --tm 50 --json |
    sed -n 's/.*"best": \([0-9]*\).*/\1/p; s/.*"side": //p' | tr -d ',\n' |
    head -c 12)" "612345678910" "JSON has all sides of groups"

# T_m and alpha from a fitted model: tau / beta and alpha / beta.
"$chorale" plan f.db -P 2 -m 8 -c bcast -q
sqlite3 f.db "INSERT INTO model (system_id, param, value, unit, npoints, error,
    worst_error, trusted) SELECT 1, k, v, 's', 9, 0, 0, 1 FROM (SELECT 'alpha'
    AS k, 1e-6 AS v UNION SELECT 'beta', 1e-9 UNION SELECT 'tau', 5e-8)"
like "$("$chorale" replicate f.db --system RS2 --n 16 --accesses 2)" \
    'T_m = 50' "T_m is taken from the database"
like "$("$chorale" replicate f.db --system RS2 --n 16 --accesses 2 --data 1000)" \
    'alpha = 125, M = 1000' "with --data the latency is taken from the database"
like "$("$chorale" replicate f.db --system RS2 --n 16 --data 1000 --latency 3)" \
    'alpha = 3, M = 1000' "--latency replaces the database's latency"

# The network from the links that fit found.
links() { # fitted links: check the network taken from them
    sqlite3 f.db "DELETE FROM model WHERE param = 'kappa'; INSERT INTO model
        (system_id, param, level, value, unit, npoints, error, worst_error,
        trusted) VALUES (1, 'kappa', '$1', 1, '', 9, 0, 0, 1),
        (1, 'kappa', 'pairs 4', 4, '', 9, 0, 0, 1)"
}
while IFS=: read -r wiring says; do
    links "$wiring"
    "$chorale" replicate f.db >out.txt 2>err.txt
    is "$? $(cat err.txt)$(sed -n 's/, N_a.*//p
        s/^fitted links.*: /from /p' out.txt | paste -sd' ' -)" \
        "0 $says from $wiring" "$wiring: $says"
done <<'END'
torus 8x8:WS2, 8 elements a side
torus 6x6 one-way:WS1, 6 elements a side
grid 4x4:RS2, 4 elements a side
grid 4x4 one-way:RS1, 4 elements a side
line 16:array, 16 elements
line 9 one-way:array1, 9 elements
ring 12:ring, 12 elements
ring 12 one-way:ring1, 12 elements
END
links 'torus 8x8'
like "$("$chorale" replicate f.db --n 4)" '^WS2, 4 elements a side' \
    "--n replaces the number of elements"
like "$("$chorale" replicate f.db --system WS1)" '^WS1, 8 elements a side' \
    "a wrapped mesh has the number of elements of the links"
like "$("$chorale" replicate f.db --json)" '"links": "torus 8x8"' \
    "JSON has the links"
"$chorale" replicate f.db --system RS2 >out.txt 2>err.txt
is "$? $(wc -l <err.txt)" "2 1" \
    "the side of a regular mesh is not taken from a torus"
for wiring in 'tree 8' 'grid 4x8' 'shift 4'; do
    links "$wiring"
    "$chorale" replicate f.db --n 8 >out.txt 2>err.txt
    is "$? $(wc -l <err.txt) $(wc -c <out.txt)" "2 1 0" \
        "$wiring: no network is taken for granted"
    like "$(cat err.txt)" 'give --system, as RS2' "$wiring: and what to do"
done
cp f.db wild.db
sqlite3 wild.db "UPDATE model SET value = 1e-320 WHERE param = 'beta'"
"$chorale" replicate wild.db --system RS2 --n 16 >out.txt 2>err.txt
is "$? $(wc -l <err.txt) $(wc -c <out.txt)" "4 1 0" \
    "a beta close to zero is refused in one line"
like "$(cat err.txt)" 'T_o is not finite with T_m = inf' "which says what"
sqlite3 f.db "DELETE FROM model WHERE param = 'tau'"
"$chorale" replicate f.db --system RS2 --n 16 2>err.txt
is "$? $(wc -l <err.txt)" "4 1" \
    "a database without tau exits with 4 and one line"
like "$(cat err.txt)" 'no tau is fitted' "the error names the missing tau"
"$chorale" replicate f.db --system RS2 --n 16 --tm 3 >/dev/null
is $? 0 "--tm replaces a missing tau"

# From measured times of the collectives.
if [ -x "$top_builddir/chorale-runner-sim" ]; then
    platform flat.xml 0.5 1250000000 4
    "$chorale" plan k.db -q -c alltoall,reduce_scatter_block,allgather -P 2,4 \
        -m 4K,8K --launcher smpirun --platform flat.xml &&
        timeout 900 "$chorale" run k.db -q
    ok $? "alltoall, reduce_scatter_block and allgather are measured"
    sqlite3 k.db "INSERT INTO model (system_id, param, value, unit, npoints,
        error, worst_error, trusted)
        VALUES (1, 'tau', 1e-9, 's/B', 9, 0, 0, 1)"
    # 2048 data items: blocks of 4 KiB, and packets of 8 KiB in groups of two.
    "$chorale" replicate k.db --system measured --data 2048 --json >k.json
    is $? 0 "--system measured exits with 0"
    at() { # collective, ranks, size: seconds of the fastest variant
        sqlite3 k.db "SELECT min(seconds) FROM v_summary WHERE coll = '$1'
            AND comm_size = $2 AND msg_size = $3"
    }
    is "$(sqlite3 :memory: "SELECT group_concat(json_extract(value, '$.side') ||
            ' ' || printf('%.6g', json_extract(value, '$.seconds')), '; ')
        FROM json_each(CAST(readfile('k.json') AS TEXT), '$.sides')")" \
        "$(sqlite3 :memory: "WITH x AS (SELECT $(at allgather 4 4096) +
                16384e-9 AS all_get_all)
            SELECT printf('1 %.6g; 2 %.6g; 4 %.6g',
            all_get_all + $(at reduce_scatter_block 4 4096), all_get_all +
            $(at alltoall 2 8192) + $(at reduce_scatter_block 2 4096),
            all_get_all + $(at alltoall 4 4096)) FROM x")" \
        "the fastest variant of each phase is taken at each group size"
    "$chorale" replicate k.db --system measured --data 3072 >k.txt
    like "$(cat k.txt)" '^2  .*-  alltoall of 2 processes is measured from 4096 to 8192 bytes, not at 12288' \
        "it states for which groups no time is measured"
    like "$(cat k.txt)" 'best groups: 4$' "between two sizes it draws a line"
    like "$(cat k.txt)" 'nodes slow it down further' \
        "and says what is not in it"
    "$chorale" replicate k.db --system measured --data 100 2>err.txt >out.txt
    is "$? $(wc -l <err.txt)" "4 1" \
        "a database without times exits with 4 and one line"
    sqlite3 k.db "DELETE FROM model"
    "$chorale" replicate k.db --system measured --data 2048 2>err.txt >out.txt
    is "$?" 4 "--system measured without tau exits with 4"

    # Two nodes of four ranks: ranks that integrate are on both nodes, and as
    # many groups are active as a group has ranks per node; groups of two update
    # in pairs.
    measure() { # options of plan: measure collectives
        "$chorale" plan m.db -q -m 4K,8K,16K --providers library \
            --launcher smpirun --platform flat.xml "$@" &&
            timeout 900 "$chorale" run m.db -q
    }
    replicate() { # SQL expression: print it for each group
        "$chorale" replicate m.db --system measured --data 4096 --json >m.json
        sqlite3 :memory: "SELECT group_concat($1, ', ') FROM (SELECT
            json_extract(value, '\$.side') AS side,
            json_extract(value, '\$.updating') AS updating,
            json_extract(value, '\$.integration') AS integration,
            json_extract(value, '\$.caveat') AS caveat
            FROM json_each(CAST(readfile('m.json') AS TEXT), '\$.sides'))"
    }
    seconds() { # collective, ranks, size, ppn, siblings
        sqlite3 m.db "SELECT printf('%.9g', min(seconds)) FROM v_summary
            WHERE coll = '$1' AND comm_size = $2 AND msg_size = $3 AND
            ppn = $4 AND siblings = '$5'"
    }
    measure -c alltoall,reduce_scatter_block,allgather -P 2,4,8 --ppn 4 &&
        sqlite3 m.db "INSERT INTO model (system_id, param, value, unit,
            npoints, error, worst_error, trusted)
            VALUES (1, 'tau', 1e-9, 's/B', 9, 0, 0, 1)"
    is "$(replicate "side || ': ' || coalesce(caveat, 'as run')")" \
        "1: as run, 2: updating was measured with 2 a node and 1 at once, not with 2 and 2; integration was measured with 4 a node and 1 at once, not with 2 and 2, 4: integration was measured with 2 a node and 1 at once, not with 1 and 4, 8: as run" \
        "with several ranks per node differing conditions are reported"
    like "$("$chorale" replicate m.db --system measured --data 4096)" \
        '^4 .* %  integration was measured with 2 a node' \
            "the caveat is printed in the row"
    measure -c reduce_scatter_block -P 2 --ppn 1 --siblings alone
    like "$(replicate "side || ': ' || coalesce(caveat, 'as run')")" \
        '4: integration was measured with 1 a node and 1 at once, not with 1 and 4' \
        "times with the right ppn are preferred to the right siblings"
    measure -c reduce_scatter_block -P 2 --ppn 1 --siblings 4
    measure -c reduce_scatter_block -P 4 --ppn 2 --siblings 2
    measure -c alltoall -P 2 --ppn 2 --siblings 2
    is "$(replicate "side || ': ' || printf('%.9g', updating) || ' ' ||
        printf('%.9g', integration) || coalesce(caveat, '')")" \
        "1: 0 $(seconds reduce_scatter_block 8 4096 4 alone), 2: $(seconds \
            alltoall 2 16384 2 2) $(seconds reduce_scatter_block 4 4096 2 2), 4: $(
            seconds alltoall 4 8192 4 alone) $(
            seconds reduce_scatter_block 2 4096 1 4), 8: $(
            seconds alltoall 8 4096 4 alone) 0" \
        "times under the right conditions are preferred"
else
    skip "built without SimGrid" "--system measured"
fi

# Links that only one group uses close no ring. Where that matters, both forms
# of the model are printed.
"$chorale" replicate --system WS2 --n 8 --tm 1 --json --open-groups >o.json
is "$(sqlite3 :memory: "SELECT group_concat(json_extract(value, '$.updating') ||
    ' ' || json_extract(value, '$.in_paper.updating'), ', ')
    FROM json_each(CAST(readfile('o.json') AS TEXT), '$.sides')
    WHERE json_extract(value, '$.side') IN (4, 8)")" "1.0 0.5, 1.0 1.0" \
    "groups of 4 x 4 update as on a mesh, the whole 8 x 8 as on rings"
"$chorale" replicate --system WS1 --n 4 --accesses 2 --tm 1 --divisors >out.txt
like "$(cat out.txt)" \
    'best groups: 2 a side as in the paper, 1 a side as links allow' \
    "a wrapped system has two forms of the model and two optima"
is "$(grep -c '^1 x 1 ' out.txt) $(sed -n '/^as links allow:/,$p' out.txt |
    awk '/^2 x 2/ { print ($(NF - 1) > 20 && $(NF - 1) < 30) }')" "2 1" \
    "a table is printed for each form"
like "$("$chorale" replicate --system RS2 --n 6 --tm 0.4 --divisors)" \
    'best groups: 2 a side as in the paper, 3 a side as links allow' \
    "rings of 3 x 3 groups share links"
is "$("$chorale" replicate --system RS2 --n 16 --tm 50 --divisors |
    grep -c 'as links allow')" 0 "equal forms are printed once"

"$chorale" replicate --system WS1 --n 3 --save-platform p.xml
is "$? $(grep -c '<link id=.*SHARED' p.xml) $(grep -c '<route' p.xml)" "0 18 72" \
    "the platform of a wrapped mesh of 3 by 3 has 18 links"
"$chorale" replicate --system RS2 --n 3 --save-platform p.xml
is "$? $(grep -c '<link id=.*SPLITDUPLEX' p.xml)" "0 12" \
    "the platform of a regular mesh of 3 by 3 has 12 links"

if [ -x "$top_builddir/chorale-runner-sim" ]; then
    timeout 900 "$chorale" replicate --measure --launcher smpirun --system WS1 \
        --n 4 --accesses 2 --tm 1 --data 4096 >out.txt
    is "$? $(grep -c '^ *in paper ' out.txt)" "0 1" \
        "--measure shows both where they differ"
    like "$(cat out.txt)" 'best groups: predicted 1 a side, measured 1 a side$' \
        "the best group is predicted as links allow"
    like "$(cat out.txt)" 'as in the paper.*: 2 a side, which take 2[0-9]\.[0-9]+ % longer' \
        "the excess of the paper's groups is printed"
else
    skip "built without SimGrid" "--measure in simulation"
fi

# The pattern itself with this machine's MPI: every rank checks its data.
if command -v "$MPIEXEC" >/dev/null 2>&1; then
    export CHORALE_MPIEXEC="$MPIEXEC"
    for way in 'RS2 2 1 1' 'WS1 2 2 3' 'array 4 3 2' 'ring 4 1 2'; do
        # shellcheck disable=SC2086
        set -- $way
        timeout 900 "$chorale" replicate --measure --system "$1" --n "$2" \
            --accesses "$3" --bands "$4" --tx 2 --data 4096 --placements -i 2 \
            >out.txt 2>err.txt
        is "$? $(cat err.txt)" "0 " \
            "--measure: $1, $2 a side, with $MPIEXEC exits with 0"
        is "$(grep -c 'aggregate  measured' out.txt)" "$(($2 / 2 + 1))" \
            "$1: groups of all sides that divide $2"
        like "$(cat out.txt)" 'best groups: predicted [0-9]+.*, measured [0-9]+' \
            "$1: the best by both"
    done
    pinned=
    if command -v taskset >/dev/null; then
        pinned="taskset -c $(taskset -cp $$ | sed 's/.*: *//; s/[,-].*//')"
    fi
    for kind in '' --json; do
        [ -n "$pinned" ] || { skip "no taskset" "a crowd"; continue; }
        # shellcheck disable=SC2086
        timeout 900 $pinned "$chorale" replicate --measure --n 2 --data 64 \
            -i 1 $kind >out.txt 2>err.txt
        is "$? $(grep -Ec 'more ranks than processors|"oversubscribed": true' \
            out.txt)" "0 1" "oversubscription is reported $kind"
    done
else
    skip "no $MPIEXEC" "--measure"
fi

for words in '--measure --n 2 --tx 0.5' '--n 20 --save-platform x.xml' \
    '--measure --n 2 --data 1e300' '--n 16 --tm -1' '--n 16 --tm 1 --tx -1' \
    '--n 16 --tm 1 --data 9 --alpha -1' '--n 16 --tm 1e308 --accesses 1e308' \
    '--n 16 --tm 1 --placements' '--n 16 --tm 1 -i 3' '--n 16 --tm 1 --ppn 2' \
    '--n 16 --tm 1 --launcher-cmd true'; do
    # shellcheck disable=SC2086
    "$chorale" replicate $words >out.txt 2>err.txt
    is "$? $(wc -l <err.txt) $(wc -c <out.txt)" "2 1 0" \
        "refused in one line, without output: '$words'"
done
most=1e15
is "$("$chorale" replicate --n 100000 --tm $most --accesses $most --tx $most \
    --alpha $most --bands $most --data 1 | grep -Ec 'nan|inf')" 0 \
    "all times are finite with the largest accepted numbers"

file_is() { # png or pdf, file
    case $1 in
        png) [ "$(od -An -tx1 -N4 "$2" | tr -d ' \n')" = 89504e47 ] ;;
        pdf) [ "$(head -c 5 "$2")" = %PDF- ] ;;
    esac
}
if command -v "${GNUPLOT:-gnuplot}" >/dev/null; then
    "$chorale" replicate --n 16 --accesses 2 --tm 50 --plot t.svg >/dev/null
    is $? 0 "--plot exits with 0"
    is "$(grep -c '^[0-9]' t.dat)" 16 "the picture's data has all sides"
    ! command -v xmllint >/dev/null || xmllint --noout t.svg
    grep -q 'best: 6' t.svg
    ok $? "the picture marks the best side"
    # Text output: T_o is drawn alone, from its least value on.
    "${GNUPLOT:-gnuplot}" -d -c "$top_srcdir/plots/replicate.gp" t.dat \
        letters.txt dumb,80,40 "by hand" 6 "a unit" none 2>&1
    like "$(awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[+|]/ { print $1 }' letters.txt |
        paste -sd' ' -)" '150 140 130 120 110 100 ' \
        "text output: T_o has its own scale that shows its minimum"
    bad=0
    for kind in png pdf; do
        "$chorale" replicate --n 16 --accesses 2 --tm 50 --plot t.$kind \
            >/dev/null && file_is "$kind" t.$kind || bad=1
    done
    is $bad 0 "the picture can be PNG and PDF"
    "${GNUPLOT:-gnuplot}" -d -c "$top_srcdir/plots/replicate.gp" t.dat \
        by-hand.pdf pdf "by hand" 6 "a unit" none >out.txt 2>&1
    is "$? $(cat out.txt)$(head -c 5 by-hand.pdf)" "0 %PDF-" \
        "the script called directly draws the data"
else
    skip "no gnuplot" "--plot exits with 0"
fi
finish
