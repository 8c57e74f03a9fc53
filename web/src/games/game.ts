// The contract of a game's drawing: everything that the viewer, and a person who takes a seat, need
// to know of one. A game is one module beside this file, called as the game is.
//
// A frame (the board after a turn) becomes a scene: a list of things with names of their own, which
// stay the same from turn to turn as far as that can be told, so that the viewer can move them,
// follow one and say what it is. `paint` draws a moment between two scenes. Lengths are in the
// board's own units, x to the right and y down; a thing's x and y are its centre.
import type { Frame, GameFile, Header } from '../rules/types';
import type { Pen } from './pen';

export interface Thing {
  id: string; // unique in its scene; the same as in the scene before if it is the same thing
  kind: string; // "scout", "planet": the game's own word
  owner: number | null; // the player's number from 0; null: nobody's
  x: number;
  y: number;
  size: number; // how far from its centre a click counts
  name: string; // what a person calls it: "Scout 3"
  // What there is to know of it, for who clicked on it: ["health", "9 of 9"].
  facts: [string, string][];
  // It did not come here along the way from where it was before (one who is back from the dead): it
  // fades there and here instead of moving.
  leapt?: boolean;
  data?: any; // the game's own
}

export interface Scene {
  frame: Frame;
  things: Thing[];
  byId: Map<string, Thing>;
  extra?: any; // the game's own: blasts, lines, what happens between two turns
}

/** One line of the chart a player: the first of a game is what decides. */
export interface Series {
  name: string;
  values: (number | null)[]; // one a player; null where it is not known
}

/**
 * Something worth a mark on the timeline. What every game has (refused orders, timeouts, standard
 * error) the viewer finds itself.
 */
export interface Mark {
  kind: 'capture' | 'death' | 'event';
  player: number | null; // whose it is
  text: string;
}

/** A shape of the small picture that stands for a game in lists. */
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

/** A word of the game's protocol, which the editor completes and explains. */
export interface ProtocolWord {
  word: string;
  meaning: string;
}

export interface GameModule {
  name: string;
  emblem?: EmblemShape[];
  protocol?: ProtocolWord[];
  size(header: Header, start: Frame): { width: number; height: number };

  /** `before` is the scene of the turn before, or null where that is not known. */
  scene(header: Header, frame: Frame, before: Scene | null): Scene;

  /**
   * What the player in a seat is shown of a frame while it plays, where the rules tell it less than
   * everything.
   */
  seen?(header: Header, frame: Frame, seat: number): Frame;

  /**
   * Draws the moment `t` (0 to 1) on the way from `before` to `scene`; with `before` null, or t =
   * 1, the scene as it is.
   */
  paint(pen: Pen, scene: Scene, before: Scene | null, t: number): void;

  /**
   * What belongs to the selected thing and is drawn on top: where it goes, how far it reaches. `x`
   * and `y` are where the thing is at this moment.
   */
  paintSelection?(pen: Pen, scene: Scene, thing: Thing, x: number, y: number): void;

  series(scene: Scene): Series[];
  marks(scene: Scene, before: Scene | null): Mark[];

  /** A player's orders of a turn in words, one a line. */
  orders(header: Header, frame: Frame, player: number): string[];

  /** What the signs on the board mean. */
  legend: { sign: string; text: string }[];

  input: PlayerInput<any>;
}

/**
 * Something that a person can do now. One with a place is chosen by a click there, one with a key
 * also by that key, all of them from a list.
 */
export interface Choice<Draft> {
  label: string; // "Move right", "Send ships to duteros"
  key?: string; // as KeyboardEvent.key has it
  at?: { x: number; y: number }; // where on the board
  amount?: { label: string; min: number; max: number; value: number };
  take(draft: Draft, amount: number): Draft; // does not change the draft it gets
  // The id of the thing that is selected then; null: none; not there: as before.
  selects?: string | null;
}

/**
 * How a person gives orders: a draft is filled choice by choice, and becomes an answer as a bot
 * would say it.
 */
export interface PlayerInput<Draft> {
  hint: string; // one sentence: how to play with mouse and keys
  // What the referee wants to hear before the first turn, and after what it has said; "" is at
  // once.
  hello?: { after: string; say: string };
  empty(scene: Scene, seat: number): Draft;

  /** What can be selected, in a sensible order for a person who goes through it by keys. */
  selectable(scene: Scene, seat: number): string[];

  /** Only what is legal is offered, as far as the board alone tells. */
  choices(scene: Scene, seat: number, draft: Draft, selected: Thing | null): Choice<Draft>[];

  /** The orders so far in words, each with the draft that is left when it is taken back. */
  list(scene: Scene, seat: number, draft: Draft): { text: string; without: Draft }[];

  /** Draws the orders so far on the board: where things will go, what will be built. */
  sketch?(pen: Pen, scene: Scene, seat: number, draft: Draft): void;

  /** The answer, exactly as the protocol wants it. */
  answer(scene: Scene, seat: number, draft: Draft): string;
}

/** A scene from its things. */
export function sceneOf(frame: Frame, things: Thing[], extra?: unknown): Scene {
  return { frame, things, byId: new Map(things.map((thing) => [thing.id, thing])), extra };
}

/**
 * Where a thing is at a moment, and how much of it is there: one that comes fades in, one that goes
 * fades out.
 */
export interface Moving {
  thing: Thing;
  x: number;
  y: number;
  presence: number; // 0 to 1
}

/** All things of both scenes at the moment `t`, those that go first. */
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

/** Where a thing is at the moment `t`. */
export function placeOf(thing: Thing, before: Scene | null, t: number): { x: number; y: number } {
  const was = thing.leapt ? undefined : before?.byId.get(thing.id);
  const eased = t * t * (3 - 2 * t);
  return was && t < 1
    ? { x: was.x + (thing.x - was.x) * eased, y: was.y + (thing.y - was.y) * eased }
    : { x: thing.x, y: thing.y };
}

/** What a player is called. */
export function nameOf(header: Header, player: number): string {
  return header.players[player]?.name ?? `player ${player + 1}`;
}

/**
 * How strongly something that happens late in a turn (a strike, a blast) shows at the moment `t`;
 * it stays visible, fainter, as long as the turn is shown.
 */
export function flash(before: Scene | null, t: number, from = 0.5): number {
  if (!before || t >= 1) return 0.5;
  return t < from ? 0 : 1 - 0.5 * ((t - from) / (1 - from));
}

/**
 * The fields of a match's configuration or map where that is JSON; nothing where it is not, or
 * there is none.
 */
export function fieldsOf(file: GameFile | null): Record<string, any> {
  try {
    const fields: unknown = JSON.parse(file?.text ?? '{}');
    return fields && typeof fields === 'object' ? (fields as Record<string, any>) : {};
  } catch {
    return {};
  }
}

/** Path data of a circle, for an emblem. */
export function circle(x: number, y: number, r: number): string {
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
}

/** Path data of a rectangle, for an emblem. */
export function box(x: number, y: number, width: number, height: number): string {
  return `M${x} ${y}h${width}v${height}h${-width}z`;
}

/** Words of a protocol from a text with a line for each: "word | meaning". */
export function protocolWords(text: string): ProtocolWord[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [word = '', meaning = ''] = line.trim().split(' | ');
      return { word, meaning };
    });
}
