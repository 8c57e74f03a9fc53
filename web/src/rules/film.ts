// A match as something to look at: a list of frames, of which any can be had at once. A recorded
// one is computed from a replay by the referee's own rules; a live one grows as its
// turns arrive (live.ts); one that is played here grows with every answer.
import { decompress } from 'fzstd';

import type { Frame, Header, PlayerTurn, Verdict } from './types';
import { loadRules, type Rules } from './wasm';

/** How a match stands after its last turn. */
export interface Standing {
  turns: number;
  turns_max: number;
  over: boolean;
  verified: boolean; // a replay that was played to its end, and proved what it says
  problem: string; // why it was not, or ""
  reason: string;
  ranks: number[];
  scores: number[]; // empty where the game keeps none
  asks: boolean[]; // who takes part in the coming turn
  verdict: Verdict | null;
}

/** What the viewer shows. `subscribe` calls back whenever turns were added, or it ended. */
export interface Film {
  readonly header: Header;
  readonly length: number; // the number of the last turn
  readonly live: boolean; // more turns will come
  readonly verdict: Verdict | null;
  readonly proof: Proof;
  frame(turn: number): Frame;
  subscribe(changed: () => void): () => void;
  close(): void;
}

/** What is known of a result: proved by the rules here, refuted by them, or not yet looked at. */
export type Proof = { state: 'verified' } | { state: 'refuted'; why: string } | { state: 'open' };

/** A film out of a replay file. Throws an Error whose message is a sentence. */
export async function openReplay(file: Uint8Array): Promise<RulesFilm> {
  const rules = await loadRules();
  return openReplayWith(rules, file);
}

export function openReplayWith(rules: Rules, file: Uint8Array): RulesFilm {
  const start = rules.c.replay_head_bytes(); // of the compressed part
  const head = file.subarray(0, start);
  if (!rules.lend(head, (at, length) => rules.c.replay_head_check(at, length)))
    throw new Error(sentence(rules.said()));
  let records: Uint8Array;
  try {
    records = decompress(file.subarray(start));
  } catch {
    throw new Error('The replay is damaged: it cannot be unpacked.');
  }
  return new RulesFilm(
    rules,
    rules.lend(records, (at, length) => rules.c.film_open(at, length)),
  );
}

/**
 * A film of a match that is yet to be played, set up as the header says. As text the header keeps
 * seeds that are larger than a number can be here.
 */
export async function newFilm(header: Header | string): Promise<RulesFilm> {
  const rules = await loadRules();
  const text = typeof header === 'string' ? header : JSON.stringify(header);
  const film = rules.lend(text, (at, length) => rules.c.film_new(at, length));
  return new RulesFilm(rules, film);
}

/** A film that the rules compute. */
export class RulesFilm implements Film {
  readonly header: Header;
  readonly live = false;
  private listeners = new Set<() => void>();
  private kept = new Map<number, Frame>();
  private stands: Standing | undefined;

  constructor(
    private readonly rules: Rules,
    private film: number,
  ) {
    if (!film) throw new Error(sentence(rules.said()));
    rules.c.film_header(film);
    this.header = JSON.parse(rules.said()) as Header;
  }

  get standing(): Standing {
    if (!this.stands) {
      this.rules.c.film_state(this.film);
      this.stands = JSON.parse(this.rules.said()) as Standing;
    }
    return this.stands;
  }

  get length(): number {
    return this.standing.turns;
  }

  get verdict(): Verdict | null {
    return this.standing.verdict;
  }

  get proof(): Proof {
    if (this.standing.verified) return { state: 'verified' };
    return this.standing.problem
      ? { state: 'refuted', why: sentence(this.standing.problem) }
      : { state: 'open' };
  }

  frame(turn: number): Frame {
    let frame = this.kept.get(turn);
    if (!frame) {
      if (!this.film) throw new Error('This match is not open any more.');
      if (!this.rules.c.film_turn(this.film, turn)) throw new Error(sentence(this.rules.said()));
      frame = JSON.parse(this.rules.said()) as Frame;
      if (this.kept.size >= FRAMES_KEPT) this.kept.delete(this.kept.keys().next().value as number);
      this.kept.set(turn, frame);
    }
    return frame;
  }

  /** Plays one more turn from what each player said. */
  play(players: Pick<PlayerTurn, 'kind' | 'answer'>[]): void {
    if (
      !this.rules.lend(JSON.stringify(players), (at, length) =>
        this.rules.c.film_play(this.film, at, length),
      )
    )
      throw new Error(sentence(this.rules.said()));
    this.stands = undefined;
    for (const changed of this.listeners) changed();
  }

  /** What the player's bot would read now. */
  view(player: number): string {
    if (!this.rules.c.film_view(this.film, player)) throw new Error(sentence(this.rules.said()));
    return this.rules.said();
  }

  /**
   * What would become of an answer in the coming turn: orders understood, and reasons for those
   * that are refused.
   */
  try(player: number, answer: string): { orders: unknown; refused: string[] } {
    if (
      !this.rules.lend(answer, (at, length) => this.rules.c.film_try(this.film, player, at, length))
    )
      throw new Error(sentence(this.rules.said()));
    return JSON.parse(this.rules.said());
  }

  subscribe(changed: () => void): () => void {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  }

  close(): void {
    if (this.film) this.rules.c.film_free(this.film);
    this.film = 0;
  }
}

const FRAMES_KEPT = 256;

function sentence(text: string): string {
  const full = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(full) ? full : full + '.';
}
