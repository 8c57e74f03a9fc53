// How a bot for Aliens talks to the referee. You need not change this file.
//
// A view is one line of JSON:
//     {"player":"a","state":{"rows":20,"cols":20,
//      "p1":{"food":1,"spawn":21},"p2":{"food":1,"spawn":378,"spawnDisabled":true},
//      "grid":"....a..*....b...","maxTurns":100,"turnsElapsed":0}}
// An answer is a JSON array:
//     [{"from":21,"to":22},{"from":40,"to":60}]
import { createInterface } from "node:readline";

const player = (letter, { food, spawn, spawnDisabled = false }) => ({
  letter,
  energy: food, // for units that will appear at the spawn
  spawn,
  spawnDestroyed: spawnDisabled,
});

/** The views of the match, one after the other. */
export async function* views() {
  for await (const line of createInterface({ input: process.stdin })) {
    const { player: letter, state } = JSON.parse(line);
    const players = [player("a", state.p1), player("b", state.p2)];
    const [me, enemy] = letter === "a" ? players : players.reverse();
    const { rows, cols, grid, turnsElapsed } = state;
    yield { turn: turnsElapsed + 1, rows, cols, grid, me, enemy };
  }
}

/** Sends the answer to the last view. */
export function answer(moves) {
  console.log(JSON.stringify(moves));
}
