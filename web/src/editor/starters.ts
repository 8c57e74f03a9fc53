// The starter bots (bots/starter), loaded on demand, and a comment for languages without one.
import { languageSupport } from './languages';

const files = import.meta.glob('../../../bots/starter/*/*', {
  query: '?raw',
  import: 'default',
}) as Record<string, () => Promise<string>>;

function path(game: string, language: string): string {
  const file =
    language === 'java'
      ? 'Starter.java'
      : 'starter' + (languageSupport[language]?.endings[0] ?? '');
  return `../../../bots/starter/${game}/${file}`;
}

export function hasStarter(game: string, language: string): boolean {
  return path(game, language) in files;
}

/** The code a new bot starts with. */
export async function starter(game: string, language: string): Promise<string> {
  const load = files[path(game, language)];
  if (load) return load();
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
