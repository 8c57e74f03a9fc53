// An Aliens bot that never prints a newline: every unit takes a random step. JSON in, JSON out.
"use strict";
let text = "";
let chance = 1;
const below = (bound) => (chance = (chance * 48271) % 2147483647) % bound;
process.stdin.setEncoding("utf8");
process.stdin.on("data", (part) => {
  text += part;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
    const view = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    const { grid, cols } = view.state;
    const moves = [];
    for (let i = 0; i < grid.length; i++)
      if (grid[i] === view.player)
        moves.push({ from: i, to: i + [1, -1, cols, -cols][below(4)] });
    process.stdout.write(JSON.stringify(moves));
  }
});
process.stdin.on("end", () => process.exit(0));
