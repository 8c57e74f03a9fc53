// A starter bot for Capture the flag: some fetch the flag, others guard. Change it!
//
//     skirmish play ctf --watch . house:random
//
// Each round, think() gets a view. Squares are { x, y }:
//     view.turn                        the number of the round, from 1
//     view.map                         the rows of the map; "#" is an obstacle
//     view.base, view.spawn            where your flag belongs, and where your soldiers start
//     view.points, view.enemyPoints    the score
//     view.flag, view.enemyFlag        where the flags are now
//     view.soldiers                    yours: name, at, cooldown, alive, carriesFlag
//     view.grenades                    yours: at, countdown (enemy grenades are hidden)
//     view.enemies                     name, at, alive, carriesFlag
// and returns orders: a step (U, D, L, R, or S to stay) and perhaps a square to throw at:
//     [{ name: "X", step: "D", target: { x: 10, y: 7 } }, { name: "Y", step: "S" }]
import { answer, views } from "./protocol.js";

// The line to change first: how many soldiers stay at our flag. The others fetch the enemy's.
const GUARDS = 1;
const RANGE = 10; // the default range of grenades
const STEPS = { S: [0, 0], U: [0, -1], D: [0, 1], L: [-1, 0], R: [1, 0] };
const UNREACHABLE = 9999;

const key = ({ x, y }) => `${x},${y}`;
const same = (a, b) => a.x === b.x && a.y === b.y;
const apart = (a, b) => Math.abs(a.x - b.x) + Math.abs(a.y - b.y);

// The steps to the goal from every square that can reach it.
function distances(map, goal) {
  const far = new Map([[key(goal), 0]]);
  const queue = [goal];
  for (const { x, y } of queue)
    for (const [dx, dy] of Object.values(STEPS)) {
      const to = { x: x + dx, y: y + dy };
      const tile = map[to.y]?.[to.x] ?? "#";
      if (tile === "#" || far.has(key(to))) continue;
      far.set(key(to), far.get(key({ x, y })) + 1);
      queue.push(to);
    }
  return far;
}

// The orders of this round. The whole strategy is here.
function think(view) {
  const { map, base, spawn, flag, enemyFlag, soldiers, grenades } = view;
  const enemies = view.enemies.filter(({ alive }) => alive).map(({ at }) => at);
  const blasts = grenades.filter(({ countdown }) => countdown === 1).map(({ at }) => at);
  const [toBase, toFlag, toPrize] = [base, flag, enemyFlag].map((goal) => distances(map, goal));
  return soldiers.map(({ name, at: place, cooldown, alive, carriesFlag }, number) => {
    const at = alive ? place : spawn; // the dead respawn first
    let far = number < GUARDS ? toFlag : toPrize;
    // On the base, the next order captures the flag.
    if (!same(at, base) && (carriesFlag || same(at, enemyFlag))) far = toBase;
    let best = UNREACHABLE;
    let step = "S";
    for (const [letter, [dx, dy]] of Object.entries(STEPS)) {
      const to = { x: at.x + dx, y: at.y + dy };
      // Our own grenades kill us too.
      const hit = blasts.some((b) => Math.abs(to.x - b.x) <= 1 && Math.abs(to.y - b.y) <= 1);
      const steps = (far.get(key(to)) ?? UNREACHABLE) + (hit ? 1000 : 0);
      if (steps < best) [best, step] = [steps, letter];
    }
    // A grenade kills everyone in the 3 x 3 squares around it, three rounds later.
    const targets = enemies.filter((e) => apart(e, at) > 3 && apart(e, at) <= RANGE);
    if (!alive || cooldown > 0 || !targets.length) return { name, step };
    const target = targets.reduce((a, b) => (apart(b, at) < apart(a, at) ? b : a));
    return { name, step, target };
  });
}

// The main loop: answer every view until the match ends.
for await (const view of views()) {
  // Debug output: "skirmish play --stderr" and replays show standard error.
  if (view.turn === 1) console.error("I have", view.soldiers.length, "soldiers");
  answer(think(view));
}
