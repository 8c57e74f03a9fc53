// A test match of the editor: queue, build, turns, result, and then the bot's output and errors.
import { get, post, Problem } from '../app/api';
import type { Recording } from '../rules/recording';
import { openRecording, pause } from '../rules/live';
import type { VerdictPlayer } from '../rules/types';
import { count } from '../app/format';
import type { MatchPlayer } from '../viewer/match';
import { SELF, type Match, type MatchDiagnostics, type Snapshot } from './types';

/** What this window remembers of a test match. */
export interface TestRecord {
  id: number;
  key: string; // a guest's key, or ""
  seat: number; // the code's seat
  game: string;
  against: string;
  map: string;
  seed: number;
  code: string; // the key of the code that the errors refer to
  result: '' | 'won' | 'lost' | 'drawn' | 'not played';
  words: string;
}

/** A match to request. */
export interface MatchPlan {
  against: string[]; // "owner/name", or SELF
  seat: number; // the code's
  map: string; // "": default
  seed: number | null; // null: random
}

/** Requests a match of the code. Throws a Problem if the arena rejects it. */
export async function requestMatch(
  game: string,
  code: Snapshot,
  { against, seat, map, seed }: MatchPlan,
): Promise<TestRecord> {
  const seats: object[] = against.map((name) => (name === SELF ? code.seat : { bot: name }));
  seats.splice(seat, 0, code.seat);
  const match = await post<Match>('/matches', {
    game,
    seats,
    ...(map ? { map } : {}),
    ...(seed !== null ? { seed } : {}),
  });
  return {
    id: match.id,
    key: match.key ?? '',
    seat,
    game,
    against: [...new Set(against)]
      .map((name) => (name === SELF ? 'itself' : name.replace(/^house\//, '')))
      .join(', '),
    map: match.map ?? '',
    seed: match.seed,
    code: code.key,
    result: '',
    words: '',
  };
}

const POLL = 1200; // milliseconds

export class TestMatch {
  match = $state.raw<Match | null>(null);
  recording = $state.raw<Recording | null>(null);
  turn = $state(0);
  live = $state(false);
  // Undefined: not loaded yet; null: unavailable.
  report = $state.raw<MatchDiagnostics | null | undefined>(undefined);
  failure = $state.raw<unknown>(null);

  readonly me = $derived.by(
    () => (this.match?.verdict?.players[this.record.seat] as VerdictPlayer | undefined) ?? null,
  );
  readonly ended = $derived(
    this.match !== null && !['waiting', 'playing'].includes(this.match.state),
  );

  private readonly stop = new AbortController();

  constructor(
    readonly record: TestRecord,
    private readonly done: (testMatch: TestMatch) => void,
  ) {
    this.follow().catch((error: unknown) => {
      if (!this.stop.signal.aborted) this.failure = error;
    });
  }

  /** The state as a sentence. It omits the turn, since screen readers announce every change. */
  get status(): string {
    const { match } = this;
    if (!match) return 'Requesting match…';
    // Turns arrive before the next poll.
    if (this.recording && !this.ended) return 'Playing';
    if (match.state === 'waiting')
      return match.ahead
        ? `Queued: ${count(match.ahead, 'match', 'matches')} ahead`
        : 'Queued: starts next';
    if (match.state === 'playing') return 'Building and starting bots…';
    return testResult(match, this.record.seat).words;
  }

  private async refresh(): Promise<Match> {
    const found = await get<Match>(`/matches/${this.record.id}`, {}, this.stop.signal);
    if (!this.stop.signal.aborted) this.match = found;
    return found;
  }

  private get query(): string {
    return this.record.key ? '?key=' + encodeURIComponent(this.record.key) : '';
  }

  private async follow(): Promise<void> {
    const { signal } = this.stop;
    const found = await this.refresh();
    void this.poll();
    const recording = await openRecording(found, this.record.key, signal, () => this.refresh());
    if (this.stop.signal.aborted) {
      recording?.close();
      return;
    }
    this.recording = recording;
    const changed = (): void => {
      this.turn = recording?.length ?? 0;
      this.live = recording?.live ?? false;
      // If this fails, poll() tries again.
      if (recording && !recording.live && !this.ended) void this.refresh().catch(() => null);
    };
    changed();
    recording?.subscribe(changed);
    while (!this.ended && !this.stop.signal.aborted) await pause(POLL / 4, signal); // see poll()
    if (this.stop.signal.aborted) return;
    this.report = await get<MatchDiagnostics>(
      `/matches/${this.record.id}/players/${this.record.seat}/diagnostics${this.query}`,
      {},
      this.stop.signal,
    ).catch((error: unknown) => {
      if (error instanceof Problem) return null; // optional
      throw error;
    });
    if (!this.stop.signal.aborted) this.done(this);
  }

  /** Polls the match until it is over. */
  private async poll(): Promise<void> {
    while (!this.ended && !this.stop.signal.aborted) {
      await pause(POLL / 2, this.stop.signal);
      // A failed poll is ignored; the next one may succeed.
      if (!this.stop.signal.aborted && !this.live) await this.refresh().catch(() => null);
    }
  }

  close(): void {
    this.stop.abort();
    const { recording } = this;
    this.recording = null;
    setTimeout(() => recording?.close()); // once nothing shows it
  }
}

// How a bot failed, to follow "your bot"; other states of the API read well as they are.
const FAILURES: Record<string, string> = {
  timeout: 'timed out',
  disqualified: 'was disqualified',
  'too much output': 'printed too much',
  'out of memory': 'ran out of memory',
};

function failure({ status, failure }: MatchPlayer): string {
  return (FAILURES[status ?? ''] ?? status) + (failure ? ` (${failure})` : '');
}

/** The result for the code's seat. */
export function testResult(
  match: Match,
  seat: number,
): { result: TestRecord['result']; words: string } {
  if (match.state === 'called_off') return { result: 'not played', words: 'Match cancelled.' };
  if (match.state === 'given_up')
    return {
      result: 'not played',
      words: `The arena could not play the match${match.reason ? ': ' + match.reason : ''}.`,
    };
  const me = match.players[seat];
  const status = me?.status && me.status !== 'ok' ? `your bot ${failure(me)}` : '';
  if (!me || me.rank === null)
    return {
      result: 'not played',
      words: `Not played: ${status || 'not all bots started'}.`,
    };
  const shared = match.players.filter((player) => player.rank === 1).length > 1;
  const result = me.rank > 1 ? 'lost' : shared ? 'drawn' : 'won';
  const place =
    match.players.length > 2 && result === 'lost'
      ? `, place ${me.rank} of ${match.players.length}`
      : '';
  const how = { won: 'You won', lost: 'You lost' + place, drawn: 'Draw' }[result];
  if (status) return { result, words: `${how}: ${status}.` };
  return {
    result,
    words:
      `${how} after ${count(match.turns, 'turn')}${match.reason ? ` (${match.reason})` : ''}.` +
      (me.failure ? ` Your bot ${me.failure}.` : ''),
  };
}
