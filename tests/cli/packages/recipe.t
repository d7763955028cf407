#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# recipe.t - the recipes for Spack (recipe.py), EasyBuild, conda-forge and Ramble
# (recipes.py), loaded without these tools, agree with configure.
. "$(dirname "$0")/../../lib.sh"
command -v python3 >/dev/null 2>&1 || skip_all "no python3"
packaging=$(cd "$top_srcdir" && pwd)/ci/packaging
spack=$packaging/spack/spack_repo/chorale
recipe=$spack/packages/chorale/package.py
version=$(sed -n 's/^AC_INIT(\[chorale\], \[\([^]]*\)\].*/\1/p' "$top_srcdir/configure.ac")
cd "$work" || exit 99

python3 "$here/recipe.py" "$recipe" >said.txt 2>err.txt
ok $? "Python loads the recipe"
[ -s err.txt ] && diag "$(tail -n 3 err.txt)"
is "$(sed -n 's/^  //p' "$spack/repo.yaml" | tr '\n' ' ')" \
    "namespace: chorale api: v2.0 " "the repository has the package API 2"
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
refused '/^from spack_repo/d' "name 'AutotoolsPackage'"

# --- EasyBuild, conda-forge, Ramble, container -------------------------------

python3 "$here/recipes.py" "$packaging" >others.txt 2>err.txt
ok $? "the other recipes are loaded: $(tail -n 1 err.txt)"
others() { sed -n "s/^$1 //p" others.txt; }
is "$(others 'easybuild version')" "$version" "EasyBuild: version $version"
is "$(others 'easybuild depends' | sed 's/ .*//' | tr '\n' ' ')" \
    "pkgconf help2man SQLite GSL Jansson hwloc gnuplot " \
    "EasyBuild has the dependencies of configure"
if grep -q '^conda skip' others.txt; then
    skip "no python3-yaml" "conda"
else
    is "$(others 'conda version')" "$version" "conda: version $version"
    is "$(others 'conda depends host' | tr '\n' ' ')" \
        "\${{ mpi }} libsqlite gsl jansson libhwloc " \
        "conda has the dependencies of configure"
fi
for words in "$(others 'easybuild configure')" "$(others 'conda script' |
    grep configure)"; do
    for word in $words; do
        case $word in
        --with-* | --without-*)
            grep -qx "$(echo "$word" | sed 's/^--with\(out\)*-//')" asks.txt
            ok $? "configure has the option $word" ;;
        esac
    done
done
"$chorale" tune --help >help.txt
for word in $(others 'ramble command' | grep -o -e ' --*[a-z]*'); do
    grep -q -e "^ .*$word[ ,]" help.txt
    ok $? "Ramble: tune has the option $word"
done
success=$(others 'ramble success' | sed 's/\\s/[[:space:]]/')
printf '%s\n' '  all: x1.523 over 277 points; worst x1.000 at bcast' \
    '- all: no line of the terminal' '  bcast: x1.2 over 3 points' >lines.txt
is "$(grep -cE "$success" lines.txt)" 1 "Ramble finds the line of all points"
grep -q 'printf.*"%s%s: "' "$top_srcdir/tuner/summary/summary_proof.c"
ok $? "the summary still prints that line"
image=$packaging/container/Dockerfile
is "$(sed -n 's/^FROM //p' "$image")" debian:trixie-slim "the image is Debian 13"
for word in packages_build packages_run; do
    grep -q "^$word=" "$top_srcdir/ci/lib.sh" && grep -q "\$$word" "$image"
    ok $? "the image installs $word of ci/lib.sh"
done
finish
