// Unsaved work, kept in this browser: one text for each game, language and bot. What is as it was
// saved, or as the starter is, is not kept.

export interface Draft {
  text: string;
  time: number; // milliseconds, when it was changed last
  base: number | null; // the number of the version that it began from
}

const key = (game: string, language: string, bot: string, aside: boolean): string =>
  `${aside ? 'aside' : 'draft'}/${game}/${language}/${bot}`;

export function readDraft(
  game: string,
  language: string,
  bot: string,
  aside = false,
): Draft | null {
  try {
    const kept = JSON.parse(
      localStorage.getItem(key(game, language, bot, aside)) ?? 'null',
    ) as Draft | null;
    return kept && typeof kept.text === 'string' ? kept : null;
  } catch {
    return null;
  }
}

/**
 * False if the browser has no room for it. With `aside` it is a second one, which the next draft
 * does not write over.
 */
export function keepDraft(
  game: string,
  language: string,
  bot: string,
  draft: Draft | null,
  aside = false,
): boolean {
  const name = key(game, language, bot, aside);
  try {
    if (draft) localStorage.setItem(name, JSON.stringify(draft));
    else localStorage.removeItem(name);
    return true;
  } catch {
    return false;
  }
}

/** Small things that are remembered from visit to visit. */
export function recall<T>(name: string, otherwise: T): T {
  try {
    return (JSON.parse(localStorage.getItem('editor/' + name) ?? 'null') as T | null) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function remember(name: string, value: unknown): void {
  try {
    localStorage.setItem('editor/' + name, JSON.stringify(value));
  } catch {
    // then not
  }
}
