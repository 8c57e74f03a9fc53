// A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
//
//     skirmish play aliens --watch . house:random
//
// Each turn, think() gets a view:
//     view.turn              the number of the turn, from 1
//     view.rows, view.cols   the size of the grid; squares are numbered row by row from 0
//     view.grid              a character per square: "." empty, "*" energy, "a" and "b" units
//     view.me, view.enemy    the players: letter, energy, spawn (a square), spawnDestroyed
// and returns the moves, from a square to an adjacent one. Units without a move stay:
//     [{ from: 21, to: 22 }, { from: 40, to: 60 }]
import { answer, views } from "./protocol.js";

// The line to change first: attack when we have this many times as many units as the enemy.
const COURAGE = 2;

// The element with the smallest cost; on a tie, the first one.
const best = (list, cost) => list.reduce((a, b) => (cost(b) < cost(a) ? b : a));

// The moves of this turn. The whole strategy is here.
function think({ rows, cols, grid, me, enemy }) {
  const row = (square) => Math.floor(square / cols);
  const col = (square) => square % cols;
  const steps = (a, b) => Math.abs(row(a) - row(b)) + Math.abs(col(a) - col(b));
  const squares = (what) => [...grid].flatMap((here, square) => (here === what ? [square] : []));

  function neighbours(square) {
    const around = [];
    if (row(square) > 0) around.push(square - cols);
    if (row(square) < rows - 1) around.push(square + cols);
    if (col(square) > 0) around.push(square - 1);
    if (col(square) < cols - 1) around.push(square + 1);
    return around;
  }

  const units = squares(me.letter);
  const enemies = squares(enemy.letter);
  const attack = units.length >= COURAGE * enemies.length;
  const goals = attack ? [...enemies, enemy.spawn] : squares("*");
  const centre = Math.floor(rows / 2) * cols + Math.floor(cols / 2);
  const taken = new Set(units); // squares of our units; if two meet on a square, both die
  const claimed = new Set(); // energy that one of our units is already going for
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
    const free = neighbours(unit).filter((to) => !taken.has(to) && grid[to] !== "*");
    const to = best([unit, ...free], cost);
    if (to !== unit) {
      taken.delete(unit);
      taken.add(to);
      moves.push({ from: unit, to });
    }
  }
  return moves;
}

// The main loop: answer every view until the match ends.
for await (const view of views()) {
  // Debug output: "skirmish play --stderr" and replays show standard error.
  if (view.turn === 1) console.error("I am player", view.me.letter);
  answer(think(view));
}
