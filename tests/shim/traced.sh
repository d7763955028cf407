# SPDX-License-Identifier: BSD-3-Clause
# traced.sh - runs of traced.c and checks of their trace, $file. Sourced after
# helpers.sh.
program traced -lpthread || skip_all "$MPICC does not compile traced.c"
table good
file=$work/app.trace

# is KEY RANK_CALLS CALLS: $file has one row with this key and these counts,
# and plausible times.
is() {
    awk -v key="$1 " -v ranks="$2" -v calls="$3" '
        index($0, key) == 1 && $9 == ranks && $10 == calls && $11 > 0 &&
        $12 > 0 && $12 <= $11 { n++ }
        END { exit n != 1 }' "$file"
    ok $? "$1: $3 calls${name:+, $name}"
}
head_is() { # head_is LINE: a line of the heading
    grep -qx -e "$1" "$file"
    ok $? "'$1'${name:+, $name}"
}
whole() { # the last line counts the rows
    awk '/^columns / { seen = 1; next }
         $1 == "end" { good = $2 == rows; next }
         seen { rows++ } END { exit !good }' "$file"
}
