# How a bot for Underworld talks to the referee. You need not change this file.
#
# The referee sends "Who are you?" and the bot must answer "crayfish". It then sends one line
#     10 10 2 0                 columns, rows, players, your number
# and then a view in every turn:
#     money 3000
#     0 0 0 C 10000             x, y, owner, kind, hitpoints
#     0 1 0 B 1500
#     end
# After the last turn, it sends the line "gg" instead of a view. An answer is any number of
# commands, followed by "end":
#     build 1 0 F
#     spawn 0 1 E
#     move 1 1 S
package Protocol;
use v5.36;
use IO::Handle;

STDOUT->autoflush;

my %start;    # everything that is the same in all views
my $turn = 0;

# The next view of the match; undef when the match has ended.
sub next_view () {
    if (!$turn) {
        readline STDIN;
        say "crayfish";
        @start{qw(columns rows players me)} = split " ", <STDIN> // "";
    }
    my %view = (%start, turn => ++$turn, things => []);
    while (my $line = <STDIN>) {
        my ($word, @rest) = split " ", $line;
        if ($word eq "gg") {
            return undef;
        } elsif ($word eq "money") {
            $view{money} = $rest[0];
        } elsif ($word eq "end") {
            return \%view;
        } elsif ($word =~ /^\d+$/) {
            my ($y, $owner, $kind, $hitpoints) = @rest;
            my $cell = $y * $view{columns} + $word;
            push @{ $view{things} },
                { cell => $cell, owner => $owner, kind => $kind, hitpoints => $hitpoints };
        }
    }
    return undef;
}

# Sends the answer to a view.
sub answer ($view, @commands) {
    my $columns = $view->{columns};
    for (@commands) {
        my ($verb, $cell, $what) = @$_{qw(verb cell what)};
        say join " ", $verb, $cell % $columns, int($cell / $columns), $what;
    }
    say "end";
}

1;
