// The viewer on an author's machine, without an arena: `skirmish replay view`, `skirmish play
// --view` and `skirmish dev`. The C side is src/cli/local_viewer.c.

/** Whether this page was served by the viewer on an author's machine. */
export const isLocal = document.querySelector('meta[name="skirmish-local"]') !== null;

export interface LocalMatch {
  map?: string;
  state?: 'waiting' | 'playing' | 'played' | 'failed';
  result?: 'won' | 'lost' | 'drew';
  summary?: string; // "won by elimination in turn 57", or why there is no match
  pace?: string; // "1.2 ms per turn, 8% faster"
  stderr?: string; // the end of the bot's, if it failed
  replay?: number; // for loadReplay; a different match has a different number
  analysis?: number; // for loadReplay, too: the file with the winning chances
}

/** What the page shows. Every event has the complete state. */
export interface LocalState {
  kind: 'replay' | 'dev';
  title: string; // of the file or the bot
  game: string; // its title
  state: 'building' | 'playing' | 'done' | 'failed';
  run?: number;
  seat?: number; // of the bot, from 0
  problem?: string; // why there is no match
  log?: string; // of a failed build
  matches: LocalMatch[];
}

// The address of the page, with the token that the server requires.
const base = location.pathname.replace(/\/+$/, '');

/** Reports each new state, and whether the server is reachable. Returns a function to stop it. */
export function follow(
  changed: (state: LocalState) => void,
  connected: (yes: boolean) => void,
): () => void {
  const events = new EventSource(`${base}/events`);
  events.addEventListener('state', (event) => changed(JSON.parse(event.data)));
  events.addEventListener('open', () => connected(true));
  events.addEventListener('error', () => connected(false));
  return () => events.close();
}

/** The bytes of a replay or an analysis. Throws an Error whose message is a sentence. */
export async function loadReplay(number: number): Promise<Uint8Array> {
  const answer = await fetch(`${base}/replays/${number}`);
  if (!answer.ok) throw new Error('This match is no longer available.');
  return new Uint8Array(await answer.arrayBuffer());
}
