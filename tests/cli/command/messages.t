#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# messages.t - every message in the sources has the form `object: problem;
# remedy`: one line of ASCII, lower case, no full stop, at most 140 characters
# before names and numbers are filled in. errors.t provokes them.
. "$(dirname "$0")/../../lib.sh"
cat >"$work/lint.pl" <<'PL'
use strict; use warnings; use File::Find;
my $string = qr/"(?:[^"\\]|\\.)*"/s;
my $quoted = qr/$string|'(?:[^'\\]|\\.)'/s;
my $call = qr/(\((?:[^()"']|$quoted|(?-1))*\))/s;
my ($n, $file) = (0, '');
sub check {
    my ($name, $words) = @_;
    # The first literal of the call; a macro in it counts as a field.
    my ($format) = $words =~ /((?:$string|\b[A-Z][A-Z_0-9]+\b(?=\s*$string))
        (?:\s*(?:$string|\b[A-Z][A-Z_0-9]+\b))*)/sx;
    return if !defined $format;
    my $text = join '', map { /^"(.*)"$/s ? $1 : '%s' }
        $format =~ /$string|[A-Z][A-Z_0-9]+/g;
    return if $name eq 'fprintf' && $text !~ s/^chorale: (.*?)(\\n)?$/$1/s;
    $n++;
    my @faults = grep { $_ } (
        $text =~ /\\n/ && 'more than one line',
        $text =~ /[.!]$/ && 'a full stop',
        $text =~ /[^ -~]/ && 'not ASCII',
        length $text > 140 && 'longer than 140',
        $text =~ /^(?:%\S+: )?[A-Z][a-z]+\b/ && 'a capital',
        $name eq 'chorale_fail' && $words !~ /CHORALE_USAGE/ &&
            $words =~ s/"\s*"//gr !~ /; |%[.0-9]*s"?\s*[,)]/ && 'no remedy');
    print "$file: '$text': ", join(', ', @faults), "\n" if @faults;
}
find({ no_chdir => 1, wanted => sub {
    return if !/\.c$/;
    open my $in, '<', $file = $_ or die "$_: $!\n";
    my $source = do { local $/; <$in> };
    $source =~ s{($quoted)|/\*.*?\*/}{$1 // ' '}gse;
    while ($source =~ /\b(chorale_fail|fprintf(?=\s*\(stderr)|chorale_warn|
                       complain|refuse)\s*$call/gsx) {
        check($1, $2);
    }
} }, @ARGV);
print STDERR "$n messages\n";
PL
cd "$top_srcdir" || exit 99
perl "$work/lint.pl" algorithms db runners tuner plots >"$work/faults" \
    2>"$work/count"
is "$(cat "$work/faults")" "" \
    "every message has the form 'object: problem; remedy'"
like "$(cat "$work/count")" '^[1-9][0-9][0-9] messages$' \
    "the lint finds the messages"
cat >"$work/bad.c" <<'C'
/* chorale_fail(msg, CHORALE_DATA, "Gone."); */
return chorale_fail(msg, CHORALE_DATA, "%s: Bad (" "; " "repeat"
                    " it.\n", name);
return chorale_fail(msg, CHORALE_ENV, "no remedy" MACRO " at all");
fprintf(stderr, "chorale: %s is left out.\n", name);
C
printf 'chorale_fail(msg, CHORALE_DATA, "%%s: %0140d; repeat", name);\n' 0 \
    >>"$work/bad.c"
is "$(perl "$work/lint.pl" "$work/bad.c" 2>/dev/null | sed "s/.*: //")" \
    "more than one line, a capital
no remedy
a full stop
longer than 140" "the lint reports each fault once"
finish
