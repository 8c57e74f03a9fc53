//! A starter bot for Underworld: farms first, then warriors, then the nearest castle. Change it!
//!
//!     skirmish play underworld --map duel --watch . house:random
//!
//! Each turn, think() gets a view. A Cell has x and y:
//!     view.turn                   the number of the turn, from 1
//!     view.columns, view.rows     the size of the board
//!     view.players, view.me       how many players there are, and your number, from 0
//!     view.money                  what you can spend
//!     view.things                 what you see: each has at (a cell), owner, hitpoints and kind
//!                                 ('C' castle, 'B' barracks, 'F' farm, 'W' warrior, '#' wall)
//! and returns any number of commands, such as Command { verb: "build", at: site, what: 'F' }:
//!     "build", 'F'     a farm or barracks, within distance 2 of your buildings
//!     "spawn", 'E'     the barracks spawns a warrior to the east
//!     "move", 'S'      the warrior moves south; it strikes automatically
mod protocol;

use protocol::{Cell, Command, View};
use std::collections::{HashMap, HashSet, VecDeque};

// The line to change first: how many farms to build, and how many warriors before they attack.
const FARMS: usize = 3;
const ARMY: usize = 4;
const FARM_COST: i64 = 1000;
const WARRIOR_COST: i64 = 500;
const REACH: i32 = 4; // range of warriors and of building: distance 2, squared
const STEPS: [(char, i32, i32); 4] = [('N', 0, -1), ('S', 0, 1), ('E', 1, 0), ('W', -1, 0)];

/// The squared distance.
fn apart(a: Cell, b: Cell) -> i32 {
    (a.x - b.x).pow(2) + (a.y - b.y).pow(2)
}

fn is_near(at: Cell, cells: &[Cell]) -> bool {
    cells.iter().any(|&cell| apart(at, cell) <= REACH)
}

/// The cells of all things of one kind, either ours or those of others.
fn find(view: &View, kind: char, mine: bool) -> Vec<Cell> {
    view.things
        .iter()
        .filter(|thing| thing.kind == kind && (thing.owner == view.me) == mine)
        .map(|thing| thing.at)
        .collect()
}

/// The adjacent cells, each with the letter of its direction.
fn neighbours(view: &View, at: Cell) -> Vec<(char, Cell)> {
    STEPS
        .iter()
        .map(|&(letter, dx, dy)| {
            (
                letter,
                Cell {
                    x: at.x + dx,
                    y: at.y + dy,
                },
            )
        })
        .filter(|(_, to)| (0..view.columns).contains(&to.x) && (0..view.rows).contains(&to.y))
        .collect()
}

/// The steps to the goal from every cell that can reach it.
fn distances(view: &View, goal: Cell, closed: &[Cell]) -> HashMap<Cell, i32> {
    let closed: HashSet<Cell> = closed.iter().copied().collect();
    let mut far = HashMap::from([(goal, 0)]);
    let mut queue = VecDeque::from([goal]);
    while let Some(at) = queue.pop_front() {
        let steps = far[&at] + 1;
        for (_, to) in neighbours(view, at) {
            if !far.contains_key(&to) && !closed.contains(&to) {
                far.insert(to, steps);
                queue.push_back(to);
            }
        }
    }
    far
}

/// The commands of this turn. The whole strategy is here.
fn think(view: &View) -> Vec<Command> {
    let (barracks, farms) = (find(view, 'B', true), find(view, 'F', true));
    let (warriors, threats) = (find(view, 'W', true), find(view, 'W', false));
    let castle = find(view, 'C', true);
    let home = castle[0];
    // If we see no enemy castle, we go to the opposite side.
    let across = Cell {
        x: view.columns - 1 - home.x,
        y: view.rows - 1 - home.y,
    };
    let castles = find(view, 'C', false);
    let goal = castles
        .into_iter()
        .min_by_key(|&at| apart(at, home))
        .unwrap_or(across);
    let buildings = [&castle[..], &barracks, &farms].concat();
    // Only walls and our own buildings block the way: we destroy those of the enemies.
    let closed = [&find(view, '#', false)[..], &buildings].concat();
    let far = distances(view, goal, &closed);
    let mut taken: HashSet<Cell> = view.things.iter().map(|thing| thing.at).collect();
    let mut money = view.money;
    let mut commands = Vec::new();

    // The free neighbour that is nearest to the goal, with its direction.
    let next_step = |at: Cell, taken: &HashSet<Cell>| {
        neighbours(view, at)
            .into_iter()
            .filter(|(_, to)| !taken.contains(to) && far.contains_key(to))
            .min_by_key(|(_, to)| far[to])
    };

    // Warriors in front move first and make room for the next.
    let mut army = warriors.clone();
    army.retain(|at| far.contains_key(at));
    army.sort_by_key(|at| far[at]);
    for at in army {
        let fights = is_near(at, &threats);
        let waits = warriors.len() < ARMY && !is_near(at, &buildings);
        match next_step(at, &taken) {
            Some((what, to)) if far[&to] < far[&at] && !fights && !waits => {
                taken.remove(&at);
                taken.insert(to);
                commands.push(Command {
                    verb: "move",
                    at,
                    what,
                });
            }
            _ => {}
        }
    }
    if farms.len() < FARMS && money >= FARM_COST {
        // The cells around barracks are left free for warriors.
        let doors: HashSet<Cell> = barracks
            .iter()
            .flat_map(|&at| neighbours(view, at))
            .map(|(_, to)| to)
            .collect();
        let site = (0..view.rows)
            .flat_map(|y| (0..view.columns).map(move |x| Cell { x, y }))
            .filter(|at| !taken.contains(at) && !doors.contains(at) && is_near(*at, &buildings))
            .min_by_key(|&at| apart(at, home));
        if let Some(at) = site {
            taken.insert(at);
            money -= FARM_COST;
            commands.push(Command {
                verb: "build",
                at,
                what: 'F',
            });
        }
    }
    for at in barracks {
        match next_step(at, &taken) {
            Some((what, to)) if money >= WARRIOR_COST => {
                taken.insert(to);
                money -= WARRIOR_COST;
                commands.push(Command {
                    verb: "spawn",
                    at,
                    what,
                });
            }
            _ => {}
        }
    }
    commands
}

/// The main loop: answer every view until the match ends.
fn main() {
    for view in protocol::views() {
        if view.turn == 1 {
            // Debug output: "skirmish play --stderr" and replays show it.
            eprintln!("I am player {} of {}", view.me, view.players);
        }
        protocol::answer(&think(&view));
    }
}
