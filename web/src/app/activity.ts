// Reports changes on the arena while a page is open. All parts of a page share one stream of
// events, which is closed while the page is hidden. A part is notified that its data has changed
// and reloads it.
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

/** Notifies the listeners that a change concerns; null concerns all. */
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
      // The page may have missed changes while the stream was down.
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
    // Wait: the next page may start listening right away.
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
