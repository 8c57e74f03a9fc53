// What a page needs to continue a match after a reload. Stored for this tab only, because the
// secret gives access to the seat.
import type { TurnAnswers } from './seatRecording';

/** The body of POST /join. */
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
 * The recorded match and turn from which a new match starts: a match of the arena, or a file
 * (replayFile.ts).
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
  run: number; // number of times the arena started this seat
  sentBytes: number; // in this run
  answeredTurn: number;
  answeredEvent: number; // the seat's last event that has been answered
  // The views to answer: the last event, and when the first one arrived.
  view: { event: number; since: number } | null;
  // The match event of the current start; the match restarts if the arena was interrupted.
  startEvent: number;
  header: string; // of the match, once it has started
  pending: { at: number; text: string } | null; // an answer that the arena has not confirmed
}

const NAME = 'seat';
const turnName = (turn: number): string => `${NAME} turn ${turn}`;

/** A value stored in this tab, or null. */
export function readItem<T>(name: string): T | null {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null') as T | null;
  } catch {
    return null;
  }
}

/** Stores a value. If storage is full or disabled, the match does not survive a reload. */
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

export function saveTurn(turn: number, answers: TurnAnswers): void {
  writeItem(
    turnName(turn),
    answers.map(({ kind, answer }) => ({ kind, answer })),
  );
}

/** The saved turns, from the first. */
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
