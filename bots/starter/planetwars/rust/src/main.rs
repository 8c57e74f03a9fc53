//! A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
//!
//!     skirmish play planetwars --watch . house:random
//!
//! Each turn, think() gets a view:
//!     view.turn          the number of the turn, from 1
//!     view.planets       each has name, x, y, owner (1: you, 2 and more: enemies, 0: nobody),
//!                        ships
//!     view.expeditions   fleets under way: id, origin and destination (names of planets), owner,
//!                        ships, turns_remaining
//! and returns the moves, each a fleet from one of your planets to another planet:
//!     vec![Move { origin: "protos".to_string(), destination: "extos".to_string(), ships: 6 }]
mod json;
mod protocol;

use protocol::{Move, Planet, View};
use std::collections::HashMap;

// The line to change first: how many ships a planet keeps at home, and by how many ships its
// fleets outnumber their targets.
const GARRISON: i64 = 0;
const SPARE: i64 = 1;

/// The travel time in turns.
fn turns(a: &Planet, b: &Planet) -> i64 {
    let (dx, dy) = (a.x - b.x, a.y - b.y);
    ((dx * dx + dy * dy).sqrt().ceil() as i64).max(1)
}

/// The moves of this turn. The whole strategy is here.
fn think(view: &View) -> Vec<Move> {
    let (mine, others): (Vec<&Planet>, Vec<&Planet>) =
        view.planets.iter().partition(|planet| planet.owner == 1);

    let mut ours: HashMap<&str, i64> = HashMap::new(); // our ships under way to each planet
    let mut theirs: HashMap<&str, i64> = HashMap::new(); // and those of the enemies
    for planet in &view.planets {
        ours.insert(&planet.name, 0);
        theirs.insert(&planet.name, 0);
    }
    for expedition in &view.expeditions {
        let side = if expedition.owner == 1 {
            &mut ours
        } else {
            &mut theirs
        };
        *side.entry(&expedition.destination).or_default() += expedition.ships;
    }

    let mut moves = Vec::new();
    for origin in mine {
        // A planet under attack keeps the ships it needs.
        let mut ships = origin.ships - GARRISON - theirs[&*origin.name];
        let mut targets = others.clone();
        targets.sort_by_key(|target| turns(origin, target));
        for target in targets {
            let name = &*target.name;
            // An enemy planet builds a ship per turn until we arrive; a neutral one builds none.
            let built = if target.owner == 0 {
                0
            } else {
                turns(origin, target)
            };
            let needed = target.ships + built + theirs[name] + SPARE - ours[name];
            if needed > 0 && needed <= ships {
                ships -= needed;
                *ours.entry(name).or_default() += needed;
                moves.push(Move {
                    origin: origin.name.clone(),
                    destination: target.name.clone(),
                    ships: needed,
                });
            }
        }
    }
    moves
}

/// The main loop: answer every view until the match ends.
fn main() {
    for view in protocol::views() {
        if view.turn == 1 {
            // Debug output: "skirmish play --stderr" and replays show it.
            eprintln!("planets on this map: {}", view.planets.len());
        }
        protocol::answer(&think(&view));
    }
}
