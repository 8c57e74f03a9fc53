// Playing in person, without a browser: the rules accept every order that the drawing module of a
// game offers, and a person sees no more than a bot.
//
//   SKIRMISH=build/skirmish node --test web/tests/games.test.mjs
//
// SEED=N repeats the matches in person with the seed that a failure printed. The rules are those of
// the pages: src/rules/rules.wasm (made by web/rules/build).
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { gameData, gameNames } from './game_data.mjs';
import { code, file, header, newRecording, played, random } from './games_code.mjs';
import { BIG_FIELD, checkScenes, crowd, recorder } from './scene_checks.mjs';

/**
 * Fills a draft with random choices and returns the answer. The rules must accept the answer after
 * every choice.
 */
function randomAnswer(recording, game, scene, seat, generator, seed) {
  const { input } = game;
  let draft = input.empty(scene, seat);
  let picked = null;
  let follows = false; // the warrior follows another one that may not move
  const check = (how) => {
    const answer = input.answer(scene, seat, draft);
    const rejected = recording
      .try(seat, answer)
      .refused.filter(
        (why) =>
          !(follows && /: (the cell is occupied|the warrior in front does not move)$/.test(why)),
      );
    assert.deepEqual(
      rejected,
      [],
      `SEED=${seed}: ${recording.header.game}, turn ${scene.frame.turn}, seat ${seat}, ${how}: ` +
        JSON.stringify(answer),
    );
    return answer;
  };
  check('the empty draft');
  for (let acts = generator.below(9); acts > 0; acts--) {
    const selectable = input.selectable(scene, seat);
    for (const id of selectable)
      assert.equal(
        scene.byId.get(id)?.owner,
        seat,
        `SEED=${seed}: a selectable thing belongs to the player`,
      );
    if (!selectable.length) break;
    if (picked === null || generator.below(3) === 0) picked = generator.of(selectable);
    const thing = scene.byId.get(picked);
    const choices = input.choices(scene, seat, draft, thing);
    const labels = choices.map((choice) => choice.label);
    assert.equal(
      new Set(labels).size,
      labels.length,
      `SEED=${seed}: two choices have the same label: ${labels}`,
    );
    const keys = choices.flatMap((choice) => (choice.key ? [choice.key] : []));
    assert.equal(
      new Set(keys).size,
      keys.length,
      `SEED=${seed}: two choices have the same key: ${keys}`,
    );
    const places = choices.flatMap((choice) =>
      choice.at ? [`${choice.at.x},${choice.at.y}`] : [],
    );
    if (recording.header.game !== 'planetwars')
      assert.equal(
        new Set(places).size,
        places.length,
        `SEED=${seed}: two choices have the same place`,
      );
    if (!choices.length) {
      picked = null;
      continue;
    }
    const choice = generator.of(choices);
    const kept = JSON.stringify(draft);
    const { amount } = choice;
    const next = choice.take(
      draft,
      amount ? amount.min + generator.below(amount.max - amount.min + 1) : 0,
    );
    assert.equal(
      JSON.stringify(draft),
      kept,
      `SEED=${seed}: "${choice.label}" changed the draft that it received`,
    );
    draft = next;
    follows ||= / if .* leaves$/.test(choice.label);
    if (choice.selects !== undefined) picked = choice.selects;
    check(`"${choice.label}"`);
    const list = input.list(scene, seat, draft);
    const { context, calls } = recorder();
    input.sketch?.(new code.Pen(context, code.DARK, 20), scene, seat, draft);
    assert.equal(calls.depth, 0);
    for (const { text } of list) assert.ok(text && !/undefined|NaN/.test(text), text);
    if (list.length && generator.below(6) === 0) {
      draft = generator.of(list).without;
      check('an order removed');
    }
  }
  return check('the end');
}

function playInPerson(game, players, options, { turns = 120, silent = false } = {}) {
  const first = Number(process.env.SEED ?? 1);
  for (let seed = first; seed <= (process.env.SEED ? first : 2); seed++) {
    const recording = newRecording(header(game, players, options));
    const module = code.games[game];
    const generator = random(seed);
    let last = null;
    for (let turn = 0; turn < turns && !recording.standing.over; turn++) {
      const frame = recording.frame(recording.length);
      const scene = module.scene(recording.header, frame, last);
      last = scene;
      const asks = recording.standing.asks;
      const nothing = gameData[game].emptyAnswer;
      recording.play(
        asks.map((asked, seat) =>
          !asked
            ? { kind: 'not asked', answer: '' }
            : {
                kind: 'answer',
                answer:
                  silent && seat
                    ? nothing
                    : randomAnswer(recording, module, scene, seat, generator, seed),
              },
        ),
      );
    }
    assert.ok(recording.length > 0);
    checkScenes(recording, { every: 17 });
  }
}

test('A person in Capture the flag sees no more than a bot', () => {
  const recording = newRecording(header('ctf', 2, {}));
  const module = code.games.ctf;
  const generator = random(7);
  let hidden = 0;
  while (!recording.standing.over && recording.length < 60) {
    const frame = recording.frame(recording.length);
    for (const seat of [0, 1]) {
      const { state, events } = module.seen(recording.header, frame, seat);
      const view = recording
        .view(seat)
        .split('\n')
        .map((line) => line.split(' '));
      const lines = (word) =>
        view.filter(([first]) => first === word).map(([, ...rest]) => rest.join(' '));
      assert.deepEqual(
        state.grenades
          .filter(({ countdown }) => countdown)
          .map(({ x, y, countdown }) => `${x} ${y} ${countdown}`),
        lines('Grenade'),
      );
      const own = state.soldiers.filter(({ cooldown }) => cooldown !== null);
      assert.deepEqual(
        own.map(({ name, x, y, cooldown }) => `${name} ${x} ${y} ${cooldown}`),
        lines('Soldier').map((line) => line.split(' ').slice(0, 4).join(' ')),
      );
      for (const event of events)
        if (/ throws /.test(event))
          assert.ok(
            own.some(({ name }) => event.startsWith(name + ' ')),
            event,
          );
      hidden +=
        frame.state.grenades.length - state.grenades.length + frame.events.length - events.length;
    }
    const scene = module.scene(recording.header, frame, null);
    recording.play(
      recording.standing.asks.map((_, seat) => ({
        kind: 'answer',
        answer: randomAnswer(recording, module, scene, seat, generator, 7),
      })),
    );
  }
  assert.ok(hidden > 20, `only ${hidden} things were hidden`);
});

test('A person in Underworld with limited vision sees no more than a bot', () => {
  const config = { money: 30000, rules: { vision: 3, warrior: { cost: 100, damage: 400 } } };
  const recording = newRecording(header('underworld', 2, { config }));
  const module = code.games.underworld;
  const generator = random(11);
  const shown = [null, null]; // each seat's last scene
  let hidden = 0,
    found = 0,
    fallen = 0;
  assert.equal(
    module.seen(newRecording(header('underworld', 2)).header, recording.frame(0), 0).state.objects
      .length,
    recording.frame(0).state.objects.length,
    'without a limit everything is visible',
  );
  while (!recording.standing.over && recording.length < 200) {
    const frame = recording.frame(recording.length);
    for (const seat of [0, 1]) {
      const visible = module.seen(recording.header, frame, seat);
      if (recording.standing.asks[seat]) {
        const view = recording
          .view(seat)
          .split('\n')
          .filter((line) => /^\d+ \d+ -?\d+ . -?\d+$/.test(line));
        assert.deepEqual(
          visible.state.objects
            .map(
              ({ x, y, owner, type, hitpoints }) =>
                `${x} ${y} ${owner} ${type} ${type === '#' ? -1 : hitpoints}`,
            )
            .sort(),
          view.sort(),
          `turn ${frame.turn}, seat ${seat}`,
        );
      }
      assert.deepEqual(
        visible.state.players.map(({ money }) => money === null),
        [seat !== 0, seat !== 1],
      );
      hidden +=
        frame.state.objects.length -
        visible.state.objects.length +
        frame.events.length -
        visible.events.length;
      const scene = module.scene(recording.header, visible, shown[seat]);
      const castle = module.series(scene)[0].values[1 - seat];
      assert.equal(
        castle === null,
        !visible.state.objects.some(({ owner, type }) => type === 'C' && owner !== seat),
      );
      const dark = visible.state.dark.reduce((sum, [, , width, height]) => sum + width * height, 0);
      const own = visible.state.objects.filter(({ owner }) => owner === seat);
      let far = 0;
      for (let y = 0; y < visible.state.sizey; y++)
        for (let x = 0; x < visible.state.sizex; x++)
          far += Number(own.every((one) => (one.x - x) ** 2 + (one.y - y) ** 2 > 9));
      assert.equal(dark, far, 'the dark cells are those out of range of all own things');
      // Only things that the events report as lost are crossed out, and only those that they
      // report as new are highlighted.
      const cells = (word) =>
        new Set(
          visible.events.flatMap((event) =>
            event.includes(word) ? [/\((.*)\)/.exec(event)[1]] : [],
          ),
        );
      for (const { x, y } of scene.extra.fallen)
        assert.ok(cells(' loses ').has(`${x},${y}`), `turn ${frame.turn}: ${x},${y}`);
      for (const id of scene.extra.fresh.keys())
        assert.ok(cells(' a ').has(id.split('-').at(-1)), `turn ${frame.turn}: ${id}`);
      fallen += scene.extra.fallen.length;
      found += scene.things.filter(({ owner }) => owner !== seat).length;
      shown[seat] = scene;
    }
    const whole = module.scene(recording.header, frame, null);
    recording.play(
      recording.standing.asks.map((_, seat) => ({
        kind: 'answer',
        answer: randomAnswer(recording, module, whole, seat, generator, 11),
      })),
    );
  }
  assert.ok(
    hidden > 100 && found > 20 && fallen > 0,
    `${hidden} hidden, ${found} found, ${fallen} fallen`,
  );
});

for (const silent of [true, false]) {
  const against = silent ? 'idle players' : 'other people';
  test(`A person plays Aliens against ${against}`, () => playInPerson('aliens', 2, {}, { silent }));
  test(`A person plays Footsoldiers against ${against}`, () => {
    playInPerson('footsoldiers', 2, {}, { silent });
    playInPerson(
      'footsoldiers',
      2,
      {
        config: { 'initial-money': 200, 'money-per-turn': 30, speed: { tank: 4 } },
        map: '1 X\n\n   X\n X  2',
      },
      { silent },
    );
    playInPerson(
      'footsoldiers',
      2,
      { config: { 'initial-money': 200, 'max-distance-from-base': 1000000 }, map: BIG_FIELD },
      { silent, turns: 6 },
    );
  });
  test(`A person plays Capture the flag against ${against}`, () => {
    playInPerson('ctf', 2, {}, { silent });
    playInPerson(
      'ctf',
      2,
      {
        config:
          'Rules { nRounds = 80, nSoldiers = 7, pointsKill = 1, pointsCapture = 100, ' +
          'grenadeRange = 1000, grenadeCooldown = 1 }\nA..#\n.a..\n..b.\n#..B\n',
      },
      { silent },
    );
  });
  test(`A person plays Underworld against ${against}`, () => {
    playInPerson('underworld', 2, {}, { silent });
    playInPerson(
      'underworld',
      4,
      {
        config: {
          money: 30000,
          rules: { farm: { income: 2000 }, warrior: { range: 3, damage: 250, cost: 100 } },
        },
      },
      { silent, turns: 80 },
    );
    playInPerson(
      'underworld',
      64,
      { config: { ...crowd(64, 30), money: 4000 } },
      { silent, turns: 5 },
    );
  });
  test(`A person plays Planet Wars against ${against}`, () => {
    playInPerson('planetwars', 2, {}, { silent });
    playInPerson('planetwars', 4, {}, { silent, turns: 60 });
    playInPerson('planetwars', 64, {}, { silent, turns: 4 });
  });
}

// ---- all legal orders are offered, and every choice leads to an order ----

/**
 * All answers with one order that can be given with the choices. A choice without an order (aiming,
 * planning a building) must lead to an order.
 */
function answersOffered(game, scene, seat) {
  const { input } = game;
  const nothing = input.answer(scene, seat, input.empty(scene, seat));
  const found = new Set();
  for (const id of input.selectable(scene, seat)) {
    const thing = scene.byId.get(id);
    const follow = (draft, deeper) => {
      let orders = 0;
      for (const choice of input.choices(scene, seat, draft, thing)) {
        for (const amount of choice.amount ? [choice.amount.min, choice.amount.max] : [0]) {
          const next = choice.take(draft, amount);
          const answer = input.answer(scene, seat, next);
          if (answer !== nothing) {
            orders++;
            found.add(answer);
          }
          // In Footsoldiers, the place of a building is chosen after its kind.
          if (
            deeper &&
            (answer === nothing
              ? JSON.stringify(next) !== JSON.stringify(draft)
              : /^Build/.test(choice.label))
          ) {
            const more = follow(next, false);
            if (answer === nothing && !/^(Stay|Spawn nothing)/.test(choice.label))
              assert.ok(
                more > 0,
                `"${choice.label}" of ${id} does not lead to an order in turn ${scene.frame.turn}`,
              );
          }
        }
      }
      return orders;
    };
    follow(input.empty(scene, seat), true);
  }
  return found;
}

/** The kind and place of a build order; the rest is chosen later. */
const kindAndPlace = (answer) => answer.replace(/^(Build \w+ \(\d+, \d+\)).*/s, '$1');

const offeredMatches = gameNames.flatMap((name) =>
  (gameData[name].offeredMatches ?? []).map(({ every, ...options }) => [name, every, options]),
);
for (const [name, every, options] of offeredMatches)
  test(`${name}: offers what the rules accept${options.config ? ' (config)' : ''}`, () => {
    const strongest = gameData[name].bots[0];
    const record = played(name, [strongest, strongest], {
      ...options,
      ...(options.config ? { config: file(options.config) } : {}),
    });
    const recording = newRecording(record.header);
    const game = code.games[name];
    let [accepted, turns] = [0, 0];
    for (
      let turn = 0;
      turn < Math.min(record.length, 10 * every) && !recording.standing.over;
      turn++
    ) {
      if (turn % every === 0)
        for (const seat of [0, 1]) {
          const frame = recording.frame(recording.length);
          const scene = game.scene(recording.header, frame, null);
          const nothing = game.input.answer(scene, seat, game.input.empty(scene, seat));
          const offered = new Set([...answersOffered(game, scene, seat)].map(kindAndPlace));
          turns++;
          for (const answer of new Set(
            gameData[name].possibleAnswers(frame.state, seat, nothing),
          )) {
            if (answer === nothing) continue;
            const { refused: rejected } = recording.try(seat, answer);
            const maybe =
              name === 'underworld' &&
              // The warrior in that cell may leave.
              rejected.every((why) => /^move .*: the cell is occupied$/.test(why));
            if (rejected.length && !maybe)
              assert.ok(
                !offered.has(kindAndPlace(answer)),
                `turn ${turn}, seat ${seat}: ${JSON.stringify(answer)} is rejected: ${rejected}`,
              );
            if (!rejected.length) {
              accepted++;
              assert.ok(
                offered.has(kindAndPlace(answer)),
                `turn ${turn}, seat ${seat}: ${JSON.stringify(answer)} is never offered`,
              );
            }
          }
        }
      recording.play(record.frame(turn + 1).players);
    }
    assert.ok(turns > 3 && accepted > 20, `${accepted} answers in ${turns} turns`);
    recording.close();
    record.close();
  });
