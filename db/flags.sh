#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# flags.sh FILE [FLAG]... - write the compiler flags of this make as a C string
# to FILE, unless FILE holds them already. make does not recompile when only the
# flags change. If FILE holds other flags, some objects may have been compiled
# with them, so both are recorded, the newest first. `make clean` removes FILE
# together with the objects.
file=$1
shift
flags=$(printf '%s' "$*" | sed 's/[\\"]/\\&/g')
old=$(sed -n 's/^"\(.*\)"$/\1/p' "$file" 2>/dev/null)
if [ -f "$file" ]; then
    [ "${old%%; in part *}" = "$flags" ] && exit 0
    flags="$flags; in part $old"
fi
printf '"%s"\n' "$flags" >"$file.tmp" && mv "$file.tmp" "$file"
