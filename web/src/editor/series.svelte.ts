// A series of test matches for a win rate: every opponent, on several maps and from all seats. All
// matches use the code as it was at the start, so that it can be edited meanwhile.
import { get, post, Problem } from '../app/api';
import { pause } from '../rules/live';
import { tally, type Tally } from './statistics';
import { requestMatch, testResult, type MatchPlan, type TestRecord } from './testMatch.svelte';
import type { Match, Snapshot } from './types';

export interface SeriesMap {
  name: string;
  players: number;
}

/** What this window remembers of a series. */
export interface SeriesSummary extends Tally {
  game: string;
  time: number; // when it was started, in milliseconds
  against: string;
}

const AT_ONCE = 2; // matches in the arena's queue
const POLL = 800; // milliseconds

/**
 * Plans the `count` matches of a series. Matches with the same opponent, map and seed but different
 * seats form a group and are consecutive. The last group may be incomplete.
 */
export function planSeries(opponents: string[], maps: SeriesMap[], count: number): MatchPlan[] {
  const plan: MatchPlan[] = [];
  for (let group = 0; plan.length < count; group++) {
    // Consecutive groups differ in opponent and map, and every combination gets its turn.
    const i = group % opponents.length;
    const map = maps[(Math.floor(group / opponents.length) + i) % maps.length] as SeriesMap;
    const seed = Math.floor(Math.random() * 2 ** 32);
    for (let seat = 0; seat < map.players && plan.length < count; seat++)
      plan.push({
        against: Array.from({ length: map.players - 1 }, () => opponents[i] as string),
        seat,
        map: map.name,
        seed,
      });
  }
  return plan;
}

/** Cancels a match. A failure is harmless: the match is over, or nobody waits for it. */
function callOff({ id, key }: TestRecord): void {
  const query = key ? '?key=' + encodeURIComponent(key) : '';
  void post(`/matches/${id}/call-off${query}`).catch(() => null);
}

export class Series {
  records = $state.raw<TestRecord[]>([]); // requested so far
  state = $state<'running' | 'done' | 'cancelled' | 'stopped'>('running');
  problem = $state(''); // why it stopped
  wait = $state(''); // why it is paused
  readonly time = Date.now();
  readonly finished = $derived(this.records.filter((one) => one.result !== ''));
  readonly tally = $derived(tally(this.records));

  private next = 0;
  private readonly stop = new AbortController();

  constructor(
    readonly game: string,
    readonly code: Snapshot,
    readonly plan: MatchPlan[],
    private readonly ended: (series: Series) => void,
  ) {
    void this.run();
  }

  get summary(): SeriesSummary {
    const names = [...new Set(this.finished.map((one) => one.against))];
    return { ...this.tally, game: this.game, time: this.time, against: names.join(', ') };
  }

  private async run(): Promise<void> {
    const workers = Array.from({ length: AT_ONCE }, () => this.work());
    await Promise.all(workers).catch((error: unknown) => {
      if (this.stop.signal.aborted) return;
      this.problem = (error as Error).message;
      this.end('stopped');
    });
    if (this.state === 'running') this.end('done');
  }

  private end(state: Series['state']): void {
    this.state = state;
    this.wait = '';
    this.stop.abort();
    for (const record of this.records) if (!record.result) callOff(record);
    this.records = this.finished;
    this.ended(this);
  }

  /** Plays one match after the other. */
  private async work(): Promise<void> {
    const { signal } = this.stop;
    while (this.next < this.plan.length && !signal.aborted) {
      const plan = this.plan[this.next++] as MatchPlan;
      const record = await this.patiently(() => requestMatch(this.game, this.code, plan));
      if (signal.aborted) {
        callOff(record);
        return;
      }
      this.records = [...this.records, record];
      const match = await this.result(record);
      if (signal.aborted) return;
      const result = testResult(match, record.seat);
      this.records = this.records.map((one) =>
        one.id === record.id ? { ...one, ...result } : one,
      );
      // An opponent is missing or the code has an error, so the next match would fail, too.
      if (result.result === 'not played') throw new Error(result.words);
    }
  }

  /** Waits until the match is over. */
  private async result(record: TestRecord): Promise<Match> {
    for (;;) {
      await pause(POLL, this.stop.signal);
      const match = await this.patiently(() =>
        get<Match>(`/matches/${record.id}`, {}, this.stop.signal),
      );
      if (this.stop.signal.aborted || !['waiting', 'playing'].includes(match.state)) return match;
    }
  }

  /** Sends a request; if the arena rejects it temporarily, retries when the arena says so. */
  private async patiently<T>(request: () => Promise<T>): Promise<T> {
    const { signal } = this.stop;
    for (;;) {
      try {
        return await request();
      } catch (error) {
        const soon = error instanceof Problem && [0, 429, 503].includes(error.status);
        if (!soon || signal.aborted) throw error;
        const seconds = Math.min(600, error.retryAfter ?? 5);
        this.wait = `${error.message} The series continues in ${seconds} s.`;
        await pause(seconds * 1000, signal);
        if (signal.aborted) throw error;
        this.wait = '';
      }
    }
  }

  /** Stops the series and cancels the matches that are not over. */
  cancel(): void {
    if (this.state === 'running') this.end('cancelled');
  }
}
