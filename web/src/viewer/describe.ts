// Text of the viewer: results, failures of bots, times.
import { count } from '../app/format';
import { playerNames } from '../games/game';
import type { Header, PlayerTurn, Verdict, VerdictPlayer } from '../rules/types';

export { playerNames };

const NAMED = 4;

/** The number of players that a list names; the rest are "others". */
export function listedPlayers(players: number): number {
  return players > NAMED ? NAMED - 1 : players;
}

/** "one, two and three"; a long list names only the first few. */
export function joinNames(all: string[]): string {
  const listed = listedPlayers(all.length);
  const names =
    listed < all.length ? [...all.slice(0, listed), `${all.length - listed} others`] : all;
  return names.length < 2
    ? names.join('')
    : `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`;
}

/** "medium vs random"; more than two are a list. */
export function versus(players: { name: string }[]): string {
  const names = playerNames(players);
  return names.length === 2 ? names.join(' vs ') : joinNames(names);
}

/** The start of a sentence: "Turn 1 is" or "Turns 1 to 5 are". */
export function firstTurns(turns: number): string {
  return turns === 1 ? 'Turn 1 is' : `Turns 1 to ${turns} are`;
}

export function ordinal(n: number): string {
  const end = n % 100 >= 11 && n % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${end}`;
}

// Reasons of a verdict, to follow "won".
const WINS: Record<string, string> = {
  elimination: 'by elimination',
  score: 'on score',
  'turn limit': 'at the turn limit',
  forfeit: 'by forfeit',
  'timed out': 'because the opponent timed out',
  crashed: 'because the opponent crashed',
  disqualified: 'because the opponent was disqualified',
  'did not start': 'because the opponent did not start',
  'out of memory': 'because the opponent ran out of memory',
  'too much output': 'because the opponent printed too much',
  left: 'because the opponent left',
};

/** A sentence: who won, how, and after how many turns. */
export function describeOutcome(
  names: string[],
  ranks: (number | null)[],
  reason: string | null,
  turns: number,
): string {
  const after = turns ? ` after ${count(turns, 'turn')}` : ' before the first turn';
  const first = names.filter((_, i) => ranks[i] === 1);
  const how = reason ? (WINS[reason] ?? reason) : '';
  if (first.length === 0) return `No result${after}${reason ? ': ' + reason : ''}.`;
  if (first.length === names.length)
    return reason === 'turn limit'
      ? `Draw at the turn limit${after}.`
      : `Draw${how && !how.startsWith('because') ? ' ' + how : ''}${after}.`;
  const words = names.length > 2 ? how.replace('the opponent', 'the opponents') : how;
  const verb = first.length > 1 ? 'tied for first place' : 'won';
  return `${joinNames(first)} ${verb}${words ? ' ' + words : ''}${after}.`;
}

export function describeVerdict(header: Header, verdict: Verdict): string {
  return describeOutcome(
    playerNames(header.players),
    header.players.map((_, i) => verdict.players[i]?.rank ?? null),
    verdict.reason,
    verdict.turns,
  );
}

// How a player failed, to follow its name; other states read well as they are.
const STATES: Record<string, string> = {
  timeout: 'timed out',
  'out of memory': 'ran out of memory',
  'too much output': 'printed too much',
};

/** How a bot failed; "" if it did not. */
export function describeStatus(
  player:
    Pick<VerdictPlayer, 'status' | 'failure'> | { status: string | null; failure: string | null },
): string {
  if (!player.status || player.status === 'ok') return player.failure ? player.failure : '';
  if (player.status === 'left') return player.failure || 'left'; // begins with "left"
  const status = STATES[player.status] ?? player.status;
  return player.failure ? `${status}: ${player.failure}` : status;
}

// What a bot did instead of answering, to follow its name.
const KINDS: Record<string, string> = {
  timeout: 'timed out',
  exit: 'exited',
  'too much output': 'printed too much',
  restarting: 'is restarting',
  'given up': 'stopped playing',
  'out of memory': 'ran out of memory',
  left: 'left',
  'over share': 'was disqualified for its long answers',
  'not asked': 'had no turn',
};

export function describeReply(kind: string): string {
  return KINDS[kind] ?? kind;
}

export function milliseconds(ms: number): string {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(0)} s`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms >= 10 ? `${ms.toFixed(0)} ms` : ms >= 0.095 ? `${ms.toFixed(1)} ms` : '< 0.1 ms';
}

/** The time a bot used in a turn. */
export function describeTime(turn: PlayerTurn, limit: number): string {
  const grace =
    turn.grace_ms > 0
      ? `; ${milliseconds(turn.grace_ms)} over the limit, granted because the machine was busy`
      : '';
  const [wall, most, cpu] = [turn.wall_ms, limit, turn.cpu_ms].map(milliseconds);
  return `${wall} of ${most}, CPU time ${cpu}${grace}`;
}
