// A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
//
//     skirmish play aliens --watch "node starter.js" house:random
//
// Each turn, the bot reads one view, a line of JSON:
//     {"player":"a","state":{"rows":20,"cols":20,"grid":"....a..*....b...", ...}}
// The grid has one character per square, row by row: "." empty, "*" energy, "a", "b" units.
// The answer is a JSON array of moves. Units without a move stay:
//     [{"from":21,"to":22},{"from":40,"to":60}]
"use strict";

// The line to change first: attack when we have this many times as many units as the enemy.
const COURAGE = 2;

// The element with the smallest cost; the first of equals.
const best = (list, cost) => list.reduce((a, b) => (cost(b) < cost(a) ? b : a));

// The moves of this turn. The whole strategy is here.
function think({ player: me, state }) {
  const { rows, cols, grid } = state;
  const enemy = me === "a" ? "b" : "a";
  const enemySpawn = (me === "a" ? state.p2 : state.p1).spawn;
  const row = (square) => Math.floor(square / cols);
  const col = (square) => square % cols;
  const steps = (a, b) => Math.abs(row(a) - row(b)) + Math.abs(col(a) - col(b));
  const squares = (what) => [...grid].flatMap((here, square) => (here === what ? [square] : []));

  function beside(square) {
    const around = [];
    if (row(square) > 0) around.push(square - cols);
    if (row(square) < rows - 1) around.push(square + cols);
    if (col(square) > 0) around.push(square - 1);
    if (col(square) < cols - 1) around.push(square + 1);
    return around;
  }

  const units = squares(me);
  const enemies = squares(enemy);
  const attack = units.length >= COURAGE * enemies.length;
  const goals = attack ? [...enemies, enemySpawn] : squares("*");
  const centre = Math.floor(rows / 2) * cols + Math.floor(cols / 2);
  const taken = new Set(units); // squares of our units; if two meet on a square, both die
  const claimed = new Set(); // energy that one of our units already goes for
  const moves = [];
  for (const unit of units) {
    const wanted = goals.filter((goal) => !claimed.has(goal));
    const goal = wanted.length ? best(wanted, (square) => steps(unit, square)) : centre;
    if (!attack) claimed.add(goal);

    // The cost of a square: distance to the goal, or an enemy too close.
    const cost = (square) => {
      const danger = !attack && enemies.some((e) => steps(square, e) <= 2);
      return steps(square, goal) + (danger ? 1000 : 0);
    };

    // Energy is gathered from an adjacent square; moving onto it destroys it.
    const free = beside(unit).filter((to) => !taken.has(to) && grid[to] !== "*");
    const to = best([unit, ...free], cost);
    if (to !== unit) {
      taken.delete(unit);
      taken.add(to);
      moves.push({ from: unit, to });
    }
  }
  return moves;
}

// The main loop: read a view, print an answer, until the input ends with the match.
let first = true;
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const view = JSON.parse(line);
  // Debug output: "skirmish play --stderr" and replays show standard error.
  if (first) console.error("I am player", view.player);
  first = false;
  console.log(JSON.stringify(think(view)));
});
