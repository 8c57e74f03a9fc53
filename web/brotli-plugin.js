// Compresses the built files: FILE.br beside FILE, which the arena sends to browsers that accept
// Brotli. It is a tenth to a fifth smaller than gzip, but too slow to do when the arena starts.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';

const compress = promisify(brotliCompress);
const compressible = /\.(js|css|svg|wasm)$/;
const smallest = 1000; // bytes; below, the headers are most of a response

async function compressFile(path) {
  const plain = await readFile(path);
  if (plain.length < smallest) return;
  const packed = await compress(plain);
  if (packed.length < plain.length) await writeFile(`${path}.br`, packed);
}

export function brotli() {
  return {
    name: 'brotli',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      const names = Object.keys(bundle).filter((name) => compressible.test(name));
      await Promise.all(names.map((name) => compressFile(join(dir, name))));
    },
  };
}
