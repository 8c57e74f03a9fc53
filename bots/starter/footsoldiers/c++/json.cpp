// A small JSON reader for views. You need not change this file.
#include "json.hpp"

#include <stdexcept>

static const char *const SPACE = " \t\r\n";

// The next character after white space.
static char peek(const std::string &text, size_t &at) {
    at = text.find_first_not_of(SPACE, at);
    if (at == std::string::npos)
        throw std::runtime_error("JSON ends too early: " + text);
    return text[at];
}

static void expect(const std::string &text, size_t &at, char wanted) {
    if (peek(text, at) != wanted)
        throw std::runtime_error(std::string("JSON: expected ") + wanted + ": " + text.substr(at));
    at++;
}

static std::string read_string(const std::string &text, size_t &at) {
    expect(text, at, '"');
    size_t start = at;
    while (at < text.size() && text[at] != '"')
        at += text[at] == '\\' ? 2 : 1;
    expect(text, at, '"');
    return text.substr(start, at - 1 - start);
}

Json::Json(const std::string &text) {
    size_t at = 0;
    *this = Json(text, at);
}

Json::Json(const std::string &text, size_t &at) {
    char first = peek(text, at);
    if (first == '"') {
        word = read_string(text, at);
    } else if (first == '{' || first == '[') {
        char last = first == '{' ? '}' : ']';
        word.clear();
        at++;
        while (peek(text, at) != last) {
            if (!values.empty())
                expect(text, at, ',');
            if (first == '{') {
                names.push_back(read_string(text, at));
                expect(text, at, ':');
            }
            values.push_back(Json(text, at));
        }
        at++;
    } else {
        size_t end = text.find_first_of(",]} \t\r\n", at);
        word = text.substr(at, end - at);
        at = end;
    }
}

const Json &Json::operator[](const std::string &name) const {
    static const Json null;
    for (size_t i = 0; i < names.size(); i++)
        if (names[i] == name)
            return values[i];
    return null;
}
