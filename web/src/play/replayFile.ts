// The replay file that is open in this window: one can play on from it. It stays over a log-in and
// a reload, for this tab alone, and goes to the arena only with the request to play on.
import { readItem, writeItem } from './storage';

export interface ReplayFile {
  name: string;
  opened: number; // when, in milliseconds since 1970: another file may have the same name
  text: string; // in base64
}

export const FILE_MOST = 1 << 20; // bytes that the arena takes

const NAME = 'replay file';
const PIECE = 1 << 15;
let file: ReplayFile | null = null;

/** The file that was opened last; null for one that the arena would not take. */
export function storeFile(name: string, bytes: Uint8Array): ReplayFile | null {
  file = null;
  if (bytes.length <= FILE_MOST) {
    let text = '';
    for (let at = 0; at < bytes.length; at += PIECE)
      text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
    file = { name, opened: Date.now(), text: btoa(text) };
  }
  writeItem(NAME, file);
  return file;
}

export function storedFile(): ReplayFile | null {
  file ??= readItem<ReplayFile>(NAME);
  return file;
}

export function fileBytes({ text }: ReplayFile): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** Where one chooses how to play on from it. */
export function fileAddress({ name }: ReplayFile, turn: number, seat: number): string {
  return `/play?file=${encodeURIComponent(name)}&turn=${turn}&seat=${seat}`;
}
