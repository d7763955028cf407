#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# medians.sh - simulate every variant at a few points, and write the times as a
# table that can be reviewed as a diff. medians.t compares the catalogue with
# it; `make medians` rewrites it.
#
# Usage: medians.sh OUT.tsv (top_srcdir and top_builddir in the environment)
#
# A row is a variant with the first or last of its listed parameter values that
# it accepts at one of the points. Columns: us at P = 2 and 7, one rank per
# node, and at P = 8 on 4 nodes, with blocks of 256 B and 48 KiB (only one for a
# barrier); then messages and bytes of all ranks at the last point.
# -: the variant refuses; .: not measured.
set -eu
top_builddir=${top_builddir:-$PWD}
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
chorale=$top_builddir/chorale
out=$1
dir=$(mktemp -d "${TMPDIR:-/tmp}/chorale-medians-XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM

cat >"$dir/p.xml" <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-7" speed="1Gf" bw="1.25GBps" lat="1us" sharing_policy="SPLITDUPLEX"/></platform>
END
# Named variants are planned even if others do the same.
names=$("$chorale" list | sed -n 's/^  \([a-z][a-z0-9_]*\) .*/\1/p' | sort -u |
    paste -sd , -)
for way in '2,7 1' '8 2'; do
    "$chorale" plan "$dir/m.db" --quiet --variants "$names" \
        --set all --providers chorale \
        -m 256,48K -P "${way% *}" --ppn "${way#* }" --launcher smpirun \
        --platform "$dir/p.xml" --network loggp --system medians
done
cp "$dir/m.db" "$dir/all.db"
# Keep these two of all parameter values.
sqlite3 "$dir/m.db" "DELETE FROM cell WHERE provider <> 'chorale'
    OR cell_id NOT IN (SELECT min(cell_id) FROM cell
        GROUP BY coll, variant, comm_size, msg_size
        UNION SELECT max(cell_id) FROM cell
        GROUP BY coll, variant, comm_size, msg_size)"
"$chorale" run "$dir/m.db" --quiet
# If a variant refuses one of them everywhere, try all values: only the runner
# knows which ones it accepts.
sqlite3 "$dir/m.db" "ATTACH '$dir/all.db' AS planned;
    CREATE TABLE planned.again AS SELECT DISTINCT coll, variant
        FROM main.cell JOIN main.run USING (cell_id)
        GROUP BY coll, variant, params
        HAVING count(*) = sum(status = 'inapplicable');
    INSERT INTO main.cell SELECT * FROM planned.cell
        WHERE provider = 'chorale' AND (coll, variant) IN planned.again
        AND cell_id NOT IN (SELECT cell_id FROM main.cell)"
"$chorale" run "$dir/m.db" --quiet
{
    echo "# Simulated times of the catalogue [us]: see medians.sh." \
        "Rewritten by: make medians"
    sqlite3 "$dir/m.db" "SELECT '# ' || mpi_library FROM system"
    printf 'collective\tvariant\tparameters\t%s\tmessages\tbytes\n' \
        'P2_256	P2_48K	P7_256	P7_48K	P8_256	P8_48K'
    sqlite3 -separator '	' "$dir/m.db" "ATTACH '$dir/all.db' AS planned;
        WITH taken AS (SELECT coll, variant, params, min(cell_id) AS first
            FROM main.cell JOIN main.run USING (cell_id) GROUP BY 1, 2, 3
            HAVING sum(status <> 'inapplicable') > 0),
        place AS (SELECT coll, variant, params,
                row_number() OVER up AS nth, row_number() OVER down AS nth_last
            FROM taken
            WINDOW up AS (PARTITION BY coll, variant ORDER BY first),
                down AS (PARTITION BY coll, variant ORDER BY first DESC)),
        one AS (SELECT coll, variant, params, run_id, comm_size,
                msg_size > 256 AS long,
                CASE r.status WHEN 'ok' THEN printf('%.4f', median * 1e6)
                    WHEN 'inapplicable' THEN '-' ELSE r.status END AS us
            FROM main.cell JOIN main.run r USING (cell_id)
            LEFT JOIN main.run_summary USING (run_id)
            WHERE (coll, variant) NOT IN planned.again
            OR (coll, variant, params) IN (SELECT coll, variant, params
                FROM place WHERE nth <= 2 OR nth_last = 1))
        SELECT coll, variant, CASE params WHEN '' THEN '.' ELSE params END,
            ifnull(max(us) FILTER (WHERE comm_size = 2 AND NOT long), '.'),
            ifnull(max(us) FILTER (WHERE comm_size = 2 AND long), '.'),
            ifnull(max(us) FILTER (WHERE comm_size = 7 AND NOT long), '.'),
            ifnull(max(us) FILTER (WHERE comm_size = 7 AND long), '.'),
            ifnull(max(us) FILTER (WHERE comm_size = 8 AND NOT long), '.'),
            ifnull(max(us) FILTER (WHERE comm_size = 8 AND long), '.'),
            ifnull(max((SELECT printf('%d', value) FROM main.counter k
                WHERE k.run_id = one.run_id AND event = 'chorale::messages'))
                FILTER (WHERE comm_size = 8 AND (long OR coll = 'barrier')), '-'),
            ifnull(max((SELECT printf('%d', value) FROM main.counter k
                WHERE k.run_id = one.run_id AND event = 'chorale::bytes_sent'))
                FILTER (WHERE comm_size = 8 AND (long OR coll = 'barrier')), '-')
        FROM one GROUP BY coll, variant, params ORDER BY 1, 2, 3"
} >"$dir/out.tsv"
mv "$dir/out.tsv" "$out"
