// Plays the matches with a thousand things on the board that game_data.mjs describes.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** Plays a game's crowded match; returns the path of its replay, in the folder. */
export async function playCrowd(game, { config, map, bots, source }, folder) {
  const write = async (name, text) => {
    const file = join(folder, name);
    await writeFile(file, text);
    return file;
  };
  const replay = join(folder, game + '-crowd.skr');
  const options = ['--config', await write(game + '-crowd.json', JSON.stringify(config))];
  if (map) options.push('--map', await write(game + '-crowd.map', map));
  const players = source
    ? Array(2).fill('python3 ' + (await write(game + '-crowd.py', source)))
    : bots.map((name) => 'house:' + name);
  await promisify(execFile)(resolve(process.env.SKIRMISH), [
    ...['play', game, '--sandbox', 'none', '--seed', '4', '--replay', replay],
    ...options,
    ...players,
  ]);
  return replay;
}
