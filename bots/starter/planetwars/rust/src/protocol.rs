//! How a bot for Planet Wars talks to the referee. You need not change this file.
//!
//! A view is one line of JSON. The bot is always player 1 in it; neutral planets have the owner
//! null:
//!     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
//!      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
//!                      "owner":2,"turns_remaining":11}, ...]}
//! An answer is also one line of JSON. Without moves: {"moves":[]}
//!     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
#![allow(dead_code)] // the starter does not use all fields

use crate::json::Json;
use std::io;

// Names of planets are as in the JSON: quotes and some other characters are escaped.

pub struct Move {
    pub origin: String,
    pub destination: String,
    pub ships: i64,
}

pub struct Planet {
    pub name: String,
    pub x: f64,
    pub y: f64,
    pub owner: i64, // 1: you; 0: nobody
    pub ships: i64,
}

pub struct Expedition {
    pub id: i64,
    pub origin: String,
    pub destination: String,
    pub owner: i64,
    pub ships: i64,
    pub turns_remaining: i64,
}

pub struct View {
    pub turn: usize,
    pub planets: Vec<Planet>,
    pub expeditions: Vec<Expedition>,
}

fn planet(entry: &Json) -> Planet {
    let owner = &entry["owner"];
    Planet {
        name: entry["name"].string().to_string(),
        x: entry["x"].number(),
        y: entry["y"].number(),
        owner: if owner.is_null() { 0 } else { owner.integer() },
        ships: entry["ship_count"].integer(),
    }
}

fn expedition(entry: &Json) -> Expedition {
    Expedition {
        id: entry["id"].integer(),
        origin: entry["origin"].string().to_string(),
        destination: entry["destination"].string().to_string(),
        owner: entry["owner"].integer(),
        ships: entry["ship_count"].integer(),
        turns_remaining: entry["turns_remaining"].integer(),
    }
}

/// The views of the match, one after the other.
pub fn views() -> impl Iterator<Item = View> {
    io::stdin().lines().enumerate().map(|(number, line)| {
        let message = Json::parse(&line.expect("a line of input")).expect("a view in JSON");
        View {
            turn: number + 1,
            planets: message["planets"].elements().iter().map(planet).collect(),
            expeditions: message["expeditions"]
                .elements()
                .iter()
                .map(expedition)
                .collect(),
        }
    })
}

/// Sends the answer to the last view.
pub fn answer(moves: &[Move]) {
    let list: Vec<String> = moves
        .iter()
        .map(|fleet| {
            format!(
                r#"{{"origin":"{}","destination":"{}","ship_count":{}}}"#,
                fleet.origin, fleet.destination, fleet.ships
            )
        })
        .collect();
    println!(r#"{{"moves":[{}]}}"#, list.join(",")); // standard output is flushed after every line
}
