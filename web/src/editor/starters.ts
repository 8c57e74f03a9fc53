// The starter bots, bots/starter/GAME/LANGUAGE, loaded on demand, and an empty bot for languages
// without a starter.
import type { Files } from './files';
import { languageSupport } from './languages';

const FOLDER = '../../../bots/starter/';
const loaders = import.meta.glob('../../../bots/starter/*/*/**', {
  query: '?raw',
  import: 'default',
}) as Record<string, () => Promise<string>>;

function paths(game: string, language: string): string[] {
  return Object.keys(loaders).filter((path) => path.startsWith(`${FOLDER}${game}/${language}/`));
}

export function hasStarter(game: string, language: string): boolean {
  return paths(game, language).length > 0;
}

/** The files of the starter, or null if there is none. */
export async function starter(game: string, language: string): Promise<Files | null> {
  const found = paths(game, language);
  const texts = await Promise.all(found.map((path) => loaders[path]?.() ?? ''));
  const skip = `${FOLDER}${game}/${language}/`.length;
  return found.length
    ? Object.fromEntries(found.map((path, i) => [path.slice(skip), texts[i] ?? '']))
    : null;
}

/** The file of a new bot in a language without a starter. */
export function emptyBot(game: string, language: string): string {
  const sign = languageSupport[language]?.comment ?? '#';
  return [
    `No starter bot for ${game} in this language yet.`,
    'A bot reads views from standard input and prints answers to standard output.',
    'Flush after each answer.',
    `See /docs/rules/${game} and /docs/writing-bots.`,
  ]
    .map((line) => `${sign} ${line}\n`)
    .join('');
}
