//! How a bot for Aliens talks to the referee. You need not change this file.
//!
//! A view is one line of JSON:
//!     {"player":"a","state":{"rows":20,"cols":20,
//!      "p1":{"food":1,"spawn":21},"p2":{"food":1,"spawn":378,"spawnDisabled":true},
//!      "grid":"....a..*....b...","maxTurns":100,"turnsElapsed":0}}
//! An answer is a JSON array:
//!     [{"from":21,"to":22},{"from":40,"to":60}]
#![allow(dead_code)] // the starter does not use all fields

use crate::json::Json;
use std::io;

pub struct Move {
    pub from: usize, // a square with one of your units
    pub to: usize,   // an adjacent square
}

pub struct Player {
    pub letter: u8,
    pub energy: i64, // for units that will appear at the spawn
    pub spawn: usize,
    pub spawn_destroyed: bool,
}

pub struct View {
    pub turn: i64,
    pub rows: usize,
    pub cols: usize,
    pub grid: Vec<u8>,
    pub me: Player,
    pub enemy: Player,
}

fn player(letter: u8, entry: &Json) -> Player {
    Player {
        letter,
        energy: entry["food"].integer(),
        spawn: entry["spawn"].integer() as usize,
        spawn_destroyed: entry["spawnDisabled"].is_true(),
    }
}

fn view(line: &str) -> View {
    let message = Json::parse(line).expect("a view in JSON");
    let state = &message["state"];
    let (a, b) = (player(b'a', &state["p1"]), player(b'b', &state["p2"]));
    let (me, enemy) = if message["player"].string() == "a" {
        (a, b)
    } else {
        (b, a)
    };
    View {
        turn: state["turnsElapsed"].integer() + 1,
        rows: state["rows"].integer() as usize,
        cols: state["cols"].integer() as usize,
        grid: state["grid"].string().bytes().collect(),
        me,
        enemy,
    }
}

/// The views of the match, one after the other.
pub fn views() -> impl Iterator<Item = View> {
    io::stdin()
        .lines()
        .map(|line| view(&line.expect("a line of input")))
}

/// Sends the answer to the last view.
pub fn answer(moves: &[Move]) {
    let list: Vec<String> = moves
        .iter()
        .map(|step| format!(r#"{{"from":{},"to":{}}}"#, step.from, step.to))
        .collect();
    println!("[{}]", list.join(",")); // standard output is flushed after every line
}
