// A game has a drawing module, perhaps with its parts in a folder, and an emblem. No other source
// of the pages may name a game.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { gameNames } from './game_data.mjs';

const src = fileURLToPath(new URL('../src', import.meta.url));

/** The text files in and below a folder, as paths relative to web/src. */
function sourcesIn(folder = '') {
  return readdirSync(join(src, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesIn(path);
    return path.endsWith('.wasm') ? [] : [path];
  });
}

const sources = sourcesIn();

for (const name of gameNames) {
  test(`only the drawing module and the emblem of ${name} name it`, () => {
    const module = join('games', name + '.ts');
    assert.ok(sources.includes(module), `web/src/${module} is missing`);
    const word = new RegExp(`\\b${name}\\b`, 'i');
    const own = [module, join('games', 'emblems', name + '.ts')];
    const parts = join('games', name, '/');
    const others = sources.filter(
      (path) =>
        !own.includes(path) &&
        !path.startsWith(parts) &&
        word.test(readFileSync(join(src, path), 'utf8')),
    );
    assert.deepEqual(others, []);
  });
}
