//! How a bot for Underworld talks to the referee. You need not change this file.
//!
//! The referee sends "Who are you?" and the bot must answer "crayfish". It then sends one line
//!     10 10 2 0                 columns, rows, players, your number
//! and then a view in every turn:
//!     money 3000
//!     0 0 0 C 10000             x, y, owner, kind, hitpoints
//!     0 1 0 B 1500
//!     end
//! After the last turn, it sends the line "gg" instead of a view. An answer is any number of
//! commands, followed by "end":
//!     build 1 0 F
//!     spawn 0 1 E
//!     move 1 1 S
#![allow(dead_code)] // the starter does not use all fields

use std::io;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    pub x: i32,
    pub y: i32,
}

pub struct Command {
    pub verb: &'static str, // build, spawn or move
    pub at: Cell,
    pub what: char, // the building, or the direction
}

#[derive(Clone)]
pub struct Thing {
    pub at: Cell,
    pub owner: i32,
    pub kind: char,
    pub hitpoints: i32,
}

#[derive(Clone, Default)]
pub struct View {
    pub turn: i32,
    pub columns: i32,
    pub rows: i32,
    pub players: i32,
    pub me: i32,
    pub money: i64,
    pub things: Vec<Thing>,
}

fn number(word: &str) -> i32 {
    word.parse().expect("a whole number")
}

fn next_line() -> Option<String> {
    io::stdin()
        .lines()
        .next()
        .map(|line| line.expect("a line of input"))
}

/// Answers "Who are you?" and reads the line that is sent only once.
fn start() -> Option<View> {
    next_line()?;
    println!("crayfish"); // standard output is flushed after every line
    let line = next_line()?;
    let numbers: Vec<i32> = line.split_whitespace().map(number).collect();
    match numbers[..] {
        [columns, rows, players, me, ..] => Some(View {
            columns,
            rows,
            players,
            me,
            ..View::default()
        }),
        _ => panic!("not the size of the board: {}", line),
    }
}

/// Reads a view; `last` has everything that does not change.
fn next_view(last: &View) -> Option<View> {
    let mut view = View {
        turn: last.turn + 1,
        things: Vec::new(),
        ..*last
    };
    loop {
        let line = next_line()?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["gg", ..] => return None,
            ["end", ..] => return Some(view),
            ["money", amount, ..] => view.money = amount.parse().expect("an amount"),
            [x, y, owner, kind, hitpoints, ..] => view.things.push(Thing {
                at: Cell {
                    x: number(x),
                    y: number(y),
                },
                owner: number(owner),
                kind: kind.chars().next()?,
                hitpoints: number(hitpoints),
            }),
            _ => {}
        }
    }
}

/// The views of the match, one after the other.
pub fn views() -> impl Iterator<Item = View> {
    let mut last = start();
    std::iter::from_fn(move || {
        last = next_view(last.as_ref()?);
        last.clone()
    })
}

/// Sends the answer to the last view.
pub fn answer(commands: &[Command]) {
    for command in commands {
        println!(
            "{} {} {} {}",
            command.verb, command.at.x, command.at.y, command.what
        );
    }
    println!("end");
}
