# A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
#
#     skirmish play aliens --watch . house:random
#
# Each turn, think() gets a view, a hash:
#     turn         the number of the turn, from 1
#     rows, cols   the size of the grid; squares are numbered row by row from 0
#     grid         a character per square: "." empty, "*" energy, "a" and "b" units
#     me, enemy    the players: letter, energy, spawn (a square), spawn_destroyed
# and returns the moves, from a square to an adjacent one. Units without a move stay:
#     ({ from => 21, to => 22 }, { from => 40, to => 60 })
use v5.36;
use FindBin;
use lib $FindBin::Bin;
use List::Util qw(any reduce);
use Protocol;

# The line to change first: attack when we have this many times as many units as the enemy.
use constant COURAGE => 2;

# The element with the smallest cost; on a tie, the first one; undef if there is none.
sub best ($cost, @list) {
    return reduce { $cost->($b) < $cost->($a) ? $b : $a } @list;
}

# The moves of this turn. The whole strategy is here.
sub think ($view) {
    my ($rows, $cols, $me, $enemy) = @$view{qw(rows cols me enemy)};
    my @grid = split //, $view->{grid};

    my $squares = sub ($what) { grep { $grid[$_] eq $what } 0 .. $#grid };
    my $steps = sub ($from, $to) {
        return abs(int($from / $cols) - int($to / $cols)) + abs($from % $cols - $to % $cols);
    };
    my $neighbours = sub ($square) {
        my @around = ($square - $cols, $square + $cols, $square - 1, $square + 1);
        return grep { $_ >= 0 && $_ < @grid && $steps->($square, $_) == 1 } @around;
    };

    my @units   = $squares->($me->{letter});
    my @enemies = $squares->($enemy->{letter});
    my $attack  = @units >= COURAGE * @enemies;
    my @goals   = $attack ? (@enemies, $enemy->{spawn}) : $squares->("*");
    my $centre  = int($rows / 2) * $cols + int($cols / 2);
    my %taken   = map { $_ => 1 } @units;    # if two of our units meet on a square, both die
    my %claimed;    # energy that one of our units is already going for
    my @moves;
    for my $unit (@units) {
        my @wanted = grep { !$claimed{$_} } @goals;
        my $goal   = best(sub ($square) { $steps->($unit, $square) }, @wanted) // $centre;
        $claimed{$goal} = 1 if !$attack;

        # The cost of a square: distance to the goal, or an enemy too close.
        my $cost = sub ($square) {
            my $danger = !$attack && any { $steps->($square, $_) <= 2 } @enemies;
            return $steps->($square, $goal) + ($danger ? 1000 : 0);
        };

        # Energy is gathered from an adjacent square; moving onto it destroys it.
        my @free = grep { !$taken{$_} && $grid[$_] ne "*" } $neighbours->($unit);
        my $to   = best($cost, $unit, @free);
        next if $to == $unit;
        delete $taken{$unit};
        $taken{$to} = 1;
        push @moves, { from => $unit, to => $to };
    }
    return @moves;
}

# The main loop: answer every view until the match ends.
while (my $view = Protocol::next_view()) {

    # Debug output: "skirmish play --stderr" and replays show standard error.
    say STDERR "I am player $view->{me}{letter}" if $view->{turn} == 1;
    Protocol::answer(think($view));
}
