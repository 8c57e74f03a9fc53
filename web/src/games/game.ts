// The contract of a drawing module: everything the pages know about a game, apart from the API.
// Each game has one module in this folder, named after the game.
//
// A frame (the board after a turn) becomes a scene: a list of things with ids that stay the same
// from turn to turn where possible, so that the viewer can animate, follow and describe them.
// `paint` draws a moment between two scenes. Lengths are in board units, x to the right and y down;
// a thing's x and y are its centre.
import type { Frame, GameFile, Header } from '../rules/types';
import type { Pen } from './pen';

export interface Thing {
  id: string; // unique in its scene, and stable from scene to scene
  kind: string; // "scout", "planet": in the game's terms
  owner: number | null; // player number from 0; null: none
  x: number;
  y: number;
  size: number; // click radius
  name: string; // as shown: "Scout 3"
  // Details shown when it is selected: ["health", "9 of 9"].
  facts: [string, string][];
  // It did not move here (it respawned, for example): fade out and in instead of moving.
  leapt?: boolean;
  data?: any; // for the module's own use
}

export interface Scene {
  frame: Frame;
  things: Thing[];
  byId: Map<string, Thing>;
  extra?: any; // for the module's own use: explosions, lines
}

/** One chart: a line per player. A game's first series is the one that decides the match. */
export interface Series {
  name: string;
  one?: string; // its name after the number 1: "planet"
  values: (number | null)[]; // one per player; null: unknown
}

/**
 * A mark on the timeline. The viewer itself adds the marks that all games have: rejected orders,
 * timeouts, standard error.
 */
export interface Mark {
  kind: 'capture' | 'death' | 'event';
  player: number | null; // the player concerned
  text: string;
}

/** An order as text, and its place if it has one, which the viewer highlights on the board. */
export interface OrderLine {
  text: string;
  at?: { x: number; y: number }; // the centre of what it concerns
  to?: { x: number; y: number }; // where it leads
}

/** The name of a value, as it follows the value: "1 planet", "2 planets". */
export function nameAfter(series: Series, value: number | null | undefined): string {
  return value === 1 && series.one ? series.one : series.name;
}

/** The orders at a place on the board, or leading there. */
export function ordersAt(lines: OrderLine[], x: number, y: number, reach: number): OrderLine[] {
  const near = (place?: { x: number; y: number }): boolean =>
    place !== undefined && Math.hypot(place.x - x, place.y - y) <= reach;
  const there = lines.filter((line) => near(line.at));
  return there.length ? there : lines.filter((line) => near(line.to));
}

/** A word of the game's protocol, which the editor completes and explains. */
export interface ProtocolWord {
  word: string;
  meaning: string;
}

export interface GameModule {
  name: string;
  protocol?: ProtocolWord[];
  size(header: Header, start: Frame): { width: number; height: number };

  /** `before` is the scene of the previous turn, or null if unknown. */
  scene(header: Header, frame: Frame, before: Scene | null): Scene;

  /**
   * The part of a frame that a player may see during the match, if the rules hide something.
   */
  seen?(header: Header, frame: Frame, seat: number): Frame;

  /**
   * Draws the moment `t` (0 to 1) between `before` and `scene`; with `before` null or t = 1, the
   * scene itself.
   */
  paint(pen: Pen, scene: Scene, before: Scene | null, t: number): void;

  /**
   * Draws details of the selected thing on top: its route, its range. `x` and `y` are its current
   * position.
   */
  paintSelection?(pen: Pen, scene: Scene, thing: Thing, x: number, y: number): void;

  /**
   * The part of the board where something happens, or null: shown enlarged if the whole board is
   * hard to read.
   */
  action?(scene: Scene): { left: number; top: number; right: number; bottom: number } | null;

  series(scene: Scene): Series[];
  marks(header: Header, scene: Scene, before: Scene | null): Mark[];

  /**
   * An event of a turn, or why an order was rejected, as pages show it: with the names of the
   * players instead of the protocol's numbers or letters. Without it, pages show the record's text.
   */
  readable?(header: Header, frame: Frame, text: string): string;

  /** A player's orders in a turn. */
  orders(header: Header, frame: Frame, player: number): OrderLine[];

  /** The legend of the board's symbols. */
  legend: { sign: string; text: string }[];

  input: PlayerInput<any>;
}

/**
 * An action available to the player. All actions are in a list; an action with a place can also be
 * clicked on the board, and an action with a key chosen with that key.
 */
export interface Choice<Draft> {
  label: string; // "Move right", "Send ships to duteros"
  key?: string; // a KeyboardEvent.key
  at?: { x: number; y: number }; // on the board
  amount?: { label: string; min: number; max: number; value: number };
  take(draft: Draft, amount: number): Draft; // returns a new draft
  // The id of the thing to select next; null: none; undefined: unchanged.
  selects?: string | null;
}

/**
 * How a person gives orders: choices extend a draft, which becomes an answer like a bot's.
 */
export interface PlayerInput<Draft> {
  hint: string; // how to play with mouse or finger, in a sentence or two
  keys: string; // how to play by keyboard
  // What to send before the first turn, and the text to wait for; "": send it immediately.
  hello?: { after: string; say: string };
  empty(scene: Scene, seat: number): Draft;

  /** The ids that can be selected, in a sensible order for keyboard use. */
  selectable(scene: Scene, seat: number): string[];

  /** The available choices; only legal ones, as far as the visible board shows. */
  choices(scene: Scene, seat: number, draft: Draft, selected: Thing | null): Choice<Draft>[];

  /** The orders so far as text, each with the draft that results if it is removed. */
  list(scene: Scene, seat: number, draft: Draft): (OrderLine & { without: Draft })[];

  /** Draws the orders so far on the board. */
  sketch?(pen: Pen, scene: Scene, seat: number, draft: Draft): void;

  /** The answer in the game's protocol. */
  answer(scene: Scene, seat: number, draft: Draft): string;
}

/** A scene from its things. */
export function sceneOf(frame: Frame, things: Thing[], extra?: unknown): Scene {
  return { frame, things, byId: new Map(things.map((thing) => [thing.id, thing])), extra };
}

/**
 * A thing's position and opacity at a moment: new things fade in, others fade out.
 */
export interface Moving {
  thing: Thing;
  x: number;
  y: number;
  presence: number; // 0 to 1
}

/** All things of both scenes at the moment `t`, disappearing ones first. */
export function moving(scene: Scene, before: Scene | null, t: number): Moving[] {
  const all: Moving[] = [];
  if (!before || t >= 1)
    return scene.things.map((thing) => ({ thing, x: thing.x, y: thing.y, presence: 1 }));
  for (const thing of before.things)
    if (!scene.byId.has(thing.id)) all.push({ thing, x: thing.x, y: thing.y, presence: 1 - t });
  const eased = t * t * (3 - 2 * t);
  for (const thing of scene.things) {
    const was = before.byId.get(thing.id);
    if (was && thing.leapt)
      all.push(
        { thing: was, x: was.x, y: was.y, presence: 1 - t },
        { thing, x: thing.x, y: thing.y, presence: t },
      );
    else if (was)
      all.push({
        thing,
        x: was.x + (thing.x - was.x) * eased,
        y: was.y + (thing.y - was.y) * eased,
        presence: 1,
      });
    else all.push({ thing, x: thing.x, y: thing.y, presence: t });
  }
  return all;
}

/** A thing's position at the moment `t`. */
export function placeOf(thing: Thing, before: Scene | null, t: number): { x: number; y: number } {
  const was = thing.leapt ? undefined : before?.byId.get(thing.id);
  const eased = t * t * (3 - 2 * t);
  return was && t < 1
    ? { x: was.x + (thing.x - was.x) * eased, y: was.y + (thing.y - was.y) * eased }
    : { x: thing.x, y: thing.y };
}

/** "medium"; where several players have that name, "medium (2)" for player 2. */
export function playerNames(players: { name: string }[]): string[] {
  const counts = new Map<string, number>();
  for (const { name } of players) counts.set(name, (counts.get(name) ?? 0) + 1);
  return players.map(({ name }, i) => (counts.get(name) === 1 ? name : `${name} (${i + 1})`));
}

const namesByHeader = new WeakMap<Header, string[]>();

/** A player's name, unique in its match. `player` is a number from 0. */
export function nameOf(header: Header, player: number): string {
  let names = namesByHeader.get(header);
  if (!names) namesByHeader.set(header, (names = playerNames(header.players)));
  return names[player] ?? `player ${player + 1}`;
}

/**
 * The strength of an effect late in a turn (a hit, an explosion) at the moment `t`. It stays
 * visible, fainter, while the turn is shown.
 */
export function flash(before: Scene | null, t: number, from = 0.5): number {
  if (!before || t >= 1) return 0.5;
  return t < from ? 0 : 1 - 0.5 * ((t - from) / (1 - from));
}

/**
 * The fields of a JSON configuration or map; empty if `file` is null or is not JSON.
 */
export function fieldsOf(file: GameFile | null): Record<string, any> {
  try {
    const fields: unknown = JSON.parse(file?.text ?? '{}');
    return fields && typeof fields === 'object' ? (fields as Record<string, any>) : {};
  } catch {
    return {};
  }
}

/** Parses a list of protocol words, one per line: "word | meaning". */
export function protocolWords(text: string): ProtocolWord[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [word = '', meaning = ''] = line.trim().split(' | ');
      return { word, meaning };
    });
}
