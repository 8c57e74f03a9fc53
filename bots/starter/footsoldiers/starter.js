// A starter bot for Footsoldiers: it builds soldiers and guides them to the enemy. Change it!
//
//     skirmish play footsoldiers --watch "node starter.js" house:random
//
// The bot prints "Ready". Then each view is one line of JSON:
//     {"you":"player1","turns-remaining":99,
//      "map":[{"type":"Base","position":{"x":1,"y":3},"team":"player1"},
//             {"type":"Rock","position":{"x":4,"y":0}},
//             {"type":"Scout","position":{"x":6,"y":1},"health":9,"team":"player1",
//              "destination":{"x":9,"y":1},"attack-direction":"Right"}, ...],
//      "player1":{"team":"player1","money":13,"base":{"x":1,"y":3},"health":40},"player2":{...}}
// and the answer is one line with one command:
//     Build Scout (2, 3) (65, 3) Right        place, destination, attack direction
//     Move (6, 1) to (9, 5)                   soldier, new destination
//     No-op
"use strict";

// The line to change first: what to build, in this order, over and over.
const PLAN = ["Scout", "Assassin", "Scout"];
const COST = { Scout: 10, Assassin: 11, Tank: 12 };
const NEAR = 5; // maximum distance from the base to build
const far = new Map(); // steps to the enemy's base from every square; computed in the first turn
let built = 0;

const name = ({ x, y }) => `(${x}, ${y})`; // as written in commands
const apart = (a, b) => Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
const around = ({ x, y }) => [{ x: x + 1, y }, { x, y: y + 1 }, { x, y: y - 1 }, { x: x - 1, y }];
const stepsFrom = (square) => far.get(name(square))?.steps ?? 9999;
// The square with the smallest number of steps to go; the first of equals.
const nearest = (squares) => squares.reduce((a, b) => (stepsFrom(b) < stepsFrom(a) ? b : a));

// Fills `far`: from the goal outwards, around the rocks, also one square off the map.
function measure(view, goal) {
  const rock = (entry) => entry.type === "Rock";
  const rocks = new Set(view.map.filter(rock).map((entry) => name(entry.position)));
  const width = 2 + Math.max(...view.map.map((entry) => entry.position.x));
  const height = 2 + Math.max(...view.map.map((entry) => entry.position.y));
  far.set(name(goal), { square: goal, steps: 0 });
  for (const { square, steps } of far.values()) // also visits entries added in the loop
    for (const to of around(square)) {
      const inside = to.x >= 0 && to.x < width && to.y >= 0 && to.y < height;
      if (inside && !far.has(name(to)) && !rocks.has(name(to)))
        far.set(name(to), { square: to, steps: steps + 1 });
    }
}

// How far a soldier can go without a detour: it gets stuck behind rocks.
function waypoint(start) {
  let here = start;
  for (let steps = 0; stepsFrom(here) > 0; steps++) {
    const to = nearest(around(here));
    if (apart(to, start) <= steps) break;
    here = to;
  }
  return here;
}

// The command of this turn. The whole strategy is here.
function think(view) {
  const me = view[view.you];
  const enemy = view[view.you === "player1" ? "player2" : "player1"];
  if (!far.size) measure(view, enemy.base);
  const kind = PLAN[built % PLAN.length];
  if (me.money >= COST[kind]) {
    const taken = new Set(view.map.map((entry) => name(entry.position)));
    let free = [];
    for (let x = me.base.x - NEAR; x <= me.base.x + NEAR; x++)
      for (let y = me.base.y - NEAR; y <= me.base.y + NEAR; y++)
        if (apart({ x, y }, me.base) <= NEAR && stepsFrom({ x, y }) < 9999) free.push({ x, y });
    free = free.filter((square) => !taken.has(name(square)));
    if (free.length) {
      built++;
      const at = nearest(free);
      const look = me.base.x < enemy.base.x ? "Right" : "Left";
      return `Build ${kind} ${name(at)} ${name(waypoint(at))} ${look}`;
    }
  }
  for (const { position, destination, team } of view.map) {
    // Nothing to build: guide a soldier that has arrived.
    if (!destination || team !== view.you || !far.has(name(position))) continue;
    const to = waypoint(position);
    if (apart(position, destination) === 0 && apart(position, to) > 0)
      return `Move ${name(position)} to ${name(to)}`;
  }
  return "No-op";
}

// The main loop: read a view, print an answer, until the input ends with the match.
// Debug output: "skirmish play --stderr" and replays show standard error.
console.error("building", ...PLAN);
console.log("Ready");
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  console.log(think(JSON.parse(line)));
});
