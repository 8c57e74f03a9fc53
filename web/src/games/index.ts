// The games that can be drawn: every module beside this one that says it is a game. A game's module
// is loaded when it is needed.
import type { GameModule } from './game';

const modules = import.meta.glob<{ default?: GameModule }>([
  './*.ts',
  '!./game.ts',
  '!./pen.ts',
  '!./index.ts',
]);

export async function loadGame(name: string): Promise<GameModule> {
  const found = (await modules[`./${name}.ts`]?.())?.default;
  if (!found) throw new Error(`These pages cannot draw the game "${name}".`);
  return found;
}
