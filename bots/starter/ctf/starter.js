// A starter bot for Capture the flag: some fetch the flag, others guard. Change it!
//
//     skirmish play ctf --watch "node starter.js" house:random
//
// The input starts with the team's letter, the map and an empty line. Then a view per round:
//     0 0                            our points, theirs
//     Flag 1 5                       where our flag is
//     Soldier X 2 7 8 True No        name, x, y, cooldown, alive, the flag it carries
//     Grenade 10 7 2                 ours: x, y, rounds left (enemy grenades are hidden)
//     EnemyFlag 13 9
//     Enemy L 11 8 True No           name, x, y, alive, flag
//     (an empty line)
// The answer is a line per soldier, optionally with a square to throw at, and an empty line:
//     X D (10,7)                     U, D, L, R: a step; S: stay
"use strict";

// The line to change first: how many soldiers stay at our flag. The others fetch the enemy's.
const GUARDS = 1;
const RANGE = 10; // of grenades, by default
const STEPS = { S: [0, 0], U: [0, -1], D: [0, 1], L: [-1, 0], R: [1, 0] };

let rows = []; // the map
let base; // our base: [x, y]
let spawn;

const same = (a, b) => a[0] === b[0] && a[1] === b[1];
const apart = (a, b) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]);
const open = ([x, y]) => rows[y]?.[x] !== undefined && rows[y][x] !== "#";

function find(tile) {
  const y = rows.findIndex((row) => row.includes(tile));
  return [rows[y].indexOf(tile), y];
}

// The steps to the goal from every square that can reach it.
function waysTo(goal) {
  const far = new Map([[String(goal), 0]]);
  const queue = [goal];
  for (const [x, y] of queue)
    for (const [dx, dy] of Object.values(STEPS)) {
      const to = [x + dx, y + dy];
      if (!open(to) || far.has(String(to))) continue;
      far.set(String(to), far.get(String([x, y])) + 1);
      queue.push(to);
    }
  return far;
}

// The orders of this round. The whole strategy is here.
function think(view) {
  const all = (kind) => view.filter((words) => words[0] === kind);
  const [flag] = all("Flag").map((w) => [+w[1], +w[2]]);
  const [prize] = all("EnemyFlag").map((w) => [+w[1], +w[2]]);
  const enemies = all("Enemy").filter((w) => w[4] === "True").map((w) => [+w[2], +w[3]]);
  const blasts = all("Grenade").filter((w) => w[3] === "1").map((w) => [+w[1], +w[2]]);
  const [toBase, toFlag, toPrize] = [base, flag, prize].map(waysTo);
  return all("Soldier").map(([, name, x, y, cooldown, alive, hand], number) => {
    const at = alive === "True" ? [+x, +y] : spawn; // the dead respawn first
    let far = number < GUARDS ? toFlag : toPrize;
    // On the base, the next order captures the flag.
    if (!same(at, base) && (hand !== "No" || same(at, prize))) far = toBase;
    let best = 9999;
    let step = "S";
    for (const [letter, [dx, dy]] of Object.entries(STEPS)) {
      const to = [at[0] + dx, at[1] + dy];
      // Our own grenades kill us too.
      const blast = blasts.some((b) => Math.abs(to[0] - b[0]) <= 1 && Math.abs(to[1] - b[1]) <= 1);
      const steps = (far.get(String(to)) ?? 9999) + (blast ? 1000 : 0);
      if (steps < best) [best, step] = [steps, letter];
    }
    // A grenade kills everyone in the 3 x 3 squares around it, three rounds later.
    const targets = enemies.filter((e) => apart(e, at) > 3 && apart(e, at) <= RANGE);
    if (alive !== "True" || cooldown !== "0" || !targets.length) return `${name} ${step}`;
    const target = targets.reduce((a, b) => (apart(b, at) < apart(a, at) ? b : a));
    return `${name} ${step} (${target[0]},${target[1]})`;
  });
}

// The main loop: read lines up to an empty one, print an answer, until the input ends.
let block = [];
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  if (line.trim()) {
    block.push(line.trim().split(/\s+/));
    return;
  }
  if (rows.length) {
    console.log([...think(block), ""].join("\n"));
  } else {
    const [[team], ...map] = block;
    rows = map.map(([row]) => row);
    base = find(team.toLowerCase());
    spawn = find(team);
    // Debug output: "skirmish play --stderr" and replays show standard error.
    console.error("I am team", team);
  }
  block = [];
});
