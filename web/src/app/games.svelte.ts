// The arena's games. They do not change while it runs, so they are loaded once.
import { get, type Page } from './api';
import type { Game } from '../pages/parts/types';

let loading: Promise<Game[]> | undefined;
const titles = $state<Record<string, string>>({});

export function allGames(): Promise<Game[]> {
  loading ??= get<Page<Game>>('/games').then(
    ({ items }) => {
      for (const { name, title } of items) titles[name] = title;
      return items;
    },
    (error: unknown) => {
      loading = undefined; // the next call tries again
      throw error;
    },
  );
  return loading;
}

/** A game's title if the games are loaded, else its name. Reactive, and makes no request. */
export function knownGameTitle(name: string): string {
  return titles[name] ?? name;
}

/** A game's title; its name until the games are loaded. Reactive. */
export function gameTitle(name: string): string {
  if (!(name in titles)) void allGames().catch(() => null);
  return knownGameTitle(name);
}
