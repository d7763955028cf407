#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# messages.t - every message of the sources has its row in messages.tsv, with
# its exit code, a test or why there is none, and what mends it; errors.t asks
# the program for those that it can provoke.
. "$(dirname "$0")/../lib.sh"
table=$here/messages.tsv
cd "$work" || exit 99

perl "$here/messages.pl" list "$top_srcdir" >all.txt
[ "$(wc -l <all.txt)" -gt 500 ]
ok $? "there are $(wc -l <all.txt) places that say something"
perl "$here/messages.pl" check "$top_srcdir" "$table" >differ.txt
is "$(head -n 20 differ.txt)" "" "all are in the table, with a remedy"

# A new message, one that is gone, one without a remedy: all are seen.
mkdir -p src/db src/tuner
cat >src/db/one.c <<'END'
/* "no message" */
#define MEND "; mend " "it"
enum chorale_err one(struct chorale_errmsg *msg, const char *name)
{
    if (name == 0)
        return chorale_fail(msg, CHORALE_ENV, "no name" MEND);
    fprintf(stderr, "chorale: %s\n", name);
    return chorale_fail(msg, CHORALE_DATA, "%s: is bad, "
                        "which \"nobody\" mends (%c)", name, ')');
}
END
row() { printf '%s\t%s\t%s\t%s\t%s\n' "$@"; }
reasons() { perl "$here/messages.pl" check src rows.tsv; }
{
    row db/one.c ENV 'no name; mend it' 'reviewed: a reason' 'mend it'
    row db/one.c NOTE 'chorale: %s' 'reviewed: a note' -
} >some.tsv
bad='%s: is bad, which \"nobody\" mends (%c)'
{ cat some.tsv; row db/one.c DATA "$bad" errors.t 'nobody'; } >rows.tsv
is "$(reasons)" "" "literals are joined, and words of macros are among them"
cp some.tsv rows.tsv
is "$(reasons)" "db/one.c: '$bad': has no row" "a message without a row"
{ cat some.tsv; row db/one.c DATA "$bad" errors.t ''; } >rows.tsv
is "$(reasons)" "db/one.c: '$bad': no remedy" "one without a remedy"
{ cat some.tsv; row db/one.c DATA "$bad" errors.t 'mend it'; } >rows.tsv
like "$(reasons)" "does not say 'mend it'$" "a remedy that it does not say"
{ cat some.tsv; row db/one.c DATA "$bad" errors.t 'by name'; } >rows.tsv
is "$(reasons)" "" "one that the call takes from elsewhere"
{ cat some.tsv; row db/one.c ENV "$bad" errors.t nobody; } >rows.tsv
like "$(reasons)" 'ends with DATA$' "another exit code"
{ cat some.tsv; row db/one.c DATA "$bad" sometimes nobody; } >rows.tsv
like "$(reasons)" 'neither a test nor reviewed$' "a row without a reason"
{ cat some.tsv; row db/one.c DATA "$bad" 'reviewed: a note' nobody; } >rows.tsv
like "$(reasons)" "reviewed: a note, as db/one.c has it: say what it is here$" \
    "a reason that another row has"
{ cat some.tsv; row db/one.c DATA "$bad" 'tests/x.t: which nobody mends' nobody
} >rows.tsv
like "$(reasons)" "x.t does not look for 'which nobody mends'$" \
    "a test that is not there"
mkdir src/tests
echo '# which "nobody" mends' >src/tests/x.t
like "$(reasons)" "x.t does not look for 'which nobody mends'$" \
    "nor in a comment"
echo "like 'which .nobody. mends'" >src/tests/x.t
is "$(reasons)" "" "a test that looks for it"
row db/one.c USAGE 'gone' errors.t gone >>rows.tsv
is "$(reasons)" "db/one.c: 'gone': is said nowhere" "a row that is left over"
echo 'chorale: x: is bad, which "nobody" mends ())' >lines.txt
is "$(perl "$here/messages.pl" said rows.tsv lines.txt)" \
    "db/one.c: 'gone': no row of errors.tsv has it" "and one that is never said"
finish
