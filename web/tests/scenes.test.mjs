// The drawing modules of the games, without a browser: their scenes agree with the states of real
// matches in every turn, and they draw without errors at every size.
//
//   SKIRMISH=build/skirmish node --test web/tests/scenes.test.mjs
//
// The rules are those of the pages: src/rules/rules.wasm (made by web/rules/build).
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { gameData } from './game_data.mjs';
import { distance } from './game_helpers.mjs';
import { code, file, header, newRecording, played, random } from './games_code.mjs';
import { BIG_FIELD, checkScenes, crowd, recorder } from './scene_checks.mjs';

test('Aliens: scenes agree with the states', () => {
  const totals = checkScenes(played('aliens', ['medium', 'random']));
  assert.ok(totals.orders > 50);
  checkScenes(played('aliens', ['medium', 'medium'], { map: 'duel' }));
});

test('Footsoldiers: scenes agree with the states, and soldiers keep their ids', () => {
  for (const map of ['standard', 'lanes', 'quarry'])
    checkScenes(played('footsoldiers', ['medium', 'random'], { map }));
  const totals = checkScenes(
    played('footsoldiers', ['medium', 'medium'], {
      map: 'quarry',
      config: file('{"initial-money": 60, "money-per-turn": 9}'),
    }),
  );
  assert.ok(totals.marks > 0 && totals.orders > 50, JSON.stringify(totals));
  checkScenes(
    played('footsoldiers', ['random', 'random'], {
      config: file(
        '{"initial-money": 500, "money-per-turn": 20, ' +
          '"speed": {"scout": 31, "tank": 0}, "total-turns": 60}',
      ),
    }),
  );
  checkScenes(played('footsoldiers', ['random', 'random'], { config: file('{"total-turns": 1}') }));
  checkScenes(
    played('footsoldiers', ['medium', 'random'], {
      map: file(BIG_FIELD),
      config: file('{"total-turns": 25}'),
    }),
    { every: 9 },
  );
});

test('Footsoldiers: the closest enemies of a crowd are found with few comparisons', () => {
  for (const [left, top] of [
    [0, 28],
    [48, 0],
    [20, 26],
    [-44, 3],
  ]) {
    const { below } = random(7);
    let reads = 0;
    const army = (owner, left, top) =>
      Array.from({ length: 600 }, () => {
        const [x, y] = [left + below(40), top + below(20)];
        const position = { y, get x() { return reads++, x; } }; // prettier-ignore
        return { kind: 'scout', owner, data: { position } };
      });
    const [first, second] = [army(0, 0, 0), army(1, left, top)];
    const box = code.games.footsoldiers.action({
      things: [...first, ...second],
      extra: { strikes: [], fallen: [] },
      frame: { state: {} },
    });
    assert.ok(reads < 60_000, `${reads} places read`); // all pairs are 360,000
    let least = Infinity;
    for (const { data } of first)
      for (const other of second)
        least = Math.min(least, distance(data.position, other.data.position));
    const around = 2 * 4; // squares shown around the two
    assert.equal(box.right - box.left - around + box.bottom - box.top - around, least);
  }
});

test('Capture the flag: scenes agree with the states', () => {
  for (const map of ['standard', 'rooms', 'fort'])
    assert.ok(checkScenes(played('ctf', ['medium', 'random'], { map })).marks > 0);
  checkScenes(played('ctf', ['medium', 'medium']));
  const rulesLine =
    'Rules { nRounds = 60, nSoldiers = 7, pointsKill = -3, pointsCapture = 100, ' +
    'grenadeRange = 1000, grenadeCooldown = 0 }\n';
  checkScenes(played('ctf', ['random', 'random'], { config: file(rulesLine) }));
  checkScenes(
    played('ctf', ['random', 'medium'], {
      config: file(rulesLine.replace('nRounds = 60', 'nRounds = 1') + 'AabB\n'),
    }),
  );
});

test('Underworld: scenes agree with the states, and warriors keep their ids', () => {
  assert.ok(checkScenes(played('underworld', ['medium', 'random'], { map: 'duel' })).marks > 0);
  checkScenes(played('underworld', ['medium', 'random', 'medium', 'random']), { every: 9 });
  checkScenes(
    played('underworld', ['medium', 'medium'], {
      map: 'canyon',
      config: file('{"maxTurns": 200}'),
    }),
    { every: 9 },
  );
  checkScenes(
    played('underworld', Array(8).fill('random'), {
      map: 'ring',
      config: file(
        '{"maxTurns": 150, "money": 20000, "rules": {"warrior": {"range": 5, "damage": 40}}}',
      ),
    }),
    { every: 5 },
  );
  checkScenes(
    played('underworld', Array(12).fill('random'), {
      config: file(JSON.stringify({ ...crowd(12, 22), maxTurns: 1 })),
    }),
  );
});

test('Underworld: the numbers on the board are those of the players, from 1', () => {
  const recording = newRecording(header('underworld', 2));
  const game = code.games.underworld;
  const start = recording.frame(0);
  const [castle] = start.state.objects.filter(({ type }) => type === 'C');
  const objects = ['C', 'B', 'F', 'W'].flatMap((type) =>
    [0, 1].map((owner) => ({ ...castle, type, owner, x: owner, y: 'CBFW'.indexOf(type) })),
  );
  const frame = { ...start, state: { ...start.state, objects } };
  const { context, calls } = recorder();
  game.paint(
    new code.Pen(context, code.LIGHT, 80),
    game.scene(recording.header, frame, null),
    null,
    1,
  );
  assert.deepEqual(calls.texts.sort(), ['1', '1', '1', '1', '2', '2', '2', '2']);
  recording.close();
});

test('Planet Wars: scenes agree with the states, and expeditions fly in a straight line', () => {
  for (const map of ['hex', 'drift', 'shoal'])
    assert.ok(
      checkScenes(
        played('planetwars', ['medium', 'random'], { map, config: file('{"max_turns": 200}') }),
        { every: 9 },
      ).marks > 0,
    );
  checkScenes(
    played('planetwars', ['medium', 'random', 'medium', 'random'], {
      map: 'gyre',
      config: file('{"max_turns": 120}'),
    }),
    { every: 9 },
  );
  checkScenes(
    played('planetwars', Array(9).fill('random'), { config: file('{"max_turns": 40}') }),
    {
      every: 9,
    },
  );
  const places = [
    [0, 0, 9, 1],
    [0, 0, 3],
    [0.2, 0, 8, 2],
    [-1e6, 1e6, 1e12],
    [1e6, -1e6, 0],
  ];
  checkScenes(
    played('planetwars', ['random', 'random'], {
      config: file(
        JSON.stringify({
          max_turns: 60,
          planets: places.map(([x, y, ship_count, owner], i) => ({
            name: `"<b>${i}\u{1f680}`,
            x,
            y,
            ship_count,
            ...(owner ? { owner } : {}),
          })),
        }),
      ),
    }),
  );
  checkScenes(
    played('planetwars', ['random', 'random'], {
      config: file(
        JSON.stringify({
          max_turns: 1,
          planets: [
            { name: 'a', x: 5, y: 5, ship_count: 3, owner: 1 },
            { name: 'b', x: 5, y: 5, ship_count: 3, owner: 2 },
          ],
        }),
      ),
    }),
  );
});

test('Every game is drawn before its first turn and after a failure of both players', () => {
  for (const [game, { badAnswer: bad = 'nonsense' }] of Object.entries(gameData)) {
    checkScenes(newRecording(header(game, 2)));
    const recording = newRecording(header(game, 2));
    recording.play([
      { kind: 'answer', answer: bad },
      { kind: 'answer', answer: bad },
    ]);
    assert.equal(recording.length, 1);
    checkScenes(recording, { every: 1 });
  }
  // When a player is disqualified, no soldier moves, and soldiers on their way keep their ids.
  const recording = newRecording(header('footsoldiers', 2, { config: { 'initial-money': 30 } }));
  for (const y of [2, 3, 4])
    recording.play([
      { kind: 'answer', answer: `Build Scout (5, ${y}) (65, 3) Right` },
      { kind: 'answer', answer: 'No-op' },
    ]);
  recording.play([
    { kind: 'answer', answer: 'No-op' },
    { kind: 'given up', answer: '' },
  ]);
  assert.ok(recording.standing.over);
  assert.equal(recording.frame(4).state.map.filter((entry) => entry.type === 'Scout').length, 3);
  checkScenes(recording, { every: 1 });
});
