# A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
#
#     skirmish play aliens --watch . house:random
#
# Each turn, the bot reads one view, a line of JSON:
#     {"player":"a","state":{"rows":20,"cols":20,"grid":"....a..*....b...", ...}}
# The grid has one character per square, row by row: "." empty, "*" energy, "a", "b" units.
# The answer is a JSON array of moves. Units without a move stay:
#     [{"from":21,"to":22},{"from":40,"to":60}]
use strict;
use warnings;
use JSON::PP;

# The line to change first: attack when we have this many times as many units as the enemy.
my $COURAGE = 2;

# The element with the smallest cost; the first of equals; undef if there is none.
sub best {
    my ($cost, @list) = @_;
    my ($found, $least);
    for my $one (@list) {
        my $is = $cost->($one);
        ($found, $least) = ($one, $is) if !defined $found || $is < $least;
    }
    return $found;
}

# The moves of this turn. The whole strategy is here.
sub think {
    my ($view) = @_;
    my ($me, $state) = @$view{qw(player state)};
    my ($rows, $cols) = @$state{qw(rows cols)};
    my @grid = split //, $state->{grid};
    my ($enemy, $enemy_spawn) =
        $me eq "a" ? ("b", $state->{p2}{spawn}) : ("a", $state->{p1}{spawn});

    my $squares = sub { my ($what) = @_; grep { $grid[$_] eq $what } 0 .. $#grid };
    my $steps = sub {
        my ($from, $to) = @_;
        return abs(int($from / $cols) - int($to / $cols)) + abs($from % $cols - $to % $cols);
    };
    my $beside = sub {
        my ($square) = @_;
        my @around = ($square - $cols, $square + $cols, $square - 1, $square + 1);
        return grep { $_ >= 0 && $_ < @grid && $steps->($square, $_) == 1 } @around;
    };

    my @units = $squares->($me);
    my @enemies = $squares->($enemy);
    my $attack = @units >= $COURAGE * @enemies;
    my @goals = $attack ? (@enemies, $enemy_spawn) : $squares->("*");
    my %taken = map { $_ => 1 } @units;    # by one of our units; if two meet on a square, both die
    my @moves;
    for my $unit (@units) {
        my $goal = best(sub { $steps->($unit, $_[0]) }, @goals);
        $goal = int($rows / 2) * $cols + int($cols / 2) if !defined $goal;
        @goals = grep { $_ != $goal } @goals if !$attack;    # no other unit goes for this energy

        # The cost of a square: distance to the goal, or an enemy too close.
        my $cost = sub {
            my ($square) = @_;
            my $danger = !$attack && grep { $steps->($square, $_) <= 2 } @enemies;
            return $steps->($square, $goal) + ($danger ? 1000 : 0);
        };

        # Energy is gathered from an adjacent square; moving onto it destroys it.
        my @free = grep { !$taken{$_} && $grid[$_] ne "*" } $beside->($unit);
        my $to = best($cost, $unit, @free);
        next if $to == $unit;
        delete $taken{$unit};
        $taken{$to} = 1;
        push @moves, { from => $unit + 0, to => $to + 0 };    # + 0: numbers, not strings
    }
    return \@moves;
}

# The main loop: read a view, print an answer, until the input ends with the match.
$| = 1;
my $first = 1;
while (my $line = <STDIN>) {
    my $view = decode_json($line);

    # Debug output: "skirmish play --stderr" and replays show standard error.
    print STDERR "I am player $view->{player}\n" if $first;
    $first = 0;
    print encode_json(think($view)), "\n";
}
