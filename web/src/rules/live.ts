// A live match, whose frames come from the arena. When it ends, its replay replaces them, because
// the replay has standard error and can be verified.
import { bytes, follow } from '../app/api';
import { openReplay, type Recording, type Proof, type RulesRecording } from './recording';
import type { Frame, Header, Verdict } from './types';

/** What is needed to find a match's frames. */
export interface Watchable {
  id: number;
  state: string;
  replay: boolean;
}

/**
 * Opens a match: follows it if it is queued or live, or loads its replay. Null if there is nothing
 * to watch or the signal was aborted. Calls `refresh` to reload the match when it may have changed.
 */
export async function openRecording(
  match: Watchable,
  key: string,
  signal: AbortSignal,
  refresh: () => Promise<Watchable>,
): Promise<Recording | null> {
  for (let now = match; ; now = await refresh()) {
    if (now.state === 'over')
      return now.replay ? openReplay(await bytes(replayPath(now.id, key))) : null;
    if (now.state !== 'waiting' && now.state !== 'playing') return null;
    try {
      return await LiveRecording.watch(now.id, key, signal);
    } catch {
      await pause(RETRY_AFTER, signal); // not started yet, or already over
    }
    if (signal.aborted) return null;
  }
}

const RETRY_AFTER = 500; // milliseconds

/** Resolves after this time, or when the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}

function replayPath(match: number, key: string): string {
  return `/matches/${match}/replay${key ? '?key=' + encodeURIComponent(key) : ''}`;
}

export class LiveRecording implements Recording {
  header: Header;
  live = true;
  verdict: Verdict | null = null;
  private frames: Frame[] = [];
  private replay: RulesRecording | null = null;
  private listeners = new Set<() => void>();
  private stream: { close(): void } | null = null;

  private constructor(
    header: Header,
    private readonly recorded: string,
  ) {
    this.header = header;
  }

  /**
   * Resolves when the first turn arrives. Rejects if there is nothing to follow; the match may then
   * be over and have a replay. The signal cancels the wait for a match that has not started.
   */
  static watch(match: number, key = '', signal?: AbortSignal): Promise<LiveRecording> {
    return new Promise((resolve, reject) => {
      let recording: LiveRecording | null = null;
      let header: Header | null = null;
      const stream = follow(
        `/matches/${match}/live?from=start`,
        {
          start: (data: Header) => {
            if (recording) recording.frames = []; // interrupted and restarted
            header ??= data;
          },
          turn: (frame: Frame) => {
            if (!header) return;
            if (!recording) {
              recording = new LiveRecording(header, replayPath(match, key));
              recording.stream = stream;
              recording.frames[frame.turn] = frame;
              resolve(recording);
            } else recording.take(frame);
          },
          end: (verdict: Verdict) => {
            stream.close();
            if (recording) void recording.end(verdict);
            else reject(new Error('The match has ended.'));
          },
        },
        () =>
          recording ? void recording.end(null) : reject(new Error('The match is not running.')),
      );
      const stop = (): void => {
        if (recording) return; // its owner closes it
        stream.close();
        reject(new Error('Cancelled.'));
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

  /** The frame of a turn, or the next one received: a late viewer may have missed some. */
  frame(turn: number): Frame {
    if (this.replay) return this.replay.frame(turn);
    for (let at = turn; at < this.frames.length; at++)
      if (this.frames[at]) return this.frames[at] as Frame;
    return this.frames[this.frames.length - 1] as Frame;
  }

  view(player: number, turns: number): string | null {
    return this.replay?.view(player, turns) ?? null;
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
      console.warn(error); // keep the live frames
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
