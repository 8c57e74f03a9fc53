/* Tournament plans: any text is a plan or rejected with an error, and a written plan reads back the
   same. */
#include "fuzz.h"
#include "league/plan.h"

#include <stdlib.h>
#include <string.h>

static void check_again(const Plan *plan) {
    Buffer first = {0};
    Buffer second = {0};
    Plan again;
    Error error = {0};
    plan_write(plan, &first);
    if (!plan_read(&again, "written", (Slice){first.data, first.length}, &error))
        fuzz_broken("a written plan cannot be read back: %s", error.text);
    plan_write(&again, &second);
    if (first.length != second.length || memcmp(first.data, second.data, first.length) != 0)
        fuzz_broken("a plan changed when it was written and read back");
    plan_free(&again);
    buffer_free(&first);
    buffer_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Plan plan;
    Error error = {0};
    if (!plan_read(&plan, "input", (Slice){(const char *)data, size}, &error)) {
        if (strncmp(error.text, "input", 5) != 0)
            fuzz_broken("the error does not name the file: \"%s\"", error.text);
    } else {
        /* As the command does, give each bot a name and each file its text. */
        for (uint32_t i = 0; i < plan.bot_count; i++)
            if (!plan.bots[i].name)
                plan.bots[i].name = strdup(plan.bots[i].text);
        for (uint32_t i = 0; i < plan.map_count; i++)
            if (!plan.maps[i].text)
                plan.maps[i].text = strdup("");
        if (plan.config.name && !plan.config.text)
            plan.config.text = strdup("{}");
        if (plan_settle(&plan, &error))
            check_again(&plan);
        else if (!error.text[0])
            fuzz_broken("a plan was refused without a reason");
    }
    plan_free(&plan);
    return 0;
}
