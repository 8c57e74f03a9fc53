// A person's seat in a match. Two event streams drive it: the seat's says when an answer is needed,
// the match's has every turn. Answers are posted, and posted again if delivery is uncertain. That
// is safe: each one says at which byte of the output it starts.
import { bytes, follow, get, post, Problem, remove, send } from '../app/api';
import { loadGame } from '../games';
import type { PlayerInput } from '../games/game';
import { openReplay } from '../rules/film';
import type { Frame, Verdict } from '../rules/types';
import type { Match } from '../viewer/match';
import { Playback } from '../viewer/playback.svelte';
import { SeatFilm } from './seatFilm';
import { storedFile } from './replayFile';
import {
  forgetSeat,
  forgetTurns,
  saveTurn,
  saveSeat,
  savedTurns,
  type Joined,
  type SavedSeat,
  type Origin,
  type JoinRequest,
} from './storage';

export type Phase =
  | 'waiting' // matches ahead in the queue
  | 'starting' // the match starts, or recorded turns are replayed
  | 'yours' // an answer is needed
  | 'sending' // it is being sent
  | 'others' // delivered; waiting for opponents
  | 'out' // eliminated; the match continues
  | 'left' // forfeited or lost
  | 'over';

// Milliseconds between heartbeats. After 90 s without one the arena drops the seat.
const HEARTBEAT = 15_000;
const POLL = 2000; // milliseconds between polls of the queue
const RESEND_AFTER = 1000; // milliseconds before a retry, unless the arena says when
const AWAY = 'Cannot reach the arena. Retrying; your orders are safe.';

/** Whether a retry may succeed: the arena is unreachable or busy. */
function isTemporary(error: unknown): boolean {
  return (
    error instanceof Problem && (error.status === 0 || error.status === 429 || error.status >= 500)
  );
}

/** The origin for POST /join; a file is sent along. */
function originForApi(origin: Origin): { match?: number; replay?: string; turn: number } {
  if ('match' in origin) return origin;
  const file = storedFile();
  if (file?.opened !== origin.opened)
    throw new Error(`${origin.file} is no longer open in this window.`);
  return { replay: file.text, turn: origin.turn };
}

export class Seat {
  phase = $state<Phase>('waiting');
  ahead = $state<number | null>(null); // matches ahead in the queue
  playback = $state.raw<Playback | null>(null); // once the match has started
  // The end of this turn, in milliseconds since 1970.
  deadline = $state<number | null>(null);
  trouble = $state(''); // a temporary problem, being retried
  failure = $state.raw<unknown>(null); // why the match cannot continue
  match = $state.raw<Match | null>(null); // once it is over
  calledOff = $state<string | null>(null); // once it is over without a result: the reason or ""
  gaveUp = $state(false);

  readonly mine: number;
  film: SeatFilm | null = null;
  private stopped = false;
  private closed = false;
  private finishing = false;
  private fresh = ''; // the start of what came since the last answer
  private early: { frame: Frame; id: number }[] = []; // turns received while the rules were loading
  private verdict: Verdict | null = null;
  private lastEvent = 0;
  private building = 0;
  private hello: PlayerInput<unknown>['hello'];
  private streams: { close(): void }[] = [];
  private timers: ReturnType<typeof setInterval>[] = [];

  private constructor(private readonly saved: SavedSeat) {
    this.mine = saved.joined.players.findIndex((player) => player.joined);
  }

  /** Requests a match. Throws a Problem. */
  static async take(request: JoinRequest): Promise<Seat> {
    const joined = await post<Joined>('/join', {
      ...request,
      person: true,
      ...(request.from ? { from: originForApi(request.from) } : {}),
    });
    forgetSeat();
    const saved: SavedSeat = {
      joined,
      request,
      run: 0,
      at: 0,
      answered: 0,
      heard: 0,
      asked: null,
      began: 0,
      header: '',
      pending: null,
    };
    saveSeat(saved);
    const seat = new Seat(saved);
    void seat.open();
    return seat;
  }

  /** Continues a seat of a page that was closed. */
  static resume(saved: SavedSeat): Seat {
    const seat = new Seat(saved);
    if (saved.header) void seat.build(saved.header);
    if (saved.pending) void seat.deliver();
    void seat.open();
    return seat;
  }

  /** Forfeits a seat that no page uses. */
  static async drop(saved: SavedSeat): Promise<void> {
    await remove(`/join/${saved.joined.seat}`).catch(() => null); // it ends on its own otherwise
  }

  get joined(): Joined {
    return this.saved.joined;
  }

  get request(): JoinRequest {
    return this.saved.request;
  }

  /** The number of recorded turns. */
  get recorded(): number {
    return this.saved.request.from?.turn ?? 0;
  }

  get replayLink(): string {
    const { match, key } = this.joined;
    return `/matches/${match}${key ? '?key=' + encodeURIComponent(key) : ''}`;
  }

  /**
   * Follows the seat and the match, both from the start, so that nothing is missed while the game
   * loads.
   */
  private async open(): Promise<void> {
    try {
      this.hello = (await loadGame(this.joined.game)).input.hello;
    } catch (error) {
      this.failure = error;
    }
    if (this.closed || this.failure) return;
    this.listen();
    this.timers.push(
      setInterval(() => this.live(), HEARTBEAT),
      setInterval(() => void this.queue(), POLL),
    );
    void this.queue();
  }

  private listen(): void {
    for (const stream of this.streams) stream.close();
    this.streams = [
      follow(
        `/join/${this.joined.seat}/events`,
        {
          start: ({ run }: { run: number }, event) => this.started(run, Number(event.lastEventId)),
          view: ({ bytes }: { bytes: string }, event) =>
            this.viewed(bytes, Number(event.lastEventId)),
          stop: ({ run }: { run: number }) => {
            if (run === this.saved.run) this.stopped = true;
            this.settle();
          },
          wait: () => {
            this.saved.asked = null;
            this.settle();
          },
          end: ({ state, reason }: { state: string; reason?: string }) =>
            void (state === 'over' ? this.finish() : this.callOff(reason ?? '')),
        },
        () => void this.lost(),
        (there) => this.line(there),
      ),
    ];
    this.watch();
  }

  /**
   * Follows the turns. If the stream fails, the match may be over, which the seat's stream reports;
   * otherwise it is opened again.
   */
  private watch(): void {
    const stream = follow(
      `/matches/${this.joined.match}/live?from=start`,
      {
        start: (_header, event) => this.begun(event.data, Number(event.lastEventId)),
        turn: (frame: Frame, event) => this.played(frame, Number(event.lastEventId)),
        end: (verdict: Verdict) => {
          this.verdict = verdict;
          this.film?.end(verdict);
          this.settle();
        },
      },
      () =>
        setTimeout(() => {
          if (!this.streams.includes(stream)) return; // closed or replaced
          this.streams = this.streams.filter((other) => other !== stream);
          this.watch();
        }, POLL),
    );
    this.streams.push(stream);
  }

  /** The connection was lost or restored. */
  private line(there: boolean): void {
    if (!there) this.trouble = AWAY;
    else if (!this.saved.pending) this.trouble = '';
  }

  private keep(): void {
    if (!this.gaveUp && !this.finishing) saveSeat(this.saved);
  }

  // ---- what the arena asks ----

  private started(run: number, id: number): void {
    this.lastEvent = Math.max(this.lastEvent, id);
    this.fresh = '';
    if (run > this.saved.run) {
      Object.assign(this.saved, { run, at: 0, heard: id, asked: null, pending: null });
      this.stopped = false;
      this.keep();
      if (this.hello && !this.hello.after) this.say(this.hello.say);
    }
    this.settle();
  }

  private viewed(bytes: string, id: number): void {
    this.lastEvent = Math.max(this.lastEvent, id);
    if (id <= this.saved.heard) return; // answered before the page was reloaded
    if (this.saved.asked?.event !== id) {
      this.saved.asked = { event: id, since: this.saved.asked?.since ?? Date.now() };
      this.keep();
    }
    if (this.fresh.length < 64) this.fresh += atob(bytes);
    if (this.hello?.after && this.fresh === this.hello.after) this.say(this.hello.say);
    this.settle();
  }

  // ---- the match ----

  private begun(header: string, id: number): void {
    if (id <= this.saved.began) return;
    Object.assign(this.saved, { began: id, header, answered: 0 });
    forgetTurns();
    this.keep();
    void this.build(header);
  }

  /** Creates the film, with the saved turns. */
  private async build(header: string): Promise<void> {
    const mine = ++this.building;
    try {
      const game = await loadGame(this.joined.game);
      const film = await SeatFilm.from(
        header,
        (originForApi, frame) => game.seen?.(originForApi, frame, this.mine) ?? frame,
      );
      if (this.closed || mine !== this.building) return film.close();
      for (const said of savedTurns()) film.remember(said);
      const early = this.early;
      this.early = [];
      this.film?.close();
      this.film = film;
      for (const { frame, id } of early) this.played(frame, id);
      if (this.verdict) film.end(this.verdict);
      this.playback?.close();
      this.playback = new Playback(film, game);
      this.settle();
    } catch (error) {
      this.failure = error;
    }
  }

  private played(frame: Frame, id: number): void {
    if (id <= this.saved.began) return; // of a start that was interrupted
    if (!this.film) return void this.early.push({ frame, id });
    if (this.film.take(frame) && !this.gaveUp) saveTurn(frame.turn, frame.players);
    this.settle();
  }

  // ---- state ----

  private settle(): void {
    if (this.closed || this.phase === 'over') return;
    const { asked, request } = this.saved;
    this.phase = this.phaseNow();
    this.deadline = this.phase === 'yours' && asked ? asked.since + request.turn_time : null;
  }

  private phaseNow(): Phase {
    const { saved, film } = this;
    if (this.stopped) return 'left';
    if (!saved.run) return 'waiting';
    if (!film || film.length < this.recorded) return 'starting';
    if (saved.pending) return 'sending';
    if (film.length < saved.answered) return 'others'; // the turn is not over
    if (film.over) return 'others'; // the verdict is on its way
    const asks = film.asks(this.mine);
    if (asks === false) return 'out';
    if (saved.asked) return 'yours';
    return saved.answered ? 'others' : 'starting';
  }

  // ---- answering ----

  /** Ends the turn with this answer. */
  answer(text: string): void {
    if (this.phase !== 'yours' || !this.film) return;
    this.saved.answered = this.film.length + 1;
    this.say(text);
    this.settle();
  }

  private say(text: string): void {
    const heard = Math.max(this.lastEvent, this.saved.asked?.event ?? 0);
    Object.assign(this.saved, { heard, asked: null, pending: { at: this.saved.at, text } });
    this.fresh = '';
    this.keep();
    void this.deliver();
  }

  private async deliver(): Promise<void> {
    const { saved } = this;
    const { run } = saved;
    for (;;) {
      if (this.closed || !saved.pending || saved.run !== run) return;
      const { at, text } = saved.pending;
      try {
        await send('POST', `/join/${this.joined.seat}/answers?run=${run}&at=${at}`, text);
        if (saved.run === run) saved.at = at + new TextEncoder().encode(text).length;
      } catch (error) {
        const problem = error instanceof Problem ? error : null;
        if (problem && isTemporary(problem)) {
          this.trouble =
            problem.status === 429 ? `${problem.message} Your orders will be sent again.` : AWAY;
          await new Promise((go) =>
            setTimeout(go, problem.retryAfter ? problem.retryAfter * 1000 : RESEND_AFTER),
          );
          continue;
        }
        if (!problem || (problem.status !== 404 && problem.status !== 409)) this.failure = error;
        // Else that run or the match is over, which the events report.
      }
      this.trouble = '';
      if (saved.run === run) saved.pending = null;
      this.keep();
      this.settle();
      return;
    }
  }

  /** Sends a heartbeat. */
  private live(): void {
    if (this.phase === 'over' || this.phase === 'left') return;
    send('POST', `/join/${this.joined.seat}/answers`).then(
      () => !this.saved.pending && (this.trouble = ''),
      (error: unknown) => {
        if (error instanceof Problem && error.status === 0) this.trouble = AWAY;
      },
    );
  }

  private async queue(): Promise<void> {
    if (this.phase !== 'waiting' || this.closed) return;
    const match = await get<Match>(`/matches/${this.joined.match}`).catch(() => null);
    if (match && this.phase === 'waiting') this.ahead = match.ahead;
  }

  /** Forfeits the seat. */
  async leave(): Promise<void> {
    this.gaveUp = true;
    try {
      await remove(`/join/${this.joined.seat}`);
    } catch (error) {
      if (!(error instanceof Problem && error.status === 404)) {
        this.gaveUp = false;
        throw error;
      }
    }
    forgetSeat();
  }

  // ---- the end ----

  /**
   * The seat's stream failed: the match is over, the seat was lost or the arena is away. Find out
   * which once the arena answers.
   */
  private async lost(): Promise<void> {
    try {
      while (!this.closed && this.phase !== 'over') {
        if (await this.retry(() => this.sits())) return this.listen();
        const match = await this.retry(() => get<Match>(`/matches/${this.joined.match}`));
        this.trouble = '';
        if (match.state === 'called_off') return this.callOff(match.reason ?? '');
        if (match.state !== 'waiting' && match.state !== 'playing') return void this.finish(match);
        this.stopped = true; // it continues without the player, or is about to be cancelled
        this.settle();
        await new Promise((go) => setTimeout(go, POLL));
      }
    } catch (error) {
      if (!this.closed) this.failure = error;
    }
  }

  /** Whether the arena still knows this seat. */
  private async sits(): Promise<boolean> {
    try {
      await send('POST', `/join/${this.joined.seat}/answers`);
      return true;
    } catch (error) {
      if (error instanceof Problem && error.status === 404) return false;
      throw error;
    }
  }

  /** Repeats a request until the arena answers. */
  private async retry<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (this.closed || !isTemporary(error)) throw error;
        this.trouble = AWAY;
      }
      await new Promise((go) => setTimeout(go, POLL));
    }
  }

  /** The match was cancelled: there is no result. */
  private callOff(reason: string): void {
    if (this.finishing || this.closed) return;
    this.finishing = true;
    this.stopListening();
    forgetSeat();
    this.trouble = '';
    this.film?.end(null);
    this.deadline = null;
    this.calledOff = reason;
    this.phase = 'over';
  }

  private async finish(known?: Match): Promise<void> {
    if (this.finishing || this.closed) return;
    this.finishing = true;
    this.stopListening();
    forgetSeat();
    try {
      const match = known ?? (await this.retry(() => get<Match>(`/matches/${this.joined.match}`)));
      await this.retry(() => this.complete(match));
      this.trouble = '';
      this.film?.end(match.verdict ?? this.verdict);
      this.match = match;
    } catch (error) {
      this.failure = error;
    }
    this.deadline = null;
    this.phase = 'over';
  }

  /** Adds the turns whose events were missing when the match ended. */
  private async complete(match: Match): Promise<void> {
    if (!this.film || !match.replay || this.film.length >= match.turns) return;
    const replay = await openReplay(await bytes(`/matches/${match.id}/replay`));
    for (let turn = this.film.length + 1; turn <= replay.length; turn++)
      this.film.take(replay.frame(turn));
    replay.close();
  }

  private stopListening(): void {
    for (const stream of this.streams) stream.close();
    for (const timer of this.timers) clearInterval(timer);
    this.streams = [];
    this.timers = [];
  }

  /** The page closes; the seat stays for a return in time. */
  close(): void {
    this.closed = true;
    this.stopListening();
    this.playback?.close();
    this.film?.close();
  }
}
