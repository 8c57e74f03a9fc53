// API types of a match, and its state as text.
import type { Verdict } from '../rules/types';
import { describeOutcome, playerNames } from './describe';

export interface MatchPlayer {
  name: string;
  owner: string | null; // null: code submitted with the match
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
  open: boolean; // everyone may read standard error
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
  ahead: number | null; // matches ahead in the queue; null: not queued
  verdict: Verdict | null;
  analysis: 'waiting' | 'running' | 'done' | 'failed' | null; // null: there is none
  analysable: boolean; // by the reader, now
  machine: string | null; // the machine that played it, and its speed in percent of the reference
  speed: number | null;
  cancellable: boolean; // by the reader, now
}

/** What the viewer needs to know to link to the rest of the arena. */
export interface MatchLinks {
  id: number;
  key?: string; // a guest's key to private output
  bots?: (string | null)[]; // link to each player's bot
}

export function botAddress(player: MatchPlayer): string | null {
  return player.owner
    ? `/bots/${encodeURIComponent(player.owner)}/${encodeURIComponent(player.name)}`
    : null;
}

/** The match's state as a sentence. */
export function describeState(match: MatchRow & { ahead?: number | null }): string {
  switch (match.state) {
    case 'waiting':
      return match.ahead ? `Queued: ${match.ahead} ahead.` : 'Queued: starts next.';
    case 'playing':
      return 'Live.';
    case 'given_up':
      return `Failed: the arena could not play it${match.reason ? ` (${match.reason})` : ''}.`;
    case 'called_off':
      if (match.reason?.startsWith('cancelled '))
        return `Cancelled ${match.reason.slice('cancelled '.length)}.`;
      return match.reason && match.reason !== 'called off'
        ? `Cancelled: ${match.reason}.`
        : 'Cancelled.';
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
  play_now: 'casual match',
  tournament: 'tournament match',
  ladder: 'ladder match',
};
