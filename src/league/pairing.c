/* Maximum matching in a general graph by Edmonds' blossom algorithm: odd cycles (blossoms) found by
   the search for augmenting paths are shrunk to one vertex. For Swiss rounds. See formats.h.

   An augmenting path connects two unmatched vertices and alternates between edges outside and
   inside the matching; swapping these adds one pair. A matching is maximum exactly if there is no
   such path. */
#include "base/memory.h"
#include "league/formats.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

Pairing pairing_new(uint32_t count) {
    Pairing pairing = {.count = count};
    pairing.joined = xcalloc((size_t)count * count, sizeof *pairing.joined);
    pairing.gone = xcalloc(count, sizeof *pairing.gone);
    pairing.match = xcalloc(count, sizeof *pairing.match);
    pairing.parent = xcalloc(count, sizeof *pairing.parent);
    pairing.base = xcalloc(count, sizeof *pairing.base);
    pairing.seen = xcalloc(count, sizeof *pairing.seen);
    pairing.marked = xcalloc(count, sizeof *pairing.marked);
    pairing.queue = xcalloc(count, sizeof *pairing.queue);
    for (uint32_t i = 0; i < count; i++)
        pairing.match[i] = PAIRING_NONE;
    return pairing;
}

void pairing_free(Pairing *pairing) {
    free(pairing->joined);
    free(pairing->gone);
    free(pairing->match);
    free(pairing->parent);
    free(pairing->base);
    free(pairing->seen);
    free(pairing->marked);
    free(pairing->queue);
    *pairing = (Pairing){0};
}

void pairing_join(Pairing *pairing, uint32_t a, uint32_t b) {
    pairing->joined[(size_t)a * pairing->count + b] = 1;
    pairing->joined[(size_t)b * pairing->count + a] = 1;
}

static bool joined(const Pairing *pairing, uint32_t a, uint32_t b) {
    return pairing->joined[(size_t)a * pairing->count + b];
}

/* Returns the base of the blossom: the vertex where the paths from `a` and `b` to the root meet. */
static uint32_t meeting_base(Pairing *pairing, uint32_t a, uint32_t b) {
    memset(pairing->marked, 0, pairing->count * sizeof *pairing->marked);
    for (;;) {
        a = pairing->base[a];
        pairing->marked[a] = true;
        if (pairing->match[a] == PAIRING_NONE)
            break; /* the root */
        a = pairing->parent[pairing->match[a]];
    }
    for (;;) {
        b = pairing->base[b];
        if (pairing->marked[b])
            return b;
        b = pairing->parent[pairing->match[b]];
    }
}

/* Marks the bases on the path from `vertex` to `base` and sets parents in the other direction. */
static void mark_path(Pairing *pairing, uint32_t vertex, uint32_t base, uint32_t child) {
    while (pairing->base[vertex] != base) {
        uint32_t partner = pairing->match[vertex];
        pairing->marked[pairing->base[vertex]] = true;
        pairing->marked[pairing->base[partner]] = true;
        pairing->parent[vertex] = child;
        child = partner;
        vertex = pairing->parent[partner];
    }
}

/* Shrinks the blossom closed by the edge from `a` to `b` and queues all its vertices. Returns the
   new length of the queue. */
static uint32_t shrink(Pairing *pairing, uint32_t a, uint32_t b, uint32_t tail) {
    uint32_t base = meeting_base(pairing, a, b);
    memset(pairing->marked, 0, pairing->count * sizeof *pairing->marked);
    mark_path(pairing, a, base, b);
    mark_path(pairing, b, base, a);
    for (uint32_t i = 0; i < pairing->count; i++) {
        if (pairing->gone[i] || !pairing->marked[pairing->base[i]])
            continue;
        pairing->base[i] = base;
        if (!pairing->seen[i]) {
            pairing->seen[i] = true;
            pairing->queue[tail++] = i;
        }
    }
    return tail;
}

/* An unmatched neighbour of `vertex`, or PAIRING_NONE. */
static uint32_t unmatched_neighbour(const Pairing *pairing, uint32_t vertex, uint32_t root) {
    for (uint32_t to = 0; to < pairing->count; to++)
        if (pairing->match[to] == PAIRING_NONE && to != root && !pairing->gone[to] &&
            joined(pairing, vertex, to))
            return to;
    return PAIRING_NONE;
}

/* Extends the search from a vertex to the partners of its neighbours. Returns the new length of the
   queue. */
static uint32_t explore(Pairing *pairing, uint32_t from, uint32_t root, uint32_t tail) {
    for (uint32_t to = 0; to < pairing->count; to++) {
        if (!joined(pairing, from, to) || pairing->gone[to] ||
            pairing->base[from] == pairing->base[to] || pairing->match[from] == to)
            continue;
        uint32_t partner = pairing->match[to];
        if (to == root || pairing->parent[partner] != PAIRING_NONE) {
            tail = shrink(pairing, from, to, tail);
        } else if (pairing->parent[to] == PAIRING_NONE) {
            pairing->parent[to] = from;
            pairing->seen[partner] = true;
            pairing->queue[tail++] = partner;
        }
    }
    return tail;
}

/* The end of an augmenting path from `root`, or PAIRING_NONE. Adjacent ends are tried before
   blossoms: most paths are that short. */
static uint32_t find_path(Pairing *pairing, uint32_t root) {
    for (uint32_t i = 0; i < pairing->count; i++) {
        pairing->seen[i] = false;
        pairing->parent[i] = PAIRING_NONE;
        pairing->base[i] = i;
    }
    uint32_t head = 0;
    uint32_t tail = 0;
    pairing->seen[root] = true;
    pairing->queue[tail++] = root;
    while (head < tail) {
        uint32_t from = pairing->queue[head++];
        uint32_t end = unmatched_neighbour(pairing, from, root);
        if (end != PAIRING_NONE) {
            pairing->parent[end] = from;
            return end;
        }
        tail = explore(pairing, from, root, tail);
    }
    return PAIRING_NONE;
}

/* Adds a pair by an augmenting path from `root`; false if there is none. */
static bool augment(Pairing *pairing, uint32_t root) {
    uint32_t end = find_path(pairing, root);
    if (end == PAIRING_NONE)
        return false;
    while (end != PAIRING_NONE) {
        uint32_t before = pairing->parent[end];
        uint32_t next = pairing->match[before];
        pairing->match[end] = before;
        pairing->match[before] = end;
        end = next;
    }
    return true;
}

uint32_t pairing_solve(Pairing *pairing) {
    uint32_t left = 0;
    for (uint32_t vertex = 0; vertex < pairing->count; vertex++) {
        if (pairing->gone[vertex] || pairing->match[vertex] != PAIRING_NONE)
            continue;
        if (!augment(pairing, vertex))
            left++; /* no later path can end here either */
    }
    return left;
}

bool pairing_fix(Pairing *pairing, uint32_t a, uint32_t b) {
    assert(!pairing->gone[a] && !pairing->gone[b] && a != b);
    if (!joined(pairing, a, b))
        return false;
    uint32_t a_had = pairing->match[a];
    uint32_t b_had = pairing->match[b];
    pairing->gone[a] = true;
    pairing->gone[b] = true;
    if (a_had != b) {
        /* The former partners are unmatched now: an augmenting path must connect them. */
        pairing->match[a_had] = PAIRING_NONE;
        pairing->match[b_had] = PAIRING_NONE;
        if (!augment(pairing, a_had)) {
            pairing->match[a_had] = a;
            pairing->match[b_had] = b;
            pairing->gone[a] = false;
            pairing->gone[b] = false;
            return false;
        }
    }
    pairing->match[a] = b;
    pairing->match[b] = a;
    return true;
}
