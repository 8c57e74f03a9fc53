// A starter bot for Footsoldiers: it builds soldiers and guides them to the enemy. Change it!
//
//     skirmish play footsoldiers --watch . house:random
//
// Each turn, think() gets a view. Squares are { x, y }:
//     view.turn, view.turnsRemaining    this turn, from 1; turns to play, including this one
//     view.me, view.enemy               the players: team ("player1"), money, base, health
//     view.map                          everything on the field, each with type, at, team;
//                                       type is "Base", "Rock", "Scout", "Assassin" or "Tank";
//                                       soldiers also have health, destination, direction
// and returns one command:
//     build("Scout", { x: 2, y: 3 }, { x: 65, y: 3 }, "Right")    place, destination, direction
//     move({ x: 6, y: 1 }, { x: 9, y: 5 })     where the soldier is, its new destination
//     turn({ x: 6, y: 1 }, "Left")             where the soldier is, its new attack direction
//     NO_OP
import { answer, build, move, NO_OP, views } from "./protocol.js";

// The line to change first: what to build, in this order, over and over.
const PLAN = ["Scout", "Assassin", "Scout"];
const COST = { Scout: 10, Assassin: 11, Tank: 12 };
const NEAR = 5; // maximum distance from the base to build
const UNREACHABLE = 9999;

const far = new Map(); // steps to the enemy's base from every square; computed in the first turn
let built = 0;

const key = ({ x, y }) => `${x},${y}`;
const apart = (a, b) => Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
const around = ({ x, y }) => [{ x: x + 1, y }, { x, y: y + 1 }, { x, y: y - 1 }, { x: x - 1, y }];
const stepsFrom = (square) => far.get(key(square))?.steps ?? UNREACHABLE;
// The square with the smallest number of steps to go; on a tie, the first one.
const nearest = (squares) => squares.reduce((a, b) => (stepsFrom(b) < stepsFrom(a) ? b : a));

// Fills `far`: from the enemy's base outwards, around the rocks, also one square off the map.
function measure({ map, enemy }) {
  const rocks = new Set(map.filter(({ type }) => type === "Rock").map(({ at }) => key(at)));
  const width = 2 + Math.max(...map.map(({ at }) => at.x));
  const height = 2 + Math.max(...map.map(({ at }) => at.y));
  far.set(key(enemy.base), { square: enemy.base, steps: 0 });
  for (const { square, steps } of far.values()) // also visits entries added in the loop
    for (const to of around(square)) {
      const inside = to.x >= 0 && to.x < width && to.y >= 0 && to.y < height;
      if (inside && !far.has(key(to)) && !rocks.has(key(to)))
        far.set(key(to), { square: to, steps: steps + 1 });
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
  const { me, enemy, map } = view;
  if (!far.size) measure(view);
  const kind = PLAN[built % PLAN.length];
  if (me.money >= COST[kind]) {
    const taken = new Set(map.map(({ at }) => key(at)));
    const free = [];
    for (let x = me.base.x - NEAR; x <= me.base.x + NEAR; x++)
      for (let y = me.base.y - NEAR; y <= me.base.y + NEAR; y++)
        if (apart({ x, y }, me.base) <= NEAR && far.has(key({ x, y })) && !taken.has(key({ x, y })))
          free.push({ x, y });
    if (free.length) {
      built++;
      const at = nearest(free);
      return build(kind, at, waypoint(at), me.base.x < enemy.base.x ? "Right" : "Left");
    }
  }
  for (const { at, destination, team } of map) {
    // Nothing to build: guide a soldier that has arrived.
    if (!destination || team !== me.team || !far.has(key(at))) continue;
    const to = waypoint(at);
    if (apart(at, destination) === 0 && apart(at, to) > 0) return move(at, to);
  }
  return NO_OP;
}

// The main loop: answer every view until the match ends.
for await (const view of views()) {
  // Debug output: "skirmish play --stderr" and replays show standard error.
  if (view.turn === 1) console.error("building", ...PLAN);
  answer(think(view));
}
