// What the viewer says, in words: how a match ended, what a bot did instead of answering, times.
import { count } from '../app/format';
import type { Header, PlayerTurn, Verdict, VerdictPlayer } from '../rules/types';

/** "hunter", or "hunter (2)" for the second of that name. */
export function playerNames(players: { name: string }[]): string[] {
  return players.map(({ name }, i) => {
    const before = players.slice(0, i).filter((other) => other.name === name).length;
    const alone = players.every((other, j) => j === i || other.name !== name);
    return alone ? name : `${name} (${before + 1})`;
  });
}

const NAMED = 4;

/** "one, two and three"; of many the first few. */
export function joinNames(all: string[]): string {
  const names =
    all.length > NAMED ? [...all.slice(0, NAMED - 1), `${all.length - NAMED + 1} others`] : all;
  return names.length < 2
    ? names.join('')
    : `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`;
}

/** "hunter vs random"; more than two are a list. */
export function versus(players: { name: string }[]): string {
  const names = playerNames(players);
  return names.length === 2 ? names.join(' vs ') : joinNames(names);
}

export function ordinal(n: number): string {
  const end = n % 100 >= 11 && n % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${end}`;
}

// Why a match ended, as the verdict has it, after "won ...".
const WINS: Record<string, string> = {
  elimination: 'by elimination',
  score: 'on score',
  'turn limit': 'at the turn limit',
  forfeit: 'because the other gave up',
  'timed out': 'because the other took too long',
  crashed: 'because the other crashed',
  disqualified: 'because the other was disqualified',
  'did not start': 'because the other did not start',
  'out of memory': 'because the other ran out of memory',
  'too much output': 'because the other wrote too much',
  left: 'because the other left',
};

/** One sentence: who won, how, and after how many turns. */
export function describeOutcome(
  names: string[],
  ranks: (number | null)[],
  reason: string | null,
  turns: number,
): string {
  const after = turns ? ` after ${count(turns, 'turn')}` : ' before its first turn';
  const first = names.filter((_, i) => ranks[i] === 1);
  const how = reason ? (WINS[reason] ?? reason) : '';
  if (first.length === 0) return `It ended without a result${after}${reason ? ': ' + reason : ''}.`;
  if (first.length === names.length)
    return reason === 'turn limit'
      ? `A draw: nobody had won${after}.`
      : `A draw${how && !how.startsWith('because') ? ' ' + how : ''}${after}.`;
  const words = names.length > 2 ? how.replace('the other', 'others') : how;
  return `${joinNames(first)} ${first.length > 1 ? 'share the first place' : 'won'}${words ? ' ' + words : ''}${after}.`;
}

export function describeVerdict(header: Header, verdict: Verdict): string {
  return describeOutcome(
    playerNames(header.players),
    header.players.map((_, i) => verdict.players[i]?.rank ?? null),
    verdict.reason,
    verdict.turns,
  );
}

/** What became of a bot, if that was not all well; "" if it was. */
export function describeStatus(
  player:
    Pick<VerdictPlayer, 'status' | 'failure'> | { status: string | null; failure: string | null },
): string {
  if (!player.status || player.status === 'ok') return player.failure ? player.failure : '';
  if (player.status === 'left') return player.failure || 'left'; // which begins so
  const status = player.status === 'timeout' ? 'took too long' : player.status;
  return player.failure ? `${status}: ${player.failure}` : status;
}

// What a bot did instead of answering.
const KINDS: Record<string, string> = {
  timeout: 'gave no answer in time',
  exit: 'its program ended',
  'too much output': 'wrote more than an answer may have',
  restarting: 'is being started again',
  'given up': 'plays no more',
  'out of memory': 'ran out of memory',
  left: 'has left',
  'not asked': 'was not asked',
};

export function describeReply(kind: string): string {
  return KINDS[kind] ?? kind;
}

export function milliseconds(ms: number): string {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(0)} s`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms >= 10 ? `${ms.toFixed(0)} ms` : ms >= 0.095 ? `${ms.toFixed(1)} ms` : '< 0.1 ms';
}

/** What is worth telling of the time that a bot took. */
export function describeTime(turn: PlayerTurn, limit: number): string {
  const grace =
    turn.grace_ms > 0
      ? `; ${milliseconds(turn.grace_ms)} over the limit, which counts since the machine was busy`
      : '';
  return `${milliseconds(turn.wall_ms)} of ${milliseconds(limit)}, computing for ${milliseconds(turn.cpu_ms)}${grace}`;
}
