// A map as a board before the first turn, computed by the rules and drawn by the game's module.
import { loadGame } from '../games';
import { newRecording } from '../rules/recording';
import { loadRules } from '../rules/wasm';
import { Playback } from '../viewer/playback.svelte';

/**
 * A standard map, or a generated one: generate, generate:SEED or generate:SEED:SIZE.
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
  const done = rules.withCopy(game + '\0', (at) =>
    rules.withCopy((made ? '' : map) + '\0', (name) =>
      rules.c.rules_map(at, name, players, Number(seed), Number(size)),
    ),
  );
  if (!done) throw new Error(`Unknown map "${map}".`);
  const text = rules.output();
  const recording = await newRecording({
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
  const playback = new Playback(recording, module);
  playback.scene(0);
  recording.close(); // its only frame is cached
  return playback;
}

/** What is on the board, counted: "castle: 2, barracks: 2". */
export function inventory(playback: Playback): string {
  const found = new Map<string, number>();
  for (const { kind } of playback.scene(0).things) found.set(kind, (found.get(kind) ?? 0) + 1);
  return [...found].map(([kind, many]) => `${kind}: ${many}`).join(', ');
}
