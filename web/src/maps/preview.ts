// A map as a board to look at: how it stands before the first turn, by the rules, drawn as the game
// is. Nothing of it is loaded before somebody wants to see it.
import { loadGame } from '../games';
import { newFilm } from '../rules/film';
import { loadRules } from '../rules/wasm';
import { Playback } from '../viewer/playback.svelte';

/**
 * Which board: a standard map, or one that is made: generate, generate:SEED or generate:SEED:SIZE.
 */
export interface MapChoice {
  game: string;
  map: string;
  players: number;
}

/** Throws an Error whose message is a sentence. */
export async function previewMap({ game, map, players }: MapChoice): Promise<Playback> {
  const [rules, module] = await Promise.all([loadRules(), loadGame(game)]);
  const [made, seed = '1', size = '0'] = /^generate(?::(\d{1,9}))?(?::(\d{1,5}))?$/.exec(map) ?? [];
  const done = rules.lend(game + '\0', (at) =>
    rules.lend((made ? '' : map) + '\0', (name) =>
      rules.c.rules_map(at, name, players, Number(seed), Number(size)),
    ),
  );
  if (!done) throw new Error(`There is no picture of the map "${map}".`);
  const text = rules.said();
  const film = await newFilm({
    game,
    seed: 1,
    config: null,
    map: { name: map, text },
    turn_ms: 1000,
    start_ms: 1000,
    think: 'in-turn',
    sandbox: [],
    players: Array.from({ length: players }, (_, i) => ({ name: `player ${i + 1}`, bot: 'none' })),
  });
  const playback = new Playback(film, module);
  playback.scene(0);
  film.close(); // its only turn is made
  return playback;
}

/** What is on it, counted: "castle: 2, barracks: 2". */
export function inventory(playback: Playback): string {
  const found = new Map<string, number>();
  for (const { kind } of playback.scene(0).things) found.set(kind, (found.get(kind) ?? 0) + 1);
  return [...found].map(([kind, many]) => `${kind}: ${many}`).join(', ');
}
