/* See check.h: the report. */
#include "base/clock.h"
#include "base/memory.h"
#include "check/check.h"

#include <stdlib.h>

const char *check_outcome_name(CheckOutcome outcome) {
    static const char *const names[] = {"not run", "passed", "found", "skipped"};
    return names[outcome];
}

const char *check_severity_name(CheckSeverity severity) {
    return severity == CHECK_ERROR ? "error" : "warning";
}

bool check_passed(const CheckReport *report) {
    return report->errors == 0;
}

void check_free(CheckReport *report) {
    for (uint32_t i = 0; i < report->finding_count; i++) {
        CheckFinding *finding = &report->findings[i];
        free(finding->where);
        free(finding->what);
        free(finding->sent);
        free(finding->received);
        free(finding->errors);
    }
    *report = (CheckReport){0};
}

static void out_finding(JsonOut *out, const CheckFinding *finding) {
    json_open(out, NULL, '{');
    json_out_text(out, "id", finding->id);
    json_out_text(out, "severity", check_severity_name(finding->severity));
    json_out_text(out, "stage", finding->stage);
    json_out_text(out, "where", finding->where);
    json_out_text(out, "what", finding->what);
    json_out_text(out, "sent", finding->sent);
    json_out_text(out, "received", finding->received);
    json_out_text(out, "stderr", finding->errors);
    json_out_text(out, "change", finding->change);
    json_close(out, '}');
}

void check_json(const CheckReport *report, JsonOut *out) {
    json_out_bool(out, "passed", check_passed(report));
    json_open(out, "findings", '[');
    for (uint32_t i = 0; i < report->finding_count; i++)
        out_finding(out, &report->findings[i]);
    json_close(out, ']');
    json_open(out, "stages", '[');
    for (uint32_t i = 0; i < report->stage_count; i++) {
        json_open(out, NULL, '{');
        json_out_text(out, "name", report->stages[i].name);
        json_out_text(out, "outcome", check_outcome_name(report->stages[i].outcome));
        json_out_text(out, "note", report->stages[i].note);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_out_uint(out, "sessions", report->sessions);
    json_out_uint(out, "turns", report->turns);
    json_out_ms(out, "first_answer_ms", report->first_answer, 1);
    json_out_ms(out, "first_answer_limit_ms", report->start_limit, 1);
    json_out_ms(out, "longest_turn_ms", report->longest_turn, 1);
    json_out_ms(out, "turn_limit_ms", report->turn_limit, 1);
    if (report->memory_peak)
        json_out_uint(out, "memory_peak", report->memory_peak);
    else
        json_out_null(out, "memory_peak");
    json_out_uint(out, "memory_limit", report->memory_limit);
    json_out_ms(out, "took_ms", report->took, 1);
}
