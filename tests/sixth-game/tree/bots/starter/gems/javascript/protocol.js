// How a bot for Gems talks to the referee. You need not change this file.
//
// A view is one line of JSON:
//     {"you":1,"turn":0,"maxTurns":100,
//      "players":[{"row":0,"col":0,"points":0,"playing":true}, ...],
//      "grid":["...2","....","..1.","...."]}
// An answer is one word in a line.
import { createInterface } from "node:readline";

/** The views of the match, one after the other. */
export async function* views() {
  for await (const line of createInterface({ input: process.stdin })) {
    const { you, turn, players, grid } = JSON.parse(line);
    yield { turn: turn + 1, me: you, players, grid };
  }
}

/** Sends the answer to the last view. */
export function answer(word) {
  console.log(word);
}
