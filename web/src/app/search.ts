// Finds games, bots, people, matches by number, tournaments and documents by part of a name.
import { get, Problem, type Page } from './api';
import { allGames } from './games.svelte';

export interface Found {
  kind: string;
  name: string;
  to: string;
}

interface Named {
  owner: string;
  name: string;
}

/** The items of a list; none if it cannot be read. */
async function list<T>(path: string, query: Record<string, string | number>): Promise<T[]> {
  return get<Page<T>>(path, query).then(
    (page) => page.items,
    () => [],
  );
}

async function findMatch(text: string): Promise<Found[]> {
  const number = /^(?:match )?#?(\d{1,15})$/i.exec(text)?.[1];
  if (!number) return [];
  try {
    const match = await get<{ id: number; players: Named[] }>(`/matches/${Number(number)}`);
    const players = match.players.map(({ name }) => name).join(' vs ');
    return [{ kind: 'match', name: `Match ${match.id}: ${players}`, to: `/matches/${match.id}` }];
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}

async function findGames(text: string): Promise<Found[]> {
  const games = await allGames().catch(() => []);
  return games
    .filter(({ name, title }) => `${name} ${title}`.toLowerCase().includes(text))
    .map(({ name, title }) => ({ kind: 'game', name: title, to: `/games/${name}` }));
}

/** Among the newest 200. */
async function findTournaments(text: string): Promise<Found[]> {
  const all = await list<{ id: number; name: string }>('/tournaments', { limit: 200 });
  return all
    .filter(({ name }) => name.toLowerCase().includes(text))
    .slice(0, 5)
    .map(({ id, name }) => ({ kind: 'tournament', name, to: `/tournaments/${id}` }));
}

/** Documents and their sections, by title; documents also by their summary. */
async function findDocuments(text: string): Promise<Found[]> {
  const { default: documents } = await import('virtual:documents');
  const found: Found[] = [];
  for (const [name, { title, summary, contents }] of Object.entries(documents)) {
    const to = `/docs/${name}`;
    if (`${title} ${summary}`.toLowerCase().includes(text))
      found.push({ kind: 'docs', name: title, to });
    for (const section of contents)
      if (section.text.toLowerCase().includes(text))
        found.push({ kind: 'docs', name: `${title}: ${section.text}`, to: `${to}#${section.id}` });
  }
  return found.slice(0, 6);
}

/** The search results for a text, most likely first. */
export async function search(text: string): Promise<Found[]> {
  const small = text.toLowerCase();
  const named = text.length > 1;
  const found = await Promise.all([
    findMatch(text),
    findGames(small),
    named ? list<Named>('/bots', { search: text.split('/').at(-1) ?? '', limit: 8 }) : [],
    named ? list<Named>('/people', { search: text, limit: 5 }) : [],
    named ? findTournaments(small) : [],
    named ? findDocuments(small) : [],
  ]);
  const [matches, games, bots, people, tournaments, documents] = found;
  return [
    ...matches,
    ...games,
    ...bots.map(({ owner, name }) => ({
      kind: 'bot',
      name: `${owner}/${name}`,
      to: `/bots/${owner}/${name}`,
    })),
    ...people.map(({ name }) => ({ kind: 'person', name, to: `/people/${name}` })),
    ...tournaments,
    ...documents,
  ];
}
