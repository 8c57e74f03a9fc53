/* Runs the stored inputs of a fuzz target without a fuzzer: a quick test in every build.

   Usage: corpus_NAME FOLDER. Fails if there is no input, since then nothing was tested. A violated
   invariant aborts; the line before it names the input. */
#include "base/buffer.h"
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void run_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    Buffer content = {0};
    size_t count = 0;
    do {
        count = fread(buffer_reserve(&content, 4096), 1, 4096, file);
        content.length += count;
    } while (count);
    fclose(file);
    printf("%s\n", path);
    fflush(stdout);
    /* A copy of exactly this size, so that reading beyond its end is detected. */
    uint8_t *copy = malloc(content.length ? content.length : 1);
    if (!copy)
        abort();
    if (content.length)
        memcpy(copy, content.data, content.length);
    LLVMFuzzerTestOneInput(copy, content.length);
    free(copy);
    buffer_free(&content);
}

static int is_input(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

int main(int count, char **arguments) {
    struct dirent **entries = NULL;
    int inputs = count == 2 ? scandir(arguments[1], &entries, is_input, alphasort) : -1;
    if (inputs <= 0) {
        fprintf(stderr, "usage: %s FOLDER, with inputs in it\n", arguments[0]);
        return 1;
    }
    for (int i = 0; i < inputs; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", arguments[1], entries[i]->d_name);
        run_file(path);
        free(entries[i]);
    }
    free(entries);
    printf("%d inputs\n", inputs);
    return 0;
}
