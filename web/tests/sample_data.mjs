// Adds sample data to an arena, for the scripts that take pictures of its pages.
import { gameData } from './game_data.mjs';
import { ask, newPerson, playedMatch, tokenOf, until } from './harness.mjs';

const starter = `import json, sys

for line in sys.stdin:
    view = json.loads(line)
    print([], flush=True)
`;

/**
 * Creates the account ada with three bots, a finished tournament, and a match of each game (by
 * name, with the turn to look at). Returns them, and the tokens.
 */
export async function addSampleData(arena) {
  const admin = await tokenOf(arena, 'admin', arena.password);
  const ada = await newPerson(arena, 'ada');
  for (const name of ['moth', 'wasp', 'beetle']) {
    await ask(arena, 'POST', '/bots', { game: 'aliens', name }, ada);
    await ask(
      arena,
      'POST',
      `/bots/ada/${name}/versions`,
      { file_name: 'bot.py', source: starter + '# ' + name + '\n' },
      ada,
    );
    await until(
      async () => (await ask(arena, 'GET', `/bots/ada/${name}`, undefined, ada)).active_version,
      `${name} to be built`,
    );
  }
  const cup = await tournament(arena, admin, { name: 'Autumn cup', format: 'knockout' });
  await ask(arena, 'POST', `/tournaments/${cup}/start`, undefined, admin);
  await until(
    async () => (await ask(arena, 'GET', `/tournaments/${cup}`)).state === 'over',
    'the cup to end',
    120,
  );
  const matches = {};
  for (const [name, { bots, shot }] of Object.entries(gameData)) {
    const { turn, ...more } = shot;
    const players = bots.map((bot) => `house/${name}-${bot}`);
    const id = await playedMatch(arena, name, players, { seed: 5, least: turn + 2, ...more }, ada);
    matches[name] = { id, turn };
  }
  return { admin, ada, cup, matches };
}

/** Creates a tournament of five Aliens bots and returns its id. */
export async function tournament(arena, admin, plan) {
  const { id } = await ask(
    arena,
    'POST',
    '/tournaments',
    { game: 'aliens', games: 1, ...plan },
    admin,
  );
  for (const bot of [
    'ada/moth',
    'ada/wasp',
    'ada/beetle',
    'house/aliens-medium',
    'house/aliens-random',
  ]) {
    const [owner, name] = bot.split('/');
    await ask(arena, 'POST', `/tournaments/${id}/entrants`, { owner, bot: name }, admin);
  }
  return id;
}
