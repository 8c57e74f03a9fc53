//! A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
//!
//!     skirmish play aliens --watch . house:random
//!
//! Each turn, think() gets a view:
//!     view.turn              the number of the turn, from 1
//!     view.rows, view.cols   the size of the grid; squares are numbered row by row from 0
//!     view.grid              a byte per square: b'.' empty, b'*' energy, b'a' and b'b' units
//!     view.me, view.enemy    the players: letter, energy, spawn (a square), spawn_destroyed
//! and returns the moves, from a square to an adjacent one. Units without a move stay:
//!     vec![Move { from: 21, to: 22 }, Move { from: 40, to: 60 }]
mod json;
mod protocol;

use protocol::{Move, View};
use std::collections::HashSet;

// The line to change first: attack when we have this many times as many units as the enemy.
const COURAGE: usize = 2;

fn squares(view: &View, what: u8) -> Vec<usize> {
    (0..view.rows * view.cols)
        .filter(|&square| view.grid[square] == what)
        .collect()
}

fn steps(view: &View, a: usize, b: usize) -> usize {
    (a / view.cols).abs_diff(b / view.cols) + (a % view.cols).abs_diff(b % view.cols)
}

fn neighbours(view: &View, square: usize) -> Vec<usize> {
    let (row, col) = (square / view.cols, square % view.cols);
    let mut list = Vec::new();
    if row > 0 {
        list.push(square - view.cols);
    }
    if row < view.rows - 1 {
        list.push(square + view.cols);
    }
    if col > 0 {
        list.push(square - 1);
    }
    if col < view.cols - 1 {
        list.push(square + 1);
    }
    list
}

/// The moves of this turn. The whole strategy is here.
fn think(view: &View) -> Vec<Move> {
    let units = squares(view, view.me.letter);
    let enemies = squares(view, view.enemy.letter);
    let attack = units.len() >= COURAGE * enemies.len();
    let mut goals = squares(view, if attack { view.enemy.letter } else { b'*' });
    if attack {
        goals.push(view.enemy.spawn);
    }
    let centre = view.rows / 2 * view.cols + view.cols / 2;
    let mut taken: HashSet<usize> = units.iter().copied().collect(); // two on a square both die
    let mut claimed = HashSet::new(); // energy that one of our units is already going for
    let mut moves = Vec::new();
    for unit in units {
        let goal = goals
            .iter()
            .copied()
            .filter(|goal| !claimed.contains(goal))
            .min_by_key(|&goal| steps(view, unit, goal))
            .unwrap_or(centre);
        if !attack {
            claimed.insert(goal);
        }

        // The cost of a square: distance to the goal, or an enemy too close.
        let cost = |square: usize| {
            let danger = !attack && enemies.iter().any(|&enemy| steps(view, square, enemy) <= 2);
            steps(view, square, goal) + if danger { 1000 } else { 0 }
        };

        // Energy is gathered from an adjacent square; moving onto it destroys it.
        let mut options = vec![unit];
        options.extend(neighbours(view, unit));
        options.retain(|to| *to == unit || !taken.contains(to) && view.grid[*to] != b'*');
        let to = options
            .into_iter()
            .min_by_key(|&to| cost(to))
            .unwrap_or(unit);
        if to != unit {
            taken.remove(&unit);
            taken.insert(to);
            moves.push(Move { from: unit, to });
        }
    }
    moves
}

/// The main loop: answer every view until the match ends.
fn main() {
    for view in protocol::views() {
        if view.turn == 1 {
            // Debug output: "skirmish play --stderr" and replays show it.
            eprintln!("I am player {}", view.me.letter as char);
        }
        protocol::answer(&think(&view));
    }
}
