#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# flags.sh FILE [FLAG]... - write the flags that make compiles with as a C
# string, unless FILE says so already. Where FILE says others, some objects may
# be of those, as make does not compile again for that: both are written, the
# last first, until `make clean` removes FILE with the objects.
file=$1
shift
flags=$(printf '%s' "$*" | sed 's/[\\"]/\\&/g')
old=$(sed -n 's/^"\(.*\)"$/\1/p' "$file" 2>/dev/null)
if [ -f "$file" ]; then
    [ "${old%%; in part *}" = "$flags" ] && exit 0
    flags="$flags; in part $old"
fi
printf '"%s"\n' "$flags" >"$file.tmp" && mv "$file.tmp" "$file"
