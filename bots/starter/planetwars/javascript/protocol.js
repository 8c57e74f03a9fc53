// How a bot for Planet Wars talks to the referee. You need not change this file.
//
// A view is one line of JSON. The bot is always player 1; neutral planets have the owner null:
//     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
//      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
//                      "owner":2,"turns_remaining":11}, ...]}
// An answer is also one line of JSON. Without moves: {"moves":[]}
//     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
import { createInterface } from "node:readline";

/** The views of the match, one after the other. */
export async function* views() {
  let turn = 0;
  for await (const line of createInterface({ input: process.stdin })) {
    const { planets, expeditions } = JSON.parse(line);
    yield {
      turn: ++turn,
      planets: planets.map(({ name, x, y, owner, ship_count: ships }) => ({
        name,
        x,
        y,
        owner: owner ?? 0,
        ships,
      })),
      expeditions: expeditions.map(
        ({ ship_count: ships, turns_remaining: turnsRemaining, ...rest }) => ({
          ...rest,
          ships,
          turnsRemaining,
        }),
      ),
    };
  }
}

/** Sends the answer to the last view. */
export function answer(moves) {
  const listed = moves.map(({ ships, ...move }) => ({ ...move, ship_count: ships }));
  console.log(JSON.stringify({ moves: listed }));
}
