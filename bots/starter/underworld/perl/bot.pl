# A starter bot for Underworld: farms first, then warriors, then the nearest castle. Change it!
#
#     skirmish play underworld --map duel --watch . house:random
#
# Each turn, think() gets a view, a hash. Cells are numbered row by row from 0, so they are easy to
# compare and to use as keys; the number of columns converts them to x and y.
#     turn            the number of the turn, from 1
#     columns, rows   the size of the board
#     players, me     how many players there are, and your number, from 0
#     money           what you can spend
#     things          what you see: each has cell, owner, hitpoints and kind ("C" castle,
#                     "B" barracks, "F" farm, "W" warrior, "#" wall)
# and returns any number of commands:
#     { verb => "build", cell => 1, what => "F" }    a farm or barracks, within distance 2 of your
#                                                    buildings
#     { verb => "spawn", cell => 10, what => "E" }   the barracks spawns a warrior to the east
#     { verb => "move", cell => 11, what => "S" }    the warrior moves south; it strikes
#                                                    automatically
use v5.36;
use sort "stable";
use FindBin;
use lib $FindBin::Bin;
use List::Util qw(any reduce);
use Protocol;

# The lines to change first: how many farms to build, and how many warriors before they attack.
use constant FARMS        => 3;
use constant ARMY         => 4;
use constant FARM_COST    => 1000;
use constant WARRIOR_COST => 500;
use constant REACH        => 4;      # range of warriors and of building: distance 2, squared

my @STEPS = (["N", 0, -1], ["S", 0, 1], ["E", 1, 0], ["W", -1, 0]);

# The element with the smallest cost; on a tie, the first one; undef if there is none.
sub best ($cost, @list) {
    return reduce { $cost->($b) < $cost->($a) ? $b : $a } @list;
}

# The adjacent cells, each with the letter of its direction.
sub neighbours ($view, $cell) {
    my ($columns, $rows) = @$view{qw(columns rows)};
    my @list;
    for (@STEPS) {
        my ($letter, $dx, $dy) = @$_;
        my ($x, $y) = ($cell % $columns + $dx, int($cell / $columns) + $dy);
        next if $x < 0 || $x >= $columns || $y < 0 || $y >= $rows;
        push @list, { letter => $letter, to => $y * $columns + $x };
    }
    return @list;
}

# The steps to the goal from every cell that can reach it.
sub distances ($view, $goal, $closed) {
    my %far   = ($goal => 0);
    my @queue = ($goal);
    while (defined(my $cell = shift @queue)) {
        for my $to (map { $_->{to} } neighbours($view, $cell)) {
            next if exists $far{$to} || $closed->{$to};
            $far{$to} = $far{$cell} + 1;
            push @queue, $to;
        }
    }
    return %far;
}

# The commands of this turn. The whole strategy is here.
sub think ($view) {
    my ($columns, $rows, $me, $money) = @$view{qw(columns rows me money)};
    my @things = @{ $view->{things} };

    my $mine  = sub ($kind) { grep { $_->{kind} eq $kind && $_->{owner} == $me } @things };
    my $other = sub ($kind) { grep { $_->{kind} eq $kind && $_->{owner} != $me } @things };
    my $apart = sub ($from, $to) {    # the squared distance
        my $dx = $from % $columns - $to % $columns;
        my $dy = int($from / $columns) - int($to / $columns);
        return $dx * $dx + $dy * $dy;
    };

    my @barracks = map { $_->{cell} } $mine->("B");
    my @farms    = map { $_->{cell} } $mine->("F");
    my @warriors = map { $_->{cell} } $mine->("W");
    my @threats  = map { $_->{cell} } $other->("W");
    my @walls    = map { $_->{cell} } $other->("#");
    my @castles  = map { $_->{cell} } $other->("C");
    my ($home)    = map { $_->{cell} } $mine->("C");
    my $from_home = sub ($cell) { $apart->($cell, $home) };

    # If we see no enemy castle, we go to the opposite side.
    my $goal      = best($from_home, @castles) // $columns * $rows - 1 - $home;
    my @buildings = ($home, @barracks, @farms);

    # Only walls and our own buildings block the way: we destroy those of the enemies.
    my %far       = distances($view, $goal, { map { $_ => 1 } @walls, @buildings });
    my %taken     = map { $_->{cell} => 1 } @things;
    my $near_home = sub ($cell) { any { $apart->($cell, $_) <= REACH } @buildings };
    my @commands;

    # The free neighbour that is nearest to the goal, with its direction.
    my $next_step = sub ($cell) {
        my @free = grep { exists $far{ $_->{to} } && !$taken{ $_->{to} } } neighbours($view, $cell);
        return best(sub ($way) { $far{ $way->{to} } }, @free);
    };

    # Warriors in front move first and make room for the next.
    for my $cell (sort { $far{$a} <=> $far{$b} } grep { exists $far{$_} } @warriors) {
        my $fights = any { $apart->($cell, $_) <= REACH } @threats;
        my $waits  = @warriors < ARMY && !$near_home->($cell);
        my $step   = $next_step->($cell);
        next if !$step || $far{ $step->{to} } >= $far{$cell} || $fights || $waits;
        delete $taken{$cell};
        $taken{ $step->{to} } = 1;
        push @commands, { verb => "move", cell => $cell, what => $step->{letter} };
    }
    if (@farms < FARMS && $money >= FARM_COST) {

        # The cells around barracks are left free for warriors.
        my %doors = map { $_->{to} => 1 } map { neighbours($view, $_) } @barracks;
        my @open  = grep { !$taken{$_} && !$doors{$_} } 0 .. $columns * $rows - 1;
        my @sites = grep { $near_home->($_) } @open;
        if (defined(my $site = best($from_home, @sites))) {
            $taken{$site} = 1;
            $money -= FARM_COST;
            push @commands, { verb => "build", cell => $site, what => "F" };
        }
    }
    for my $cell (@barracks) {
        my $step = $next_step->($cell);
        next if !$step || $money < WARRIOR_COST;
        $taken{ $step->{to} } = 1;
        $money -= WARRIOR_COST;
        push @commands, { verb => "spawn", cell => $cell, what => $step->{letter} };
    }
    return @commands;
}

# The main loop: answer every view until the match ends.
while (my $view = Protocol::next_view()) {

    # Debug output: "skirmish play --stderr" and replays show standard error.
    say STDERR "I am player $view->{me} of $view->{players}" if $view->{turn} == 1;
    Protocol::answer($view, think($view));
}
