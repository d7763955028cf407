#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A native algorithm that is forced is the one that runs: told by the messages
# that the library itself sends, counted below it. What it cannot do there is
# an error and not another algorithm; and the library's default beside it is
# the default again.
. "$(dirname "$0")/../../lib.sh"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
"$chorale" --version | grep -q sanitizer=no ||
    skip_all "built with a sanitizer, which must come first"
yield=$top_builddir/tests/mpi/.libs/libyield.so
[ -r "$yield" ] || skip_all "built without shared libraries"
cd "$work" || exit 99
"$top_builddir/chorale-runner" --natives >natives.txt
for name in "reduce_scatter_block pairwise" \
    "reduce_scatter_block recursive_doubling" "allgather ring" \
    "allgather brucks" "allgather recursive_doubling"; do
    grep -qx "$name" natives.txt || skip_all "the library has no $name"
done
"${MPICC:-mpicc.mpich}" -Wall -Werror -shared -fPIC -o sends.so \
    "$top_srcdir/tests/cli/campaign/sends.c" -ldl
ok $? "what counts messages is made"

placed=
measure() { # database, ranks, collective, algorithms...
    db=$1 p=$2 coll=$3
    shift 3
    names=$(for name in "$@"; do echo "$coll:$name"; done | paste -sd , -)
    cmd="$MPIEXEC -n {P} env SENDS=$work/$db.sends"
    cmd="$cmd LD_PRELOAD=$work/sends.so:$yield"
    "$chorale" plan "$db.db" --providers native,library --variants "$names" \
        -c "$coll" -m 64 -P "$p" --launches 1 -i 5 --min-iterations 5 -q \
        --batch 1 --launcher-cmd "$cmd" 2>err.txt || diag "$(cat err.txt)"
    [ -z "$placed" ] || sqlite3 "$db.db" "UPDATE cell SET $placed"
    timeout 900 "$chorale" run "$db.db" -q --launcher-cmd "$cmd" 2>err.txt ||
        diag "$(cat err.txt)"
}
state() { # database, variant
    sqlite3 "$1.db" "SELECT group_concat(DISTINCT status || ' ' || reason)
        FROM run JOIN cell USING (cell_id) WHERE variant = '$2'"
}
# The messages of a call of rank 0, and the calls: where the variable has a
# value, forced, and where it has none.
sends() { # database, forced or not
    awk -v forced="$2" '($2 != 0) == (forced == "forced") { print $3 }' \
        "$1.sends" | sort -n | uniq | paste -sd , -
}
calls() { # database, forced or not
    awk -v forced="$2" '($2 != 0) == (forced == "forced") { n += $4 }
        END { print n + 0 }' "$1.sends"
}

: >all.sends
# Of 8 ranks, the rounds of each algorithm, in each of which a rank sends once.
while read -r coll name rounds; do
    db=$coll-$name
    measure "$db" 8 "$coll" "$name"
    is "$(state "$db" "$name")" "ok " "$coll $name at P = 8 is measured"
    if [ "$(awk '{ n += $3 } END { print n + 0 }' "$db.sends")" = 0 ]; then
        skip "the library is not over UCX" "its messages"
        continue
    fi
    is "$(sends "$db" forced)" "$rounds" "and sends $rounds messages a call"
    # Besides the repetitions each is verified before and after, and warmed
    # up; the library in two launches.
    is "$(sqlite3 "$db.db" "SELECT $(calls "$db" forced) >= nrep + 3
        FROM run_summary JOIN run USING (run_id) JOIN cell USING (cell_id)
        WHERE variant = '$name'")" 1 "in all of its calls"
    is "$(sqlite3 "$db.db" "SELECT count(*) || ' ' ||
        ($(calls "$db" not) >= sum(nrep + 3)) FROM run_summary
        JOIN run USING (run_id) JOIN cell USING (cell_id)
        WHERE provider = 'library'")" "2 1" "and in none of the default's"
    cat "$db.sends" >>all.sends
done <<EOF
reduce_scatter_block pairwise 7
reduce_scatter_block recursive_doubling 3
allgather ring 7
allgather brucks 3
EOF
for coll in $(cut -d' ' -f1 all.sends | sort -u); do
    is "$(awk -v c=$coll '$1 == c && $2 == 0 { print $3 }' all.sends |
        sort -u | wc -l)" 1 \
        "the default of $coll is the same beside each, and untouched"
done

# What works on nodes and then between them calls itself on the nodes, where it
# does not apply. Eight ranks on two nodes, dealt out in turn (which no launcher
# is asked for, so it is not planned but written), as the library believes, and
# on one.
for coll in barrier bcast reduce allreduce; do
    grep -qx "$coll smp" natives.txt || continue
    db=$coll-two
    export MPIR_CVAR_NUM_CLIQUES=2
    placed="shape = 'cyclic', ppn = 4"
    measure "$db" 8 $coll smp
    unset MPIR_CVAR_NUM_CLIQUES
    placed=
    is "$(state "$db" smp)" "ok " "$coll smp is measured on two nodes"
done
if grep -qx "barrier smp" natives.txt; then
    is "$(sends barrier-two forced)" 5 \
        "barrier smp: two on the node, one between them, two to let go"
    measure one 8 barrier smp
    like "$(state one smp)" '^inapplicable smp: .*only one node' \
        "and on one node it is not: $(state one smp)"
fi
if grep -qx "scan smp" natives.txt; then
    export MPIR_CVAR_NUM_CLIQUES=2
    placed="shape = 'cyclic', ppn = 4"
    measure scan-two 8 scan smp
    unset MPIR_CVAR_NUM_CLIQUES
    placed=
    like "$(state scan-two smp)" '^inapplicable smp: .*not consecutive' \
        "scan smp wants nodes of neighbours: $(state scan-two smp)"
fi

# Where it does not fit.
measure odd 3 allgather recursive_doubling ring
like "$(state odd recursive_doubling)" '^inapplicable the library: .+' \
    "allgather by recursive doubling at P = 3: $(state odd recursive_doubling)"
is "$(state odd ring)" "ok " "and ring, which can, is measured there"
is "$(state odd default)" "ok " "as is the default"
finish
