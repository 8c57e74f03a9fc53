// A starter bot for Gems: it goes to the gem with the most points per step. Change it!
//
//     skirmish play gems --watch . house:random
//
// Each turn, think() gets a view:
//     view.turn       the number of the turn, from 1
//     view.me         your place in view.players
//     view.players    each has row, col, points, playing
//     view.grid       the rows of the board; a digit is a gem, and how many points it is worth
// and returns one word: up, down, left, right or stay.
import { answer, views } from "./protocol.js";

// The line to change first: how much a point is worth compared with a step.
const GREED = 4;

// The move of this turn. The whole strategy is here.
function think({ players, me: number, grid }) {
  const me = players[number];
  let best = -Infinity;
  let goal = me;
  grid.forEach((line, row) => {
    [...line].forEach((square, col) => {
      if (square === ".") return;
      const worth = GREED * Number(square) - Math.abs(row - me.row) - Math.abs(col - me.col);
      if (worth > best) {
        best = worth;
        goal = { row, col };
      }
    });
  });
  if (goal.row !== me.row) return goal.row < me.row ? "up" : "down";
  if (goal.col !== me.col) return goal.col < me.col ? "left" : "right";
  return "stay";
}

// The main loop: a view, an answer, until the match ends.
for await (const view of views()) {
  // Debug output: "skirmish play --stderr" and replays show standard error.
  if (view.turn === 1) console.error("players:", view.players.length);
  answer(think(view));
}
