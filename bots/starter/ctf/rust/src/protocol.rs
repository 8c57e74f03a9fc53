//! How a bot for Capture the flag talks to the referee. You need not change this file.
//!
//! The input starts with the team's letter, the map and an empty line. Then a view per round:
//!     0 0                            our points, theirs
//!     Flag 1 5                       where our flag is
//!     Soldier X 2 7 8 True No        name, x, y, cooldown, alive, the flag it carries
//!     Grenade 10 7 2                 ours: x, y, rounds left
//!     EnemyFlag 13 9
//!     Enemy L 11 8 True No           name, x, y, alive, flag
//!     (an empty line)
//! An answer is a line per order and an empty line:
//!     X D (10,7)
#![allow(dead_code)] // the starter does not use all fields

use std::io;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Square {
    pub x: i32,
    pub y: i32,
}

pub struct Order {
    pub name: String,           // of the soldier
    pub step: char,             // U, D, L, R or S
    pub target: Option<Square>, // the square to throw a grenade at
}

#[derive(Clone)]
pub struct Soldier {
    pub name: String,
    pub at: Square,
    pub cooldown: i32,
    pub alive: bool,
    pub carries_flag: bool,
}

#[derive(Clone)]
pub struct Enemy {
    pub name: String,
    pub at: Square,
    pub alive: bool,
    pub carries_flag: bool,
}

#[derive(Clone)]
pub struct Grenade {
    pub at: Square,
    pub countdown: i32,
}

#[derive(Clone, Default)]
pub struct View {
    pub turn: usize,
    pub map: Vec<Vec<u8>>,
    pub base: Square,
    pub spawn: Square,
    pub points: i32,
    pub enemy_points: i32,
    pub flag: Square,
    pub enemy_flag: Square,
    pub soldiers: Vec<Soldier>,
    pub grenades: Vec<Grenade>,
    pub enemies: Vec<Enemy>,
}

/// The lines up to the next empty line; `None` when the input ends.
fn read_block(lines: &mut impl Iterator<Item = io::Result<String>>) -> Option<Vec<String>> {
    let mut block = Vec::new();
    for line in lines {
        let line = line.expect("a line of input");
        if line.trim().is_empty() {
            return Some(block);
        }
        block.push(line.trim().to_string());
    }
    None
}

fn find(map: &[Vec<u8>], tile: u8) -> Square {
    for (row, y) in map.iter().zip(0..) {
        for (&other, x) in row.iter().zip(0..) {
            if other == tile {
                return Square { x, y };
            }
        }
    }
    panic!("no {} on the map", tile as char);
}

fn number(word: &str) -> i32 {
    word.parse().expect("a whole number")
}

fn square(x: &str, y: &str) -> Square {
    Square {
        x: number(x),
        y: number(y),
    }
}

/// The part of a view that does not change.
fn start(block: &[String]) -> View {
    let team = block[0].as_bytes()[0];
    let map: Vec<Vec<u8>> = block[1..].iter().map(|row| row.bytes().collect()).collect();
    let base = find(&map, team.to_ascii_lowercase());
    let spawn = find(&map, team);
    View {
        map,
        base,
        spawn,
        ..View::default()
    }
}

/// Adds a line to a view; lines that begin with another word are skipped.
fn add(line: &str, view: &mut View) {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["Flag", x, y, ..] => view.flag = square(x, y),
        ["EnemyFlag", x, y, ..] => view.enemy_flag = square(x, y),
        ["Soldier", name, x, y, cooldown, alive, flag, ..] => view.soldiers.push(Soldier {
            name: name.to_string(),
            at: square(x, y),
            cooldown: number(cooldown),
            alive: alive == "True",
            carries_flag: flag != "No",
        }),
        ["Enemy", name, x, y, alive, flag, ..] => view.enemies.push(Enemy {
            name: name.to_string(),
            at: square(x, y),
            alive: alive == "True",
            carries_flag: flag != "No",
        }),
        ["Grenade", x, y, countdown, ..] => {
            let (at, countdown) = (square(x, y), number(countdown));
            view.grenades.push(Grenade { at, countdown });
        }
        _ => {}
    }
}

/// The views of the match, one after the other.
pub fn views() -> impl Iterator<Item = View> {
    let mut lines = io::stdin().lines();
    let start = read_block(&mut lines).map(|block| start(&block));
    (1..).map_while(move |turn| {
        let mut view = View {
            turn,
            ..start.clone()?
        };
        let block = read_block(&mut lines)?;
        let mut points = block[0].split_whitespace().map(number);
        view.points = points.next()?;
        view.enemy_points = points.next()?;
        for line in &block[1..] {
            add(line, &mut view);
        }
        Some(view)
    })
}

/// Sends the answer to the last view.
pub fn answer(orders: &[Order]) {
    for order in orders {
        match order.target {
            Some(at) => println!("{} {} ({},{})", order.name, order.step, at.x, at.y),
            None => println!("{} {}", order.name, order.step),
        }
    }
    println!(); // standard output is flushed after every line
}
