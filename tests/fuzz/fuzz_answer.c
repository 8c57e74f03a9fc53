/* Answers of bots: any bytes, in any portions, to any position that random play leads to.

   An input whose first byte is 0x80 or above begins with four bytes that choose: the case of the
   game's GamePlay (the first byte without its highest bit), the seed, how many turns are played
   first, and the portions in which text arrives. Any other input is only text, for the default case
   after three turns. The text is split at zero bytes, and the pieces go to the players in turn.
   Each piece is what a bot has printed by the deadline: its first answer counts. */
#include "fuzz.h"

enum { CASES_MAX = 64, TURNS_BEFORE_MAX = 40, TURNS_MAX = 12 };

/* One match for each case, created once: setting up costs more than a turn. */
static FuzzMatch *match_of_case(const GamePlay *play, uint32_t index) {
    static FuzzMatch *matches[CASES_MAX];
    if (!matches[index])
        matches[index] = fuzz_match_new(play, play_setup(play, &play->cases[index]));
    return matches[index];
}

/* The first answer in a piece of text that arrives in portions. */
static Slice first_answer(FramingKind kind, Slice piece, Random *random) {
    Framing framing = {.kind = kind};
    size_t length = 0;
    for (size_t arrived = 0; arrived < piece.length && !length;) {
        size_t portion = 1 + random_below(random, 7);
        arrived = piece.length - arrived < portion ? piece.length : arrived + portion;
        length = framing_find(&framing, piece.at, arrived, false);
    }
    if (!length)
        length = framing_find(&framing, piece.at, piece.length, true);
    if (length > piece.length)
        fuzz_broken("an answer is longer than the text it is in");
    return length ? (Slice){piece.at, length} : (Slice){NULL, 0};
}

/* Removes the next piece from the text, up to a zero byte. */
static Slice next_piece(Slice *text) {
    Slice piece = {text->at, 0};
    while (piece.length < text->length && piece.at[piece.length])
        piece.length++;
    size_t taken = piece.length < text->length ? piece.length + 1 : piece.length;
    text->at += taken;
    text->length -= taken;
    return piece;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const GamePlay *play = fuzz_play();
    uint8_t choice[4] = {0x80, 1, 3, 1};
    Slice text = {(const char *)data, size};
    if (size >= 4 && data[0] >= 0x80) {
        for (int i = 0; i < 4; i++)
            choice[i] = data[i];
        text = (Slice){(const char *)data + 4, size - 4};
    }
    FuzzMatch *match = match_of_case(play, (choice[0] & 0x7fu) % play->case_count % CASES_MAX);
    Random random = random_seeded(choice[1]);
    Random portions = random_seeded(choice[3]);
    play->game->init(match->setup, choice[1], match->state);
    for (uint32_t i = 0; i < choice[2] % TURNS_BEFORE_MAX && !match->state->over; i++) {
        fuzz_match_answer(match, &random);
        fuzz_match_step(match);
    }
    for (uint32_t i = 0; i < TURNS_MAX && text.length && !match->state->over; i++) {
        for (uint32_t player = 0; player < match->setup->players; player++) {
            Slice answer = {NULL, 0};
            if (text.length && play->game->is_active(match->setup, match->state, player))
                answer = first_answer(match->setup->talk.framing, next_piece(&text), &portions);
            fuzz_match_read(match, player, answer);
        }
        fuzz_match_step(match);
        fuzz_match_show(match);
    }
    return 0;
}
