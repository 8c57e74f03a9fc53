// What changes on the arena while a page is open. All parts of a page share one stream of events;
// while the page is hidden there is none. A part learns that what it shows has changed, and loads
// it again.
import { follow } from './api';

export interface ActivityPlayer {
  name: string;
  owner: string | null;
  rank: number | null;
  status: string | null;
}

export interface ActivityMatch {
  id: number;
  kind: string;
  state: string;
  game: string;
  tournament: number | null;
  players: ActivityPlayer[];
}

/** One kind of change per event. */
export interface Activity {
  matches?: ActivityMatch[];
  ratings?: { game: string };
  build?: { owner: string; bot: string; good: boolean };
  check?: { owner: string; bot: string };
  tournament?: { id: number };
}

interface Listener {
  concerns: (what: Activity) => boolean;
  heard: (what: Activity | null) => void;
}

const PAUSE = 1500; // milliseconds between two updates of a part

const listeners = new Set<Listener>();
let stream: { close(): void } | null = null;
let retry: ReturnType<typeof setTimeout> | undefined;

/** Tells the listeners that this concerns; null concerns all. */
function tell(what: Activity | null): void {
  for (const listener of [...listeners]) if (!what || listener.concerns(what)) listener.heard(what);
}

function connect(): void {
  if (stream || !listeners.size || document.hidden) return;
  stream = follow(
    '/activity/live',
    {
      matches: (data: { complete: boolean; items: ActivityMatch[] }) =>
        tell(data.complete ? { matches: data.items } : null),
      ratings: (data) => tell({ ratings: data }),
      build: (data) => tell({ build: data }),
      check: (data) => tell({ check: data }),
      tournament: (data) => tell({ tournament: data }),
      gap: () => tell(null),
    },
    () => {
      // Rejected, for example because there are too many viewers.
      disconnect();
      retry = setTimeout(connect, 10_000);
    },
    (restored) => {
      // What happened before the stream was open may be missing on the page.
      if (restored) tell(null);
    },
  );
}

function disconnect(): void {
  clearTimeout(retry);
  stream?.close();
  stream = null;
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) disconnect();
  else connect();
});

/**
 * Calls `heard` for each change that concerns the caller, and with null when changes may have been
 * missed, until the returned function is called.
 */
export function listen(
  concerns: (what: Activity) => boolean,
  heard: (what: Activity | null) => void,
): () => void {
  const listener = { concerns, heard };
  listeners.add(listener);
  connect();
  return () => {
    listeners.delete(listener);
    // The next page may listen at once.
    setTimeout(() => {
      if (!listeners.size) disconnect();
    });
  };
}

/**
 * Calls `update` soon after changes that concern the caller, with a pause between two calls, so
 * that a busy ladder does not keep the page busy. Returns a function that ends this.
 */
export function onActivity(concerns: (what: Activity) => boolean, update: () => void): () => void {
  let last = 0;
  let due: ReturnType<typeof setTimeout> | undefined;
  const end = listen(concerns, () => {
    due ??= setTimeout(
      () => {
        due = undefined;
        last = Date.now();
        update();
      },
      Math.max(0, last + PAUSE - Date.now()),
    );
  });
  return () => {
    end();
    clearTimeout(due);
  };
}

/** Whether a bot played in one of the matches. */
export function plays(what: Activity, owner: string, bot: string): boolean {
  return !!what.matches?.some(({ players }) =>
    players.some((player) => player.owner === owner && player.name === bot),
  );
}
