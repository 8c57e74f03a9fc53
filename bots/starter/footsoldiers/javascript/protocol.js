// How a bot for Footsoldiers talks to the referee. You need not change this file.
//
// The bot prints "Ready". Then each view is one line of JSON:
//     {"you":"player1","turns-remaining":99,
//      "map":[{"type":"Base","position":{"x":1,"y":3},"team":"player1"},
//             {"type":"Rock","position":{"x":4,"y":0}},
//             {"type":"Scout","position":{"x":6,"y":1},"health":9,"team":"player1",
//              "destination":{"x":9,"y":1},"attack-direction":"Right"}, ...],
//      "player1":{"team":"player1","money":13,"base":{"x":1,"y":3},"health":40},"player2":{...}}
// An answer is one line with one command:
//     Build Scout (2, 3) (65, 3) Right
//     Move (6, 1) to (9, 5)
//     Change attack direction (6, 1) to Left
//     No-op
import { createInterface } from "node:readline";

const text = ({ x, y }) => `(${x}, ${y})`;

export const NO_OP = "No-op";
export const build = (kind, at, destination, direction) =>
  `Build ${kind} ${text(at)} ${text(destination)} ${direction}`;
export const move = (soldier, destination) => `Move ${text(soldier)} to ${text(destination)}`;
export const turn = (soldier, direction) =>
  `Change attack direction ${text(soldier)} to ${direction}`;

/** The views of the match, one after the other. */
export async function* views() {
  console.log("Ready");
  let number = 0;
  for await (const line of createInterface({ input: process.stdin })) {
    const { you, player1, player2, map, "turns-remaining": turnsRemaining } = JSON.parse(line);
    const [me, enemy] = you === "player1" ? [player1, player2] : [player2, player1];
    yield {
      turn: ++number,
      turnsRemaining,
      me,
      enemy,
      map: map.map(({ position, "attack-direction": direction, ...rest }) => ({
        ...rest,
        at: position,
        direction,
      })),
    };
  }
}

/** Sends the answer to the last view. */
export function answer(command) {
  console.log(command);
}
