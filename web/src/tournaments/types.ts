// API types of tournaments, and the names that pages use for formats, states and meetings.
import { count } from '../app/format';

export interface TournamentRow {
  id: number;
  name: string;
  game: string;
  format: string;
  state: 'open' | 'running' | 'over' | 'called-off';
  organiser: string;
  created: string;
  started: string | null;
  ended: string | null;
  starts: string | null; // automatically
}

export interface Tournament extends TournamentRow {
  start_problem: string | null; // why it did not start automatically
  entrants: number;
  players: number;
  games: number; // number of times that a meeting goes through all seats
  matches_per_meeting: number;
  rounds: number | null;
  seed: number;
  speed_min: number | null; // of the machines that play, in percent of the reference
  speed_max: number | null;
  without_worker: boolean; // no connected worker has a permitted speed
  maps: string[];
}

export interface Entrant {
  bot: number;
  owner: string;
  name: string;
  version: number;
  entered: string;
}

export interface TableRow {
  bot: number; // in the order of the seeding, from 0
  name: string;
  place: number;
  rating: number | null;
  error: number | null;
  matches: number;
  wins: number;
  draws: number;
  losses: number;
  points: number;
  points_most: number;
  turns: number;
  wall_ms: number;
  timeouts: number;
  crashes: number;
  refused: number;
  // Swiss only: what the place is based on.
  swiss?: { points: number; buchholz: number; byes: number };
}

export interface Pair {
  a: number;
  b: number;
  wins: number;
  draws: number;
  losses: number;
  superiority: number | null;
}

export interface Node {
  side: 'winners' | 'losers' | 'final';
  round: number;
  position: number;
  places: { bot: number | null; points: number }[];
  bye: boolean;
  by_seeding: boolean;
  winner: number | null;
}

export interface Standings {
  title: string;
  game: string;
  format: string;
  finished: boolean;
  matches: number;
  bots: TableRow[];
  pairs: Pair[];
  bracket: Node[] | null;
  history: { matches: number; ratings: (number | null)[] }[];
}

export const FORMATS: Record<string, string> = {
  'round-robin': 'Round robin: everyone plays everyone',
  swiss: 'Swiss: opponents with similar scores',
  knockout: 'Knockout: eliminated after one loss',
  'double-knockout': 'Double knockout: eliminated after two losses',
  gauntlet: 'Gauntlet: the first bot plays all others',
  ladder: 'Ladder: the most informative pairings',
};

/** The address of a tournament's matches of a bot, or of two bots against each other. */
export function matchesOf(tournament: number | string, bot: string, opponent = ''): string {
  const query = new URLSearchParams({ bot, ...(opponent ? { opponent } : {}) });
  return `/tournaments/${tournament}?${query}#matches`;
}

/** The size of a meeting as text: "2 pairs of matches per meeting, both seats". */
export function meeting({ games, players, matches_per_meeting }: Tournament): string {
  return players === 2
    ? `${count(games, 'pair')} of matches per meeting, both seats`
    : `${count(matches_per_meeting, 'match', 'matches')} per meeting, each bot in every seat`;
}

/** The permitted speeds of machines as text: "of 90 to 110%"; '' if all are permitted. */
export function speeds({ speed_min: least, speed_max: most }: Tournament): string {
  if (least && most) return `of ${least} to ${most}%`;
  return least ? `of at least ${least}%` : most ? `of at most ${most}%` : '';
}

export const STATES: Record<TournamentRow['state'], string> = {
  open: 'open for entries',
  running: 'running',
  over: 'finished',
  'called-off': 'cancelled',
};
