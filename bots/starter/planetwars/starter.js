// A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
//
//     skirmish play planetwars --watch "node starter.js" house:random
//
// A view is one line of JSON. You are always player 1 in it, and neutral planets have
// the owner null:
//     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
//      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
//                      "owner":2,"turns_remaining":11}, ...]}
// The answer is also one line of JSON. Without moves: {"moves":[]}
//     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
"use strict";

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
  for (const { owner, destination, ship_count } of expeditions) {
    const side = owner === 1 ? ours : theirs;
    side.set(destination, side.get(destination) + ship_count);
  }

  const moves = [];
  for (const origin of mine) {
    // A planet under attack keeps the ships it needs.
    let ships = origin.ship_count - GARRISON - theirs.get(origin.name);
    const nearest = [...others].sort((a, b) => turns(origin, a) - turns(origin, b));
    for (const target of nearest) {
      // An enemy planet builds a ship per turn until we arrive; a neutral one builds none.
      const built = target.owner === null ? 0 : turns(origin, target);
      const there = target.ship_count + built + theirs.get(target.name);
      const needed = there + SPARE - ours.get(target.name);
      if (needed > 0 && needed <= ships) {
        ships -= needed;
        ours.set(target.name, ours.get(target.name) + needed);
        moves.push({ origin: origin.name, destination: target.name, ship_count: needed });
      }
    }
  }
  return moves;
}

// The main loop: read a view, print an answer, until the input ends with the match.
let first = true;
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const view = JSON.parse(line);
  // Debug output: "skirmish play --stderr" and replays show standard error.
  if (first) console.error("planets on this map:", view.planets.length);
  first = false;
  console.log(JSON.stringify({ moves: think(view) }));
});
