# A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
#
#     skirmish play planetwars --watch . house:random
#
# A view is one line of JSON. You are always player 1 in it, and neutral planets have
# the owner null:
#     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
#      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
#                      "owner":2,"turns_remaining":11}, ...]}
# The answer is also one line of JSON. Without moves: {"moves":[]}
#     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
use strict;
use warnings;
use JSON::PP;
use POSIX qw(ceil);

# The line to change first: how many ships a planet keeps at home, and by how many ships its
# fleets outnumber their targets.
my ($GARRISON, $SPARE) = (0, 1);

# The travel time in turns.
sub turns {
    my ($from, $to) = @_;
    my ($dx, $dy) = ($from->{x} - $to->{x}, $from->{y} - $to->{y});
    my $distance = ceil(sqrt($dx * $dx + $dy * $dy));
    return $distance < 1 ? 1 : $distance;
}

# The moves of this turn. The whole strategy is here.
sub think {
    my ($view) = @_;
    my @planets = @{ $view->{planets} };
    my @mine = grep { ($_->{owner} // 0) == 1 } @planets;
    my @others = grep { ($_->{owner} // 0) != 1 } @planets;

    my %ours = map { $_->{name} => 0 } @planets;    # our ships under way to each planet
    my %theirs = %ours;                             # and those of the enemies
    for my $expedition (@{ $view->{expeditions} }) {
        my $side = $expedition->{owner} == 1 ? \%ours : \%theirs;
        $side->{ $expedition->{destination} } += $expedition->{ship_count};
    }

    my @moves;
    for my $origin (@mine) {

        # A planet under attack keeps the ships it needs.
        my $ships = $origin->{ship_count} - $GARRISON - $theirs{ $origin->{name} };
        for my $target (sort { turns($origin, $a) <=> turns($origin, $b) } @others) {

            # An enemy planet builds a ship per turn until we arrive; a neutral one builds none.
            my $built = defined $target->{owner} ? turns($origin, $target) : 0;
            my $there = $target->{ship_count} + $built + $theirs{ $target->{name} };
            my $needed = $there + $SPARE - $ours{ $target->{name} };
            next if $needed <= 0 || $needed > $ships;
            $ships -= $needed;
            $ours{ $target->{name} } += $needed;
            push @moves,
                {
                origin      => $origin->{name},
                destination => $target->{name},
                ship_count  => int($needed),
                };
        }
    }
    return \@moves;
}

# The main loop: read a view, print an answer, until the input ends with the match.
$| = 1;
my $first = 1;
while (my $line = <STDIN>) {
    my $view = decode_json($line);

    # Debug output: "skirmish play --stderr" and replays show standard error.
    print STDERR "planets on this map: ", scalar @{ $view->{planets} }, "\n" if $first;
    $first = 0;
    print encode_json({ moves => think($view) }), "\n";
}
