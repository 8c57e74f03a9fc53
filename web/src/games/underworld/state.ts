// The state of Underworld, what stays the same during a match, and how warriors move. Moves follow
// the rules exactly, because lines and rings of warriors move together.
import type { Header } from '../../rules/types';
import { fieldsOf, type Scene, type Thing } from '../game';
import { type Walls, wallsOf } from '../pen';

export type Kind = 'C' | 'B' | 'F' | 'W' | '#';

export interface Item {
  x: number;
  y: number;
  type: Kind;
  owner: number; // -1: none
  hitpoints: number;
}

export interface State {
  turn: number;
  maxTurns: number;
  sizex: number;
  sizey: number;
  players: { money: number | null; lostInTurn: number | null }[]; // null: hidden from the player
  objects: Item[];
  dark?: [number, number, number, number][]; // parts of rows hidden from the player
}

export interface Order {
  command: 'move' | 'spawn' | 'build';
  x: number;
  y: number;
  dir?: string;
  obj?: string;
}

/** What stays the same during a match. */
export interface Values {
  number: number; // unique per match shown
  hitpoints: Record<string, number>;
  cost: Record<string, number>;
  income: number;
  damage: number;
  range: number;
  vision: number; // how far a player sees from its own things; 0: everything
  reach: { x: number; y: number }[]; // cells in a warrior's range
  walls: Walls;
}

export interface Extra {
  values: Values;
  strikes: { from: Item; to: Item }[];
  hits: Set<string>; // ids of what was hit
  fallen: { thing: Thing; x: number; y: number }[];
  // New things: where they came from, or null if built.
  fresh: Map<string, { x: number; y: number } | null>;
}

export const NAMES: Record<string, string> = {
  C: 'castle',
  B: 'barracks',
  F: 'farm',
  W: 'warrior',
  '#': 'wall',
};

/** How many objects of a type a player has. */
export const count = (state: State, type: string, owner: number): number =>
  state.objects.filter((one) => one.type === type && one.owner === owner).length;

export const WAYS: Record<string, { x: number; y: number; name: string; key: string }> = {
  N: { x: 0, y: -1, name: 'north', key: 'ArrowUp' },
  S: { x: 0, y: 1, name: 'south', key: 'ArrowDown' },
  E: { x: 1, y: 0, name: 'east', key: 'ArrowRight' },
  W: { x: -1, y: 0, name: 'west', key: 'ArrowLeft' },
};

const known = new WeakMap<Header, Values>();
let knownCount = 0;

export function valuesOf(header: Header, state: State): Values {
  let values = known.get(header);
  if (values) return values;
  const rules: Record<string, any> = {
    ...fieldsOf(header.map).rules,
    ...fieldsOf(header.config).rules,
  };
  const range: number = rules.warrior?.range ?? 2;
  const reach: { x: number; y: number }[] = [];
  for (let y = -range; y <= range; y++)
    for (let x = -range; x <= range; x++)
      if ((x || y) && x * x + y * y <= range * range) reach.push({ x, y });
  values = {
    number: ++knownCount,
    hitpoints: {
      C: rules.castle?.hitpoints ?? 10000,
      B: rules.barracks?.hitpoints ?? 1500,
      F: rules.farm?.hitpoints ?? 1000,
      W: rules.warrior?.hitpoints ?? 500,
    },
    cost: {
      B: rules.barracks?.cost ?? 1500,
      F: rules.farm?.cost ?? 1000,
      W: rules.warrior?.cost ?? 500,
    },
    income: rules.farm?.income ?? 50,
    damage: rules.warrior?.damage ?? 100,
    range,
    vision: rules.vision ?? 0,
    reach,
    walls: wallsOf(state.objects.filter((item) => item.type === '#')),
  };
  known.set(header, values);
  return values;
}

export function cellOf(state: State, x: number, y: number): number {
  return y * state.sizex + x;
}

/** The neighbouring cell, or -1 off the board. */
export function beside(state: State, x: number, y: number, dir: string | undefined): number {
  const way = WAYS[dir ?? ''];
  if (
    !way ||
    x + way.x < 0 ||
    y + way.y < 0 ||
    x + way.x >= state.sizex ||
    y + way.y >= state.sizey
  )
    return -1;
  return cellOf(state, x + way.x, y + way.y);
}

/**
 * Returns the moves of `wants` that are possible. `wants` maps each warrior's cell to its target;
 * `taken` reports whether a cell is occupied.
 */
export function marches(
  wants: Map<number, number>,
  taken: (cell: number) => boolean,
): Map<number, number> {
  const rush = new Map<number, number>();
  for (const to of wants.values()) rush.set(to, (rush.get(to) ?? 0) + 1);
  const goes = new Map<number, boolean>();
  for (const start of wants.keys()) {
    // Follow the line to a warrior whose move is decided; a line that leads back to its start is a
    // ring.
    const train: number[] = [];
    let at = start;
    let fate: boolean | undefined;
    while (fate === undefined) {
      const to = wants.get(at);
      if (goes.has(at)) fate = goes.get(at);
      else if (to === undefined) fate = false;
      else {
        train.push(at);
        if ((rush.get(to) ?? 0) > 1) fate = false;
        else if (!taken(to)) fate = true;
        else if (wants.get(to) === at) fate = false;
        else if (to === start) fate = true;
        else at = to;
      }
    }
    for (const cell of train) goes.set(cell, fate as boolean);
  }
  return new Map([...wants].filter(([from]) => goes.get(from)));
}

export function total(scene: Scene, player: number, count: (item: Item) => number): number {
  return scene.things.reduce(
    (sum, thing) => (thing.owner === player ? sum + count(thing.data as Item) : sum),
    0,
  );
}
