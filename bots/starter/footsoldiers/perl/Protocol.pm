# How a bot for Footsoldiers talks to the referee. You need not change this file.
#
# The bot prints "Ready". Then each view is one line of JSON:
#     {"you":"player1","turns-remaining":99,
#      "map":[{"type":"Base","position":{"x":1,"y":3},"team":"player1"},
#             {"type":"Rock","position":{"x":4,"y":0}},
#             {"type":"Scout","position":{"x":6,"y":1},"health":9,"team":"player1",
#              "destination":{"x":9,"y":1},"attack-direction":"Right"}, ...],
#      "player1":{"team":"player1","money":13,"base":{"x":1,"y":3},"health":40},"player2":{...}}
# An answer is one line with one command:
#     Build Scout (2, 3) (65, 3) Right
#     Move (6, 1) to (9, 5)
#     Change attack direction (6, 1) to Left
#     No-op
package Protocol;
use v5.36;
use IO::Handle;
use JSON::PP;

# The commands as they are sent.
use constant NO_OP => "No-op";

sub build ($kind, $at, $destination, $direction) {
    return join " ", "Build", $kind, text($at), text($destination), $direction;
}

sub move ($soldier, $destination) {
    return join " ", "Move", text($soldier), "to", text($destination);
}

sub turn ($soldier, $direction) {
    return join " ", "Change attack direction", text($soldier), "to", $direction;
}

STDOUT->autoflush;
my $turn = 0;

# The next view of the match; undef when the match has ended.
sub next_view () {
    say "Ready" if !$turn;
    my $line    = <STDIN> // return undef;
    my $message = decode_json($line);
    my @players = map { player($_) } @$message{qw(player1 player2)};
    @players = reverse @players if $message->{you} eq "player2";
    return {
        turn            => ++$turn,
        turns_remaining => $message->{"turns-remaining"},
        me              => $players[0],
        enemy           => $players[1],
        map             => [map { thing($_) } @{ $message->{map} }],
    };
}

# Sends the answer to the last view.
sub answer ($command) {
    say $command;
}

# A square as it is sent in commands.
sub text ($square) {
    return "(" . join(", ", split /,/, $square) . ")";
}

sub square ($position) {
    return $position && "$position->{x},$position->{y}";
}

sub player ($entry) {
    return {
        team   => $entry->{team},
        money  => $entry->{money},
        base   => square($entry->{base}),
        health => $entry->{health},
    };
}

# Rocks have no team, and only soldiers have health, destination and direction: undef.
sub thing ($entry) {
    return {
        type        => $entry->{type},
        at          => square($entry->{position}),
        team        => $entry->{team},
        health      => $entry->{health},
        destination => square($entry->{destination}),
        direction   => $entry->{"attack-direction"},
    };
}

1;
