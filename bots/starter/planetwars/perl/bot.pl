# A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
#
#     skirmish play planetwars --watch . house:random
#
# Each turn, think() gets a view, a hash:
#     turn          the number of the turn, from 1
#     planets       each has name, x, y, owner (1: you, 2 and more: enemies, 0: nobody), ships
#     expeditions   fleets under way: id, origin and destination (names of planets), owner, ships,
#                   turns_remaining
# and returns the moves, each a fleet from one of your planets to another planet:
#     ({ origin => "protos", destination => "extos", ships => 6 })
use v5.36;
use sort "stable";
use FindBin;
use lib $FindBin::Bin;
use List::Util qw(max);
use POSIX qw(ceil);
use Protocol;

# The lines to change first: how many ships a planet keeps at home, and by how many ships its
# fleets outnumber their targets.
use constant GARRISON => 0;
use constant SPARE    => 1;

# The travel time in turns.
sub turns ($from, $to) {
    my ($dx, $dy) = ($from->{x} - $to->{x}, $from->{y} - $to->{y});
    return max(1, ceil(sqrt($dx * $dx + $dy * $dy)));
}

# The moves of this turn. The whole strategy is here.
sub think ($view) {
    my @planets = @{ $view->{planets} };
    my @mine    = grep { $_->{owner} == 1 } @planets;
    my @others  = grep { $_->{owner} != 1 } @planets;

    my %ours   = map { $_->{name} => 0 } @planets;    # our ships under way to each planet
    my %theirs = %ours;                               # and those of the enemies
    for my $expedition (@{ $view->{expeditions} }) {
        my $side = $expedition->{owner} == 1 ? \%ours : \%theirs;
        $side->{ $expedition->{destination} } += $expedition->{ships};
    }

    my @moves;
    for my $origin (@mine) {

        # A planet under attack keeps the ships it needs.
        my $ships   = $origin->{ships} - GARRISON - $theirs{ $origin->{name} };
        my @nearest = sort { turns($origin, $a) <=> turns($origin, $b) } @others;
        for my $target (@nearest) {
            my $name = $target->{name};

            # An enemy planet builds a ship per turn until we arrive; a neutral one builds none.
            my $built  = $target->{owner} ? turns($origin, $target) : 0;
            my $needed = $target->{ships} + $built + $theirs{$name} + SPARE - $ours{$name};
            next if $needed <= 0 || $needed > $ships;
            $ships -= $needed;
            $ours{$name} += $needed;
            push @moves, { origin => $origin->{name}, destination => $name, ships => $needed };
        }
    }
    return @moves;
}

# The main loop: answer every view until the match ends.
while (my $view = Protocol::next_view()) {

    # Debug output: "skirmish play --stderr" and replays show standard error.
    say STDERR "planets on this map: ", scalar @{ $view->{planets} } if $view->{turn} == 1;
    Protocol::answer(think($view));
}
