#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# packaging.t - files that make installs, and contents of packages.
. "$(dirname "$0")/../../lib.sh"
pack=$top_srcdir/ci/packaging
version=$(sed -n 's/^AC_INIT(\[chorale\], \[\([^]]*\)\].*/\1/p' "$top_srcdir/configure.ac")
like "$version" '^[0-9]+\.[0-9]+\.[0-9]+$' "the version is $version"
is "$("$chorale" --version | sed -n 1p)" "chorale $version" \
    "the command has that version"
like "$(sed -n 1p "$pack/debian/changelog")" "^chorale \\($version-[0-9]+\\)" \
    "the Debian package has that version"
# Each file of debian/*.install is installed, and each installed file is in one
# of them.
root=$work/root
[ -f "$top_builddir/Makefile" ] || skip_all "not a build folder"
MAKEFLAGS='' make -s -C "$top_builddir" install DESTDIR="$root" \
    >"$work/out" 2>"$work/err"
ok $? "make install with DESTDIR exits with 0"
[ -s "$work/err" ] && diag "$(grep -v '^libtool: warning' "$work/err" | tail -n 3)"
where() { # print a variable of the Makefile
    printf 'include Makefile\nshow-it:\n\t@echo $(%s)\n' "$1" >"$work/show.mk"
    MAKEFLAGS='' make -s -C "$top_builddir" -f "$work/show.mk" show-it 2>/dev/null |
        tail -n 1
}

# Every test runs, and every file is in the tarball.
{ where fast_tests; where full_tests; } | tr ' ' '\n' | sort >"$work/tests"
[ "$(wc -l <"$work/tests")" -gt 100 ]
ok $? "make list-all lists the tests"
is "$(cd "$top_srcdir" && find tests -name '*.t' -type f | sort |
    comm -23 - "$work/tests")" "" "each test script is in that list"
if files=$(git -C "$top_srcdir" ls-files 2>/dev/null) && [ -n "$files" ]; then
    above=$(where srcdir | sed 's/[.]/[.]/g')
    where DISTFILES | tr ' ' '\n' | sed "s|^$above/||" >"$work/dist"
    is "$(printf '%s\n' "$files" | grep -v '^\.' | awk '
        FILENAME != "-" { dist[$0] = 1; next }
        { for (path = $0; path != "" && !(path in dist); )
              if (!sub(/\/[^\/]*$/, "", path)) path = ""
          if (path == "") print }' "$work/dist" -)" "" \
        "make dist packs every file"
else
    skip "not a clone" "make dist packs every file"
fi

prefix=$(where prefix) bin=$(where bindir) lib=$(where libdir) share=$(where datadir)
libexec=$(where libexecdir) man=$(where mandir) include=$(where includedir)
for file in "$bin/chorale" "$bin/chorale-runner" "$lib/libchorale_pmpi.so" \
    "$lib/libchorale.so" "$include/chorale.h" "$lib/pkgconfig/chorale.pc" \
    "$libexec/chorale/chorale-selects" "$share/chorale/time_vs_n.gp" \
    "$share/chorale/modulefile" "$share/zsh/site-functions/_chorale" \
    "$share/bash-completion/completions/chorale" \
    "$(where examplesdir)/nightly.sbatch" "$(where examplesdir)/cluster64.xml"; do
    [ -s "$root$file" ]
    ok $? "$file is installed"
done
# Files to which the documents link are installed beside README as in the
# sources, so that links are valid in both places.
linked() { # folder, page: print the page's relative links, one per line
    sed 's/](/\n](/g' "$1/$2" | sed -n 's/^](\([^)#:]*\)[)#].*/\1/p' | grep .
}
broken() { # folder, pages: print their broken links
    bro_top=$1
    shift
    for page in "$@"; do
        [ -f "$bro_top/$page" ] || echo "$page: is not there"
        linked "$bro_top" "$page" | while read -r link; do
            [ -f "$bro_top/$(dirname "$page")/$link" ] || echo "$page: $link"
        done
    done
}
doc=$root$(where docdir)
pages=$(cd "$top_srcdir" && find README.md algorithms db runners tuner plots \
    -name '*.md' | sort)
is "$(cd "$doc" && find . -name '*.md' ! -path './examples/*' |
    sed 's|^\./||' | sort)" "$pages" \
        "all documents are installed, and no others"
[ "$(linked "$doc" README.md | wc -l)" -ge 6 ]
ok $? "README has $(linked "$doc" README.md | wc -l) relative links"
# shellcheck disable=SC2086 # a page each
is "$(broken "$top_srcdir" $pages ci/templates/README.md \
    ci/packaging/README.md)" "" \
        "no link of the documents is broken in the sources"
# shellcheck disable=SC2086
is "$(broken "$doc" $pages examples/README.md)" "" \
    "no link of the installed documents is broken"
is "$(MAKEFLAGS='' make -n -s -f "$pack/debian/rules" override_dh_compress 2>&1)" \
    "dh_compress -X.md" \
        "Debian does not compress documents, which would rename them"
if [ -f "$top_builddir/tuner/chorale.1" ]; then
    for verb in $("$chorale" --verbs); do
        [ -s "$root$man/man1/chorale-$verb.1" ]
        ok $? "the man page chorale-$verb is installed"
    done
else
    skip "no help2man at build time" "man pages"
fi
is "$("$root$bin/chorale" --version 2>&1 | sed -n 1p)" "chorale $version" \
    "the installed command runs"
find "$root" -type f ! -name '*.so*' ! -name '*.a' -exec \
    grep -l -F -e "$root" -e "$top_builddir/" {} + |
    grep -v -e '/bin/' -e '/libexec/' -e '\.la$' >"$work/leaks"
is "$(cat "$work/leaks")" "" \
    "no installed text has the path of the build folder"

sed -n '/^[a-z]/p' "$pack"/debian/*.install | sed 's|^usr/||' >"$work/wanted"
# Debian's folders are those of --prefix=/usr with libraries by architecture.
(cd "$root$prefix" && find . \( -type f -o -type l \) | sed 's|^\./||' |
    grep -v '\.la$' | sed -e 's|^lib64/|lib/|' -e 's|^lib/|lib/ARCH/|' \
    -e 's|^libexec/|libexec/|') >"$work/installed"
while read -r pattern; do
    pattern=$(echo "$pattern" | sed 's|lib/\*/|lib/ARCH/|')
    found=0
    while read -r file; do
        # shellcheck disable=SC2254
        case $file in
        $pattern | $pattern/*) found=1 ;;
        esac
    done <"$work/installed"
    [ $found = 1 ]
    ok $? "debian installs $pattern, which exists"
done <"$work/wanted"
while read -r file; do
    found=0
    while read -r pattern; do
        pattern=$(echo "$pattern" | sed 's|lib/\*/|lib/ARCH/|')
        # shellcheck disable=SC2254
        case $file in
        $pattern | $pattern/*) found=1 ;;
        esac
    done <"$work/wanted"
    [ $found = 1 ] || echo "$file"
done <"$work/installed" >"$work/left"
is "$(cat "$work/left")" "" "debian installs every file"
if command -v dpkg-parsechangelog >/dev/null 2>&1; then
    is "$(dpkg-parsechangelog -l "$pack/debian/changelog" -S Version |
        sed 's/-.*//')" "$version" "dpkg parses the changelog"
else
    skip "no dpkg-dev" "dpkg parses the changelog"
fi
MAKEFLAGS='' make -n -f "$pack/debian/rules" override_dh_auto_configure >/dev/null 2>"$work/err"
is "$? $(cat "$work/err")" "0 " "debian/rules is a valid makefile"
for test in $(sed -n '/^QUICK/,/[^\\]$/p' "$pack/debian/rules" |
    tr ' \t\\' '\n\n\n' | grep '\.t$'); do
    [ -f "$top_srcdir/$test" ] || [ -f "$top_srcdir/${test%.t}.c" ]
    ok $? "a test that it runs exists: $test"
done

# The module file, with stubs of its Tcl commands.
module=$root$share/chorale/modulefile
is "$(sed -n 1p "$module")" "#%Module1.0" \
    "the module file begins with #%Module1.0"
! grep -q '@' "$module"
ok $? "the module file has no @placeholders@"
if command -v tclsh >/dev/null 2>&1; then
    cat >"$work/module.tcl" <<'EOF'
proc module-whatis {text} { puts "whatis $text" }
proc conflict {name} { puts "conflict $name" }
proc prepend-path {name value} { puts "$name=$value" }
proc append-path {name value} { puts "$name=...$value" }
proc setenv {name value} { puts "$name=$value" }
source [lindex $argv 0]
ModulesHelp
EOF
    tclsh "$work/module.tcl" "$module" >"$work/out" 2>"$work/err"
    ok $? "Tcl executes the module file"
    is "$(sed -n 's/^PATH=//p' "$work/out")" "$bin" \
        "the module sets PATH to the command's folder"
    [ -s "$root$(sed -n 's/^CHORALE_SHIM=//p' "$work/out")" ]
    ok $? "the module sets CHORALE_SHIM to the library to preload"
else
    skip "no tclsh" "Tcl executes the module file"
fi
# The module file with Environment Modules, as a user would load it.
init=${MODULESHOME:-/usr/share/modules}/init/sh
if [ -r "$init" ]; then
    mkdir -p "$work/modules/chorale"
    sed "s|$prefix|$root$prefix|" "$module" >"$work/modules/chorale/$version"
    cat >"$work/module.sh" <<'EOF'
unset MODULEPATH LOADEDMODULES _LMFILES_ MANPATH CHORALE_SHIM
unset LD_LIBRARY_PATH PKG_CONFIG_PATH
. "$1"
unset MANPATH # newer versions of Modules set it
path=$PATH
module use "$2"
module load chorale
echo "command $(command -v chorale)"
echo "shim $CHORALE_SHIM"
echo "libraries $LD_LIBRARY_PATH $PKG_CONFIG_PATH"
echo "manuals $MANPATH"
module unload chorale
[ "$PATH" = "$path" ] && echo "PATH as before"
echo "left: ${CHORALE_SHIM-}${LD_LIBRARY_PATH-}${PKG_CONFIG_PATH-}${MANPATH-}"
EOF
    sh "$work/module.sh" "$init" "$work/modules" >"$work/out" 2>"$work/err"
    ok $? "module load and module unload exit with 0"
    is "$(cat "$work/err")" "" "module load and module unload print no errors"
    is "$(cat "$work/out")" "command $root$bin/chorale
shim $root$lib/libchorale_pmpi.so
libraries $root$lib $root$lib/pkgconfig
manuals $root$man:
PATH as before
left: " "the module adds its paths, keeps other manuals, and unloads completely"
else
    skip "no Environment Modules" "module load and module unload exit with 0"
fi

# Installed files compile a program, with options of pkg-config.
if command -v pkg-config >/dev/null 2>&1; then
    words=$(PKG_CONFIG_PATH="$root$lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root" \
        pkg-config --cflags --libs chorale)
    # shellcheck disable=SC2086
    "${MPICC:-mpicc}" "$top_srcdir/tests/shim/programs/example.c" $words \
        -o "$work/example" 2>"$work/err"
    ok $? "a program compiles with the installed files: $(cat "$work/err")"
    is "$(LD_LIBRARY_PATH="$root$lib" "${MPIEXEC:-mpiexec}" -n 2 \
        "$work/example" 2>"$work/err")" "example: wrong=0" "the program runs"
else
    skip "no pkg-config" "a program compiles with the installed files"
fi
finish
