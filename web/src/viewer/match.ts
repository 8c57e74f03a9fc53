// A match as the API tells of it, and what the pages say about it.
import type { Verdict } from '../rules/types';
import { describeOutcome, playerNames } from './describe';

export interface MatchPlayer {
  name: string;
  owner: string | null; // null: code that was sent with the match
  version: number | null;
  rank: number | null;
  score: number | null;
  status: string | null;
  failure: string | null;
}

export interface MatchRow {
  id: number;
  kind: 'play_now' | 'tournament' | 'ladder';
  state: 'waiting' | 'playing' | 'over' | 'given_up' | 'called_off';
  open: boolean; // everybody may read standard error
  game: string;
  map: string | null;
  seed: number;
  tournament: number | null;
  created: string | null;
  started: string | null;
  ended: string | null;
  turns: number;
  reason: string | null;
  replay: boolean;
  players: MatchPlayer[];
}

export interface Match extends MatchRow {
  ahead: number | null; // in the queue; null: it does not wait
  verdict: Verdict | null;
}

/** What the viewer needs to know to link to the rest of the arena. */
export interface MatchLinks {
  id: number;
  key?: string; // a visitor's own, for what only they may read
  bots?: (string | null)[]; // the address of each player's bot
}

export function botAddress(player: MatchPlayer): string | null {
  return player.owner
    ? `/bots/${encodeURIComponent(player.owner)}/${encodeURIComponent(player.name)}`
    : null;
}

/** How it stands, in a sentence. */
export function describeState(match: MatchRow & { ahead?: number | null }): string {
  switch (match.state) {
    case 'waiting':
      return match.ahead
        ? `Waiting: ${match.ahead} before it in the queue.`
        : 'Waiting: it is the next to be played.';
    case 'playing':
      return 'Being played now.';
    case 'given_up':
      return `Given up: the arena could not play it${match.reason ? ` (${match.reason})` : ''}.`;
    case 'called_off':
      return `Called off${match.reason && match.reason !== 'called off' ? `: ${match.reason}` : ''}.`;
    default:
      return describeOutcome(
        playerNames(match.players),
        match.players.map((player) => player.rank),
        match.reason,
        match.turns,
      );
  }
}

export const KINDS: Record<MatchRow['kind'], string> = {
  play_now: 'played on demand',
  tournament: 'tournament match',
  ladder: 'ladder match',
};
