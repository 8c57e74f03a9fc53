// A small JSON reader for views. You need not change this file.
#pragma once

#include <string>
#include <vector>

// A value of any kind: null, true, false, a number, a string, an array or an object.
class Json {
  public:
    Json() = default; // null
    explicit Json(const std::string &text);

    const Json &operator[](const std::string &name) const; // a member; null if it is missing
    const std::vector<Json> &elements() const {
        return values;
    }
    bool is_null() const {
        return word == "null";
    }
    bool is_true() const {
        return word == "true";
    }
    long long integer() const {
        return std::stoll(word);
    }
    double number() const {
        return std::stod(word);
    }
    const std::string &string() const {
        return word;
    } // as written in the text; escapes such as \" remain

  private:
    Json(const std::string &text, size_t &at);

    std::string word = "null";      // the text, unless it is an array or object
    std::vector<std::string> names; // names of the members of an object
    std::vector<Json> values;       // values of the members or elements
};
