//! A starter bot for Capture the flag: some fetch the flag, others guard. Change it!
//!
//!     skirmish play ctf --watch . house:random
//!
//! Each round, think() gets a view. A Square has x and y:
//!     view.turn                         the number of the round, from 1
//!     view.map                          the rows of the map; b'#' is an obstacle
//!     view.base, view.spawn             where your flag belongs, and where your soldiers start
//!     view.points, view.enemy_points    the score
//!     view.flag, view.enemy_flag        where the flags are now
//!     view.soldiers                     yours: name, at, cooldown, alive, carries_flag
//!     view.grenades                     yours: at, countdown (enemy grenades are hidden)
//!     view.enemies                      name, at, alive, carries_flag
//! and returns orders: a step (U, D, L, R, or S to stay) and perhaps a square to throw at:
//!     vec![Order { name: "X".to_string(), step: 'D', target: Some(Square { x: 10, y: 7 }) }]
mod protocol;

use protocol::{Order, Square, View};
use std::collections::{HashMap, VecDeque};

// The line to change first: how many soldiers stay at our flag. The others fetch the enemy's.
const GUARDS: usize = 1;
const RANGE: u32 = 10; // the default range of grenades
const STEPS: [(char, i32, i32); 5] = [
    ('S', 0, 0),
    ('U', 0, -1),
    ('D', 0, 1),
    ('L', -1, 0),
    ('R', 1, 0),
];
const UNREACHABLE: u32 = 9999;

fn apart(a: Square, b: Square) -> u32 {
    a.x.abs_diff(b.x) + a.y.abs_diff(b.y)
}

fn is_open(view: &View, at: Square) -> bool {
    let row = usize::try_from(at.y).ok().and_then(|y| view.map.get(y));
    let tile = row.and_then(|row| usize::try_from(at.x).ok().and_then(|x| row.get(x)));
    tile.map_or(false, |&tile| tile != b'#')
}

/// The steps to the goal from every square that can reach it.
fn distances(view: &View, goal: Square) -> HashMap<Square, u32> {
    let mut far = HashMap::from([(goal, 0)]);
    let mut queue = VecDeque::from([goal]);
    while let Some(at) = queue.pop_front() {
        let steps = far[&at] + 1;
        for (_, dx, dy) in STEPS {
            let to = Square {
                x: at.x + dx,
                y: at.y + dy,
            };
            if is_open(view, to) && !far.contains_key(&to) {
                far.insert(to, steps);
                queue.push_back(to);
            }
        }
    }
    far
}

/// The orders of this round. The whole strategy is here.
fn think(view: &View) -> Vec<Order> {
    let blasts: Vec<Square> = view
        .grenades
        .iter()
        .filter(|grenade| grenade.countdown == 1)
        .map(|g| g.at)
        .collect();
    let to_base = distances(view, view.base);
    let to_flag = distances(view, view.flag);
    let to_enemy_flag = distances(view, view.enemy_flag);
    let mut orders = Vec::new();
    for (number, soldier) in view.soldiers.iter().enumerate() {
        let at = if soldier.alive {
            soldier.at
        } else {
            view.spawn
        }; // the dead respawn first
        let far = if at != view.base && (soldier.carries_flag || at == view.enemy_flag) {
            &to_base // on the base, the next order captures the flag
        } else if number < GUARDS {
            &to_flag
        } else {
            &to_enemy_flag
        };
        let (mut best, mut step) = (UNREACHABLE, 'S');
        for (letter, dx, dy) in STEPS {
            let to = Square {
                x: at.x + dx,
                y: at.y + dy,
            };
            let mut steps = far.get(&to).copied().unwrap_or(UNREACHABLE);
            if blasts
                .iter()
                .any(|b| to.x.abs_diff(b.x) <= 1 && to.y.abs_diff(b.y) <= 1)
            {
                steps += 1000; // our own grenades kill us too
            }
            if steps < best {
                (best, step) = (steps, letter);
            }
        }
        // A grenade kills everyone in the 3 x 3 squares around it, three rounds later.
        let mut target = None;
        if soldier.alive && soldier.cooldown == 0 {
            target = view
                .enemies
                .iter()
                .filter(|enemy| enemy.alive)
                .map(|enemy| enemy.at)
                .filter(|&enemy| apart(enemy, at) > 3 && apart(enemy, at) <= RANGE)
                .min_by_key(|&enemy| apart(enemy, at));
        }
        orders.push(Order {
            name: soldier.name.clone(),
            step,
            target,
        });
    }
    orders
}

/// The main loop: answer every view until the match ends.
fn main() {
    for view in protocol::views() {
        if view.turn == 1 {
            // Debug output: "skirmish play --stderr" and replays show it.
            eprintln!("I have {} soldiers", view.soldiers.len());
        }
        protocol::answer(&think(&view));
    }
}
