// A starter bot for Gems: it goes to the gem with the most points per step. Change it!
//
//     skirmish play gems --watch "node starter.js" house:random
//
// A view is one line of JSON. "you" is your place in "players"; in "grid" a digit is a gem, and how
// many points it is worth:
//     {"you":1,"turn":0,"maxTurns":100,
//      "players":[{"row":0,"col":0,"points":0,"playing":true}, ...],
//      "grid":["...2",
//              "....",
//              "..1.",
//              "...."]}
// The answer is one word: up, down, left, right or stay.
"use strict";

// The line to change first: how much a point is worth compared with a step.
const GREED = 4;

// The move of this turn. The whole strategy is here.
function think(view) {
  const me = view.players[view.you];
  let best = -Infinity;
  let goal = me;
  view.grid.forEach((line, row) => {
    [...line].forEach((square, col) => {
      if (square === ".") return;
      const steps = Math.abs(row - me.row) + Math.abs(col - me.col);
      const worth = GREED * Number(square) - steps;
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

// The conversation with the referee: a view in, an answer out, until the match ends.
let first = true;
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const view = JSON.parse(line);
  // Debug output: "skirmish play --stderr" and replays show standard error.
  if (first) console.error("players:", view.players.length);
  first = false;
  console.log(think(view));
});
