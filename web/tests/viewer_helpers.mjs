// What the tests of the viewer share.
import { until } from './harness.mjs';

// A bot that writes to standard error, gives an invalid order, and is slow in the first turns.
export const chatty = (pause, turns = 100) => `import json, sys, time
turn = 0
for line in sys.stdin:
    turn += 1
    print("thinking about turn", turn, file=sys.stderr, flush=True)
    if turn <= ${turns}:
        time.sleep(${pause})
    print(json.dumps([{"from": 3, "to": 9}]), flush=True)
`;

export const slider = (page) => page.getByRole('slider', { name: 'Turn' });
export const turnIs = (page, turn) =>
  until(
    async () => (await slider(page).getAttribute('aria-valuenow')) === String(turn),
    `turn ${turn}`,
  );

export async function open(page, path) {
  await page.goto(path);
  await slider(page).waitFor();
}
