// A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
//
//     skirmish play planetwars --watch . house:random
//
// Each turn, think() gets a view:
//     view.turn          the number of the turn, from 1
//     view.planets       each has name, x, y, owner (1: you, 2 and more: enemies, 0: nobody), ships
//     view.expeditions   fleets under way: id, origin and destination (names of planets), owner,
//                        ships, turnsRemaining
// and returns the moves, each a fleet from one of your planets to another planet:
//     [{ origin: "protos", destination: "extos", ships: 6 }]
import { answer, views } from "./protocol.js";

// The lines to change first: how many ships a planet keeps at home, and by how many ships its
// fleets outnumber their targets.
const GARRISON = 0;
const SPARE = 1;

// The travel time in turns.
function turns(a, b) {
  const dx = a.x - b.x;
  const dy = a.y - b.y;
  return Math.max(1, Math.ceil(Math.sqrt(dx * dx + dy * dy)));
}

// The moves of this turn. The whole strategy is here.
function think({ planets, expeditions }) {
  const mine = planets.filter((planet) => planet.owner === 1);
  const others = planets.filter((planet) => planet.owner !== 1);

  const ours = new Map(planets.map((planet) => [planet.name, 0])); // our ships under way there
  const theirs = new Map(ours); // and those of the enemies
  for (const { owner, destination, ships } of expeditions) {
    const side = owner === 1 ? ours : theirs;
    side.set(destination, side.get(destination) + ships);
  }

  const moves = [];
  for (const origin of mine) {
    // A planet under attack keeps the ships it needs.
    let ships = origin.ships - GARRISON - theirs.get(origin.name);
    const nearest = [...others].sort((a, b) => turns(origin, a) - turns(origin, b));
    for (const { name, owner, ...target } of nearest) {
      // An enemy planet builds a ship per turn until we arrive; a neutral one builds none.
      const built = owner === 0 ? 0 : turns(origin, target);
      const needed = target.ships + built + theirs.get(name) + SPARE - ours.get(name);
      if (needed > 0 && needed <= ships) {
        ships -= needed;
        ours.set(name, ours.get(name) + needed);
        moves.push({ origin: origin.name, destination: name, ships: needed });
      }
    }
  }
  return moves;
}

// The main loop: answer every view until the match ends.
for await (const view of views()) {
  // Debug output: "skirmish play --stderr" and replays show standard error.
  if (view.turn === 1) console.error("planets on this map:", view.planets.length);
  answer(think(view));
}
