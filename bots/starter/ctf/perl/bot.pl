# A starter bot for Capture the flag: some fetch the flag, others guard. Change it!
#
#     skirmish play ctf --watch . house:random
#
# Each round, think() gets a view, a hash. Squares are strings "x,y":
#     turn                   the number of the round, from 1
#     map                    the rows of the map; "#" is an obstacle
#     base, spawn            where your flag belongs, and where your soldiers start
#     points, enemy_points   the score
#     flag, enemy_flag       where the flags are now
#     soldiers               yours: name, at, cooldown, alive, carries_flag
#     grenades               yours: at, countdown (enemy grenades are hidden)
#     enemies                name, at, alive, carries_flag
# and returns orders: a step (U, D, L, R, or S to stay) and perhaps a square to throw at:
#     ({ name => "X", step => "D", target => "10,7" }, { name => "Y", step => "S" })
use v5.36;
use FindBin;
use lib $FindBin::Bin;
use List::Util qw(any max reduce);
use Protocol;

# The line to change first: how many soldiers stay at our flag. The others fetch the enemy's.
use constant GUARDS => 1;
use constant RANGE  => 10;    # the default range of grenades
use constant UNREACHABLE => 9999;

my @STEPS = (["S", 0, 0], ["U", 0, -1], ["D", 0, 1], ["L", -1, 0], ["R", 1, 0]);

# The distance between two squares, in columns and rows.
sub offset ($from, $to) {
    my ($x1, $y1, $x2, $y2) = split /,/, "$from,$to";
    return (abs($x1 - $x2), abs($y1 - $y2));
}

sub apart ($from, $to) {
    my ($dx, $dy) = offset($from, $to);
    return $dx + $dy;
}

# The squares that can be reached in one step, each with its letter.
sub steps_from ($at) {
    my ($x, $y) = split /,/, $at;
    return map { [$_->[0], join(",", $x + $_->[1], $y + $_->[2])] } @STEPS;
}

# The steps to the goal from every square that can reach it.
sub distances ($map, $goal) {
    my %far   = ($goal => 0);
    my @queue = ($goal);
    while (defined(my $at = shift @queue)) {
        for my $to (map { $_->[1] } steps_from($at)) {
            my ($x, $y) = split /,/, $to;
            next if $y < 0 || $y >= @$map || $x < 0 || $x >= length $map->[$y];
            next if substr($map->[$y], $x, 1) eq "#" || exists $far{$to};
            $far{$to} = $far{$at} + 1;
            push @queue, $to;
        }
    }
    return \%far;
}

# The orders of this round. The whole strategy is here.
sub think ($view) {
    my ($base, $flag, $enemy_flag) = @$view{qw(base flag enemy_flag)};
    my @enemies = map { $_->{at} } grep { $_->{alive} } @{ $view->{enemies} };
    my @blasts  = map { $_->{at} } grep { $_->{countdown} == 1 } @{ $view->{grenades} };
    my %ways    = map { $_ => distances($view->{map}, $_) } $base, $flag, $enemy_flag;
    my @orders;
    for my $soldier (@{ $view->{soldiers} }) {
        my $at   = $soldier->{alive} ? $soldier->{at} : $view->{spawn};    # the dead respawn first
        my $goal = @orders < GUARDS  ? $flag          : $enemy_flag;

        # On the base, the next order captures the flag.
        my $has_flag = $soldier->{carries_flag} || $at eq $enemy_flag;
        $goal = $base if $has_flag && $at ne $base;

        my ($best, $step) = (UNREACHABLE, "S");
        for (steps_from($at)) {
            my ($letter, $to) = @$_;
            my $steps = $ways{$goal}{$to} // UNREACHABLE;

            # Our own grenades kill us too.
            $steps += 1000 if any { max(offset($to, $_)) <= 1 } @blasts;
            ($best, $step) = ($steps, $letter) if $steps < $best;
        }

        # A grenade kills everyone in the 3 x 3 squares around it, three rounds later.
        my $ready   = $soldier->{alive} && $soldier->{cooldown} == 0;
        my @targets = grep { $ready && apart($_, $at) > 3 && apart($_, $at) <= RANGE } @enemies;
        my $target  = reduce { apart($b, $at) < apart($a, $at) ? $b : $a } @targets;
        push @orders, { name => $soldier->{name}, step => $step, target => $target };
    }
    return @orders;
}

# The main loop: answer every view until the match ends.
while (my $view = Protocol::next_view()) {

    # Debug output: "skirmish play --stderr" and replays show standard error.
    say STDERR "I have ", scalar @{ $view->{soldiers} }, " soldiers" if $view->{turn} == 1;
    Protocol::answer(think($view));
}
