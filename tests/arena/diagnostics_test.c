/* Output of compilers and crashes on Debian, and the diagnostics found in it. */
#include "arena/bots/bots.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Writes each diagnostic as a line: FILE:LINE:COLUMN MESSAGE. */
static void write_found(const char *text, Buffer *to) {
    Diagnostic found[DIAGNOSTICS_MAX];
    uint32_t count = diagnostics_find(slice_of(text), found);
    for (uint32_t i = 0; i < count; i++) {
        buffer_add(to, found[i].file.at, found[i].file.length);
        buffer_format(to, ":%u:%u ", found[i].line, found[i].column);
        buffer_add(to, found[i].message.at, found[i].message.length);
        buffer_char(to, '\n');
    }
}

typedef struct Case {
    const char *text;
    const char *found;
} Case;

static void check(const Case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        Buffer found = {0};
        write_found(cases[i].text, &found);
        assert_string_equal(buffer_string(&found), cases[i].found);
        buffer_free(&found);
    }
}
#define CHECK(cases) check(cases, sizeof(cases) / sizeof *(cases))

static void every_error_and_warning_of_a_compiler_is_found(void **state) {
    (void)state;
    static const Case cases[] = {
        {"b.c: In function 'f':\n"
         "b.c:1:19: warning: unused variable 'y' [-Wunused-variable]\n"
         "    1 | int f(void) { int y = 1; }\n"
         "      |                   ^\n"
         "b.c: In function 'main':\n"
         "b.c:2:25: error: 'x' undeclared (first use in this function)\n"
         "b.c:2:25: note: each undeclared identifier is reported only once\n"
         "src/map.h:7:2: fatal error: nope.h: No such file or directory\n"
         "compilation terminated.\n",
         "b.c:1:19 warning: unused variable 'y' [-Wunused-variable]\n"
         "b.c:2:25 error: 'x' undeclared (first use in this function)\n"
         "src/map.h:7:2 fatal error: nope.h: No such file or directory\n"},
        {"In file included from /usr/include/x.h:3:\n/usr/include/y.h:4:5: error: of no interest\n",
         ""},
        {"A.java:1: error: reached end of file while parsing\n"
         "public class A { public static void main(String[] a) { int x = y; }\n"
         "                                                                   ^\n1 error\n",
         "A.java:1:0 error: reached end of file while parsing\n"},
        {"# command-line-arguments\n./main.go:2:15: x declared but not used\n"
         "./main.go:3:2: undefined: y\n",
         "main.go:2:15 x declared but not used\nmain.go:3:2 undefined: y\n"},
    };
    CHECK(cases);
}

static void syntax_errors_of_scripts_are_found(void **state) {
    (void)state;
    static const Case cases[] = {
        {"  File \"syn.py\", line 1\n    def f(:\n          ^\nSyntaxError: invalid syntax\n",
         "syn.py:1:0 SyntaxError: invalid syntax\n"},
        {"syn.js:1\nlet x = ;\n        ^\n\nSyntaxError: Unexpected token ';'\n"
         "    at wrapSafe (node:internal/modules/cjs/loader:1464:18)\n"
         "    at node:internal/main/run_main_module:28:49\n\nNode.js v18.19.0\n",
         "syn.js:1:0 SyntaxError: Unexpected token ';'\n"},
        {"syn.rb:3: syntax error, unexpected `end'\nend end\n^~~\n",
         "syn.rb:3:0 syntax error, unexpected `end'\n"},
        {"lua5.4: syn.lua:1: unexpected symbol near '='\n",
         "syn.lua:1:0 unexpected symbol near '='\n"},
        {"syntax error at syn.pl line 1, near \"= ;\"\nsyntax error at syn.pl line 2, near \"(;\"\n"
         "Execution of syn.pl aborted due to compilation errors.\n",
         "syn.pl:1:0 syntax error\nsyn.pl:2:0 syntax error\n"},
    };
    CHECK(cases);
}

static void a_traceback_is_reported_at_its_innermost_frame_in_the_bot(void **state) {
    (void)state;
    static const Case cases[] = {
        {"I am here\nTraceback (most recent call last):\n"
         "  File \"bot.py\", line 3, in <module>\n    f()\n"
         "  File \"my bots/help.py\", line 2, in f\n    def f(): json.loads(\"x\")\n"
         "             ^^^^^^^^^^^^^^^\n"
         "  File \"/usr/lib/python3.11/json/decoder.py\", line 355, in raw_decode\n"
         "    raise JSONDecodeError(\"Expecting value\", s, err.value) from None\n"
         "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n",
         "my bots/help.py:2:0 json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char "
         "0)\n"},
        {"<anonymous_script>:1\n{x\n ^\n\nSyntaxError: Expected property name or '}' in JSON\n"
         "    at JSON.parse (<anonymous>)\n    at f (bot.js:1:21)\n"
         "    at Object.<anonymous> (bot.js:2:1)\n"
         "    at Module._compile (node:internal/modules/cjs/loader:1521:14)\n\nNode.js v18.19.0\n",
         "bot.js:1:21 SyntaxError: Expected property name or '}' in JSON\n"},
        {"bot.js:3\n    x.y();\n    ^\n\nReferenceError: x is not defined\n"
         "    at turn (bot.js:3:5)\n    at bot.js:9:1\n\nNode.js v18.19.0\n",
         "bot.js:3:5 ReferenceError: x is not defined\n"},
        {"file://bot.js:2\nnothing.at(1);\n        ^\n\n"
         "TypeError: Cannot read properties of null (reading 'at')\n    at file://bot.js:2:9\n"
         "    at ModuleJob.run (node:internal/modules/esm/module_job:194:25)\n\nNode.js v18.19.0\n",
         "bot.js:2:9 TypeError: Cannot read properties of null (reading 'at')\n"},
        {"\nstr.js:1\nthrow \"boo\";\n^\nboo\n(Use `node --trace-uncaught ...` to show where the "
         "exception was thrown)\n\nNode.js v18.19.0\n",
         "str.js:1:0 boo\n"},
        {"bot.rb:2:in `f': undefined local variable or method `x' for main:Object (NameError)\n\n"
         "  x.y\n  ^\n\tfrom bot.rb:4:in `<main>'\n",
         "bot.rb:2:0 undefined local variable or method `x' for main:Object (NameError)\n"},
        {"/usr/lib/ruby/3.1.0/json/common.rb:216:in `parse': 859: unexpected token "
         "(JSON::ParserError)\n\tfrom /usr/lib/ruby/3.1.0/json/common.rb:216:in `parse'\n"
         "\tfrom lib.rb:2:in `<main>'\n",
         "lib.rb:2:0 859: unexpected token (JSON::ParserError)\n"},
        {"lua5.4: bot.lua:1: attempt to perform arithmetic on a nil value\nstack traceback:\n"
         "\tbot.lua:1: in local 'f'\n\tbot.lua:2: in main chunk\n\t[C]: in ?\n",
         "bot.lua:1:0 attempt to perform arithmetic on a nil value\n"},
        {"boo at bot.pl line 1.\n", "bot.pl:1:0 boo\n"},
        {"it was at home at bot.pl line 4, <STDIN> line 2.\n", "bot.pl:4:0 it was at home\n"},
        {"Exception in thread \"main\" java.lang.NumberFormatException: For input string: \"x\"\n"
         "\tat java.base/java.lang.Integer.parseInt(Integer.java:668)\n\tat B.f(B.java:1)\n"
         "\tat B.main(B.java:2)\n",
         "B.java:1:0 Exception in thread \"main\" java.lang.NumberFormatException: For input "
         "string: \"x\"\n"},
        {"panic: runtime error: index out of range [6] with length 1\n\ngoroutine 1 [running]:\n"
         "panic({0x45f0c0, 0x4b4f60})\n\t/usr/lib/go-1.19/src/runtime/panic.go:884 +0x213\n"
         "main.f(...)\n\tp.go:3\nmain.main()\n\tp.go:4 +0x53\nexit status 2\n",
         "p.go:3:0 panic: runtime error: index out of range [6] with length 1\n"},
    };
    CHECK(cases);
}

static void rust_haskell_and_lisp_are_understood(void **state) {
    (void)state;
    static const Case cases[] = {
        {"   Compiling bot v0.1.0 (.)\nerror[E0308]: mismatched types\n --> src/main.rs:3:18\n  |\n"
         "3 |     let x: u32 = \"a\";\n  |            ---   ^^^ expected `u32`, found `&str`\n\n"
         "warning: unused variable: `y`\n --> src/main.rs:4:9\n  |\n4 |     let y = 3;\n\n"
         "note: defined here\n --> src/protocol.rs:1:8\n",
         "src/main.rs:3:18 error[E0308]: mismatched types\n"
         "src/main.rs:4:9 warning: unused variable: `y`\n"},
        {"thread 'main' panicked at 'index out of bounds: the len is 0', src/main.rs:3:21\n"
         "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
         "src/main.rs:3:21 index out of bounds: the len is 0\n"},
        {"\nthread 'main' (4162) panicked at src/main.rs:3:21:\nindex out of bounds: the len is 0\n"
         "stack backtrace:\n   0: bot::main\n             at ./src/main.rs:3:21\n",
         "src/main.rs:3:21 index out of bounds: the len is 0\n"},
        {"\nMain.hs:5:3: error: Variable not in scope: foo :: IO ()\n  |\n5 |   foo\n  |   ^^^\n"
         "\nMain.hs:6:13: error:\n    • No instance for (Num String) arising from a use of ‘+’\n"
         "    • In the first argument of ‘putStrLn’, namely ‘(1 + \"a\")’\n"
         "\nJson.hs:2:1: warning: [-Wunused-imports]\n    The import of ‘Data.List’ is redundant\n",
         "Main.hs:5:3 error: Variable not in scope: foo :: IO ()\n"
         "Main.hs:6:13 No instance for (Num String) arising from a use of ‘+’\n"
         "Json.hs:2:1 The import of ‘Data.List’ is redundant\n"},
        {"bot: boom\nCallStack (from HasCallStack):\n  error, called at Main.hs:3:8 in main:Main\n",
         "Main.hs:3:8 bot: boom\n"},
        {"bot: Main.hs:3:1-7: Non-exhaustive patterns in function f\n",
         "Main.hs:3:1 Non-exhaustive patterns in function f\n"},
        {"bot: Main.hs:(3,1)-(5,7): Non-exhaustive patterns in function f\n",
         "Main.hs:3:1 Non-exhaustive patterns in function f\n"},
        {"Unhandled SB-C::INPUT-ERROR-IN-LOAD in thread #<SB-THREAD:THREAD RUNNING\n"
         "    {1001348003}>:\n  READ error during LOAD:\n\n    unmatched close parenthesis\n\n"
         "      Line: 2, Column: 15, File-Position: 34\n\n"
         "      Stream: #<SB-SYS:FD-STREAM for \"file bot.lisp\" {1001336F53}>\n\n"
         "Backtrace for: #<SB-THREAD:THREAD \"main thread\" RUNNING {1001348003}>\n",
         "bot.lisp:2:0 unmatched close parenthesis\n"},
        {"  READ error during LOAD:\n\n"
         "    end of file on #<SB-SYS:FD-STREAM for \"file bot.lisp\" {1001336F53}>\n\n"
         "    (in form starting at line: 7, column: 0, file-position: 0)\n",
         "bot.lisp:7:0 end of file\n"},
    };
    CHECK(cases);
}

static void other_text_is_ignored(void **state) {
    (void)state;
    static const Case cases[] = {
        {"", ""},
        {"turn 3: 12:30:05: all is well\nat last\nbot.py\nbot.py:x: y\nbot.py:0: y\n"
         "notes.txt:3: y\n",
         ""},
        {"bot.py:99999999999: y\n:3: y\n.c:3: y\n/usr/bin/bot.py:3: y\nFile \"\", line 3\n", ""},
        {"bot.c:3:", ""},
        {"bot.c:3:1:", ""},
        {"x at y line", ""},
        {" at bot.pl line 3.", ""},
        {"File \"bot.py\", line 3, in f\n", ""}, /* no message */
    };
    CHECK(cases);
}

static void diagnostics_are_limited_in_number_and_length(void **state) {
    (void)state;
    Buffer text = {0};
    for (int i = 1; i < 200; i++)
        buffer_format(&text, "bot.c:%d:1: error: again\n", i);
    Diagnostic found[DIAGNOSTICS_MAX];
    assert_int_equal(diagnostics_find(slice_of(buffer_string(&text)), found), DIAGNOSTICS_MAX);
    buffer_clear(&text);
    buffer_text(&text, "bot.c:1:1: ");
    for (int i = 0; i < 100000; i++)
        buffer_char(&text, 'x');
    assert_int_equal(diagnostics_find(slice_of(buffer_string(&text)), found), 1);
    assert_int_equal(found[0].message.length, 400);
    buffer_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_and_warning_of_a_compiler_is_found),
        cmocka_unit_test(syntax_errors_of_scripts_are_found),
        cmocka_unit_test(a_traceback_is_reported_at_its_innermost_frame_in_the_bot),
        cmocka_unit_test(rust_haskell_and_lisp_are_understood),
        cmocka_unit_test(other_text_is_ignored),
        cmocka_unit_test(diagnostics_are_limited_in_number_and_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
