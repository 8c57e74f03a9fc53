// The replay file open in this tab, to play from. It survives a login and a reload, and is sent to
// the arena only with a request to play from it.
import { readItem, writeItem } from './storage';

export interface ReplayFile {
  name: string;
  opened: number; // milliseconds since 1970; distinguishes files with the same name
  text: string; // base64
}

const FILE_MOST = 1 << 20; // bytes; the arena's limit

const NAME = 'replay file';
const ANALYSIS = 'analysis file';
const PIECE = 1 << 15;
let file: ReplayFile | null = null;

/** Stores a file in place of the last one. Returns null if it exceeds the arena's limit. */
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

/** Stores the text of the analysis that was opened with the file; null: none. */
export function storeAnalysis(text: string | null): void {
  writeItem(ANALYSIS, text !== null && text.length <= FILE_MOST ? { text } : null);
}

export function storedAnalysis(): string | null {
  return readItem<{ text: string }>(ANALYSIS)?.text ?? null;
}

/** The address of the page that sets up a match from the file. */
export function fileAddress({ name }: ReplayFile, turn: number, seat: number): string {
  return `/play?file=${encodeURIComponent(name)}&turn=${turn}&seat=${seat}`;
}
