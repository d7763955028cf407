#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# messages.pl - all messages of the sources, for messages.t and errors.t.
#   messages.pl list SRCDIR           file, code, text and literals of each
#   messages.pl check SRCDIR TABLE    a line for each way in which they differ
#   messages.pl said TABLE LINES      a line for each row of errors.t that no
#                                     line said
use strict;
use warnings;

my $string = qr/"((?:[^"\\]|\\.)*)"/s;
my @rooms = qw(db runners tuner plots algorithms/dispatch);
my %words; # what a file calls texts of its own

sub slurp {
    my ($name) = @_;
    open my $in, '<', $name or die "$name: $!\n";
    local $/;
    return scalar <$in>;
}

# Without comments, which have quotes of their own.
sub source {
    my $text = slurp($_[0]);
    $text =~ s{($string|'(?:[^'\\]|\\.)')|/\*.*?\*/}{$1 // ' '}gse;
    return $text;
}

sub learn {
    my ($file, $text) = @_;
    for my $own (qr/^#define\s+(\w+)[ \t]+((?:$string(?:\s|\\\n)*)+)$/m,
                 qr/char (\w+)\[\] =\s*((?:$string\s*)+);/) {
        while ($text =~ /$own/g) {
            my ($name, $all) = ($1, $2);
            $words{$file}{$name} = literals($file, $all, '');
            $words{''}{$name} = $words{$file}{$name} if $file =~ /h$/;
        }
    }
}

# The literals in a piece of source, those that it names too: one where they
# touch each other.
sub literals {
    my ($file, $text, $between) = @_;
    my ($end, @found) = (-1);
    while ($text =~ /$string|\b([A-Za-z_]\w*)\b/g) {
        my $one = $1 // $words{$file}{$2} // $words{''}{$2};
        next if !defined $one;
        if ($end >= 0 && substr($text, $end, $-[0] - $end) =~ /^\s*$/) {
            $found[-1] .= $one;
        } else {
            push @found, $one;
        }
        $end = pos $text;
    }
    return join $between, @found;
}

# The arguments of a call, from behind its bracket.
sub arguments {
    my ($text) = @_;
    my ($depth, @arg) = (1, '');
    while ($text =~ /\G($string|'(?:[^'\\]|\\.)'|.)/gs) {
        my $c = $1;
        $depth++ if $c eq '(';
        last if $c eq ')' && --$depth == 0;
        if ($c eq ',' && $depth == 1) {
            push @arg, '';
        } else {
            $arg[-1] .= $c;
        }
    }
    return @arg;
}

# file, code, text, all literals, the whole call.
sub messages {
    my ($dir) = @_;
    my (@list, %text);
    for my $file (map { s{^\Q$dir\E/}{}r } map { glob "$dir/$_/*.[ch]" }
                  @rooms) {
        $text{$file} = source("$dir/$file");
        learn($file, $text{$file});
    }
    for my $file (grep { /\.c$/ } sort keys %text) {
        my $call = $file =~ /^algorithms/ ? qr/chorale_say|complain|refuse|say/
                                          : qr/chorale_fail|fprintf/;
        while ($text{$file} =~ /\b($call)\s*\(/g) {
            my ($name, @arg) = ($1, arguments(substr $text{$file},
                                              pos $text{$file}));
            my $code = '';
            my @format = grep { literals($file, $_, '') ne '' } @arg;
            next if !@format || $arg[0] =~ /^\s*(?:struct|const|out|in)\b/;
            if ($name eq 'chorale_fail') {
                $code = join '|', map { s/CHORALE_//r }
                        $arg[1] =~ /CHORALE_[A-Z]+/g;
                $code ||= '*';
            }
            my $text = literals($file, $format[0], '|');
            next if $name eq 'fprintf' && ($arg[0] ne 'stderr' ||
                                           $text !~ /^chorale/);
            $text =~ s/\\n$// if $name eq 'fprintf';
            push @list, [$file, $code, $text,
                         join("\n", map { literals($file, $_, "\n") } @arg),
                         join(',', @arg)];
        }
    }
    return @list;
}

sub table {
    my @rows = map { [split /\t/, $_, -1] }
               grep { !/^#/ } split /\n/, slurp($_[0]);
    return @rows;
}

# What a test could look for: letters, digits and single spaces.
sub plain {
    return $_[0] =~ s/[^A-Za-z0-9 -]+/ /gr =~ s/ +/ /gr;
}

# The words are in the text, and a line of the test that is no comment has them.
sub looked_for {
    my ($text, $words, $test) = @_;
    $words = plain($words);
    return length $words >= 10 && index(plain($text), $words) >= 0
        && index(plain($test =~ s/^\s*#.*$//gmr), $words) >= 0;
}

my %codes = map { $_ => 1 } qw(NO USAGE ENV DATA STOPPED NOTE SHIM);

sub check_row {
    my ($dir, $row, $message) = @_;
    my ($file, $code, $text, $by, $remedy) = @$row;
    my ($literals, $call) = @$message[3, 4];
    my $at = "$file: '$text'";
    print "$at: no remedy\n" if ($remedy // '') eq ''
        || ($remedy eq '-' && $code ne 'NOTE');
    if (($remedy // '') =~ /^by (\w+)$/) {
        print "$at: no $1 in the call\n" if $call !~ /\b$1\b/;
    } elsif (($remedy // '-') ne '-' && index($literals, $remedy) < 0) {
        print "$at: does not say '$remedy'\n";
    }
    print "$at: code $code\n" if $message->[1] eq ''
        && !$codes{$code};
    print "$at: more than one line, or a full stop\n"
        if $text =~ /\\n|\.$/ || $text =~ /[^ -~]/;
    if ($by =~ m{^(tests/.*\.t): (.*)}) {
        print "$at: $1 does not look for '$2'\n"
            if !-e "$dir/$1" || !looked_for($text, $2, slurp("$dir/$1"));
    } elsif ($by !~ /^(?:errors\.t|reviewed: \w.*)$/) {
        print "$at: neither a test nor reviewed\n";
    }
}

sub check {
    my ($dir, $table) = @_;
    my (%row, %there, %why);
    for my $row (table($table)) {
        my $key = "$row->[0]\t$row->[2]";
        print "$row->[0]: '$row->[2]': $row->[3], as $why{$row->[3]} has it:"
            . " say what it is here\n"
            if $row->[3] =~ /^reviewed/ && $why{$row->[3]};
        $why{$row->[3]} = $row->[0];
        print "$row->[0]: '$row->[2]': twice in the table\n" if $row{$key};
        $row{$key} = $row;
    }
    for my $m (messages($dir)) {
        my $key = "$m->[0]\t$m->[2]";
        my $row = $row{$key};
        if (!$row) {
            print "$m->[0]: '$m->[2]': has no row\n" if !$there{$key};
        } elsif ($m->[1] ne '' && index("+$row->[1]+", "+$m->[1]+") < 0) {
            print "$m->[0]: '$m->[2]': ends with $m->[1]\n";
        } else {
            check_row($dir, $row, $m) if !$there{$key};
        }
        $there{$key} = 1;
    }
    for my $key (sort grep { !$there{$_} } keys %row) {
        my ($file, $text) = split /\t/, $key, 2;
        print "$file: '$text': is said nowhere\n";
    }
}

# The text as a pattern: any words for its fields.
sub pattern {
    my $any = join '|', map {
        join '.*', map { quotemeta } split /%[-.*\d]*(?:ll|l|z|t)?[a-z]/,
            s/\\"/"/gr =~ s/%%/%/gr, -1
    } split /\|/, $_[0];
    return qr/$any/;
}

sub said {
    my ($table, $lines) = @_;
    my $said = slurp($lines);
    for my $row (grep { $_->[3] eq 'errors.t' } table($table)) {
        my $pattern = pattern($row->[2]);
        print "$row->[0]: '$row->[2]': no row of errors.tsv has it\n"
            if !grep { /$pattern/ } split /\n/, $said;
    }
}

my ($what, @words) = @ARGV;
if ($what eq 'list') {
    print join("\t", @$_[0 .. 2], $_->[3] =~ s/\n/<nl>/gr), "\n"
        for messages(@words);
} elsif ($what eq 'check') {
    check(@words);
} elsif ($what eq 'said') {
    said(@words);
}
