// The games that can be drawn. A game's module is loaded when it is needed.
import type { GameModule } from './game';

const modules: Record<string, () => Promise<{ default: GameModule }>> = {
  footsoldiers: () => import('./footsoldiers'),
  ctf: () => import('./ctf'),
  aliens: () => import('./aliens'),
  underworld: () => import('./underworld'),
  planetwars: () => import('./planetwars'),
};

export async function loadGame(name: string): Promise<GameModule> {
  const load = modules[name];
  if (!load) throw new Error(`These pages cannot draw the game "${name}".`);
  return (await load()).default;
}
