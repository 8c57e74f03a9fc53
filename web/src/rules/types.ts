// Matches as JSON, from the arena and from the rules. The C side is src/match/replay_json.c
// (turns) and replay_write.c (header, end).

export interface GameFile {
  name: string;
  text: string;
}

/** How a match was set up: the header of a replay, and the event "start" of a live match. */
export interface Header {
  game: string;
  seed: number | string;
  config: GameFile | null;
  map: GameFile | null;
  turn_ms: number;
  start_ms: number;
  think: string;
  // `person_ms` is a person's time per turn, instead of turn_ms.
  players: { name: string; bot: string; absent?: boolean; person_ms?: number }[];
  sandbox?: string[];
}

/** What a player's bot did in a turn. */
export interface PlayerTurn<Orders = any> {
  name: string;
  kind: 'not asked' | 'answer' | string;
  answer: string;
  orders: Orders;
  refused: number;
  reasons: string[];
  stderr?: string; // not in live matches
  wall_ms: number;
  cpu_ms: number;
  late: number;
  grace_ms: number;
}

/** The board after a turn, and what led to it. Turn 0 is the start, before any player's turn. */
export interface Frame<State = any, Orders = any> {
  turn: number;
  state: State;
  players: PlayerTurn<Orders>[];
  events: string[];
  digest: string;
}

export interface VerdictPlayer {
  name: string;
  rank: number;
  score: number | null;
  status: string;
  failure?: string;
  refused: number;
  timeouts: number;
  [more: string]: unknown;
}

export interface Verdict {
  turns: number;
  reason: string;
  players: VerdictPlayer[];
}
