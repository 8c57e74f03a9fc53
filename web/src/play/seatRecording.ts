// A match in which a person plays. Turns come from the arena and are recomputed here by the rules,
// so the page knows the board, who moves next and which orders would be rejected. If a turn is
// missing or the rules disagree, the arena's frames are used.
import { newRecording, type Recording, type Proof, type RulesRecording } from '../rules/recording';
import type { Frame, Header, PlayerTurn, Verdict } from '../rules/types';

export type TurnAnswers = Pick<PlayerTurn, 'kind' | 'answer'>[];

export class SeatRecording implements Recording {
  readonly header: Header;
  live = true;
  verdict: Verdict | null = null;
  readonly proof: Proof = { state: 'open' };
  private fromArena: Frame[] = []; // used once the rules disagree or a turn is missing
  private rulesAgree = true;
  private listeners = new Set<() => void>();

  private constructor(
    private readonly rules: RulesRecording,
    private readonly seen: (header: Header, frame: Frame) => Frame,
  ) {
    this.header = rules.header;
  }

  /**
   * Creates a recording from the header as the arena wrote it. Until the match is over, `seen`
   * hides what the player may not see.
   */
  static async from(
    header: string,
    seen: (header: Header, frame: Frame) => Frame,
  ): Promise<SeatRecording> {
    return new SeatRecording(await newRecording(header), seen);
  }

  get length(): number {
    return Math.max(this.rules.length, this.fromArena.length - 1);
  }

  /** The turn limit, if known. */
  get turnsMax(): number {
    return this.rules.standing.turns_max;
  }

  frame(turn: number): Frame {
    const whole = this.whole(turn);
    return this.verdict ? whole : this.seen(this.header, whole);
  }

  private whole(turn: number): Frame {
    if (turn <= this.rules.length) return this.rules.frame(turn);
    for (let at = turn; at < this.fromArena.length; at++)
      if (this.fromArena[at]) return this.fromArena[at] as Frame;
    return this.rules.frame(this.rules.length);
  }

  /** Plays a turn saved in this tab. */
  remember(answers: TurnAnswers): void {
    this.rules.play(answers);
    this.notify();
  }

  /** Takes a turn from the arena. Returns whether it was new. */
  take(frame: Frame): boolean {
    if (frame.turn <= this.length) return false;
    if (this.rulesAgree && frame.turn === this.rules.length + 1 && this.agrees(frame)) {
      this.notify();
      return true;
    }
    this.rulesAgree = false;
    this.fromArena[frame.turn] = frame;
    this.notify();
    return true;
  }

  private agrees(frame: Frame): boolean {
    try {
      this.rules.play(frame.players);
      if (this.rules.frame(frame.turn).digest === frame.digest) return true;
      console.warn(`The browser and the arena computed turn ${frame.turn} differently.`);
    } catch (error) {
      console.warn(error);
    }
    return false;
  }

  /** Whether the seat moves in the coming turn; null if the rules in this page cannot tell. */
  asks(seat: number): boolean | null {
    return this.rulesAgree ? (this.rules.standing.asks[seat] ?? false) : null;
  }

  get over(): boolean {
    return this.rulesAgree && this.rules.standing.over;
  }

  /**
   * Why orders of an answer would be rejected in the coming turn; empty if the rules in this page
   * cannot tell.
   */
  rejections(seat: number, answer: string): string[] {
    if (!this.rulesAgree || this.rules.standing.over) return [];
    return this.rules.try(seat, answer).refused;
  }

  end(verdict: Verdict | null): void {
    this.verdict = verdict;
    this.live = false;
    this.notify();
  }

  private notify(): void {
    for (const changed of this.listeners) changed();
  }

  subscribe(changed: () => void): () => void {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  }

  close(): void {
    this.listeners.clear();
    this.rules.close();
  }
}
