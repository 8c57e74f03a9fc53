// The file that `skirmish analyze` writes: winning chances by turn, and blunders. docs/analysis.md
// describes it.
import type { Recording } from '../rules/recording';

export interface Chance {
  chance: number;
  low: number; // the 95% confidence interval
  high: number;
}

export interface AnalysisPoint {
  turn: number;
  continuations: number; // 0: the end of the match, whose result is known
  players: Chance[];
}

export interface Blunder {
  player: number; // from 1
  first_turn: number;
  last_turn: number;
  instead: Chance; // had the bot chosen the orders
  after: Chance;
}

export interface Analysis {
  game: string;
  turns: number;
  digest: string;
  players: { name: string; continued_by: string }[];
  continuations: number;
  points: AnalysisPoint[];
  blunders: Blunder[];
  decided: { turn: number; player: number } | null;
}

export const ANALYSIS_MOST = 16 << 20; // bytes

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;
const isChance = (value: unknown): boolean =>
  isObject(value) &&
  [value.chance, value.low, value.high].every(
    (share) => typeof share === 'number' && share >= 0 && share <= 1,
  );

function isPoint(value: unknown, players: number, turns: number): boolean {
  return (
    isObject(value) &&
    isCount(value.turn) &&
    value.turn <= turns &&
    isCount(value.continuations) &&
    Array.isArray(value.players) &&
    value.players.length === players &&
    value.players.every(isChance)
  );
}

function isBlunder(value: unknown, players: number, turns: number): boolean {
  return (
    isObject(value) &&
    isCount(value.player) &&
    value.player >= 1 &&
    value.player <= players &&
    isCount(value.first_turn) &&
    isCount(value.last_turn) &&
    value.first_turn >= 1 &&
    value.first_turn <= value.last_turn &&
    value.last_turn <= turns &&
    isChance(value.instead) &&
    isChance(value.after)
  );
}

function isAnalysis(value: unknown): boolean {
  if (!isObject(value) || value.format !== 'skirmish-analysis' || value.version !== 1) return false;
  const { turns, players, points, blunders, decided } = value;
  if (!isCount(turns) || !isCount(value.continuations) || typeof value.digest !== 'string')
    return false;
  if (!Array.isArray(players) || !Array.isArray(points) || !Array.isArray(blunders)) return false;
  return (
    players.every((player) => isObject(player) && typeof player.continued_by === 'string') &&
    points.length > 0 &&
    points.every((point) => isPoint(point, players.length, turns)) &&
    points.every((point, i) => i === 0 || point.turn > points[i - 1].turn) &&
    blunders.every((blunder) => isBlunder(blunder, players.length, turns)) &&
    (decided === null ||
      (isObject(decided) &&
        isCount(decided.turn) &&
        isCount(decided.player) &&
        decided.player >= 1 &&
        decided.player <= players.length))
  );
}

/** Reads an analysis. Throws an Error whose message is a sentence. */
export function readAnalysis(text: string): Analysis {
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    // reported below
  }
  if (!isAnalysis(value))
    throw new Error('This file is neither a replay nor an analysis that this version can read.');
  return value as Analysis;
}

/** Whether the analysis is of this match, that is, has the same number of turns and final state. */
export function belongs(analysis: Analysis, recording: Recording): boolean {
  return (
    analysis.game === recording.header.game &&
    analysis.turns === recording.length &&
    analysis.players.length === recording.header.players.length &&
    analysis.digest === recording.frame(recording.length).digest
  );
}

/** The last point at or before a turn. */
export function pointAt(analysis: Analysis, turn: number): AnalysisPoint {
  let found = analysis.points[0]!;
  for (const point of analysis.points) if (point.turn <= turn) found = point;
  return found;
}

export const percent = (share: number): string => `${Math.round(share * 100)}%`;

/** "48% (38–59%)"; without the interval if the result is known. */
export function describeChance({ chance, low, high }: Chance): string {
  return low === high
    ? percent(chance)
    : `${percent(chance)} (${Math.round(low * 100)}–${percent(high)})`;
}

/** "turn 40", "turns 39 to 41" */
export function describeTurns({ first_turn, last_turn }: Blunder): string {
  return first_turn === last_turn ? `turn ${last_turn}` : `turns ${first_turn} to ${last_turn}`;
}
