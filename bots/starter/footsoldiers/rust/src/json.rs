//! A small JSON reader for views. You need not change this file.
#![allow(dead_code)] // not every game needs all of it

use std::ops::Index;

/// A value of any kind.
#[derive(Debug)]
pub enum Json {
    Null,
    Bool(bool),
    Number(String),
    String(String), // as written in the text; escapes such as \" remain
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a value; `None` if the text is not valid.
    pub fn parse(text: &str) -> Option<Json> {
        Parser { rest: text }.value()
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    pub fn is_true(&self) -> bool {
        matches!(self, Json::Bool(true))
    }

    pub fn integer(&self) -> i64 {
        match self {
            Json::Number(digits) => digits.parse().expect("a whole number"),
            _ => panic!("{:?} is not a number", self),
        }
    }

    pub fn number(&self) -> f64 {
        match self {
            Json::Number(digits) => digits.parse().expect("a number"),
            _ => panic!("{:?} is not a number", self),
        }
    }

    pub fn string(&self) -> &str {
        match self {
            Json::String(text) => text,
            _ => panic!("{:?} is not a string", self),
        }
    }

    pub fn elements(&self) -> &[Json] {
        match self {
            Json::Array(elements) => elements,
            _ => panic!("{:?} is not an array", self),
        }
    }
}

/// `value["name"]` is a member of an object; `Json::Null` if it is missing.
impl Index<&str> for Json {
    type Output = Json;

    fn index(&self, name: &str) -> &Json {
        match self {
            Json::Object(members) => members
                .iter()
                .find(|(other, _)| other == name)
                .map_or(&Json::Null, |(_, value)| value),
            _ => &Json::Null,
        }
    }
}

struct Parser<'a> {
    rest: &'a str, // what has not been read yet
}

impl Parser<'_> {
    /// Reads the character if it comes next.
    fn take(&mut self, character: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(character) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn string(&mut self) -> Option<String> {
        if !self.take('"') {
            return None;
        }
        let mut escaped = false;
        let end = self.rest.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        })?;
        let text = self.rest[..end].to_string();
        self.rest = &self.rest[end + 1..];
        Some(text)
    }

    fn value(&mut self) -> Option<Json> {
        if self.take('{') {
            let mut members = Vec::new();
            while !self.take('}') {
                self.take(',');
                let name = self.string()?;
                if !self.take(':') {
                    return None;
                }
                members.push((name, self.value()?));
            }
            Some(Json::Object(members))
        } else if self.take('[') {
            let mut elements = Vec::new();
            while !self.take(']') {
                self.take(',');
                elements.push(self.value()?);
            }
            Some(Json::Array(elements))
        } else if self.rest.starts_with('"') {
            self.string().map(Json::String)
        } else {
            let end = self.rest.find(|c| ",]} \t\r\n".contains(c));
            let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
            self.rest = rest;
            match word {
                "" => None,
                "null" => Some(Json::Null),
                "true" => Some(Json::Bool(true)),
                "false" => Some(Json::Bool(false)),
                _ => Some(Json::Number(word.to_string())),
            }
        }
    }
}
