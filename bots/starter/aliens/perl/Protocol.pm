# How a bot for Aliens talks to the referee. You need not change this file.
#
# A view is one line of JSON:
#     {"player":"a","state":{"rows":20,"cols":20,
#      "p1":{"food":1,"spawn":21},"p2":{"food":1,"spawn":378,"spawnDisabled":true},
#      "grid":"....a..*....b...","maxTurns":100,"turnsElapsed":0}}
# An answer is a JSON array:
#     [{"from":21,"to":22},{"from":40,"to":60}]
package Protocol;
use v5.36;
use IO::Handle;
use JSON::PP;

STDOUT->autoflush;

# The next view of the match; undef when the match has ended.
sub next_view () {
    my $line    = <STDIN> // return undef;
    my $message = decode_json($line);
    my $state   = $message->{state};
    my @players = (player("a", $state->{p1}), player("b", $state->{p2}));
    @players = reverse @players if $message->{player} eq "b";
    return {
        turn  => $state->{turnsElapsed} + 1,
        rows  => $state->{rows},
        cols  => $state->{cols},
        grid  => $state->{grid},
        me    => $players[0],
        enemy => $players[1],
    };
}

# Sends the answer to the last view.
sub answer (@moves) {

    # Numbers that were used as strings would be sent as strings: + 0 makes them numbers.
    say encode_json([map { { from => $_->{from} + 0, to => $_->{to} + 0 } } @moves]);
}

sub player ($letter, $entry) {
    return {
        letter          => $letter,
        energy          => $entry->{food},    # for units that will appear at the spawn
        spawn           => $entry->{spawn},
        spawn_destroyed => $entry->{spawnDisabled} ? 1 : 0,
    };
}

1;
