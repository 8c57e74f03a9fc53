//! A starter bot for Footsoldiers: it builds soldiers and guides them to the enemy. Change it!
//!
//!     skirmish play footsoldiers --watch . house:random
//!
//! Each turn, think() gets a view. A Square has x and y:
//!     view.turn, view.turns_remaining   this turn, from 1; turns to play, including this one
//!     view.me, view.enemy               the players: team ("player1"), money, base, health
//!     view.map                          everything on the field, each with kind, at, team;
//!                                       kind is "Base", "Rock", "Scout", "Assassin" or "Tank";
//!                                       soldiers also have health, destination, direction
//! and returns one command:
//!     Command::Build { kind, at, destination, direction }   direction of attack: "Right"
//!     Command::Move { soldier, destination }    where the soldier is, its new destination
//!     Command::Turn { soldier, direction }      where the soldier is, its new direction
//!     Command::NoOp
mod json;
mod protocol;

use protocol::{Command, Square, View};
use std::collections::{HashMap, HashSet, VecDeque};

// The line to change first: what to build, in this order, over and over.
const PLAN: [&str; 3] = ["Scout", "Assassin", "Scout"];
const NEAR: i64 = 5; // maximum distance from the base to build
const UNREACHABLE: u64 = 9999;

fn cost(kind: &str) -> i64 {
    match kind {
        "Scout" => 10,
        "Assassin" => 11,
        _ => 12,
    }
}

fn apart(a: Square, b: Square) -> u64 {
    a.x.abs_diff(b.x) + a.y.abs_diff(b.y)
}

fn around(at: Square) -> [Square; 4] {
    [(1, 0), (0, 1), (0, -1), (-1, 0)].map(|(dx, dy)| Square {
        x: at.x + dx,
        y: at.y + dy,
    })
}

/// What the bot remembers from turn to turn.
#[derive(Default)]
struct Bot {
    far: HashMap<Square, u64>, // steps to the enemy's base; computed in the first turn
    built: usize,
}

impl Bot {
    /// Fills `far`: from the enemy's base outwards, around the rocks, and also one square off the
    /// map.
    fn measure(&mut self, view: &View) {
        let rocks: HashSet<Square> = view
            .map
            .iter()
            .filter(|thing| thing.kind == "Rock")
            .map(|thing| thing.at)
            .collect();
        let width = 2 + view.map.iter().map(|thing| thing.at.x).max().unwrap_or(0);
        let height = 2 + view.map.iter().map(|thing| thing.at.y).max().unwrap_or(0);
        self.far.insert(view.enemy.base, 0);
        let mut queue = VecDeque::from([view.enemy.base]);
        while let Some(at) = queue.pop_front() {
            let steps = self.far[&at] + 1;
            for to in around(at) {
                let inside = (0..width).contains(&to.x) && (0..height).contains(&to.y);
                if inside && !self.far.contains_key(&to) && !rocks.contains(&to) {
                    self.far.insert(to, steps);
                    queue.push_back(to);
                }
            }
        }
    }

    fn steps(&self, at: Square) -> u64 {
        self.far.get(&at).copied().unwrap_or(UNREACHABLE)
    }

    /// How far a soldier can go without a detour: it gets stuck behind rocks.
    fn waypoint(&self, start: Square) -> Square {
        let (mut here, mut walked) = (start, 0);
        while self.steps(here) > 0 {
            let to = around(here)
                .into_iter()
                .min_by_key(|&at| self.steps(at))
                .unwrap_or(here);
            if apart(to, start) <= walked {
                break;
            }
            here = to;
            walked += 1;
        }
        here
    }

    /// The free square near our base that is nearest to the enemy's.
    fn site(&self, view: &View) -> Option<Square> {
        let taken: HashSet<Square> = view.map.iter().map(|thing| thing.at).collect();
        let home = view.me.base;
        let offsets = || -NEAR..=NEAR;
        offsets()
            .flat_map(|dx| {
                offsets().map(move |dy| Square {
                    x: home.x + dx,
                    y: home.y + dy,
                })
            })
            .filter(|&at| apart(at, home) <= NEAR as u64)
            .filter(|at| self.far.contains_key(at) && !taken.contains(at))
            .min_by_key(|&at| self.steps(at))
    }

    /// The command of this turn. The whole strategy is here.
    fn think(&mut self, view: &View) -> Command {
        if self.far.is_empty() {
            self.measure(view);
        }
        let kind = PLAN[self.built % PLAN.len()];
        if view.me.money >= cost(kind) {
            if let Some(at) = self.site(view) {
                self.built += 1;
                let look = if view.me.base.x < view.enemy.base.x {
                    "Right"
                } else {
                    "Left"
                };
                return Command::Build {
                    kind: kind.to_string(),
                    at,
                    destination: self.waypoint(at),
                    direction: look.to_string(),
                };
            }
        }
        // Nothing to build: guide a soldier that has arrived.
        for thing in &view.map {
            let ours = thing.health.is_some() && thing.team.as_ref() == Some(&view.me.team);
            if ours && self.far.contains_key(&thing.at) {
                let to = self.waypoint(thing.at);
                if thing.destination == Some(thing.at) && to != thing.at {
                    return Command::Move {
                        soldier: thing.at,
                        destination: to,
                    };
                }
            }
        }
        Command::NoOp
    }
}

/// The main loop: answer every view until the match ends.
fn main() {
    let mut bot = Bot::default();
    for view in protocol::views() {
        if view.turn == 1 {
            // Debug output: "skirmish play --stderr" and replays show it.
            eprintln!("building {}", PLAN.join(" "));
        }
        protocol::answer(&bot.think(&view));
    }
}
