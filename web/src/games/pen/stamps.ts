// Pictures that are drawn once and then repeated, at the screen's resolution.
import type { Sprite } from './pixels';

/** Keeps at least the `most` entries that were used last, and at most twice as many. */
class Cache<T> {
  private recent = new Map<string, T>();
  private older = new Map<string, T>();

  constructor(private readonly most: number) {}

  find(key: string): T | undefined {
    const found = this.recent.get(key);
    if (found) return found;
    const older = this.older.get(key);
    return older && this.keep(key, older);
  }

  keep(key: string, value: T): T {
    if (this.recent.size >= this.most) [this.older, this.recent] = [this.recent, new Map()];
    this.recent.set(key, value);
    return value;
  }
}

/** The stamps of one look, which is a combination of size and theme. */
export interface Stamps {
  bitmaps: Cache<ImageBitmap>;
  sprites: Cache<Sprite>;
}

const looks = new Cache<Stamps>(8);

export function stampsOf(look: string): Stamps {
  return (
    looks.find(look) ?? looks.keep(look, { bitmaps: new Cache(1000), sprites: new Cache(3000) })
  );
}

/** An off-screen canvas. */
export function sheet(width: number, height: number): CanvasRenderingContext2D {
  const made = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  return made as unknown as CanvasRenderingContext2D;
}
