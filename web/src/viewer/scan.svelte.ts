// Scans a match for the timeline's marks and the chart's values, in slices while the page is idle,
// so that opening a match stays fast.
import type { Scene } from '../games/game';
import type { Frame } from '../rules/types';
import type { Playback } from './playback.svelte';
import { count } from '../app/format';
import { describeReply, playerNames } from './describe';

export type MarkKind = 'capture' | 'death' | 'event' | 'rejected' | 'failure' | 'stderr';

/** In the order of their lanes. */
export const MARKS: { kind: MarkKind; name: string; what: string }[] = [
  { kind: 'capture', name: 'captures', what: 'something was captured' },
  { kind: 'death', name: 'deaths', what: 'a unit died' },
  { kind: 'event', name: 'events', what: 'another notable event' },
  { kind: 'rejected', name: 'rejected orders', what: 'an order was rejected' },
  { kind: 'failure', name: 'timeouts and crashes', what: 'a bot did not answer' },
  { kind: 'stderr', name: 'debug output', what: 'a bot wrote debug output' },
];

export interface Moment {
  turn: number;
  kind: MarkKind;
  player: number | null;
  text: string;
}

const SLICE = 8; // milliseconds, or one turn
const IDLE = 50; // milliseconds of idle time to assume if the browser does not report it
const BUSY_EVERY = 500; // milliseconds between turns while the page is busy, for example playing
const PUBLISH_EVERY = 250; // milliseconds between updates of marks and chart
const LASTING = ['given up', 'left', 'over share']; // reported once
const QUIET: Record<string, boolean> = { answer: true, 'not asked': true, restarting: true };

export class Scan {
  done = $state(0); // turns scanned
  moments = $state.raw<Moment[]>([]);

  /** The names of the chart's lines, and the values of each: per player, by turn. */
  names = $state.raw<string[]>([]);
  values: Record<string, (number | null)[][]> = {};

  private found: Moment[] = [];
  private last: Scene | null = null;
  private next = 0;
  private source: number;
  private idleRequest = 0;
  private publishedAt = -Infinity;
  private slicedAt = -Infinity;
  private turnTime = 0; // milliseconds that the last turn took
  private closed = false;
  private readonly playerNames: string[];

  constructor(private readonly playback: Playback) {
    this.source = playback.source;
    this.playerNames = playerNames(playback.recording.header.players);
  }

  /** Call this when there may be more turns to scan. */
  wake(): void {
    if (this.source !== this.playback.source) {
      this.source = this.playback.source;
      this.next = 0;
      this.last = null;
      this.found = [];
      this.values = {};
    }
    if (this.idleRequest || this.closed || this.next > this.playback.length) return;
    this.idleRequest = idle((milliseconds) => {
      this.idleRequest = 0;
      // On a crowded board, a turn can take longer than the page is idle between two frames.
      const fits = milliseconds >= this.turnTime;
      if (fits || performance.now() - this.slicedAt >= BUSY_EVERY)
        this.slice(Math.min(SLICE, milliseconds));
      else this.wake();
    });
  }

  private slice(milliseconds: number): void {
    if (this.next > this.playback.length) return;
    let now = performance.now();
    const until = now + milliseconds;
    try {
      do {
        const start = now;
        this.scanTurn(this.next++);
        now = performance.now();
        this.turnTime = now - start;
      } while (this.next <= this.playback.length && now + this.turnTime <= until);
    } catch (error) {
      console.warn(error); // keep what was found before the failure
      this.closed = true;
    }
    this.slicedAt = now;
    if (now - this.publishedAt > PUBLISH_EVERY || this.next > this.playback.length || this.closed) {
      this.publishedAt = now;
      this.moments = this.found.slice();
      this.done = this.next;
    }
    this.wake();
  }

  private scanTurn(turn: number): void {
    const { recording, game } = this.playback;
    const frame = recording.frame(turn);
    const scene = game.scene(recording.header, frame, this.last);
    // A viewer who joins a live match late has no frames of its first turns.
    const own = frame.turn === turn;
    for (const mark of own ? game.marks(recording.header, scene, this.last) : [])
      this.found.push({ turn, kind: mark.kind, player: mark.player, text: mark.text });
    if (own) this.scanPlayers(turn, frame, this.last?.frame ?? null);
    for (const { name, values } of game.series(scene)) {
      const lines = (this.values[name] ??= values.map(() => []));
      values.forEach((value, player) => ((lines[player] ??= [])[turn] = value));
      if (!this.names.includes(name)) this.names = [...this.names, name];
    }
    this.playback.cacheScene(turn, scene);
    this.last = scene;
  }

  private scanPlayers(turn: number, frame: Frame, before: Frame | null): void {
    frame.players.forEach((player, i) => {
      const add = (kind: MarkKind, text: string): void =>
        void this.found.push({ turn, kind, player: i, text: `${this.playerNames[i]}: ${text}` });
      if (player.refused) add('rejected', `${count(player.refused, 'order')} rejected`);
      if (
        !QUIET[player.kind] &&
        !(LASTING.includes(player.kind) && before?.players[i]?.kind === player.kind)
      )
        add('failure', describeReply(player.kind));
      if (player.stderr) add('stderr', 'wrote debug output');
    });
  }

  close(): void {
    this.closed = true;
    if (this.idleRequest) cancelIdle(this.idleRequest);
  }
}

/** Calls back when the page is idle, with the number of milliseconds that may be used. */
function idle(call: (milliseconds: number) => void): number {
  if (typeof requestIdleCallback === 'function')
    return requestIdleCallback((deadline) => call(deadline.timeRemaining()), {
      timeout: BUSY_EVERY,
    });
  return window.setTimeout(() => call(IDLE), 16);
}

function cancelIdle(id: number): void {
  if (typeof cancelIdleCallback === 'function') cancelIdleCallback(id);
  else clearTimeout(id);
}
