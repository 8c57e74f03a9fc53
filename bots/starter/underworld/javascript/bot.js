// A starter bot for Underworld: farms first, then warriors, then the nearest castle. Change it!
//
//     skirmish play underworld --map duel --watch . house:random
//
// Each turn, think() gets a view. Cells are numbered row by row from 0, so they are easy to compare
// and keep in sets; view.columns converts them to x and y.
//     view.turn                   the number of the turn, from 1
//     view.columns, view.rows     the size of the board
//     view.players, view.me       how many players there are, and your number, from 0
//     view.money                  what you can spend
//     view.things                 what you see: each has cell, owner, hitpoints and kind ("C"
//                                 castle, "B" barracks, "F" farm, "W" warrior, "#" wall)
// and returns any number of commands:
//     { verb: "build", cell: 1, what: "F" }     a farm or barracks, within distance 2 of your
//                                               buildings
//     { verb: "spawn", cell: 10, what: "E" }    the barracks spawns a warrior to the east
//     { verb: "move", cell: 11, what: "S" }     the warrior moves south; it strikes automatically
import { answer, views } from "./protocol.js";

// The line to change first: how many farms to build, and how many warriors before they attack.
const [FARMS, ARMY] = [3, 4];
const [FARM_COST, WARRIOR_COST] = [1000, 500];
const REACH = 4; // range of warriors and of building: distance 2, squared
const STEPS = { N: [0, -1], S: [0, 1], E: [1, 0], W: [-1, 0] };

const best = (list, cost) => list.reduce((a, b) => (cost(b) < cost(a) ? b : a));

// The squared distance between two cells.
function apart({ columns }, a, b) {
  const dx = (a % columns) - (b % columns);
  const dy = Math.floor(a / columns) - Math.floor(b / columns);
  return dx * dx + dy * dy;
}

// The adjacent cells, each with the letter of its direction.
function neighbours({ columns, rows }, cell) {
  return Object.entries(STEPS)
    .map(([letter, [dx, dy]]) => [letter, (cell % columns) + dx, Math.floor(cell / columns) + dy])
    .filter(([, x, y]) => x >= 0 && x < columns && y >= 0 && y < rows)
    .map(([letter, x, y]) => ({ letter, to: y * columns + x }));
}

// The steps to the goal from every cell that can reach it.
function distances(view, goal, closed) {
  const far = new Map([[goal, 0]]);
  for (const [cell, steps] of far) // also visits entries added in the loop
    for (const { to } of neighbours(view, cell))
      if (!far.has(to) && !closed.has(to)) far.set(to, steps + 1);
  return far;
}

// The commands of this turn. The whole strategy is here.
function think(view) {
  const { columns, rows, me, things } = view;
  let { money } = view;
  const cells = (kind, mine) =>
    things.filter((one) => one.kind === kind && (one.owner === me) === mine).map((one) => one.cell);
  const [castle, barracks, farms, warriors] = [..."CBFW"].map((kind) => cells(kind, true));
  const [home] = castle;
  const castles = cells("C", false);
  if (!castles.length) castles.push(columns * rows - 1 - home); // none visible: go across
  const goal = best(castles, (cell) => apart(view, cell, home));
  const buildings = [...castle, ...barracks, ...farms];
  const threats = cells("W", false);
  // Only walls and our own buildings block the way: we destroy those of the enemies.
  const far = distances(view, goal, new Set([...cells("#", false), ...buildings]));
  const taken = new Set(things.map(({ cell }) => cell));
  const nearHome = (cell) => buildings.some((building) => apart(view, cell, building) <= REACH);
  const commands = [];

  // The free neighbour that is nearest to the goal, with its direction.
  function nextStep(cell) {
    const free = neighbours(view, cell).filter(({ to }) => !taken.has(to) && far.has(to));
    return free.length ? best(free, ({ to }) => far.get(to)) : null;
  }

  // Warriors in front move first and make room for the next.
  const army = warriors.filter((cell) => far.has(cell)).sort((a, b) => far.get(a) - far.get(b));
  for (const cell of army) {
    const fights = threats.some((threat) => apart(view, cell, threat) <= REACH);
    const waits = warriors.length < ARMY && !nearHome(cell);
    const step = nextStep(cell);
    if (!step || far.get(step.to) >= far.get(cell) || fights || waits) continue;
    taken.delete(cell);
    taken.add(step.to);
    commands.push({ verb: "move", cell, what: step.letter });
  }
  if (farms.length < FARMS && money >= FARM_COST) {
    // The cells around barracks are left free for warriors.
    const doors = new Set(barracks.flatMap((cell) => neighbours(view, cell)).map(({ to }) => to));
    const sites = [...Array(columns * rows).keys()].filter(
      (cell) => !taken.has(cell) && !doors.has(cell) && nearHome(cell),
    );
    if (sites.length) {
      const cell = best(sites, (site) => apart(view, site, home));
      taken.add(cell);
      money -= FARM_COST;
      commands.push({ verb: "build", cell, what: "F" });
    }
  }
  for (const cell of barracks) {
    const step = nextStep(cell);
    if (!step || money < WARRIOR_COST) continue;
    taken.add(step.to);
    money -= WARRIOR_COST;
    commands.push({ verb: "spawn", cell, what: step.letter });
  }
  return commands;
}

// The main loop: answer every view until the match ends.
for await (const view of views()) {
  // Debug output: "skirmish play --stderr" and replays show standard error.
  if (view.turn === 1) console.error("I am player", view.me, "of", view.players);
  answer(think(view), view);
}
