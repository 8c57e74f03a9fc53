/* The queries behind the pages of an arena, for benchmarks of the store. */
#ifndef BENCH_STORE_QUESTIONS_H
#define BENCH_STORE_QUESTIONS_H

#include "crowd.h"

enum { QUESTION_PAGE = 50 }; /* rows of a page */

/* A query that reads a page about a bot, or about its owner, matches and so on. */
typedef struct StoreQuestion {
    const char *name;
    StoreResult (*ask)(Crowd *crowd, uint64_t bot, StorePage *page, Error *error);
} StoreQuestion;

extern const StoreQuestion store_questions[];
extern const size_t store_question_count;

/* Frees the buffers of the answers. */
void store_questions_free(void);

#endif
