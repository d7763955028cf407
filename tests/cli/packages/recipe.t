#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# recipe.t - the recipe for Spack, loaded without Spack (recipe.py), agrees with
# configure.
. "$(dirname "$0")/../../lib.sh"
command -v python3 >/dev/null 2>&1 || skip_all "no python3"
recipe=$top_srcdir/ci/packaging/spack/packages/chorale/package.py
version=$(sed -n 's/^AC_INIT(\[chorale\], \[\([^]]*\)\].*/\1/p' "$top_srcdir/configure.ac")
cd "$work" || exit 99

python3 "$here/recipe.py" "$recipe" >said.txt 2>err.txt
ok $? "Python loads the recipe"
[ -s err.txt ] && diag "$(tail -n 3 err.txt)"
said() { sed -n "s/^$1 //p" said.txt; }
is "$(said version)" "$version" "the recipe has version $version"
is "$(grep -c "chorale-$version.tar.gz" "$recipe")" 1 \
    "the recipe has its tarball"

# Options for developers are not in the recipe.
cat "$top_srcdir"/m4/chorale_*.m4 >m4.txt
asks() { # WITH or ENABLE: print the options of configure
    sed -n "s/.*AC_ARG_$1(\[\([a-z]*\)\].*/\1/p" m4.txt |
        grep -v -e sanitizer -e werror
}
{ asks WITH; asks ENABLE; } | sort >asks.txt
[ "$(wc -l <asks.txt)" -gt 3 ]
ok $? "configure's options are found"
is "$(said variant | sed 's/ .*//' | sort)" "$(cat asks.txt)" \
    "the recipe's variants are configure's options"
mpi='MPICC=/mpi/bin/mpicc MPIEXEC=/mpi/bin/mpiexec'
given() { # --with --enable: print all options of configure so
    { asks WITH | sed "s/^/$1-/"; asks ENABLE | sed "s/^/$2-/"; } | tr '\n' ' '
}
is "$(said 'args on') " "$mpi $(given --with --enable)" \
    "all variants on: configure gets all options on"
is "$(said 'args off') " "$mpi $(given --without --disable)" \
    "all variants off: configure gets all options off"

# Dependencies are as recent as configure needs, and are conditional on their
# variants.
for pair in sqlite3:sqlite gsl:gsl jansson:jansson hwloc:hwloc; do
    least=$(sed -n "s/.*PKG_CHECK_MODULES(.*\[${pair%:*} >= \([0-9.]*\)\].*/\1/p" m4.txt)
    is "$(said depends | sed -n "s/^${pair#*:}\([^ ]*\) .*/\1/p")" "@$least:" \
        "${pair#*:} has the least version of configure"
done
is "$(sed -n 's/.*PKG_CHECK_MODULES(.*\[\([a-z0-9]*\) >= .*/\1/p' m4.txt |
    sort | tr '\n' ' ')" "gsl hwloc jansson sqlite3 " \
    "configure checks no other packages with pkg-config"
is "$(said depends | sed -n 's/ when=+/ /p' | sed 's/[@ ].* \([a-z]* type\)/ \1/')" \
    "papi papi type=build,link
hwloc hwloc type=build,link
simgrid simgrid type=build,link" \
    "optional dependencies belong to their variants"
like "$(said depends)" '^papi@7:\+sde ' "PAPI is required with libsde"
like "$(said depends)" '^mpi@[0-9.]*: when= type=build,link$' \
    "MPI is required to build and link"
is "$(said depends | sed -n 's/ when= type=build$//p' | tr '\n' ' ')" \
    "c pkgconfig help2man " "build tools are required to build only"
is "$(said depends | sed -n 's/ when= type=run$//p')" gnuplot \
    "gnuplot is required to run"

# The stub refuses what Spack would refuse.
refused() { # sed command, expected text
    sed "$1" "$recipe" >bad.py
    ! python3 "$here/recipe.py" bad.py >/dev/null 2>err.txt
    ok $? "refused: $2"
    like "$(tail -n 1 err.txt)" "$2" "the error has the text: $2"
}
refused 's/depends_on("c"/depends_upon("c"/' "name 'depends_upon'"
refused 's/when="+papi"/when="+pappi"/' "no variant '.pappi'"
refused 's/enable_or_disable("patented"/enable_or_disable("patents"/' \
    "no variant 'patents'"
refused 's/papi@7: +sde/papi@7: sde/' "no spec"
finish
