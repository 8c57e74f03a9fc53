# A starter bot for Footsoldiers: it builds soldiers and guides them to the enemy. Change it!
#
#     skirmish play footsoldiers --watch . house:random
#
# Each turn, think() gets a view, a hash. Squares are strings "x,y":
#     turn, turns_remaining   this turn, from 1; turns to play, including this one
#     me, enemy               the players: team ("player1"), money, base, health
#     map                     everything on the field, each with type, at, team;
#                             type is "Base", "Rock", "Scout", "Assassin" or "Tank";
#                             soldiers also have health, destination, direction
# and returns one command:
#     Protocol::build("Scout", "2,3", "65,3", "Right")   place, destination, attack direction
#     Protocol::move("6,1", "9,5")                       where the soldier is, its new destination
#     Protocol::turn("6,1", "Left")                      where the soldier is, its new direction
#     Protocol::NO_OP
use v5.36;
use FindBin;
use lib $FindBin::Bin;
use List::Util qw(max reduce);
use Protocol;

# The line to change first: what to build, in this order, over and over.
my @PLAN = qw(Scout Assassin Scout);
my %COST = (Scout => 10, Assassin => 11, Tank => 12);
use constant NEAR        => 5;       # maximum distance from the base to build
use constant UNREACHABLE => 9999;

my %far;    # steps to the enemy's base from every square; computed in the first turn
my $built = 0;

sub apart ($from, $to) {
    my ($x1, $y1, $x2, $y2) = split /,/, "$from,$to";
    return abs($x1 - $x2) + abs($y1 - $y2);
}

sub around ($at) {
    my ($x, $y) = split /,/, $at;
    return ($x + 1 . ",$y", "$x," . ($y + 1), "$x," . ($y - 1), $x - 1 . ",$y");
}

# The square with the fewest steps to go; on a tie, the first one; undef if there is none.
sub nearest (@squares) {
    return reduce { ($far{$b} // UNREACHABLE) < ($far{$a} // UNREACHABLE) ? $b : $a } @squares;
}

# Fills %far: from the enemy's base outwards, around the rocks, also one square off the map.
sub measure ($view) {
    my @map    = @{ $view->{map} };
    my %rocks  = map { $_->{at} => 1 } grep { $_->{type} eq "Rock" } @map;
    my $width  = 2 + max(map { (split /,/, $_->{at})[0] } @map);
    my $height = 2 + max(map { (split /,/, $_->{at})[1] } @map);
    my @queue  = ($view->{enemy}{base});
    $far{ $queue[0] } = 0;
    while (defined(my $at = shift @queue)) {
        for my $to (around($at)) {
            my ($x, $y) = split /,/, $to;
            next if $x < 0 || $x >= $width || $y < 0 || $y >= $height;
            next if exists $far{$to} || $rocks{$to};
            $far{$to} = $far{$at} + 1;
            push @queue, $to;
        }
    }
}

# How far a soldier can go without a detour: it gets stuck behind rocks.
sub waypoint ($start) {
    my ($here, $steps) = ($start, 0);
    while ($far{$here} > 0) {
        my $to = nearest(around($here));
        last if apart($to, $start) <= $steps;
        ($here, $steps) = ($to, $steps + 1);
    }
    return $here;
}

# The squares where we can build.
sub sites ($view) {
    my $home  = $view->{me}{base};
    my %taken = map { $_->{at} => 1 } @{ $view->{map} };
    my ($home_x, $home_y) = split /,/, $home;
    my @near;
    for my $x ($home_x - NEAR .. $home_x + NEAR) {
        push @near, map { "$x,$_" } $home_y - NEAR .. $home_y + NEAR;
    }
    return grep { apart($_, $home) <= NEAR && exists $far{$_} && !$taken{$_} } @near;
}

# The command of this turn. The whole strategy is here.
sub think ($view) {
    my ($me, $enemy) = @$view{qw(me enemy)};
    measure($view) if !%far;
    my $kind = $PLAN[$built % @PLAN];
    if ($me->{money} >= $COST{$kind} && defined(my $at = nearest(sites($view)))) {
        $built++;
        my ($our_x, $their_x) = map { (split /,/, $_->{base})[0] } $me, $enemy;
        return Protocol::build($kind, $at, waypoint($at), $our_x < $their_x ? "Right" : "Left");
    }
    for my $thing (@{ $view->{map} }) {    # nothing to build: guide a soldier that has arrived
        my $at = $thing->{at};
        next if !$thing->{health} || $thing->{team} ne $me->{team} || !exists $far{$at};
        my $to = waypoint($at);
        return Protocol::move($at, $to) if $at eq $thing->{destination} && $at ne $to;
    }
    return Protocol::NO_OP;
}

# The main loop: answer every view until the match ends.
while (my $view = Protocol::next_view()) {

    # Debug output: "skirmish play --stderr" and replays show standard error.
    say STDERR "building @PLAN" if $view->{turn} == 1;
    Protocol::answer(think($view));
}
