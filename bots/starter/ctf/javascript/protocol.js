// How a bot for Capture the flag talks to the referee. You need not change this file.
//
// The input starts with the team's letter, the map and an empty line. Then a view per round:
//     0 0                            our points, theirs
//     Flag 1 5                       where our flag is
//     Soldier X 2 7 8 True No        name, x, y, cooldown, alive, the flag it carries
//     Grenade 10 7 2                 ours: x, y, rounds left
//     EnemyFlag 13 9
//     Enemy L 11 8 True No           name, x, y, alive, flag
//     (an empty line)
// An answer is a line per order and an empty line:
//     X D (10,7)
import { createInterface } from "node:readline";

// The lines up to each empty line, as words.
async function* blocks() {
  let block = [];
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim()) {
      block.push(line.trim().split(/\s+/));
    } else {
      yield block;
      block = [];
    }
  }
}

const square = (x, y) => ({ x: Number(x), y: Number(y) });

function find(map, tile) {
  const y = map.findIndex((row) => row.includes(tile));
  return { x: map[y].indexOf(tile), y };
}

function parse([[points, enemyPoints], ...lines]) {
  const all = (kind) => lines.filter(([first]) => first === kind).map(([, ...words]) => words);
  return {
    points: Number(points),
    enemyPoints: Number(enemyPoints),
    flag: square(...all("Flag")[0]),
    enemyFlag: square(...all("EnemyFlag")[0]),
    soldiers: all("Soldier").map(([name, x, y, cooldown, alive, flag]) => ({
      name,
      at: square(x, y),
      cooldown: Number(cooldown),
      alive: alive === "True",
      carriesFlag: flag !== "No",
    })),
    grenades: all("Grenade").map(([x, y, countdown]) => ({
      at: square(x, y),
      countdown: Number(countdown),
    })),
    enemies: all("Enemy").map(([name, x, y, alive, flag]) => ({
      name,
      at: square(x, y),
      alive: alive === "True",
      carriesFlag: flag !== "No",
    })),
  };
}

/** The views of the match, one after the other. */
export async function* views() {
  let turn = 0;
  let start;
  for await (const block of blocks()) {
    if (start) {
      yield { turn: ++turn, ...start, ...parse(block) };
    } else {
      const [[team], ...rows] = block;
      const map = rows.map(([row]) => row);
      start = { map, base: find(map, team.toLowerCase()), spawn: find(map, team) };
    }
  }
}

/** Sends the answer to the last view. */
export function answer(orders) {
  for (const { name, step, target } of orders)
    console.log(name, step, ...(target ? [`(${target.x},${target.y})`] : []));
  console.log();
}
