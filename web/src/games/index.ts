// Finds the drawing modules: every other file in this folder. A module is loaded on demand.
import type { GameModule } from './game';

const modules = import.meta.glob<{ default?: GameModule }>([
  './*.ts',
  '!./game.ts',
  '!./pen.ts',
  '!./index.ts',
]);

export async function loadGame(name: string): Promise<GameModule> {
  const found = (await modules[`./${name}.ts`]?.())?.default;
  if (!found) throw new Error(`No drawing module for the game "${name}".`);
  return found;
}
