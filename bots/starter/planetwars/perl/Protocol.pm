# How a bot for Planet Wars talks to the referee. You need not change this file.
#
# A view is one line of JSON. The bot is always player 1 in it; neutral planets have the owner null:
#     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
#      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
#                      "owner":2,"turns_remaining":11}, ...]}
# An answer is also one line of JSON. Without moves: {"moves":[]}
#     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
package Protocol;
use v5.36;
use IO::Handle;
use JSON::PP;

STDOUT->autoflush;
my $turn = 0;

# The next view of the match; undef when the match has ended.
sub next_view () {
    my $line    = <STDIN> // return undef;
    my $message = decode_json($line);
    return {
        turn        => ++$turn,
        planets     => [map { planet($_) } @{ $message->{planets} }],
        expeditions => [map { expedition($_) } @{ $message->{expeditions} }],
    };
}

# Sends the answer to the last view.
sub answer (@moves) {
    my @listed = map {
        {
            origin      => $_->{origin},
            destination => $_->{destination},
            ship_count  => $_->{ships} + 0,    # + 0: a number, not a string
        }
    } @moves;
    say encode_json({ moves => \@listed });
}

sub planet ($entry) {
    return {
        name  => $entry->{name},
        x     => $entry->{x},
        y     => $entry->{y},
        owner => $entry->{owner} // 0,         # 1: you; 0: nobody
        ships => $entry->{ship_count},
    };
}

sub expedition ($entry) {
    return {
        id              => $entry->{id},
        origin          => $entry->{origin},
        destination     => $entry->{destination},
        owner           => $entry->{owner},
        ships           => $entry->{ship_count},
        turns_remaining => $entry->{turns_remaining},
    };
}

1;
