// A picture drawn in memory: a fixed ground and many sprites. Without a GPU, a browser takes
// several times as long to draw a thousand small pictures on a canvas.
//
// A pixel is a 32-bit word, 0xAABBGGRR: every platform with a browser is little-endian.

/** A small square picture. `first` and `end` limit each row to its pixels that are visible. */
export interface Sprite {
  side: number; // width and height
  words: Uint32Array;
  first: Uint16Array; // one per row
  end: Uint16Array;
}

export function spriteOf(image: ImageData): Sprite {
  const side = image.width;
  const words = new Uint32Array(image.data.buffer);
  const [first, end] = [new Uint16Array(side), new Uint16Array(side)];
  for (let row = 0; row < side; row++)
    for (let x = 0; x < side; x++)
      if (words[row * side + x]! >>> 24) {
        if (!end[row]) first[row] = x;
        end[row] = x + 1;
      }
  return { side, words, first, end };
}

/** Blends a colour over an opaque one. `alpha` is 0 to 256. */
function mix(over: number, under: number, alpha: number): number {
  const rest = 256 - alpha;
  const redBlue = (Math.imul(over & 0xff00ff, alpha) + Math.imul(under & 0xff00ff, rest)) >>> 8;
  const green = (Math.imul(over & 0xff00, alpha) + Math.imul(under & 0xff00, rest)) >>> 8;
  return 0xff000000 | (redBlue & 0xff00ff) | (green & 0xff00);
}

export class Pixels {
  readonly image: ImageData;
  private readonly words: Uint32Array;
  private readonly ground: Uint32Array;
  private groundKey = '';

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.image = new ImageData(width, height);
    this.words = new Uint32Array(this.image.data.buffer);
    this.ground = new Uint32Array(this.words.length);
  }

  /** Starts a picture with the ground. Calls `make` for it only if `groundKey` has changed. */
  start(groundKey: string, make: () => ImageData): void {
    if (groundKey !== this.groundKey) {
      this.ground.set(new Uint32Array(make().data.buffer));
      this.groundKey = groundKey;
    }
    this.words.set(this.ground);
  }

  /** Draws a sprite with its upper left corner at `left`, `top`. `presence` is its opacity. */
  draw({ side, words, first, end }: Sprite, left: number, top: number, presence: number): void {
    const { width, words: to } = this;
    const part = Math.round(presence * 256);
    const low = Math.min(side, this.height - top);
    for (let row = Math.max(0, -top); row < low; row++) {
      const last = Math.min(end[row]!, width - left);
      let x = Math.max(first[row]!, -left);
      let from = row * side + x;
      let at = (top + row) * width + left + x;
      for (; x < last; x++, from++, at++) {
        const word = words[from]!;
        let alpha = word >>> 24;
        if (alpha === 255 && part === 256) to[at] = word;
        else if (alpha) {
          alpha = ((alpha + (alpha >> 7)) * part) >> 8;
          to[at] = mix(word, to[at]!, alpha);
        }
      }
    }
  }
}
