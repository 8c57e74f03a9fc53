//! How a bot for Footsoldiers talks to the referee. You need not change this file.
//!
//! The bot prints "Ready". Then each view is one line of JSON:
//!     {"you":"player1","turns-remaining":99,
//!      "map":[{"type":"Base","position":{"x":1,"y":3},"team":"player1"},
//!             {"type":"Rock","position":{"x":4,"y":0}},
//!             {"type":"Scout","position":{"x":6,"y":1},"health":9,"team":"player1",
//!              "destination":{"x":9,"y":1},"attack-direction":"Right"}, ...],
//!      "player1":{"team":"player1","money":13,"base":{"x":1,"y":3},"health":40},"player2":{...}}
//! An answer is one line with one command:
//!     Build Scout (2, 3) (65, 3) Right
//!     Move (6, 1) to (9, 5)
//!     Change attack direction (6, 1) to Left
//!     No-op
#![allow(dead_code)] // the starter does not use all fields and commands

use crate::json::Json;
use std::{fmt, io};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Square {
    pub x: i64,
    pub y: i64,
}

pub struct Player {
    pub team: String,
    pub money: i64,
    pub base: Square,
    pub health: i64,
}

pub struct Thing {
    pub kind: String,
    pub at: Square,
    pub team: Option<String>, // None: a rock
    pub health: Option<i64>,  // None: not a soldier
    pub destination: Option<Square>,
    pub direction: Option<String>,
}

pub struct View {
    pub turn: usize,
    pub turns_remaining: i64,
    pub me: Player,
    pub enemy: Player,
    pub map: Vec<Thing>,
}

pub enum Command {
    Build {
        kind: String,
        at: Square,
        destination: Square,
        direction: String,
    },
    Move {
        soldier: Square,
        destination: Square,
    },
    Turn {
        soldier: Square,
        direction: String,
    },
    NoOp,
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "({}, {})", self.x, self.y)
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Command::Build {
                kind,
                at,
                destination,
                direction,
            } => {
                write!(f, "Build {} {} {} {}", kind, at, destination, direction)
            }
            Command::Move {
                soldier,
                destination,
            } => {
                write!(f, "Move {} to {}", soldier, destination)
            }
            Command::Turn { soldier, direction } => {
                write!(f, "Change attack direction {} to {}", soldier, direction)
            }
            Command::NoOp => write!(f, "No-op"),
        }
    }
}

/// Reads a value, unless it is missing.
fn optional<T>(entry: &Json, read: impl Fn(&Json) -> T) -> Option<T> {
    if entry.is_null() {
        None
    } else {
        Some(read(entry))
    }
}

fn text(entry: &Json) -> String {
    entry.string().to_string()
}

fn square(entry: &Json) -> Square {
    Square {
        x: entry["x"].integer(),
        y: entry["y"].integer(),
    }
}

fn player(entry: &Json) -> Player {
    Player {
        team: text(&entry["team"]),
        money: entry["money"].integer(),
        base: square(&entry["base"]),
        health: entry["health"].integer(),
    }
}

fn thing(entry: &Json) -> Thing {
    Thing {
        kind: text(&entry["type"]),
        at: square(&entry["position"]),
        team: optional(&entry["team"], text),
        health: optional(&entry["health"], Json::integer),
        destination: optional(&entry["destination"], square),
        direction: optional(&entry["attack-direction"], text),
    }
}

/// The views of the match, one after the other.
pub fn views() -> impl Iterator<Item = View> {
    println!("Ready"); // standard output is flushed after every line
    io::stdin().lines().zip(1..).map(|(line, turn)| {
        let message = Json::parse(&line.expect("a line of input")).expect("a view in JSON");
        let (mut me, mut enemy) = (player(&message["player1"]), player(&message["player2"]));
        if message["you"].string() == "player2" {
            std::mem::swap(&mut me, &mut enemy);
        }
        let map = message["map"].elements().iter().map(thing).collect();
        View {
            turn,
            turns_remaining: message["turns-remaining"].integer(),
            me,
            enemy,
            map,
        }
    })
}

/// Sends the answer to the last view.
pub fn answer(command: &Command) {
    println!("{}", command);
}
