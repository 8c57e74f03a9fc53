// API types that more than one page uses.
import type { MatchRow } from '../../viewer/match';
import type { CheckSummary } from './check';

export { KINDS, type MatchPlayer, type MatchRow } from '../../viewer/match';

export interface Game {
  name: string;
  title: string;
  summary: string;
  players_min: number;
  players_max: number;
  turn_ms: number;
  generates_maps: boolean;
  maps: { name: string; summary: string; players: number | null }[];
  options: { name: string; standard: string; summary: string }[];
}

export interface LadderRow {
  rank: number;
  owner: string;
  bot: string;
  version: number;
  rating: number;
  error: number;
  matches: number;
  won: number;
  drawn: number;
  lost: number;
}

export interface Bot {
  id: number;
  owner: string;
  name: string;
  game: string;
  published: boolean;
  created: string;
  active_version: number | null;
}

export interface Version {
  id: number;
  bot: number;
  owner: string;
  name: string;
  number: number;
  language: string;
  file_name: string | null;
  size: number;
  build: 'waiting' | 'good' | 'failed';
  active: boolean;
  deleted: boolean;
  created: string;
  built: string | null;
  check: CheckSummary | null;
}

export interface BotDetail extends Bot {
  version: Version | null;
  placement: { played: number; of: number } | null; // null: no active version
  rating: {
    rating: number;
    error: number;
    rank: number;
    matches: number;
    won: number;
    drawn: number;
    lost: number;
  } | null;
}

/** Results against one opponent. */
export interface Opponent {
  owner: string;
  name: string;
  matches: number;
  won: number;
  drawn: number;
  lost: number;
}

/** A match's result or state in a few words. */
export function resultSummary(match: MatchRow): string {
  if (match.state === 'waiting') return 'queued';
  if (match.state === 'playing') return 'live';
  if (match.state === 'called_off') return 'cancelled';
  if (match.state === 'given_up') return 'failed';
  const first = match.players.filter((player) => player.rank === 1).map((player) => player.name);
  const why = match.reason ? `, ${match.reason}` : '';
  if (first.length === 1) return `${first[0]} won${why}`;
  return first.length === match.players.length
    ? `draw${why}`
    : `${first.join(' and ')} shared first place${why}`;
}
