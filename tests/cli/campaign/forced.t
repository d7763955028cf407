#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A forced native algorithm is the one that runs: recognised by the messages
# that the library itself sends, counted below it. If it cannot run, the result
# is an error and not another algorithm. The library's default measured beside
# it is still the default.
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
ok $? "the preload that counts messages is compiled"

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
state() { # database, variant: print its status and reason
    sqlite3 "$1.db" "SELECT group_concat(DISTINCT status || ' ' || reason)
        FROM run JOIN cell USING (cell_id) WHERE variant = '$2'"
}
# The messages of a call of rank 0, and the number of calls, with the variable
# set (forced) or not.
sends() { # database, forced or not
    awk -v forced="$2" '($2 != 0) == (forced == "forced") { print $3 }' \
        "$1.sends" | sort -n | uniq | paste -sd , -
}
calls() { # database, forced or not
    awk -v forced="$2" '($2 != 0) == (forced == "forced") { n += $4 }
        END { print n + 0 }' "$1.sends"
}

: >all.sends
# Rounds of each algorithm with 8 ranks; a rank sends once per round.
while read -r coll name rounds; do
    db=$coll-$name
    measure "$db" 8 "$coll" "$name"
    is "$(state "$db" "$name")" "ok " "$coll $name at P = 8 is measured"
    if [ "$(awk '{ n += $3 } END { print n + 0 }' "$db.sends")" = 0 ]; then
        skip "the library is not over UCX" "its messages are counted"
        continue
    fi
    is "$(sends "$db" forced)" "$rounds" \
        "$coll $name sends $rounds messages per call"
    # Besides the repetitions each is verified before and after, and warmed up;
    # the library in two launches.
    is "$(sqlite3 "$db.db" "SELECT $(calls "$db" forced) >= nrep + 3
        FROM run_summary JOIN run USING (run_id) JOIN cell USING (cell_id)
        WHERE variant = '$name'")" 1 "$coll $name is forced in all of its calls"
    is "$(sqlite3 "$db.db" "SELECT count(*) || ' ' ||
        ($(calls "$db" not) >= sum(nrep + 3)) FROM run_summary
        JOIN run USING (run_id) JOIN cell USING (cell_id)
        WHERE provider = 'library'")" "2 1" \
            "the default of $coll is never forced"
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
        "the default of $coll is the same beside each algorithm"
done

# Two-level algorithms call themselves within nodes, where they do not apply.
# Eight ranks on two nodes in cyclic order, as the library assumes, and on one
# node. No launcher is asked for cyclic order, so the plan is written by SQL.
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
        "barrier smp sends two messages in, one between, two out of nodes"
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

# Numbers of ranks that do not fit.
measure odd 3 allgather recursive_doubling ring
like "$(state odd recursive_doubling)" '^inapplicable the library: .+' \
    "recursive_doubling, P = 3, inapplicable: $(state odd recursive_doubling)"
is "$(state odd ring)" "ok " "allgather ring at P = 3 is measured"
is "$(state odd default)" "ok " "the default at P = 3 is measured"
finish
