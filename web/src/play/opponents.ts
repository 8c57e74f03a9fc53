// The bots to play against.
import { get, type Page } from '../app/api';
import type { Bot, LadderRow } from '../pages/parts/types';

export interface Opponent {
  id: string; // "owner/name"
  house: boolean;
  rating: number | null;
}

const PAGES = 5;
const PAGE = 100;

async function all<Row>(path: string, query: Record<string, string>): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < PAGES; page++) {
    const got: Page<Row> = await get<Page<Row>>(path, { ...query, limit: PAGE, cursor });
    rows.push(...got.items);
    cursor = got.next;
    if (!cursor) break;
  }
  return rows;
}

export function opponentOf(owner: string, bot: string, rating: number | null): Opponent {
  return { id: `${owner}/${bot}`, house: owner === 'house', rating };
}

/** The order of a list: house bots first, each group by rating. */
export function byRating(a: Opponent, b: Opponent): number {
  return (
    Number(b.house) - Number(a.house) ||
    (b.rating ?? -1e9) - (a.rating ?? -1e9) ||
    a.id.localeCompare(b.id)
  );
}

export async function opponents(game: string): Promise<Opponent[]> {
  const [bots, ladder] = await Promise.all([
    all<Bot>('/bots', { game }),
    all<LadderRow>(`/ladders/${game}`, {}).catch(() => []),
  ]);
  const ratings = new Map(ladder.map((row) => [`${row.owner}/${row.bot}`, row.rating]));
  return bots
    .filter((bot) => bot.active_version !== null)
    .map((bot) => opponentOf(bot.owner, bot.name, ratings.get(`${bot.owner}/${bot.name}`) ?? null))
    .sort(byRating);
}

/** The default opponent: the easiest house bot. */
export function easiest(all: Opponent[]): Opponent | undefined {
  const house = all.filter((one) => one.house);
  return house.find((one) => one.id.endsWith('-random')) ?? house[house.length - 1] ?? all[0];
}

/**
 * The bot for a player of a recorded match: one with that name, preferably a house bot; else the
 * best house bot.
 */
export function guessOpponent(
  player: { name: string; bot: string },
  game: string,
  all: Opponent[],
): Opponent | undefined {
  const named = [`house/${player.name}`, `house/${game}-${player.bot.replace(/^house:/, '')}`];
  return (
    all.find((one) => named.includes(one.id)) ??
    all.find((one) => one.id.endsWith(`/${player.name}`)) ??
    all[0]
  );
}

/** A bot's name, with its owner unless it is a house bot. */
const nameOf = ({ id }: Opponent): string => id.replace(/^house\//, '');

/** "ada/moth (rating 1612)". */
export function label(one: Opponent): string {
  return one.rating === null ? nameOf(one) : `${nameOf(one)} (rating ${Math.round(one.rating)})`;
}

/** "ada/moth (1612)", for narrow places. */
export function shortLabel(one: Opponent): string {
  return one.rating === null ? nameOf(one) : `${nameOf(one)} (${Math.round(one.rating)})`;
}
