#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# random_table.sh - prints a random dispatch table in C.
#
# For each collective, several ranges of n, and odd and even numbers of ranks,
# it draws a selectable variant, with parameters within their bounds. The same
# seed and catalogue give the same table, with any awk.
#
#     random_table.sh SEED      SEED: a number >= 1; part of the digest
#     random_table.sh simplest  the first variant of each collective (linear,
#                               if it exists), with default parameters
#     CHORALE: the command; default: chorale in $top_builddir or here
#
# Compile the output with -shared -fPIC -I$top_srcdir. The shim leaves calls
# that a variant refuses to the library. Segments have at least 200 bytes;
# smaller ones would only take longer.
seed=$1
case $seed in
simplest) ;;
'' | *[!0-9]* | 0*)
    echo "random_table.sh: '$seed' is not a seed; give a number >= 1" >&2
    exit 2 ;;
esac
"${CHORALE:-${top_builddir:-.}/chorale}" list --json | awk -v seed="$seed" '
# Minimal standard generator of Park and Miller: products stay below 2^53.
function draw(below) {
    state = state * 16807 % 2147483647
    return int(state / 2147483647 * below)
}
function value(line) {
    sub(/^[^:]*: /, "", line)
    sub(/,$/, "", line)
    gsub(/"/, "", line)
    return line
}
BEGIN {
    state = seed == "simplest" ? 1 : seed % 2147483646 + 1
    for (i = 0; i < 10; i++)
        draw(2)
}
/^    "coll": /         { coll = value($0); np = 0 }
/^    "variant": /      { variant = value($0) }
/^        "name": /     { pname[++np] = value($0); ncand[np] = nword[np] = 0 }
/^        "unit": /     { unit[np] = value($0) }
/^        "min": /      { min[np] = value($0) }
/^        "max": /      { max[np] = value($0) }
/^        "candidates"/ { list = "c" }
/^        "candidates_more"/ { list = "c" }
/^        "candidates_of_point"/ { list = "" } # words of what P and n give
/^        "words"/      { list = "w" }
/^          [^ ]/ {
    item = $0
    gsub(/[ ,"]/, "", item)
    if (list == "c") cand[np, ncand[np]++] = item
    else if (list == "w") word[np, nword[np]++] = item
}
/^    "unselectable": / {
    if (value($0) != "null") next
    if (!(coll in count)) order[ncoll++] = coll
    v = count[coll]++
    name[coll, v] = variant
    params[coll, v] = np
    for (p = 1; p <= np; p++) {
        key = coll SUBSEP v SUBSEP p
        kname[key] = pname[p]
        kmin[key] = min[p]
        kmax[key] = max[p]
        kbytes[key] = unit[p] ~ /^bytes/
        kcand[key] = ncand[p]
        for (c = 0; c < ncand[p]; c++) kc[key, c] = cand[p, c]
        kword[key] = nword[p]
        for (c = 0; c < nword[p]; c++) kw[key, c] = word[p, c]
    }
}
# A candidate value, or any value within the bounds, on a logarithmic scale.
function number(key,   low, high) {
    if (draw(2)) return kc[key, draw(kcand[key])]
    low = kmin[key] + 0
    high = kmax[key] + 0
    if (kbytes[key]) {
        if (low < 200 && high >= 200) low = 200
        if (high > 1048576) high = 1048576
    }
    return low + int(exp(draw(1000000) / 1e6 * log(high - low + 1)) + 0.5) - 1
}
function choice(coll,   v, p, key, text) {
    v = seed == "simplest" ? 0 : draw(count[coll])
    text = ""
    for (p = 1; p <= params[coll, v] && seed != "simplest"; p++) {
        key = coll SUBSEP v SUBSEP p
        text = text (p > 1 ? "," : "") kname[key] "=" \
            (kword[key] ? kw[key, draw(kword[key])] : number(key))
    }
    printf "    { .provider = \"chorale\", .variant = \"%s\", " \
           ".params = \"%s\", .index = %d },\n",
           name[coll, v], text, ++nchoice
}
END {
    if (ncoll == 0) exit 1
    print "/* Written by random_table.sh " seed " */"
    print "#include \"algorithms/dispatch/table/table.h\"\n"
    print "static const struct chorale_choice choice[] = {"
    print "    { .provider = \"library\", .variant = \"default\", " \
          ".params = \"\" },"
    for (i = 0; i < ncoll; i++) {
        first[i] = nchoice + 1
        ranges[i] = seed == "simplest" ? 1 : 1 + draw(4)
        for (r = 0; r < 2 * ranges[i]; r++) choice(order[i])
    }
    print "};"
    for (i = 0; i < ncoll; i++) {
        c = order[i]
        printf "\nstatic const struct chorale_choice *\nselect_%s" \
               "(size_t n, int comm_size)\n{\n    int range = 0;\n\n", c
        print "    (void)n;"
        for (r = 1; r < ranges[i]; r++)
            printf "    range += n >= %d;\n", exp(draw(1000000) / 1e6 * 13)
        printf "    return &choice[%d + 2 * range + comm_size %% 2];\n}\n",
               first[i]
        printf "\nstatic const struct chorale_choice *\nshape_%s(size_t n, " \
               "int comm_size, enum chorale_shape shape)\n{\n", c
        printf "    (void)shape;\n    return select_%s(n, comm_size);\n}\n", c
        printf "\nstatic const struct chorale_choice *\nppn_%s(size_t n, " \
               "int comm_size, enum chorale_shape shape, int ppn)\n{\n", c
        printf "    (void)shape;\n    (void)ppn;\n" \
               "    return select_%s(n, comm_size);\n}\n", c
    }
    print "\nstatic const struct chorale_selector selector[] = {"
    for (i = 0; i < ncoll; i++)
        printf "    { \"%s\", select_%s, shape_%s, ppn_%s,\n" \
               "      { 1, 1 << 30, 0, (unsigned long long)-1 } },\n",
               order[i], order[i], order[i], order[i]
    print "};\n"
    print "const struct chorale_table chorale_table = {"
    print "    .abi = CHORALE_TABLE_ABI, .digest = \"random " seed "\","
    print "    .campaign = \"\", .system = \"random\", " \
          ".mpi_library = \"\","
    print "    .coverage = \"\", .nchoice = " nchoice + 1 ", " \
          ".choice = choice,"
    print "    .nselector = " ncoll ", .selector = selector"
    print "};"
}'
