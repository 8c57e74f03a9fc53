# An Aliens bot: units step right and down alternately. Parses only the JSON that it needs.
use strict;
use warnings;
$| = 1;
my $turn = 0;
while (my $view = <STDIN>) {
    my ($player) = $view =~ /"player":"(.)"/;
    my ($cols) = $view =~ /"cols":(\d+)/;
    my ($grid) = $view =~ /"grid":"([^"]*)"/;
    my @moves;
    while ($grid =~ /$player/g) {
        my $from = pos($grid) - 1;
        push @moves, sprintf('{"from":%d,"to":%d}', $from, $from + ($turn % 2 ? 1 : $cols));
    }
    $turn++;
    print '[', join(',', @moves), "]\n";
}
