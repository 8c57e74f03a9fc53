// A starter bot for Underworld: farms first, then warriors, then the nearest castle. Change it!
//
//     skirmish play underworld --map duel --watch "node starter.js" house:random
//
// The referee sends "Who are you?" and the bot must answer "crayfish". Then, once, comes a line
//     10 10 2 0                 columns, rows, players, your number
// and then a view in every turn:
//     money 3000
//     0 0 0 C 10000             x, y, owner, kind, hitpoints
//     0 1 0 B 1500              C castle, B barracks, F farm, W warrior, # wall
//     end
// The answer is any number of commands, followed by "end":
//     build 1 0 F               a farm or barracks, within distance 2 of your buildings
//     spawn 0 1 E               the barracks at (0, 1) spawns a warrior to the east
//     move 1 1 S                the warrior at (1, 1) moves south; it strikes automatically
"use strict";

// The line to change first: how many farms to build, and how many warriors before they attack.
const [FARMS, ARMY] = [3, 4];
const [FARM_COST, WARRIOR_COST] = [1000, 500];
const REACH = 4; // range of warriors and of building: distance 2, squared
const STEPS = { N: [0, -1], S: [0, 1], E: [1, 0], W: [-1, 0] };

let size; // columns and rows
let me;

// Cells are numbered row by row, which makes them easy to compare and keep in sets.
const column = (cell) => cell % size[0];
const row = (cell) => Math.floor(cell / size[0]);
const apart = (a, b) => (column(a) - column(b)) ** 2 + (row(a) - row(b)) ** 2; // squared
const best = (list, cost) => list.reduce((a, b) => (cost(b) < cost(a) ? b : a));

// The adjacent cells, each with the letter of its direction.
function beside(cell) {
  return Object.entries(STEPS)
    .map(([letter, [dx, dy]]) => ({ letter, x: column(cell) + dx, y: row(cell) + dy }))
    .filter(({ x, y }) => x >= 0 && x < size[0] && y >= 0 && y < size[1])
    .map(({ letter, x, y }) => ({ letter, to: y * size[0] + x }));
}

// The steps to the goal from every cell that can reach it.
function waysTo(goal, closed) {
  const far = new Map([[goal, 0]]);
  for (const [cell, steps] of far) // also visits entries added in the loop
    for (const { to } of beside(cell))
      if (!far.has(to) && !closed.has(to)) far.set(to, steps + 1);
  return far;
}

// The commands of this turn. The whole strategy is here.
function think(money, things) {
  const all = (test) => things.filter(test).map((thing) => thing.cell);
  const mine = (kind) => all((thing) => thing.owner === me && thing.kind === kind);
  const theirs = (kind) => all((thing) => thing.owner !== me && thing.kind === kind);
  const [home, barracks, farms, warriors] = [mine("C")[0], mine("B"), mine("F"), mine("W")];
  const castles = theirs("C");
  if (!castles.length) castles.push(size[0] * size[1] - 1 - home); // none visible: look across
  const goal = best(castles, (cell) => apart(cell, home));
  const buildings = [...mine("C"), ...barracks, ...farms];
  const far = waysTo(goal, new Set([...theirs("#"), ...buildings])); // we destroy enemy buildings
  const taken = new Set(things.map((thing) => thing.cell));
  const nearHome = (cell) => buildings.some((building) => apart(cell, building) <= REACH);
  const say = (verb, cell, what) => commands.push(`${verb} ${column(cell)} ${row(cell)} ${what}`);
  const commands = [];

  // The free neighbour that is nearest to the goal, with its direction.
  function nextStep(cell) {
    const free = beside(cell).filter(({ to }) => !taken.has(to) && far.has(to));
    return free.length ? best(free, ({ to }) => far.get(to)) : null;
  }

  // Warriors in front move first and make room for the next.
  const army = warriors.filter((cell) => far.has(cell)).sort((a, b) => far.get(a) - far.get(b));
  for (const cell of army) {
    const fights = theirs("W").some((threat) => apart(cell, threat) <= REACH);
    const waits = warriors.length < ARMY && !nearHome(cell);
    const step = nextStep(cell);
    if (!step || far.get(step.to) >= far.get(cell) || fights || waits) continue;
    taken.delete(cell);
    taken.add(step.to);
    say("move", cell, step.letter);
  }
  if (farms.length < FARMS && money >= FARM_COST) {
    const doors = new Set(barracks.flatMap(beside).map(({ to }) => to)); // left free for warriors
    const cells = [...Array(size[0] * size[1]).keys()].filter(
      (cell) => !taken.has(cell) && !doors.has(cell) && nearHome(cell));
    if (cells.length) {
      const cell = best(cells, (candidate) => apart(candidate, home));
      taken.add(cell);
      money -= FARM_COST;
      say("build", cell, "F");
    }
  }
  for (const cell of barracks) {
    const step = nextStep(cell);
    if (!step || money < WARRIOR_COST) continue;
    taken.add(step.to);
    money -= WARRIOR_COST;
    say("spawn", cell, step.letter);
  }
  return commands;
}

// The main loop: read a view, print an answer, until the input ends with the match.
let money = 0;
let things = [];
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const words = line.split(" ");
  if (words[0] === "Who") console.log("crayfish");
  else if (words[0] === "gg") process.exit();
  else if (words[0] === "money") [money, things] = [+words[1], []];
  else if (words[0] === "end") console.log([...think(money, things), "end"].join("\n"));
  else if (words.length === 5)
    things.push({ cell: +words[1] * size[0] + +words[0], owner: +words[2], kind: words[3] });
  else {
    [size, me] = [[+words[0], +words[1]], +words[3]];
    // Debug output: "skirmish play --stderr" and replays show standard error.
    console.error("I am player", me, "of", +words[2]);
  }
});
