// The files of a bot in the editor: names, archives.
import { languageSupport } from './languages';
import type { Diagnostic } from './types';

/** The text of each file by its path. */
export type Files = Record<string, string>;

const FILES_MOST = 100;
const BYTES_MOST = 1 << 20;
const PATH_MOST = 90;
const ARCHIVE = /\.(zip|tar|tgz|tar\.gz)$/i;

export const isArchive = (name: string): boolean => ARCHIVE.test(name);

export function sameFiles(one: Files, other: Files): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
  );
}

/** The language of a file by its extension; "" if it is not supported. */
export function languageOf(path: string): string {
  const name = path.toLowerCase();
  const found = Object.entries(languageSupport).find(([, { endings }]) =>
    endings.some((ending) => name.endsWith(ending)),
  );
  return found?.[0] ?? '';
}

/** Whether an error is in that file. The only file may have another name on the arena. */
export function isIn({ file }: Diagnostic, path: string, several: boolean): boolean {
  return !several || file.replace(/^\.\//, '') === path;
}

/** The file that is run, or else the first source file. */
export function mainFile(files: Files): string {
  const names = Object.keys(files).sort();
  const sources = names.filter((name) => languageOf(name));
  return (
    sources.find((name) => /^main\.[^/.]*$/i.test(name)) ??
    sources.find((name) => !name.includes('/')) ??
    sources.find((name) => /\/main\.[^/.]*$/i.test(name)) ??
    sources[0] ??
    names[0] ??
    ''
  );
}

/** Why a file cannot have this path, as a sentence; "" if it can. */
export function pathProblem(path: string, files: Files): string {
  if (path.length > PATH_MOST) return `A path has at most ${PATH_MOST} characters.`;
  const parts = path.split('/');
  if (!parts.every((part) => /^[\w-][\w.-]*$/.test(part)))
    return 'Use letters, digits, dots, - and _, and / for folders.';
  const lower = path.toLowerCase();
  for (const other of Object.keys(files).map((name) => name.toLowerCase())) {
    if (other === lower) return 'A file with this name already exists.';
    if (other.startsWith(lower + '/') || lower.startsWith(other + '/'))
      return 'A folder and a file cannot have the same name.';
  }
  return Object.keys(files).length < FILES_MOST
    ? ''
    : `A bot has at most ${FILES_MOST} files here.`;
}

/** The files as a zip archive. */
export async function pack(files: Files): Promise<Uint8Array> {
  const { strToU8, zipSync } = await import('fflate');
  return zipSync(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])),
  );
}

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The regular files of a tar archive. */
function untar(bytes: Uint8Array): Record<string, Uint8Array> {
  const found: Record<string, Uint8Array> = {};
  const text = (from: number, length: number): string =>
    decoder.decode(bytes.subarray(from, from + length)).replace(/\0.*$/s, '');
  let longName = '';
  for (let at = 0; at + 512 <= bytes.length && bytes[at];) {
    const size = parseInt(text(at + 124, 12), 8) || 0;
    const kind = text(at + 156, 1);
    const prefix = text(at + 257, 5) === 'ustar' ? text(at + 345, 155) : '';
    const name = longName || (prefix ? prefix + '/' : '') + text(at, 100);
    const content = bytes.subarray(at + 512, at + 512 + size);
    longName = '';
    if (kind === 'L') longName = decoder.decode(content).replace(/\0.*$/s, '');
    else if (kind === 'x') longName = /\d+ path=(.*)\n/.exec(decoder.decode(content))?.[1] ?? '';
    else if (kind === '' || kind === '0') found[name] = content;
    at += 512 + 512 * Math.ceil(size / 512);
  }
  return found;
}

/**
 * The files of an archive, or null if they cannot be edited here, because some are not text or
 * they are too many or too large. Throws an Error whose message is a sentence if the archive is
 * damaged.
 */
export async function unpack(name: string, bytes: Uint8Array): Promise<Files | null> {
  const { gunzipSync, unzipSync } = await import('fflate');
  let found: Record<string, Uint8Array>;
  try {
    found = /\.zip$/i.test(name)
      ? unzipSync(bytes, { filter: (file) => file.originalSize <= BYTES_MOST })
      : untar(/gz$/i.test(name) ? gunzipSync(bytes) : bytes);
  } catch {
    throw new Error(`${name} is damaged or is not an archive.`);
  }
  const paths = Object.keys(found).filter((path) => !path.endsWith('/'));
  const size = paths.reduce((sum, path) => sum + (found[path] as Uint8Array).length, 0);
  if (!paths.length || paths.length > FILES_MOST || size > BYTES_MOST) return null;
  // Archives often have everything in one folder.
  const clean = paths.map((path) => path.replace(/^(\.\/)+/, ''));
  const [folder = ''] = /^[^/]+\//.exec(clean[0] as string) ?? [];
  const strip = clean.every((path) => path.startsWith(folder)) ? folder.length : 0;
  const files: Files = {};
  try {
    for (const [i, path] of paths.entries()) {
      const text = decoder.decode(found[path]);
      const short = (clean[i] as string).slice(strip);
      if (text.includes('\0') || pathProblem(short, files)) return null;
      files[short] = text;
    }
  } catch {
    return null; // not text
  }
  return files;
}
