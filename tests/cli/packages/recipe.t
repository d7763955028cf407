#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# recipe.t - the recipe for Spack, loaded without it (recipe.py) and held
# against what configure takes.
. "$(dirname "$0")/../../lib.sh"
command -v python3 >/dev/null 2>&1 || skip_all "no python3"
recipe=$top_srcdir/ci/packaging/spack/packages/chorale/package.py
version=$(sed -n 's/^AC_INIT(\[chorale\], \[\([^]]*\)\].*/\1/p' "$top_srcdir/configure.ac")
cd "$work" || exit 99

python3 "$here/recipe.py" "$recipe" >said.txt 2>err.txt
ok $? "Python loads the recipe"
[ -s err.txt ] && diag "$(tail -n 3 err.txt)"
said() { sed -n "s/^$1 //p" said.txt; }
is "$(said version)" "$version" "it offers version $version"
is "$(grep -c "chorale-$version.tar.gz" "$recipe")" 1 "and its tarball"

# What is for developers alone is none of Spack's.
cat "$top_srcdir"/m4/chorale_*.m4 >m4.txt
asks() { # WITH or ENABLE: the names that configure asks for
    sed -n "s/.*AC_ARG_$1(\[\([a-z]*\)\].*/\1/p" m4.txt |
        grep -v -e sanitizer -e werror
}
{ asks WITH; asks ENABLE; } | sort >asks.txt
[ "$(wc -l <asks.txt)" -gt 3 ]
ok $? "configure has options"
is "$(said variant | sed 's/ .*//' | sort)" "$(cat asks.txt)" \
    "its variants are configure's options"
mpi='MPICC=/mpi/bin/mpicc MPIEXEC=/mpi/bin/mpiexec'
given() { # --with --enable: all of configure's options so
    { asks WITH | sed "s/^/$1-/"; asks ENABLE | sed "s/^/$2-/"; } | tr '\n' ' '
}
is "$(said 'args on') " "$mpi $(given --with --enable)" \
    "configure is given them, all on"
is "$(said 'args off') " "$mpi $(given --without --disable)" "and all off"

# What it depends on is as new as configure wants it, and comes where it is
# wanted.
for pair in sqlite3:sqlite gsl:gsl jansson:jansson hwloc:hwloc; do
    least=$(sed -n "s/.*PKG_CHECK_MODULES(.*\[${pair%:*} >= \([0-9.]*\)\].*/\1/p" m4.txt)
    is "$(said depends | sed -n "s/^${pair#*:}\([^ ]*\) .*/\1/p")" "@$least:" \
        "${pair#*:} is as new as configure wants it"
done
is "$(sed -n 's/.*PKG_CHECK_MODULES(.*\[\([a-z0-9]*\) >= .*/\1/p' m4.txt |
    sort | tr '\n' ' ')" "gsl hwloc jansson sqlite3 " \
    "and these are all that configure asks pkg-config for"
is "$(said depends | sed -n 's/ when=+/ /p' | sed 's/[@ ].* \([a-z]* type\)/ \1/')" \
    "papi papi type=build,link
hwloc hwloc type=build,link
simgrid simgrid type=build,link" "what is optional comes with its variant"
like "$(said depends)" '^papi@7:\+sde ' "PAPI has the events of libsde"
like "$(said depends)" '^mpi@[0-9.]*: when= type=build,link$' "MPI"
is "$(said depends | sed -n 's/ when= type=build$//p' | tr '\n' ' ')" \
    "c pkgconfig help2man " "what builds it alone"
is "$(said depends | sed -n 's/ when= type=run$//p')" gnuplot "what draws"

# What Spack would refuse is seen.
refused() { # sed command, what is said
    sed "$1" "$recipe" >bad.py
    ! python3 "$here/recipe.py" bad.py >/dev/null 2>err.txt
    ok $? "refused: $2"
    like "$(tail -n 1 err.txt)" "$2" "in these words"
}
refused 's/depends_on("c"/depends_upon("c"/' "name 'depends_upon'"
refused 's/when="+papi"/when="+pappi"/' "no variant '.pappi'"
refused 's/enable_or_disable("patented"/enable_or_disable("patents"/' \
    "no variant 'patents'"
refused 's/papi@7: +sde/papi@7: sde/' "no spec"
finish
