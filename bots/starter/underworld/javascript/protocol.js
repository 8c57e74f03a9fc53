// How a bot for Underworld talks to the referee. You need not change this file.
//
// The referee sends "Who are you?" and the bot must answer "crayfish". It then sends one line
//     10 10 2 0                 columns, rows, players, your number
// and then a view in every turn:
//     money 3000
//     0 0 0 C 10000             x, y, owner, kind, hitpoints
//     0 1 0 B 1500
//     end
// After the last turn, it sends the line "gg" instead of a view. An answer is any number of
// commands, followed by "end":
//     build 1 0 F
//     spawn 0 1 E
//     move 1 1 S
import { createInterface } from "node:readline";

/** The views of the match, one after the other. */
export async function* views() {
  let [turn, money, things] = [0, 0, []];
  let [columns, rows, players, me] = [];
  for await (const line of createInterface({ input: process.stdin })) {
    const words = line.trim().split(" ");
    if (words[0] === "Who") {
      console.log("crayfish");
    } else if (words[0] === "gg") {
      return;
    } else if (words[0] === "money") {
      [turn, money, things] = [turn + 1, Number(words[1]), []];
    } else if (words[0] === "end") {
      yield { turn, columns, rows, players, me, money, things };
    } else if (words.length === 4) {
      [columns, rows, players, me] = words.map(Number);
    } else {
      const [x, y, owner, kind, hitpoints] = words;
      things.push({
        cell: Number(y) * columns + Number(x),
        owner: Number(owner),
        kind,
        hitpoints: Number(hitpoints),
      });
    }
  }
}

/** Sends the answer to a view. */
export function answer(commands, { columns }) {
  for (const { verb, cell, what } of commands)
    console.log(verb, cell % columns, Math.floor(cell / columns), what);
  console.log("end");
}
