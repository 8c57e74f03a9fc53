/* See counting.h. */
#include "counting.h"

#include <malloc.h>

uint64_t counting_calls;
size_t counting_live;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

static void *counted(void *memory) {
    counting_calls++;
    counting_live += malloc_usable_size(memory);
    return memory;
}

void *__wrap_malloc(size_t size) {
    return counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size) {
    counting_live -= malloc_usable_size(memory);
    return counted(__real_realloc(memory, size));
}

void __wrap_free(void *memory) {
    counting_live -= malloc_usable_size(memory);
    __real_free(memory);
}
