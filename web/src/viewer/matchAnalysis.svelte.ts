// The arena's analysis of a match: requests it, follows its progress, and reads its result.
import { get, isTransient, post } from '../app/api';
import { pause } from '../rules/live';
import type { Analysis } from './analysis';
import type { Match } from './match';

interface Answer {
  state: 'waiting' | 'running' | 'done' | 'failed' | null; // null: there is none
  done: number; // continuations, while it runs
  total: number;
  failure: string | null;
  result: Analysis | null;
}

const POLL = 1000; // milliseconds

export class MatchAnalysis {
  /** 'ready': the reader can request an analysis; null: there is none, and the reader cannot. */
  state = $state<'ready' | Answer['state']>(null);
  done = $state(0);
  total = $state(0);
  /** Why there is no result, as a sentence. */
  problem = $state('');
  result = $state.raw<Analysis | null>(null);
  /** Whether the reader can request an analysis, and retry one that failed. */
  readonly own: boolean;
  private readonly path: string;
  private readonly stop = new AbortController();

  constructor(match: Match) {
    this.path = `/matches/${match.id}/analysis`;
    this.own = match.analysable;
    if (match.analysis) void this.follow();
    else if (this.own) this.state = 'ready';
  }

  close(): void {
    this.stop.abort();
  }

  async request(): Promise<void> {
    const before = this.state;
    this.problem = '';
    this.state = 'waiting';
    try {
      this.take(await post<Answer>(this.path));
      await this.follow();
    } catch (error) {
      this.state = before;
      this.problem = (error as Error).message;
    }
  }

  /** Polls the analysis until it has a result or has failed. */
  private async follow(): Promise<void> {
    const { signal } = this.stop;
    for (; !signal.aborted; await pause(POLL, signal)) {
      try {
        const answer = await get<Answer>(this.path, {}, signal);
        if (signal.aborted) return;
        this.take(answer);
        if (this.state !== 'waiting' && this.state !== 'running') return;
      } catch (error) {
        if (signal.aborted) return;
        if (isTransient(error)) continue; // the arena may be restarting
        this.state = null;
        return;
      }
    }
  }

  private take(answer: Answer): void {
    this.state = answer.state;
    this.done = answer.done;
    this.total = answer.total;
    this.problem = answer.failure ? `The analysis failed: ${answer.failure}.` : '';
    this.result = answer.result;
  }
}
