// What a page has to know to go on playing after a reload. It is saved for this tab alone: the
// secret of a seat is whose it is.
import type { TurnAnswers } from './seatFilm';

/** What is asked for, as POST /join wants it. */
export interface JoinRequest {
  game: string;
  turn_time: number;
  opponents?: string[];
  map?: string;
  seat?: number;
  config?: string;
  from?: Origin;
}

/**
 * What a match begins as: a recorded one of the arena, or that of a file (file.ts), up to a turn.
 */
export type Origin = ({ match: number } | { file: string; opened: number }) & { turn: number };

export function originName(origin: Origin): string {
  return 'match' in origin ? `match ${origin.match}` : origin.file;
}

export interface Joined {
  seat: string; // the secret
  match: number;
  game: string;
  players: { name: string; owner: string | null; joined: boolean }[];
  key?: string;
}

export interface SavedSeat {
  joined: Joined;
  request: JoinRequest;
  run: number; // how often the arena has started this seat
  at: number; // bytes that were said in this run
  answered: number; // the last turn for which something was said
  heard: number; // the seat's event up to which everything is answered
  // What is to be answered: its last event, and when the first came.
  asked: { event: number; since: number } | null;
  // The event of the match with which it began; it begins anew where the arena was interrupted.
  began: number;
  header: string; // of the match, once it has begun
  pending: { at: number; text: string } | null; // said, and not yet known to have arrived
}

const NAME = 'seat';
const turnName = (turn: number): string => `${NAME} turn ${turn}`;

/** What this tab keeps under a name, or null. */
export function readItem<T>(name: string): T | null {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null') as T | null;
  } catch {
    return null;
  }
}

/** The browser gives a page only so much room, or none. Who has none can play, but not reload. */
export function writeItem(name: string, value: object | null): void {
  try {
    if (value) sessionStorage.setItem(name, JSON.stringify(value));
    else sessionStorage.removeItem(name);
  } catch (error) {
    console.warn(error);
  }
}

export const loadSeat = (): SavedSeat | null => readItem<SavedSeat>(NAME);

export function saveSeat(saved: SavedSeat): void {
  writeItem(NAME, saved);
}

export function saveTurn(turn: number, said: TurnAnswers): void {
  writeItem(
    turnName(turn),
    said.map(({ kind, answer }) => ({ kind, answer })),
  );
}

/** The turns from the first on, as far as they were saved. */
export function* savedTurns(): Generator<TurnAnswers> {
  for (let turn = 1; ; turn++) {
    const text = sessionStorage.getItem(turnName(turn));
    if (text === null) return;
    yield JSON.parse(text) as TurnAnswers;
  }
}

export function forgetTurns(): void {
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith(turnName(0).slice(0, -1))) sessionStorage.removeItem(name);
}

export function forgetSeat(): void {
  forgetTurns();
  sessionStorage.removeItem(NAME);
}
