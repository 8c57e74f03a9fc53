// The drawing tools of the games: a canvas in board units, the theme's colours, and shapes that
// several games use.
import { Pixels, spriteOf, type Sprite } from './pen/pixels';
import { sheet, stampsOf, type Stamps } from './pen/stamps';

export interface Palette {
  ground: string; // the board
  line: string; // grids and borders
  wall: string;
  ink: string; // text and symbols
  faint: string; // less important things
  neutral: string; // things without an owner
  danger: string;
  glow: string; // selection and available places
  players: string[];
}

// Eight colours that are safe for colour-blind people; further players get hues in between. The
// terminal (src/base/paint.c) and the rules pages use the same.
const PLAYERS = [
  '#e69f00',
  '#3a8fd6',
  '#009e73',
  '#d55e00',
  '#b967c7',
  '#c7b31c',
  '#36b5a2',
  '#8c6d4f',
];

export const LIGHT: Palette = {
  ground: '#f4f1ea',
  line: '#ddd7ca',
  wall: '#8a8272',
  ink: '#1f2328',
  faint: '#8b8577',
  neutral: '#9a9384',
  danger: '#c4302b',
  glow: '#7a3cff',
  players: PLAYERS,
};

export const DARK: Palette = {
  ground: '#161b22',
  line: '#262d38',
  wall: '#596273',
  ink: '#e8e6e1',
  faint: '#7d8590',
  neutral: '#6e7681',
  danger: '#ff6b63',
  glow: '#b794ff',
  players: PLAYERS,
};

export function playerColour(palette: Palette, player: number | null): string {
  if (player === null) return palette.neutral;
  return palette.players[player] ?? `hsl(${Math.round((player * 137.5) % 360)} 60% 52%)`;
}

/**
 * The luminance of a colour, 0 to 1. Supports the two notations used here: #rrggbb and hsl(h s%
 * l%).
 */
function lightness(colour: string): number {
  let rgb: number[];
  const hsl = /^hsl\((\d+) (\d+)% (\d+)%\)$/.exec(colour);
  if (hsl) {
    const [hue, full, light] = [Number(hsl[1]), Number(hsl[2]) / 100, Number(hsl[3]) / 100];
    rgb = [0, 8, 4].map((n) => {
      const k = (n + hue / 30) % 12;
      return light - full * Math.min(light, 1 - light) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    });
  } else rgb = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
  const [r, g, b] = rgb.map((part) =>
    part <= 0.04 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  ) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const inks = new Map<string, string>();

/** A readable text colour: near-black or white, whichever has more contrast. */
export function inkOn(colour: string): string {
  let ink = inks.get(colour);
  if (!ink) {
    ink = lightness(colour) > 0.2 ? '#14171c' : '#ffffff';
    inks.set(colour, ink);
  }
  return ink;
}

export type Point = [number, number];

/** The corners of a regular polygon; `waist` below 1 makes it a star. */
export function corners(
  x: number,
  y: number,
  radius: number,
  count: number,
  turned = 0,
  waist = 1,
): Point[] {
  const points = waist < 1 ? 2 * count : count;
  return Array.from({ length: points }, (_, i) => {
    const far = waist < 1 && i % 2 ? radius * waist : radius;
    const angle = turned + (i * 2 * Math.PI) / points;
    return [x + far * Math.sin(angle), y - far * Math.cos(angle)] as Point;
  });
}

// Each player has a shape as well as a colour, for people who cannot tell the colours apart. From
// the ninth player on, shapes repeat with other colours and numbers.
const CRESTS: ((x: number, y: number, radius: number) => Point[] | null)[] = [
  () => null, // a disc
  (x, y, r) => corners(x, y, r * 1.22, 4, Math.PI / 4),
  (x, y, r) => corners(x, y + r * 0.12, r * 1.28, 3),
  (x, y, r) => corners(x, y, r * 1.25, 4),
  (x, y, r) => corners(x, y, r * 1.1, 5),
  (x, y, r) => corners(x, y, r * 1.3, 5, 0, 0.55),
  (x, y, r) => corners(x, y, r * 1.1, 6, Math.PI / 6),
  (x, y, r) => corners(x, y, r * 1.3, 4, Math.PI / 4, 0.6),
];

const STAMP_SIDE_MAX = 400; // pixels; larger pictures are drawn directly, as there are few
const PIXELS_MAX = 4_000_000; // on larger canvases, the browser draws crowds, too
const CROWD = 250; // things in view; fewer are drawn by the browser, with more detail

const pixelsOf = new WeakMap<HTMLCanvasElement, Pixels>();

export class Pen {
  private readonly base: DOMMatrix | null;
  private readonly look: string; // what all stamps depend on: theme and size
  private readonly stamps: Stamps;
  private pixels: Pixels | null = null; // where stamps of a crowd are drawn

  /**
   * `unit` is the number of CSS pixels per board unit; leave out what would be too small to read.
   */
  constructor(
    readonly c: CanvasRenderingContext2D,
    readonly palette: Palette,
    readonly unit: number,
  ) {
    this.base = (c.getTransform?.() as DOMMatrix | undefined) ?? null;
    this.look = `${palette.ground} ${this.base?.a.toFixed(3)}`;
    this.stamps = stampsOf(this.look);
  }

  /** One CSS pixel in board units, for hairlines. */
  get hair(): number {
    return 1 / this.unit;
  }

  colour(player: number | null): string {
    return playerColour(this.palette, player);
  }

  fade(presence: number, draw: () => void): void {
    const was = this.c.globalAlpha;
    this.c.globalAlpha = was * presence;
    draw();
    this.c.globalAlpha = was;
  }

  disc(x: number, y: number, radius: number, fill: string): void {
    this.c.beginPath();
    this.c.arc(x, y, radius, 0, 2 * Math.PI);
    this.c.fillStyle = fill;
    this.c.fill();
  }

  ring(x: number, y: number, radius: number, stroke: string, width = 0.08): void {
    this.c.beginPath();
    this.c.arc(x, y, radius, 0, 2 * Math.PI);
    this.c.strokeStyle = stroke;
    this.c.lineWidth = width;
    this.c.stroke();
  }

  box(x: number, y: number, width: number, height: number, fill: string, corner = 0): void {
    this.c.beginPath();
    this.c.roundRect(x, y, width, height, corner);
    this.c.fillStyle = fill;
    this.c.fill();
  }

  line(
    x1: number,
    y1: number,
    x2: number,
    y2: number,
    stroke: string,
    width = 0.08,
    dash: number[] = [],
  ): void {
    this.c.beginPath();
    this.c.setLineDash(dash);
    this.c.moveTo(x1, y1);
    this.c.lineTo(x2, y2);
    this.c.strokeStyle = stroke;
    this.c.lineWidth = width;
    this.c.stroke();
    this.c.setLineDash([]);
  }

  shape(points: [number, number][], fill: string): void {
    this.c.beginPath();
    points.forEach(([x, y], i) => (i ? this.c.lineTo(x, y) : this.c.moveTo(x, y)));
    this.c.closePath();
    this.c.fillStyle = fill;
    this.c.fill();
  }

  /** Draws several boxes in one call, which is faster. */
  boxes(all: Iterable<[x: number, y: number, width: number, height: number]>, fill: string): void {
    this.c.beginPath();
    for (const [x, y, width, height] of all) this.c.rect(x, y, width, height);
    this.c.fillStyle = fill;
    this.c.fill();
  }

  /** Outlines a shape. */
  outline(points: Point[], stroke: string, width = 0.08): void {
    this.c.beginPath();
    points.forEach(([x, y], i) => (i ? this.c.lineTo(x, y) : this.c.moveTo(x, y)));
    this.c.closePath();
    this.c.strokeStyle = stroke;
    this.c.lineWidth = width;
    this.c.lineJoin = 'round';
    this.c.stroke();
  }

  /** An arc, clockwise from the top. */
  arc(x: number, y: number, radius: number, part: number, stroke: string, width = 0.08): void {
    if (part <= 0) return;
    this.c.beginPath();
    this.c.arc(x, y, radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * Math.min(1, part));
    this.c.strokeStyle = stroke;
    this.c.lineWidth = width;
    this.c.stroke();
  }

  /** Draws with another origin, rotated (clockwise, in radians) and scaled. */
  at(x: number, y: number, turned: number, scale: number, draw: () => void): void {
    this.c.save();
    this.c.translate(x, y);
    if (turned) this.c.rotate(turned);
    if (scale !== 1) this.c.scale(scale, scale);
    draw();
    this.c.restore();
  }

  /**
   * Draws a picture centred at x, y that extends at most `reach` in each direction. Calls `draw`
   * once per `key`, then repeats the picture as a cached stamp: `key` must name everything that it
   * depends on besides size and theme. Do not call this inside `at`. Skips pictures out of view.
   */
  stamp(key: string, x: number, y: number, reach: number, draw: (pen: Pen) => void): void {
    const base = this.base;
    if (!base || typeof OffscreenCanvas === 'undefined')
      return this.at(x, y, 0, 1, () => draw(this));
    const half = Math.ceil(reach * base.a) + 1;
    const [midX, midY] = [Math.round(base.a * x + base.e), Math.round(base.d * y + base.f)];
    const { width, height } = this.c.canvas;
    if (midX + half < 0 || midY + half < 0 || midX - half > width || midY - half > height) return;
    if (this.pixels) {
      const { sprites } = this.stamps;
      const sprite = sprites.find(key) ?? sprites.keep(key, this.sprite(base, half, draw));
      const mid = sprite.side / 2;
      return this.pixels.draw(sprite, midX - mid, midY - mid, this.c.globalAlpha);
    }
    if (2 * half > STAMP_SIDE_MAX) return this.at(x, y, 0, 1, () => draw(this));
    const { bitmaps } = this.stamps;
    const stamp = bitmaps.find(key) ?? bitmaps.keep(key, this.bitmap(base, half, draw));
    this.c.setTransform(1, 0, 0, 1, 0, 0);
    this.c.drawImage(stamp, midX - stamp.width / 2, midY - stamp.height / 2);
    this.c.setTransform(base.a, 0, 0, base.d, base.e, base.f);
  }

  private sheet(base: DOMMatrix, half: number, draw: (pen: Pen) => void): CanvasRenderingContext2D {
    const c = sheet(2 * half, 2 * half);
    c.setTransform(base.a, 0, 0, base.d, half, half);
    draw(new Pen(c, this.palette, this.unit));
    return c;
  }

  private sprite(base: DOMMatrix, half: number, draw: (pen: Pen) => void): Sprite {
    return spriteOf(this.sheet(base, half, draw).getImageData(0, 0, 2 * half, 2 * half));
  }

  private bitmap(base: DOMMatrix, half: number, draw: (pen: Pen) => void): ImageBitmap {
    const canvas: unknown = this.sheet(base, half, draw).canvas;
    return (canvas as OffscreenCanvas).transferToImageBitmap();
  }

  /** Whether enough of these things are in view to draw them as a crowd. */
  crowded(things: { x: number; y: number }[]): boolean {
    const { width, height } = this.c.canvas;
    const base = this.base;
    if (!base || typeof OffscreenCanvas === 'undefined' || width * height > PIXELS_MAX)
      return false;
    const [left, top] = [-base.e / base.a, -base.f / base.d];
    const [right, bottom] = [left + width / base.a, top + height / base.d];
    let seen = 0;
    for (const { x, y } of things)
      if (x > left && x < right && y > top && y < bottom && ++seen > CROWD) return true;
    return false;
  }

  /**
   * Draws things over a ground that rarely changes. A crowd is drawn in memory and replaces what
   * was drawn before; `crowd` may then use only `stamp`, `text`, `gauge` and `fade`. `key` names
   * everything that the ground depends on besides size and theme.
   */
  crowd(
    things: { x: number; y: number }[],
    key: string,
    ground: (pen: Pen) => void,
    crowd: () => void,
  ): void {
    const { width, height } = this.c.canvas;
    const base = this.base;
    if (!base || !this.crowded(things)) {
      ground(this);
      return crowd();
    }
    let pixels = pixelsOf.get(this.c.canvas);
    if (pixels?.width !== width || pixels.height !== height) {
      pixels = new Pixels(width, height);
      pixelsOf.set(this.c.canvas, pixels);
    }
    pixels.start(`${this.look} ${base.e} ${base.f} ${key}`, () => {
      const c = sheet(width, height);
      c.setTransform(base);
      ground(new Pen(c, this.palette, this.unit));
      return c.getImageData(0, 0, width, height);
    });
    this.pixels = pixels;
    crowd();
    this.pixels = null;
    this.c.putImageData(pixels.image, 0, 0);
  }

  /** Draws many lines of one colour in one call. */
  lines(
    all: Iterable<[x1: number, y1: number, x2: number, y2: number]>,
    stroke: string,
    width = 0.08,
  ): void {
    this.c.beginPath();
    for (const [x1, y1, x2, y2] of all) {
      this.c.moveTo(x1, y1);
      this.c.lineTo(x2, y2);
    }
    this.c.strokeStyle = stroke;
    this.c.lineWidth = width;
    this.c.stroke();
  }

  /** A player's shape in its colour. */
  crest(
    player: number | null,
    x: number,
    y: number,
    radius: number,
    fill = this.colour(player),
  ): void {
    const points =
      player === null ? null : (CRESTS[player % CRESTS.length] as (typeof CRESTS)[0])(x, y, radius);
    if (points) this.shape(points, fill);
    else this.disc(x, y, radius, fill);
  }

  /** Outlines a player's shape. */
  crestLine(
    player: number | null,
    x: number,
    y: number,
    radius: number,
    stroke: string,
    width = 0.06,
  ): void {
    const points =
      player === null ? null : (CRESTS[player % CRESTS.length] as (typeof CRESTS)[0])(x, y, radius);
    if (points) this.outline(points, stroke, width);
    else this.ring(x, y, radius, stroke, width);
  }

  /** Highlights an order: a frame around its place, and an arrow to where it leads. */
  order(at: { x: number; y: number }, to?: { x: number; y: number }): void {
    const [glow, width] = [this.palette.glow, Math.max(0.09, 2 * this.hair)];
    const half = Math.max(0.5, 7 * this.hair);
    this.fade(0.22, () => this.box(at.x - half, at.y - half, 2 * half, 2 * half, glow));
    this.outline(
      [
        [at.x - half, at.y - half],
        [at.x + half, at.y - half],
        [at.x + half, at.y + half],
        [at.x - half, at.y + half],
      ],
      glow,
      width,
    );
    if (!to || (to.x === at.x && to.y === at.y)) return;
    const angle = Math.atan2(to.y - at.y, to.x - at.x);
    this.line(at.x, at.y, to.x, to.y, glow, width);
    this.arrow(to.x, to.y, angle, Math.max(0.4, 10 * this.hair), glow);
  }

  /** A cross where something was lost. */
  cross(x: number, y: number, radius: number, stroke: string, width = 0.09): void {
    this.line(x - radius, y - radius, x + radius, y + radius, stroke, width);
    this.line(x - radius, y + radius, x + radius, y - radius, stroke, width);
  }

  /** An arrowhead pointing along an angle (0: right). */
  arrow(x: number, y: number, angle: number, length: number, fill: string): void {
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const at = (along: number, across: number): Point => [
      x + along * c - across * s,
      y + along * s + across * c,
    ];
    this.shape(
      [
        at(length * 0.6, 0),
        at(-length * 0.5, length * 0.5),
        at(-length * 0.2, 0),
        at(-length * 0.5, -length * 0.5),
      ],
      fill,
    );
  }

  /**
   * Walls: blocks with light upper and dark lower edges, if they are large enough.
   */
  walls(walls: Walls): void {
    this.boxes(
      walls.all.map(([x, y, width]) => [x, y, width, 1]),
      this.palette.wall,
    );
    if (this.unit < 5) return;
    this.fade(0.22, () =>
      this.boxes(
        walls.lit.map(([x, y, width]) => [x, y, width, 0.16]),
        '#ffffff',
      ),
    );
    this.fade(0.25, () =>
      this.boxes(
        walls.shaded.map(([x, y, width]) => [x, y + 0.82, width, 0.18]),
        '#000000',
      ),
    );
  }

  /**
   * Text centred at x, y. `size` is its height in units; nothing is drawn below 7 pixels.
   */
  text(text: string, x: number, y: number, size: number, fill: string, weight = 600): void {
    if (size * this.unit < 7) return;
    if (this.pixels) {
      const pixels = Math.round(size * this.unit);
      const reach = (0.35 * text.length + 0.5) * pixels * this.hair;
      this.stamp(`${text}\n${pixels} ${fill} ${weight}`, x, y, reach, (pen) =>
        pen.text(text, 0, 0, pixels * pen.hair, fill, weight),
      );
      return;
    }
    // Some browsers draw tiny canvas fonts badly, so draw the text large and scale it down.
    this.c.save();
    this.c.translate(x, y);
    this.c.scale(size / 32, size / 32);
    this.c.font = `${weight} 32px system-ui, sans-serif`;
    this.c.textAlign = 'center';
    this.c.textBaseline = 'middle';
    this.c.fillStyle = fill;
    this.c.fillText(text, 0, 1);
    this.c.restore();
  }

  /** The ground of a board of cells, with a grid if cells are large enough. */
  cells(width: number, height: number): void {
    this.box(0, 0, width, height, this.palette.ground);
    if (this.unit < 6) return;
    this.c.beginPath();
    for (let x = 0; x <= width; x++) {
      this.c.moveTo(x, 0);
      this.c.lineTo(x, height);
    }
    for (let y = 0; y <= height; y++) {
      this.c.moveTo(0, y);
      this.c.lineTo(width, y);
    }
    this.c.strokeStyle = this.palette.line;
    this.c.lineWidth = this.hair;
    this.c.stroke();
  }

  /** A gauge under a thing: how much is left. */
  gauge(x: number, y: number, width: number, part: number, fill: string): void {
    if (this.unit * width < 8) return;
    const height = 0.09;
    if (this.pixels) {
      const long = Math.round(width * this.unit);
      const left = Math.round(long * Math.max(0, Math.min(1, part)));
      this.stamp(`gauge ${long} ${left} ${fill}`, x, y + height / 2, width / 2, (pen) =>
        pen.gauge(0, -height / 2, width, left / long, fill),
      );
      return;
    }
    const round = height * this.unit >= 3 ? height / 2 : -1; // skip corners too small to see
    for (const [long, colour] of [
      [width, this.palette.line],
      [width * Math.max(0, Math.min(1, part)), fill],
    ] as [number, string][])
      if (long > 0 && round > 0) this.box(x - width / 2, y, long, height, colour, round);
      else if (long > 0) {
        this.c.fillStyle = colour;
        this.c.fillRect(x - width / 2, y, long, height);
      }
  }

  /** The colour of a gauge by how much is left. */
  gaugeColour(part: number): string {
    return part > 0.6 ? '#2f9e44' : part > 0.3 ? '#e0a100' : this.palette.danger;
  }
}

type Run = [x: number, y: number, width: number];

/**
 * Wall squares, merged within rows; and the pieces that form upper or lower edges.
 */
export interface Walls {
  all: Run[];
  lit: Run[];
  shaded: Run[];
}

export function wallsOf(squares: { x: number; y: number }[]): Walls {
  const there = new Set(squares.map(({ x, y }) => `${x},${y}`));
  const sorted = [...squares].sort((a, b) => a.y - b.y || a.x - b.x);
  const runs = (chosen: { x: number; y: number }[]): Run[] => {
    const found: Run[] = [];
    for (const { x, y } of chosen) {
      const last = found[found.length - 1];
      if (last && last[1] === y && last[0] + last[2] === x) last[2]++;
      else found.push([x, y, 1]);
    }
    return found;
  };
  return {
    all: runs(sorted),
    lit: runs(sorted.filter(({ x, y }) => !there.has(`${x},${y - 1}`))),
    shaded: runs(sorted.filter(({ x, y }) => !there.has(`${x},${y + 1}`))),
  };
}
