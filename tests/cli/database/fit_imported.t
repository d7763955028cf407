#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fit_imported.t - imported times of algorithms with a known schedule are fitted
# by a model with two levels, protocols and a shared port of each node. The times
# are those of a known model.
. "$(dirname "$0")/../../lib.sh"

cd "$work" || exit 99
db=r.db
# Times in us of at most so many ranks a node, P = 2 to 256. A message of m bytes takes 0.5
# + m / 8000 in a node; between nodes 2 + m / 5000, above 16 KiB 7 + m / 5000;
# each byte that leaves a node takes 1 / 20000 more, each reduced byte 1 / 4000.
# Open MPI's ring is recursive doubling where it has fewer elements (of 4 bytes)
# than ranks. One process count takes a factor longer.
timings() { # ranks of a node, process count with a factor, factor
    awk -v most="$1" -v odd="$2" -v factor="$3" '
        function net(m) { return (m > 16384 ? 7 : 2) + m / 5000 }
        function node(m) { return 0.5 + m / 8000 }
        function row(coll, name, t) {
            t *= 1 + 0.004 * (2 * rand() - 1)
            if (p == odd)
                t *= factor
            printf "c,%s,%s,%d,%d,%d,%d,0,%.9g\n", coll, name, nodes, ppn, p,
                m, t
        }
        BEGIN {
            print "system,coll,algorithm,nodes,ppn,P,msg_size_bytes,rep,time_us"
            srand(3)
            for (p = 2; p <= 256; p *= 2)
                for (m = 16; m <= 262144; m *= 4) {
                    ppn = p < most ? p : most
                    nodes = p / ppn
                    far = p - ppn
                    l = log(p) / log(2)
                    up = l - log(ppn) / log(2)
                    port = m / 20000
                    t = (p - 1) * (far ? net(m) + port : node(m))
                    row("allgather", "ring_over", t)
                    t = far * (net(m) + ppn * port) + (ppn - 1) * node(m)
                    row("alltoall", "pairwise_over", t)
                    t = (l - up) * node(m) + up * (net(m) + ppn * port)
                    t += l * m / 4000
                    row("allreduce", "recursive_doubling_over", t)
                    t = up * (net(m) + port) + (l - up) * node(m)
                    row("bcast", "binomial_over", t)
                    if (m / 4 >= p) {
                        t = (p - 1) * m / p / 4000
                        t += 2 * (p - 1) * (far ? net(m / p) + port / p \
                                                : node(m / p))
                    } else {
                        t = (l - up) * node(m) + up * (net(m) + ppn * port)
                        t += l * m / 4000
                    }
                    row("allreduce", "ring", t)
                    row("allreduce", "mystery", 10 + m)
                }
        }'
}
value() { # parameter
    sed -n "s/^  $1  *\([0-9.e-]*\)  *s.*/\1/p" out
}
near() { # got, expected, name: within 8 %
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0.92 * b && a < 1.08 * b) }'
    set -- "$1" "$2" "$3" $?
    ok "$4" "$3"
    [ "$4" -eq 0 ] || diag "got '$1', expected '$2'"
}
worst() { # part: the largest error with P left out, of the model (2) or
          # corrected (4), in percent: the 90th percentile of an algorithm
    grep '^  .* / .* %' out | cut -d % -f "$1" |
        awk '{ if ($3 + 0 > most) most = $3 + 0 } END { print NR ? most : "" }'
}
at_most() { # got, limit, name
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a <= b) }'
    set -- "$1" $? "$3"
    ok "$2" "$3"
    [ "$2" -eq 0 ] || diag "got '$1'"
}

timings 4 0 1 >t.csv
"$chorale" import "$db" t.csv --mpi 'Open MPI v4.1.6' --statistic max >out 2>err
"$chorale" fit "$db" >out 2>err
is "$?$(cat err)" 0 "imported times are fitted without own measurements"
like "$(sed -n 1p out)" '^System c, imported times of known schedules: 320 ' \
    "all times of known schedules are used"
near "$(value 'alpha node')$(value 'alpha node to 16384')" 5e-07 \
    "latency in a node"
near "$(value 'alpha net to 16384')" 2e-06 "latency between nodes"
near "$(value 'alpha net over 16384')" 7e-06 \
    "latency of another protocol, from the size at which it begins"
near "$(value 'beta net over 16384')" 2.5e-10 "time of a byte between nodes"
near "$(value 'port byte')" 5e-11 "time of a byte of another rank of the node"
near "$(value reduce)" 2.5e-10 "time of a reduced byte"
at_most "$(worst 2)" 5 "times of each P are predicted from other P"
at_most "$(worst 4)" 5 "the correction by residuals keeps them"
like "$(grep '^  allgather ring_over' out)" ' ring  *64  ' \
    "an algorithm has its schedule and points"
like "$(cat out)" '^  no known schedule: allreduce mystery$' \
    "an algorithm without a known schedule is named"
is "$(sqlite3 "$db" 'SELECT count(*) FROM model')" 0 "no model is stored"

# --- one rank a node -----------------------------------------------------------
rm "$db"
timings 1 0 1 >t.csv
"$chorale" import "$db" t.csv --mpi 'Open MPI v4.1.6' --statistic max >out 2>err
"$chorale" fit "$db" >out 2>err
near "$(value 'alpha net to 16384')" 2e-06 \
    "a ring of nodes takes a latency for each step"
at_most "$(worst 2)" 5 "one rank a node: times are predicted from other P"

# --- one process count measured at another time --------------------------------
rm "$db"
timings 4 64 1.5 >t.csv
"$chorale" import "$db" t.csv --mpi 'Open MPI v4.1.6' --statistic max >out 2>err
"$chorale" fit "$db" >out 2>err
near "$(worst 4)" 33.3 "a P that took half as long again is missed by a third"

# --- what is not fitted --------------------------------------------------------
rm "$db"
timings 4 0 1 | grep -e bcast -e system >t.csv
"$chorale" import "$db" t.csv --statistic mean >out 2>err
"$chorale" fit "$db" >out 2>err
like "$?$(cat out err)" '^4chorale: system c: no successful measurement' \
    "means over the ranks of a rooted collective are not fitted"
rm "$db"
timings 4 0 1 | grep -e mystery -e system >t.csv
"$chorale" import "$db" t.csv >out 2>err
"$chorale" fit "$db" >out 2>err
like "$?$(cat err)" '^4chorale: system c: no successful measurement' \
    "without a known schedule there is nothing to fit"
finish
