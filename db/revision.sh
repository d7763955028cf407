#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# revision.sh SRCDIR FILE - write the revision of the sources as a C string to
# FILE, unless FILE holds it already. In a git work tree it is the commit, with
# "-dirty" if files differ from it; in a tarball the revision it was made from.
src=$1 file=$2
top=$(git -C "$src" rev-parse --show-toplevel 2>/dev/null)
if [ -n "$top" ] && [ "$top" = "$(cd "$src" && pwd -P)" ]; then
    revision=$(git -C "$src" describe --always --dirty --abbrev=12 2>/dev/null)
elif [ -f "$src/db/revision.dist" ]; then
    revision=$(tr -cd 'A-Za-z0-9._-' <"$src/db/revision.dist")
fi
line="\"${revision:-unknown}\""
[ -f "$file" ] && [ "$(cat "$file")" = "$line" ] && exit 0
printf '%s\n' "$line" >"$file.tmp" && mv "$file.tmp" "$file"
