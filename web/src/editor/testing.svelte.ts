// Testing the code: the setup of the next match, requests for matches and their rate limit, and
// the recent test matches of this window.
import { Problem } from '../app/api';
import { session } from '../app/session.svelte';
import { recall, remember } from './drafts';
import { planSeries, Series, type SeriesMap, type SeriesSummary } from './series.svelte';
import { requestMatch, testResult, TestMatch, type TestRecord } from './testMatch.svelte';
import type { Setup } from './types';
import type { Workspace } from './workspace.svelte';

const RECENT = 30;

export class Testing {
  setup = $state.raw<Setup>({
    game: '',
    preferred: [],
    against: [],
    seat: 0,
    map: '',
    seed: '',
    players: 2,
  });
  testMatch = $state.raw<TestMatch | null>(null);
  recent = $state.raw<TestRecord[]>(stored('recent'));
  series = $state.raw<Series | null>(null);
  pastSeries = $state.raw<SeriesSummary[]>(stored('series')); // newest first
  requesting = $state(false);
  wait = $state(0); // seconds until the arena accepts another match
  limitMessage = $state(''); // why
  problem = $state(''); // of the last request
  private countdown: ReturnType<typeof setInterval> | undefined;

  /** Whether the setup is complete: its opponents are known to play the open game. */
  readonly ready = $derived.by(
    () => this.setup.game === this.workspace.game && this.setup.against.length > 0,
  );

  /** Whether a match is being requested, or cannot be requested yet. */
  readonly busy = $derived.by(() => this.requesting || this.wait > 0);

  constructor(private readonly workspace: Workspace) {}

  /** Sets up the next match of the open game, as last time; `against` replaces the opponents. */
  prepare(against: string | null): void {
    const { game, gameInfo } = this.workspace;
    if (!against && this.setup.game === game) return;
    if (this.setup.game !== game) {
      this.testMatch?.close();
      this.testMatch = null;
    }
    const kept = recall<Partial<Setup>>('setup/' + game, {});
    this.setup = {
      seat: 0,
      map: gameInfo?.maps[0]?.name ?? '',
      seed: '',
      players: gameInfo?.players_min ?? 2,
      ...kept,
      game,
      preferred: against ? [against] : (kept.against ?? []),
      against: [],
    };
  }

  /** Remembers the setup for the next visit. Call it when the setup has changed. */
  keepSetup(): void {
    const { setup } = this;
    if (setup.against.length) remember('setup/' + setup.game, setup);
  }

  /** Requests a match with the setup, and follows it. Call it only if `ready`. */
  async play(seed = this.setup.seed): Promise<void> {
    const { setup } = this;
    this.requesting = true;
    this.problem = '';
    this.limitMessage = '';
    try {
      if (seed && !Number.isSafeInteger(Number(seed))) throw new Error('The seed is too large.');
      const plan = { ...setup, seed: seed ? Number(seed) : null };
      this.follow(await requestMatch(setup.game, await this.workspace.snapshot(), plan));
    } catch (error) {
      if (error instanceof Problem && (error.status === 429 || error.status === 503))
        this.startCountdown(error);
      else this.problem = (error as Error).message;
    } finally {
      this.requesting = false;
    }
  }

  /** Starts a series of matches with the code as it is now. */
  async runSeries(opponents: string[], maps: SeriesMap[], count: number): Promise<void> {
    this.series?.cancel();
    this.series = new Series(
      this.workspace.game,
      await this.workspace.snapshot(),
      planSeries(opponents, maps, count),
      (ended) => {
        if (ended.finished.length) this.pastSeries = [ended.summary, ...this.pastSeries];
        store('series', (this.pastSeries = this.pastSeries.slice(0, RECENT)));
      },
    );
  }

  /** Shows a test match. */
  follow(one: TestRecord): void {
    this.testMatch?.close();
    this.testMatch = new TestMatch(one, (done) => this.ended(done));
    if (!this.recent.some((old) => old.id === one.id)) this.keepRecent([one, ...this.recent]);
  }

  private ended(done: TestMatch): void {
    const { match } = done;
    if (!match) return;
    this.keepRecent(
      this.recent.map((one) =>
        one.id === done.record.id ? { ...one, ...testResult(match, one.seat) } : one,
      ),
    );
    if (done.record.code === this.workspace.key)
      this.workspace.diagnostics = done.report?.diagnostics ?? [];
  }

  private keepRecent(list: TestRecord[]): void {
    this.recent = list.slice(0, RECENT);
    store('recent', this.recent);
  }

  /** Rate limited: counts down until the arena accepts another match. */
  private startCountdown(error: Problem): void {
    this.wait = Math.min(600, error.retryAfter ?? 10);
    const why = error.status === 429 && !session.person ? 'Guest limit reached.' : error.reason;
    this.limitMessage = `${why} Try again in ${this.wait} s`;
    this.countdown = setInterval(() => {
      this.wait--;
      if (this.wait > 0) return;
      this.limitMessage = '';
      clearInterval(this.countdown);
    }, 1000);
  }

  close(): void {
    clearInterval(this.countdown);
    this.series?.cancel();
    this.testMatch?.close();
  }
}

/** Lists that this window remembers. */
function stored<T>(name: string): T[] {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? '[]') as T[];
  } catch {
    return [];
  }
}

function store(name: string, list: unknown[]): void {
  try {
    sessionStorage.setItem(name, JSON.stringify(list));
  } catch {
    // storage is unavailable: the list lasts only until the page is closed
  }
}
