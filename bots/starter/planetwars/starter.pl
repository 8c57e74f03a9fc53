# A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
#
#     skirmish play planetwars --watch "perl starter.pl" house:random
#
# A view is one line of JSON. In it you are player 1, whatever your seat, and neutral planets are
# owned by null:
#     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
#      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
#                      "owner":2,"turns_remaining":11}, ...]}
# The answer is one line of JSON as well. No moves are fine: {"moves":[]}
#     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
use strict;
use warnings;
use JSON::PP;
use POSIX qw(ceil);

# The line to change first: how many ships a planet keeps at home, and by how many ships its
# fleets outnumber what they attack.
my ($GARRISON, $SPARE) = (0, 1);

# How long ships are under way.
sub turns {
    my ($from, $to) = @_;
    my ($dx, $dy) = ($from->{x} - $to->{x}, $from->{y} - $to->{y});
    my $distance = ceil(sqrt($dx * $dx + $dy * $dy));
    return $distance < 1 ? 1 : $distance;
}

# The moves of this turn. All that the bot knows about playing well is in here.
sub think {
    my ($view) = @_;
    my @planets = @{ $view->{planets} };
    my @mine = grep { ($_->{owner} // 0) == 1 } @planets;
    my @others = grep { ($_->{owner} // 0) != 1 } @planets;

    my %ours = map { $_->{name} => 0 } @planets;    # ships of ours under way to each planet
    my %theirs = %ours;                             # and of the enemies
    for my $expedition (@{ $view->{expeditions} }) {
        my $side = $expedition->{owner} == 1 ? \%ours : \%theirs;
        $side->{ $expedition->{destination} } += $expedition->{ship_count};
    }

    my @moves;
    for my $origin (@mine) {

        # Who is attacked keeps what it needs.
        my $ships = $origin->{ship_count} - $GARRISON - $theirs{ $origin->{name} };
        for my $target (sort { turns($origin, $a) <=> turns($origin, $b) } @others) {

            # An enemy's planet builds a ship a turn until we are there, a neutral one builds none.
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

# The talk with the referee: a view in, an answer out, until the input ends with the match.
$| = 1;
my $first = 1;
while (my $line = <STDIN>) {
    my $view = decode_json($line);

    # Standard error is yours: "skirmish play --stderr" and replays show it.
    print STDERR "planets on this map: ", scalar @{ $view->{planets} }, "\n" if $first;
    $first = 0;
    print encode_json({ moves => think($view) }), "\n";
}
