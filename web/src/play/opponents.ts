// The bots to play against: house bots first, each group by rating.
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

export async function opponents(game: string): Promise<Opponent[]> {
  const [bots, ladder] = await Promise.all([
    all<Bot>('/bots', { game }),
    all<LadderRow>(`/ladders/${game}`, {}).catch(() => []),
  ]);
  const ratings = new Map(ladder.map((row) => [`${row.owner}/${row.bot}`, row.rating]));
  return bots
    .filter((bot) => bot.active_version !== null)
    .map((bot) => ({
      id: `${bot.owner}/${bot.name}`,
      house: bot.owner === 'house',
      rating: ratings.get(`${bot.owner}/${bot.name}`) ?? null,
    }))
    .sort(
      (a, b) =>
        Number(b.house) - Number(a.house) ||
        (b.rating ?? -1e9) - (a.rating ?? -1e9) ||
        a.id.localeCompare(b.id),
    );
}

/** The default opponent: the easiest house bot. */
export function easiest(all: Opponent[]): Opponent | undefined {
  const house = all.filter((one) => one.house);
  return house.find((one) => one.id.endsWith('-random')) ?? house[house.length - 1] ?? all[0];
}

/**
 * The bot for a player of a recorded match: one of that name, house bots first; else the best house
 * bot.
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

export function label(opponent: Opponent): string {
  const { id, rating } = opponent;
  return rating === null ? id : `${id} (rating ${Math.round(rating)})`;
}
