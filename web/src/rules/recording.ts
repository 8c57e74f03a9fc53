// A match as a list of frames with random access. The referee's rules compute a recorded match from
// its replay; a live match grows as its turns arrive (live.ts); a match played in this page grows
// with every answer.
import { decompress } from 'fzstd';

import type { Frame, Header, PlayerTurn, Verdict } from './types';
import { loadRules, type Rules } from './wasm';

/** The state of a match after its last turn. */
export interface Standing {
  turns: number;
  turns_max: number;
  over: boolean;
  verified: boolean; // a replay was recomputed to its end, and the results agree
  problem: string; // why they do not agree, or ""
  reason: string;
  ranks: number[];
  scores: number[]; // empty if the game has none
  asks: boolean[]; // whether each player is asked in the coming turn
  verdict: Verdict | null;
}

/** What the viewer shows. `subscribe` calls back when turns have been added or the match ends. */
export interface Recording {
  readonly header: Header;
  readonly length: number; // the number of the last turn
  readonly live: boolean; // more turns will come
  readonly verdict: Verdict | null;
  readonly proof: Proof;
  frame(turn: number): Frame;
  // The view that a bot received after this number of turns; null if not known yet.
  view?(player: number, turns: number): string | null;
  subscribe(changed: () => void): () => void;
  close(): void;
}

/** Whether the rules in this page confirm a result: verified, refuted, or not checked yet. */
export type Proof = { state: 'verified' } | { state: 'refuted'; why: string } | { state: 'open' };

/** Opens a replay file. Throws an Error whose message is a sentence. */
export async function openReplay(file: Uint8Array): Promise<RulesRecording> {
  const rules = await loadRules();
  return openReplayWith(rules, file);
}

export function openReplayWith(rules: Rules, file: Uint8Array): RulesRecording {
  const start = rules.c.replay_head_bytes(); // of the compressed part
  const head = file.subarray(0, start);
  if (!rules.withCopy(head, (at, length) => rules.c.replay_head_check(at, length)))
    throw new Error(sentence(rules.output()));
  let records: Uint8Array;
  try {
    records = decompress(file.subarray(start));
  } catch {
    throw new Error('The replay is damaged.');
  }
  return new RulesRecording(
    rules,
    rules.withCopy(records, (at, length) => rules.c.recording_open(at, length)),
  );
}

/**
 * Starts a new match, set up as the header says. Pass the header as text to preserve seeds that
 * exceed the range of a number.
 */
export async function newRecording(header: Header | string): Promise<RulesRecording> {
  const rules = await loadRules();
  const text = typeof header === 'string' ? header : JSON.stringify(header);
  const recording = rules.withCopy(text, (at, length) => rules.c.recording_new(at, length));
  return new RulesRecording(rules, recording);
}

/** A match computed by the rules. */
export class RulesRecording implements Recording {
  readonly header: Header;
  readonly live = false;
  private listeners = new Set<() => void>();
  private kept = new Map<number, Frame>();
  private stands: Standing | undefined;

  constructor(
    private readonly rules: Rules,
    private recording: number,
  ) {
    if (!recording) throw new Error(sentence(rules.output()));
    rules.c.recording_header(recording);
    this.header = JSON.parse(rules.output()) as Header;
  }

  get standing(): Standing {
    if (!this.stands) {
      this.rules.c.recording_state(this.recording);
      this.stands = JSON.parse(this.rules.output()) as Standing;
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
      if (!this.recording) throw new Error('This match was closed.');
      if (!this.rules.c.recording_turn(this.recording, turn))
        throw new Error(sentence(this.rules.output()));
      frame = JSON.parse(this.rules.output()) as Frame;
      if (this.kept.size >= FRAMES_KEPT) this.kept.delete(this.kept.keys().next().value as number);
      this.kept.set(turn, frame);
    }
    return frame;
  }

  /** Plays one more turn with the players' answers. */
  play(players: Pick<PlayerTurn, 'kind' | 'answer'>[]): void {
    if (
      !this.rules.withCopy(JSON.stringify(players), (at, length) =>
        this.rules.c.recording_play(this.recording, at, length),
      )
    )
      throw new Error(sentence(this.rules.output()));
    this.stands = undefined;
    for (const changed of this.listeners) changed();
  }

  /** The view that the player's bot receives after this number of turns. */
  view(player: number, turns = this.length): string {
    if (!this.recording) throw new Error('This match was closed.');
    if (!this.rules.c.recording_view(this.recording, player, turns))
      throw new Error(sentence(this.rules.output()));
    return this.rules.output();
  }

  /**
   * What an answer would do in the coming turn: its orders, and why some would be rejected.
   */
  try(player: number, answer: string): { orders: unknown; refused: string[] } {
    if (
      !this.rules.withCopy(answer, (at, length) =>
        this.rules.c.recording_try(this.recording, player, at, length),
      )
    )
      throw new Error(sentence(this.rules.output()));
    return JSON.parse(this.rules.output());
  }

  subscribe(changed: () => void): () => void {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  }

  close(): void {
    if (this.recording) this.rules.c.recording_free(this.recording);
    this.recording = 0;
  }
}

const FRAMES_KEPT = 256;

function sentence(text: string): string {
  const full = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(full) ? full : full + '.';
}
