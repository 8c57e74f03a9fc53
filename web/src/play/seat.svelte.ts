// A person's seat in a match. Two event streams drive it: the seat's stream reports when an answer
// is needed, the match's stream has every turn. Answers are posted, and posted again if delivery is
// uncertain. That is safe: each answer includes the byte of the output at which it starts.
import { bytes, follow, get, post, Problem, remove, send } from '../app/api';
import { loadGame } from '../games';
import type { PlayerInput } from '../games/game';
import { openReplay } from '../rules/recording';
import type { Frame, Verdict } from '../rules/types';
import type { Match } from '../viewer/match';
import { Playback } from '../viewer/playback.svelte';
import { SeatRecording } from './seatRecording';
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
  | 'sending' // the answer is being sent
  | 'others' // delivered; waiting for opponents
  | 'out' // eliminated; the match continues
  | 'left' // forfeited or lost
  | 'over';

// Milliseconds between heartbeats. After 90 s without one the arena drops the seat.
const HEARTBEAT = 15_000;
const POLL = 2000; // milliseconds between polls of the queue
const RESEND_AFTER = 1000; // milliseconds before a retry, unless the arena says when
const UNREACHABLE = 'Cannot reach the arena. Retrying; your orders are safe.';

/** Whether a retry may succeed: the arena is unreachable or busy. */
function isTemporary(error: unknown): boolean {
  return (
    error instanceof Problem && (error.status === 0 || error.status === 429 || error.status >= 500)
  );
}

/** The origin for POST /join, with the content of a file. */
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
  warning = $state(''); // a temporary problem, being retried
  failure = $state.raw<unknown>(null); // why the match cannot continue
  match = $state.raw<Match | null>(null); // once it is over
  calledOff = $state<string | null>(null); // once it is over without a result: the reason or ""
  gaveUp = $state(false);

  readonly mine: number;
  recording: SeatRecording | null = null;
  private stopped = false;
  private closed = false;
  private finishing = false;
  private received = ''; // the first bytes since the last answer
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
      sentBytes: 0,
      answeredTurn: 0,
      answeredEvent: 0,
      view: null,
      startEvent: 0,
      header: '',
      pending: null,
    };
    saveSeat(saved);
    const seat = new Seat(saved);
    void seat.open();
    return seat;
  }

  /** Continues a seat after its page was closed. */
  static resume(saved: SavedSeat): Seat {
    const seat = new Seat(saved);
    if (saved.header) void seat.build(saved.header);
    if (saved.pending) void seat.deliver();
    void seat.open();
    return seat;
  }

  /** Forfeits a seat that no page uses. */
  static async drop(saved: SavedSeat): Promise<void> {
    await remove(`/join/${saved.joined.seat}`).catch(() => null); // it expires if this fails
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
      setInterval(() => this.sendHeartbeat(), HEARTBEAT),
      setInterval(() => void this.pollQueue(), POLL),
    );
    void this.pollQueue();
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
            this.updatePhase();
          },
          wait: () => {
            this.saved.view = null;
            this.updatePhase();
          },
          end: ({ state, reason }: { state: string; reason?: string }) =>
            void (state === 'over' ? this.finish() : this.callOff(reason ?? '')),
        },
        () => void this.streamFailed(),
        (restored) => this.connectionChanged(restored),
      ),
    ];
    this.watch();
  }

  /**
   * Follows the turns. If the stream fails, the match may be over, which the seat's stream reports;
   * otherwise the stream is reopened.
   */
  private watch(): void {
    const stream = follow(
      `/matches/${this.joined.match}/live?from=start`,
      {
        start: (_header, event) => this.begun(event.data, Number(event.lastEventId)),
        turn: (frame: Frame, event) => this.played(frame, Number(event.lastEventId)),
        end: (verdict: Verdict) => {
          this.verdict = verdict;
          this.recording?.end(verdict);
          this.updatePhase();
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
  private connectionChanged(restored: boolean): void {
    if (!restored) this.warning = UNREACHABLE;
    else if (!this.saved.pending) this.warning = '';
  }

  private keep(): void {
    if (!this.gaveUp && !this.finishing) saveSeat(this.saved);
  }

  // ---- events of the seat ----

  private started(run: number, id: number): void {
    this.lastEvent = Math.max(this.lastEvent, id);
    this.received = '';
    if (run > this.saved.run) {
      Object.assign(this.saved, {
        run,
        sentBytes: 0,
        answeredEvent: id,
        view: null,
        pending: null,
      });
      this.stopped = false;
      this.keep();
      if (this.hello && !this.hello.after) this.sendAnswer(this.hello.say);
    }
    this.updatePhase();
  }

  private viewed(bytes: string, id: number): void {
    this.lastEvent = Math.max(this.lastEvent, id);
    if (id <= this.saved.answeredEvent) return; // answered before the page was reloaded
    if (this.saved.view?.event !== id) {
      this.saved.view = { event: id, since: this.saved.view?.since ?? Date.now() };
      this.keep();
    }
    if (this.received.length < 64) this.received += atob(bytes);
    if (this.hello?.after && this.received === this.hello.after) this.sendAnswer(this.hello.say);
    this.updatePhase();
  }

  // ---- events of the match ----

  private begun(header: string, id: number): void {
    if (id <= this.saved.startEvent) return;
    Object.assign(this.saved, { startEvent: id, header, answeredTurn: 0 });
    forgetTurns();
    this.keep();
    void this.build(header);
  }

  /** Creates the recording, with the saved turns. */
  private async build(header: string): Promise<void> {
    const mine = ++this.building;
    try {
      const game = await loadGame(this.joined.game);
      const recording = await SeatRecording.from(
        header,
        (header, frame) => game.seen?.(header, frame, this.mine) ?? frame,
      );
      if (this.closed || mine !== this.building) return recording.close();
      for (const answers of savedTurns()) recording.remember(answers);
      const early = this.early;
      this.early = [];
      this.recording?.close();
      this.recording = recording;
      for (const { frame, id } of early) this.played(frame, id);
      if (this.verdict) recording.end(this.verdict);
      this.playback?.close();
      this.playback = new Playback(recording, game);
      this.updatePhase();
    } catch (error) {
      this.failure = error;
    }
  }

  private played(frame: Frame, id: number): void {
    if (id <= this.saved.startEvent) return; // from a start that was interrupted
    if (!this.recording) return void this.early.push({ frame, id });
    if (this.recording.take(frame) && !this.gaveUp) saveTurn(frame.turn, frame.players);
    this.updatePhase();
  }

  // ---- state ----

  private updatePhase(): void {
    if (this.closed || this.phase === 'over') return;
    const { view, request } = this.saved;
    this.phase = this.phaseNow();
    this.deadline = this.phase === 'yours' && view ? view.since + request.turn_time : null;
  }

  private phaseNow(): Phase {
    const { saved, recording } = this;
    if (this.stopped) return 'left';
    if (!saved.run) return 'waiting';
    if (!recording || recording.length < this.recorded) return 'starting';
    if (saved.pending) return 'sending';
    if (recording.length < saved.answeredTurn) return 'others'; // the turn is not over
    if (recording.over) return 'others'; // the verdict has not arrived yet
    const asks = recording.asks(this.mine);
    if (asks === false) return 'out';
    if (saved.view) return 'yours';
    return saved.answeredTurn ? 'others' : 'starting';
  }

  // ---- answering ----

  /** Ends the turn with this answer. */
  answer(text: string): void {
    if (this.phase !== 'yours' || !this.recording) return;
    this.saved.answeredTurn = this.recording.length + 1;
    this.sendAnswer(text);
    this.updatePhase();
  }

  private sendAnswer(text: string): void {
    const answeredEvent = Math.max(this.lastEvent, this.saved.view?.event ?? 0);
    const pending = { at: this.saved.sentBytes, text };
    Object.assign(this.saved, { answeredEvent, view: null, pending });
    this.received = '';
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
        if (saved.run === run) saved.sentBytes = at + new TextEncoder().encode(text).length;
      } catch (error) {
        const problem = error instanceof Problem ? error : null;
        if (problem && isTemporary(problem)) {
          this.warning =
            problem.status === 429
              ? `${problem.message} Your orders will be sent again.`
              : UNREACHABLE;
          await new Promise((go) =>
            setTimeout(go, problem.retryAfter ? problem.retryAfter * 1000 : RESEND_AFTER),
          );
          continue;
        }
        if (!problem || (problem.status !== 404 && problem.status !== 409)) this.failure = error;
        // Otherwise that run or the match is over; an event reports which.
      }
      this.warning = '';
      if (saved.run === run) saved.pending = null;
      this.keep();
      this.updatePhase();
      return;
    }
  }

  /** Sends a heartbeat. */
  private sendHeartbeat(): void {
    if (this.phase === 'over' || this.phase === 'left') return;
    send('POST', `/join/${this.joined.seat}/answers`).then(
      () => !this.saved.pending && (this.warning = ''),
      (error: unknown) => {
        if (error instanceof Problem && error.status === 0) this.warning = UNREACHABLE;
      },
    );
  }

  private async pollQueue(): Promise<void> {
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
   * Called when the seat's stream failed: the match is over, the seat was lost or the arena is
   * unreachable. Determines which, once the arena answers.
   */
  private async streamFailed(): Promise<void> {
    try {
      while (!this.closed && this.phase !== 'over') {
        if (await this.retry(() => this.holdsSeat())) return this.listen();
        const match = await this.retry(() => get<Match>(`/matches/${this.joined.match}`));
        this.warning = '';
        if (match.state === 'called_off') return this.callOff(match.reason ?? '');
        if (match.state !== 'waiting' && match.state !== 'playing') return void this.finish(match);
        this.stopped = true; // the match continues without the player, or is about to be cancelled
        this.updatePhase();
        await new Promise((go) => setTimeout(go, POLL));
      }
    } catch (error) {
      if (!this.closed) this.failure = error;
    }
  }

  /** Whether the arena still has this seat. */
  private async holdsSeat(): Promise<boolean> {
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
        this.warning = UNREACHABLE;
      }
      await new Promise((go) => setTimeout(go, POLL));
    }
  }

  /** Handles a cancelled match, which has no result. */
  private callOff(reason: string): void {
    if (this.finishing || this.closed) return;
    this.finishing = true;
    this.stopListening();
    forgetSeat();
    this.warning = '';
    this.recording?.end(null);
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
      this.warning = '';
      this.recording?.end(match.verdict ?? this.verdict);
      this.match = match;
    } catch (error) {
      this.failure = error;
    }
    this.deadline = null;
    this.phase = 'over';
  }

  /** Adds the turns whose events were missing when the match ended. */
  private async complete(match: Match): Promise<void> {
    if (!this.recording || !match.replay || this.recording.length >= match.turns) return;
    const replay = await openReplay(await bytes(`/matches/${match.id}/replay`));
    for (let turn = this.recording.length + 1; turn <= replay.length; turn++)
      this.recording.take(replay.frame(turn));
    replay.close();
  }

  private stopListening(): void {
    for (const stream of this.streams) stream.close();
    for (const timer of this.timers) clearInterval(timer);
    this.streams = [];
    this.timers = [];
  }

  /** Call this when the page closes. The arena keeps the seat for a while, so it can be resumed. */
  close(): void {
    this.closed = true;
    this.stopListening();
    this.playback?.close();
    this.recording?.close();
  }
}
