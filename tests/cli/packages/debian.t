#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# debian.t - ci/packaging/deb builds a source package beside the binary
# packages, with dpkg's own dpkg-source, but without compiling.
. "$(dirname "$0")/../../lib.sh"
command -v dpkg-source >/dev/null 2>&1 ||
    skip_all "no dpkg-source (Debian: dpkg-dev)"
deb=$top_srcdir/ci/packaging/deb
version=$(sed -n 's/^AC_INIT(\[chorale\], \[\([^]]*\)\].*/\1/p' "$top_srcdir/configure.ac")
cd "$work" || exit 99

# The needed parts of a tarball, and programs that only log their calls.
tree=chorale-$version
mkdir -p "$tree/ci/packaging" bin
cp "$top_srcdir/configure.ac" "$tree"
cp -R "$top_srcdir/ci/packaging/debian" "$tree/ci/packaging"
chmod -R u+w "$tree"
tar -c -z -f upstream.tar.gz "$tree"
rm -r "$tree"
for tool in dh lintian dpkg-buildpackage; do
    printf '#!/bin/sh\necho %s "$@" >>"%s/asked"\n' "$tool" "$work" >bin/$tool
done
cat >>bin/dpkg-buildpackage <<'EOF'
dpkg-source -b . && : >"../chorale_deb.changes" && : >"../chorale.deb"
EOF
# The stub of lintian can only fail with its exit code.
echo '[ ! -e "$FOUND" ] || exit 2' >>bin/lintian
chmod +x bin/*
PATH=$work/bin:$PATH
FOUND=$work/found
export PATH FOUND

sh "$deb" out upstream.tar.gz >out.txt 2>err.txt
ok $? "the packages are built from a tarball"
is "$(cat asked)" "dpkg-buildpackage -us -uc
lintian --fail-on error ./chorale_deb.changes" \
    "source and binary packages are built and checked by lintian"
cmp -s upstream.tar.gz "out/chorale_$version.orig.tar.gz"
ok $? "the orig tarball is the upstream one"
dsc=$(ls out/*.dsc)
like "$dsc" "/chorale_$version-[0-9]+[.]dsc$" "a source package is built"
is "$(sed -n '/^Checksums-Sha256/,/^Files/s/^ .* //p' "$dsc" | sort)" \
    "$(basename "$dsc" .dsc).debian.tar.xz
chorale_$version.orig.tar.gz" "the source package has the tarball and debian/"
is "$(sed -n 's/^Format: //p' "$dsc")" "3.0 (quilt)" "its format is 3.0 (quilt)"
dpkg-source --no-check -x "$dsc" again >out.txt 2>&1
ok $? "the source package unpacks"
is "$(diff -r again/debian "$top_srcdir/ci/packaging/debian" 2>&1)" "" \
    "the unpacked debian/ is that of the sources"

: >found
sh "$deb" found.d upstream.tar.gz >out.txt 2>err.txt
is $? 1 "lintian's error is the exit code"
rm found

# Existing folders are not touched; other files than tarballs are refused.
refused() { # exit code, expected text, words...
    want=$1 text=$2
    shift 2
    sh "$deb" "$@" >out.txt 2>err.txt
    is $? "$want" "refused with $want: $text"
    is "$(wc -l <err.txt) $(grep -c -F "$text" err.txt)" "1 1" \
        "the error is one line: $text"
}
refused 3 'remove it, or name another folder' out upstream.tar.gz
refused 3 'name a tarball of make dist' out2 none.tar.gz
mkdir other && tar -c -z -f other.tar.gz other
refused 3 'name a tarball of make dist' out3 other.tar.gz
echo text >text.tar.gz
refused 3 'name a tarball of make dist' out4 text.tar.gz
rm bin/lintian
command -v lintian >/dev/null 2>&1 ||
    refused 3 'install dpkg-dev, debhelper and lintian' out5 upstream.tar.gz
finish
