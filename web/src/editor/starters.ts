// The starter bots (bots/starter), each loaded when somebody begins from it, and what to begin from
// where there is none.
import { languageSupport } from './languages';

const files = import.meta.glob('../../../bots/starter/*/*', {
  query: '?raw',
  import: 'default',
}) as Record<string, () => Promise<string>>;

function path(game: string, language: string): string {
  const file =
    language === 'java' ? 'Starter.java' : 'starter' + (languageSupport[language]?.ending ?? '');
  return `../../../bots/starter/${game}/${file}`;
}

export function hasStarter(game: string, language: string): boolean {
  return path(game, language) in files;
}

/** The text that a new bot begins with. */
export async function starter(game: string, language: string): Promise<string> {
  const load = files[path(game, language)];
  if (load) return load();
  const sign = languageSupport[language]?.comment ?? '#';
  return [
    `There is no starter bot for ${game} in this language yet.`,
    'A bot reads views from standard input and prints answers to standard output; flush after each answer.',
    `What they look like: /docs/rules/${game}; what holds for all games: /docs/writing-bots.`,
  ]
    .map((line) => `${sign} ${line}\n`)
    .join('');
}
