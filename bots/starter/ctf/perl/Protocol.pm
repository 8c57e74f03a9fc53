# How a bot for Capture the flag talks to the referee. You need not change this file.
#
# The input starts with the team's letter, the map and an empty line. Then a view per round:
#     0 0                            our points, theirs
#     Flag 1 5                       where our flag is
#     Soldier X 2 7 8 True No        name, x, y, cooldown, alive, the flag it carries
#     Grenade 10 7 2                 ours: x, y, rounds left
#     EnemyFlag 13 9
#     Enemy L 11 8 True No           name, x, y, alive, flag
#     (an empty line)
# An answer is a line per order and an empty line:
#     X D (10,7)
package Protocol;
use v5.36;
use IO::Handle;

STDOUT->autoflush;

my ($team, @map);
my $turn = 0;

# The next view of the match; undef when the match has ended.
sub next_view () {
    ($team, @map) = map { $_->[0] } read_block() if !$turn;
    my ($score, @lines) = read_block() or return undef;
    my %view = (
        turn         => ++$turn,
        map          => [@map],
        base         => find(lc $team),
        spawn        => find($team),
        points       => $score->[0],
        enemy_points => $score->[1],
        soldiers     => [],
        grenades     => [],
        enemies      => [],
    );
    for (@lines) {
        my ($kind, @words) = @$_;
        if    ($kind eq "Flag")      { $view{flag}       = "$words[0],$words[1]" }
        elsif ($kind eq "EnemyFlag") { $view{enemy_flag} = "$words[0],$words[1]" }
        elsif ($kind eq "Soldier")   { push @{ $view{soldiers} }, soldier(@words) }
        elsif ($kind eq "Grenade")   { push @{ $view{grenades} }, grenade(@words) }
        elsif ($kind eq "Enemy")     { push @{ $view{enemies} }, enemy(@words) }
    }
    return \%view;
}

# Sends the answer to the last view.
sub answer (@orders) {
    for my $order (@orders) {
        my $target = defined $order->{target} ? " ($order->{target})" : "";
        print "$order->{name} $order->{step}$target\n";
    }
    print "\n";
}

# The lines up to an empty line, as lists of words; nothing at the end of the input.
sub read_block () {
    my @block;
    while (my $line = <STDIN>) {
        return @block if $line !~ /\S/;
        push @block, [split " ", $line];
    }
    return;
}

sub find ($tile) {
    for my $y (0 .. $#map) {
        my $x = index $map[$y], $tile;
        return "$x,$y" if $x >= 0;
    }
}

sub soldier ($name, $x, $y, $cooldown, $alive, $flag, @) {
    return {
        name         => $name,
        at           => "$x,$y",
        cooldown     => $cooldown,
        alive        => $alive eq "True",
        carries_flag => $flag ne "No",
    };
}

sub grenade ($x, $y, $countdown, @) {
    return { at => "$x,$y", countdown => $countdown };
}

sub enemy ($name, $x, $y, $alive, $flag, @) {
    return {
        name         => $name,
        at           => "$x,$y",
        alive        => $alive eq "True",
        carries_flag => $flag ne "No",
    };
}

1;
