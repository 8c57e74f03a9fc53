// Unsaved drafts in this browser: one for each game, language and bot. Unchanged code is not
// stored.

import type { Files } from './files';

export interface Draft {
  files: Files;
  time: number; // of the last change, in milliseconds
  base: number | null; // the version it started from
}

const key = (game: string, language: string, bot: string, aside: boolean): string =>
  `${aside ? 'aside' : 'draft'}/${game}/${language}/${bot}`;

/** `name` is the file's name if the draft was stored as one text. */
export function readDraft(
  game: string,
  language: string,
  bot: string,
  name: string,
  aside = false,
): Draft | null {
  try {
    const kept = JSON.parse(localStorage.getItem(key(game, language, bot, aside)) ?? 'null') as
      (Draft & { text?: string }) | null;
    // Earlier releases stored one text.
    if (kept && !kept.files && typeof kept.text === 'string') kept.files = { [name]: kept.text };
    return kept?.files ? kept : null;
  } catch {
    return null;
  }
}

/**
 * Stores a draft, or deletes it if it is null. Returns false if storage is full. With `aside`, it
 * is a second draft, which the next one does not overwrite.
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

/** Small settings remembered between visits. */
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
    // optional
  }
}
