// A match as it is played: its frames come from the arena as they are. When it has ended, its
// replay takes their place: that one has standard error, and is proved.
import { bytes, follow } from '../app/api';
import { openReplay, type Film, type Proof, type RulesFilm } from './film';
import type { Frame, Header, Verdict } from './types';

/** As much of a match as it takes to know where its film is. */
export interface Watchable {
  id: number;
  state: string;
  replay: boolean;
}

/**
 * The film of a match, wherever it is: one that waits or is played is followed, one that is over
 * comes from its replay. Null where there is nothing to see, or nobody wants it any more. `refresh`
 * asks for the match anew, when it may have changed.
 */
export async function filmOf(
  match: Watchable,
  key: string,
  signal: AbortSignal,
  refresh: () => Promise<Watchable>,
): Promise<Film | null> {
  for (let now = match; ; now = await refresh()) {
    if (now.state === 'over')
      return now.replay ? openReplay(await bytes(replayPath(now.id, key))) : null;
    if (now.state !== 'waiting' && now.state !== 'playing') return null;
    try {
      return await LiveFilm.watch(now.id, key, signal);
    } catch {
      await pause(RETRY_AFTER, signal); // not yet, or not any more
    }
    if (signal.aborted) return null;
  }
}

const RETRY_AFTER = 500; // milliseconds between two looks at a match that cannot be followed

/** Resolves after so long, or when the signal says that nobody waits any more. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}

function replayPath(match: number, key: string): string {
  return `/matches/${match}/replay${key ? '?key=' + encodeURIComponent(key) : ''}`;
}

export class LiveFilm implements Film {
  header: Header;
  live = true;
  verdict: Verdict | null = null;
  private frames: Frame[] = [];
  private replay: RulesFilm | null = null;
  private listeners = new Set<() => void>();
  private stream: { close(): void } | null = null;

  private constructor(
    header: Header,
    private readonly recorded: string,
  ) {
    this.header = header;
  }

  /**
   * Resolves with the first turn. Rejects when there is nothing to follow: the match may be over,
   * and its replay there. The signal ends the waiting for a match that has not begun.
   */
  static watch(match: number, key = '', signal?: AbortSignal): Promise<LiveFilm> {
    return new Promise((resolve, reject) => {
      let film: LiveFilm | null = null;
      let header: Header | null = null;
      const stream = follow(
        `/matches/${match}/live?from=start`,
        {
          start: (data: Header) => {
            if (film) film.frames = []; // it was interrupted, and is played again
            header ??= data;
          },
          turn: (frame: Frame) => {
            if (!header) return;
            if (!film) {
              film = new LiveFilm(header, replayPath(match, key));
              film.stream = stream;
              film.frames[frame.turn] = frame;
              resolve(film);
            } else film.take(frame);
          },
          end: (verdict: Verdict) => {
            stream.close();
            if (film) void film.end(verdict);
            else reject(new Error('The match has ended.'));
          },
        },
        () => (film ? void film.end(null) : reject(new Error('The match is not being played.'))),
      );
      const stop = (): void => {
        if (film) return; // whoever has it closes it
        stream.close();
        reject(new Error('Nobody waits for the match any more.'));
      };
      if (signal?.aborted) stop();
      signal?.addEventListener('abort', stop);
    });
  }

  get length(): number {
    return this.replay ? this.replay.length : this.frames.length - 1;
  }

  get proof(): Proof {
    return this.replay ? this.replay.proof : { state: 'open' };
  }

  /** The turn, or the next one that is there: who came late may have missed some. */
  frame(turn: number): Frame {
    if (this.replay) return this.replay.frame(turn);
    for (let at = turn; at < this.frames.length; at++)
      if (this.frames[at]) return this.frames[at] as Frame;
    return this.frames[this.frames.length - 1] as Frame;
  }

  private take(frame: Frame): void {
    this.frames[frame.turn] = frame;
    this.notify();
  }

  private async end(verdict: Verdict | null): Promise<void> {
    this.verdict = verdict;
    this.live = false;
    this.notify();
    try {
      this.replay = await openReplay(await bytes(this.recorded));
      this.header = this.replay.header;
      this.verdict ??= this.replay.verdict;
      this.notify();
    } catch (error) {
      console.warn(error); // what was seen stays
    }
  }

  private notify(): void {
    for (const changed of this.listeners) changed();
  }

  subscribe(changed: () => void): () => void {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  }

  close(): void {
    this.stream?.close();
    this.replay?.close();
    this.listeners.clear();
  }
}
