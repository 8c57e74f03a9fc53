// The small pictures that represent the games in lists: NAME.ts for each game, which is optional.
// They are separate from the drawing modules, so that lists do not load those.

export interface EmblemShape {
  style: EmblemStyle;
  path: string; // SVG path data, in a picture of 120 by 68
}

export type EmblemStyle =
  | 'first' // filled in the first player's colour
  | 'first-outline'
  | 'second'
  | 'second-outline'
  | 'wall'
  | 'prize'
  | 'danger'
  | 'danger-line'
  | 'route';

/** Path data of a circle. */
export function circle(x: number, y: number, r: number): string {
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
}

/** Path data of a rectangle. */
export function box(x: number, y: number, width: number, height: number): string {
  return `M${x} ${y}h${width}v${height}h${-width}z`;
}
