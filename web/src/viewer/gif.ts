// Writes animated GIF files: https://www.w3.org/Graphics/GIF/spec-gif89a.txt. Every frame has only
// what changed; unchanged pixels are transparent.

const TRANSPARENT = 0; // a palette index that no colour uses
const COLOURS = 256;

/** A palette of the most frequent colours of some pictures (RGBA): 256 times red, green, blue. */
export function paletteOf(pictures: Uint8ClampedArray[]): Uint8Array {
  // Colours are counted with five bits per channel; a palette entry is the mean of its colours.
  const counts = new Uint32Array(32768);
  const sums = new Float64Array(3 * 32768);
  for (const data of pictures)
    for (let i = 0; i < data.length; i += 4) {
      const bin = binOf(data, i);
      counts[bin]!++;
      for (let part = 0; part < 3; part++) sums[3 * bin + part]! += data[i + part]!;
    }
  const bins = [...counts.keys()].filter((bin) => counts[bin]);
  bins.sort((a, b) => counts[b]! - counts[a]!);
  const palette = new Uint8Array(3 * COLOURS);
  bins.slice(0, COLOURS - 1).forEach((bin, i) => {
    for (let part = 0; part < 3; part++)
      palette[3 * (i + 1) + part] = Math.round(sums[3 * bin + part]! / counts[bin]!);
  });
  return palette;
}

function binOf(data: Uint8ClampedArray, at: number): number {
  return ((data[at]! >> 3) << 10) | ((data[at + 1]! >> 3) << 5) | (data[at + 2]! >> 3);
}

export class GifWriter {
  private readonly parts: Uint8Array[] = [];
  private readonly nearest = new Int16Array(32768).fill(-1); // palette index by bin; -1: unknown
  private last: Uint8Array | null = null;

  constructor(
    private readonly width: number,
    private readonly height: number,
    private readonly palette: Uint8Array,
  ) {
    this.text('GIF89a');
    this.numbers(width, height);
    this.bytes(0xf7, TRANSPARENT, 0); // a global palette of 256 colours
    this.parts.push(palette);
    this.bytes(0x21, 0xff, 11);
    this.text('NETSCAPE2.0');
    this.bytes(3, 1, 0, 0, 0); // repeats forever
  }

  private bytes(...values: number[]): void {
    this.parts.push(Uint8Array.from(values));
  }

  private numbers(...values: number[]): void {
    for (const value of values) this.bytes(value & 0xff, value >> 8);
  }

  private text(text: string): void {
    this.bytes(...[...text].map((sign) => sign.charCodeAt(0)));
  }

  private indexOf(data: Uint8ClampedArray, at: number): number {
    const bin = binOf(data, at);
    let found = this.nearest[bin]!;
    if (found >= 0) return found;
    let least = Infinity;
    for (let i = 1; i < COLOURS; i++) {
      const [r, g, b] = [0, 1, 2].map((part) => this.palette[3 * i + part]! - data[at + part]!);
      const far = r! * r! + g! * g! + b! * b!;
      if (far < least) {
        least = far;
        found = i;
      }
    }
    this.nearest[bin] = found;
    return found;
  }

  /** Adds a picture (RGBA, full size), shown for this number of hundredths of a second. */
  frame(data: Uint8ClampedArray, hundredths: number): void {
    const { width, height, last } = this;
    const now = new Uint8Array(width * height);
    let [left, top, right, bottom] = last ? [width, height, -1, -1] : [0, 0, width - 1, height - 1];
    for (let at = 0; at < now.length; at++) {
      now[at] = this.indexOf(data, 4 * at);
      if (!last || now[at] === last[at]) continue;
      const [x, y] = [at % width, Math.floor(at / width)];
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = y;
    }
    if (right < left) [left, top, right, bottom] = [0, 0, 0, 0]; // nothing changed: one pixel
    const wide = right - left + 1;
    const changed = new Uint8Array(wide * (bottom - top + 1));
    for (let y = top, i = 0; y <= bottom; y++)
      for (let x = left; x <= right; x++, i++) {
        const at = y * width + x;
        changed[i] = last && now[at] === last[at] ? TRANSPARENT : now[at]!;
      }
    this.last = now;
    this.bytes(0x21, 0xf9, 4, 0x05); // leave in place, with transparency
    this.numbers(hundredths);
    this.bytes(TRANSPARENT, 0, 0x2c);
    this.numbers(left, top, wide, bottom - top + 1);
    this.bytes(0, 8);
    this.blocks(compress(changed));
  }

  private blocks(data: Uint8Array): void {
    for (let from = 0; from < data.length; from += 255) {
      const block = data.subarray(from, from + 255);
      this.bytes(block.length);
      this.parts.push(block);
    }
    this.bytes(0);
  }

  end(): Blob {
    this.bytes(0x3b);
    return new Blob(this.parts as BlobPart[], { type: 'image/gif' });
  }
}

const CLEAR = 256;
const END = 257;
const SLOTS = 8192; // of the hash table, a power of two

/** LZW with codes of 9 to 12 bits, the least significant bit first. */
function compress(pixels: Uint8Array): Uint8Array {
  const out = new Uint8Array(pixels.length * 2 + 16);
  const keys = new Int32Array(SLOTS).fill(-1); // prefix and next pixel
  const codes = new Uint16Array(SLOTS);
  let [length, bits, held, size, next] = [0, 0, 0, 9, END + 1];
  const write = (code: number): void => {
    held |= code << bits;
    for (bits += size; bits >= 8; bits -= 8) {
      out[length++] = held & 0xff;
      held >>>= 8;
    }
  };
  write(CLEAR);
  let prefix = pixels[0]!;
  for (let i = 1; i < pixels.length; i++) {
    const key = (prefix << 8) | pixels[i]!;
    let slot = ((key * 0x9e3779b1) >>> 19) & (SLOTS - 1);
    while (keys[slot] !== -1 && keys[slot] !== key) slot = (slot + 1) & (SLOTS - 1);
    if (keys[slot] === key) {
      prefix = codes[slot]!;
      continue;
    }
    write(prefix);
    if (next < 4096) {
      keys[slot] = key;
      codes[slot] = next;
      if (next === 1 << size) size++;
      next++;
    } else {
      write(CLEAR);
      keys.fill(-1);
      [size, next] = [9, END + 1];
    }
    prefix = pixels[i]!;
  }
  write(prefix);
  write(END);
  if (bits > 0) out[length++] = held & 0xff;
  return out.slice(0, length);
}
