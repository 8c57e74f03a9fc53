// Watches for noteworthy events of the visitor's bots: a crash, several losses in a row, or a new
// rank.
import { listen, type ActivityMatch } from './activity';
import { get, type Page } from './api';
import type { BotDetail, MatchRow } from '../pages/parts/types';

export interface Notice {
  about: string; // a newer notice about the same replaces this one
  text: string;
  to: string;
}

const CHECK = 3000; // milliseconds after a match, when the ratings are up to date
const STREAK = 5; // lost matches in a row that are worth a notice
const FAILURES: Record<string, string> = {
  crashed: 'crashed',
  disqualified: 'was disqualified',
  'did not start': 'did not start',
  'out of memory': 'ran out of memory',
  'too much output': 'printed too much',
};

/** What the browser stores about a bot between visits. */
interface Memory {
  placing?: boolean; // its placement matches are not over
  best?: number; // the best rank so far
  streak?: number; // the first match of the lost streak that was reported
}

/** Calls `tell` with notices about a person's bots until the returned function is called. */
export function watchBots(person: string, tell: (notice: Notice) => void): () => void {
  const played = new Set<string>(); // bots to look at
  let due: ReturnType<typeof setTimeout> | undefined;
  const address = (bot: string): string => `/bots/${person}/${bot}`;

  function recall(bot: string): Memory {
    return JSON.parse(localStorage.getItem(`bot ${person}/${bot}`) ?? '{}') as Memory;
  }
  function remember(bot: string, memory: Memory): void {
    localStorage.setItem(`bot ${person}/${bot}`, JSON.stringify(memory));
  }

  function take(match: ActivityMatch): void {
    if (match.state !== 'over') return;
    for (const { owner, name, status } of match.players) {
      if (owner !== person) continue;
      played.add(name);
      due ??= setTimeout(look, CHECK);
      const failure = FAILURES[status ?? ''];
      if (failure)
        tell({
          about: `failure of ${name}`,
          text: `${name} ${failure} in match ${match.id}`,
          to: `/matches/${match.id}`,
        });
    }
  }

  async function look(): Promise<void> {
    due = undefined;
    const bots = [...played];
    played.clear();
    for (const bot of bots)
      await Promise.all([lookAtRank(bot), lookAtStreak(bot)]).catch(() => null); // unreachable
  }

  async function lookAtRank(bot: string): Promise<void> {
    const { placement, rating } = await get<BotDetail>(address(bot));
    if (!placement || !rating) return;
    const memory = recall(bot);
    const { placing, best } = memory;
    memory.placing = placement.played < placement.of;
    if (!memory.placing) {
      const { rank } = rating;
      const text = placing
        ? `${bot} has finished its placement matches: rank ${rank}`
        : best && rank < best
          ? `${bot} reached rank ${rank}, its best so far`
          : '';
      if (text) tell({ about: `rank of ${bot}`, text, to: address(bot) });
      memory.best = Math.min(best ?? rank, rank);
    }
    remember(bot, memory);
  }

  async function lookAtStreak(bot: string): Promise<void> {
    const { items } = await get<Page<MatchRow>>('/matches', { bot: `${person}/${bot}`, limit: 20 });
    const over = items.filter((match) => match.state === 'over');
    const mine = (match: MatchRow): number =>
      match.players.find(({ owner, name }) => owner === person && name === bot)?.rank ?? 1;
    const end = over.findIndex((match) => mine(match) === 1);
    const lost = end < 0 ? over.length : end;
    const memory = recall(bot);
    const first = over[lost - 1]?.id;
    // A streak that is longer than the list is reported once.
    if (lost < STREAK || !first || (memory.streak ?? 0) >= first) return;
    remember(bot, { ...recall(bot), streak: first });
    tell({
      about: `streak of ${bot}`,
      text: `${bot} lost its last ${lost} matches`,
      to: address(bot),
    });
  }

  const end = listen(
    (what) => !!what.matches || what.build?.owner === person,
    (what) => {
      what?.matches?.forEach(take);
      // The placement matches may end before lookAtRank first runs.
      if (what?.build?.good) remember(what.build.bot, { ...recall(what.build.bot), placing: true });
    },
  );
  return () => {
    end();
    clearTimeout(due);
  };
}
