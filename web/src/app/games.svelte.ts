// The games of the arena. They do not change while it runs, so they are asked for once.
import { get, type Page } from './api';
import type { Game } from '../pages/parts/types';

let asked: Promise<Game[]> | undefined;

export function allGames(): Promise<Game[]> {
  asked ??= get<Page<Game>>('/games').then(
    (page) => page.items,
    (error: unknown) => {
      asked = undefined;
      throw error;
    },
  );
  return asked;
}
