// The state of Footsoldiers, and what stays the same during a match.
import type { Header } from '../../rules/types';
import { fieldsOf, type Thing } from '../game';
import { type Walls, wallsOf } from '../pen';

export interface Square {
  x: number;
  y: number;
}

export const TYPES = ['Scout', 'Assassin', 'Tank'] as const;
export type Type = (typeof TYPES)[number];

export const STEPS = {
  Down: { x: 0, y: 1 },
  Left: { x: -1, y: 0 },
  Up: { x: 0, y: -1 },
  Right: { x: 1, y: 0 },
};
export type Direction = keyof typeof STEPS;
export const DIRECTIONS = Object.keys(STEPS) as Direction[];

export interface Soldier {
  position: Square;
  type: Type;
  health: number;
  team: 'player1' | 'player2';
  destination: Square;
  'attack-direction': Direction;
}

type Entry =
  Soldier | { position: Square; type: 'Rock' } | { position: Square; type: 'Base'; team: string };

export interface Side {
  money: number;
  base: Square;
  health: number;
}

export interface State {
  map: Entry[];
  'turns-remaining': number;
  player1: Side;
  player2: Side;
}

export interface Order {
  command: 'No-op' | 'Build' | 'Move' | 'Change attack direction';
  type?: Type;
  position?: Square;
  destination?: Square;
  'attack-direction'?: Direction;
}

/** What stays the same during a match. */
export interface Field {
  number: number; // unique per match shown
  width: number;
  height: number;
  rocks: Square[];
  walls: Walls;
  solid: Set<number>;
  health: Record<Type, number>;
  speed: Record<Type, number>;
  damage: Record<Type, number>;
  cost: Record<Type, number>;
  reach: number; // how far from the base soldiers can be built
  income: number;
}

export interface Extra {
  field: Field;
  strikes: { from: Square; to: Square; player: number }[];
  fallen: { thing: Thing; at: Square }[]; // soldiers that fell, and where
}

export const MARGIN = 2; // squares around the map, which has no edge
export const BASE_HEALTH = 40;

export function sideOf(state: State, player: number): Side {
  return player ? state.player2 : state.player1;
}

export function isSoldier(entry: Entry): entry is Soldier {
  return entry.type !== 'Rock' && entry.type !== 'Base';
}

/**
 * A unique number for every square a soldier can reach. It is a small integer near the map, because
 * sets and maps find small integers faster.
 */
export function keyOf({ x, y }: Square): number {
  const [column, row] = [x + 16384, y + 16384];
  if ((column | row) >>> 15 === 0) return column * 32768 + row;
  return 2 ** 43 + (x + 1048576) * 2097152 + y + 1048576;
}

export function far(one: Square, other: Square): number {
  return Math.abs(one.x - other.x) + Math.abs(one.y - other.y);
}

export function formatSquare({ x, y }: Square): string {
  return `(${x}, ${y})`;
}

export const centre = ({ x, y }: Square): Square => ({ x: x + 0.5 + MARGIN, y: y + 0.5 + MARGIN });

const fields = new WeakMap<Header, Field>();
let fieldCount = 0;

export function fieldOf(header: Header, state: State): Field {
  let field = fields.get(header);
  if (field) return field;
  const rocks = state.map.filter((entry) => entry.type === 'Rock').map((entry) => entry.position);
  const fixed = [...rocks, state.player1.base, state.player2.base];
  const lines = (header.map?.text ?? '').split('\n');
  const config = fieldsOf(header.config);
  const each = (
    name: string,
    scout: number,
    assassin: number,
    tank: number,
  ): Record<Type, number> => ({
    Scout: config[name]?.scout ?? scout,
    Assassin: config[name]?.assassin ?? assassin,
    Tank: config[name]?.tank ?? tank,
  });
  field = {
    number: ++fieldCount,
    width: Math.max(...lines.map((line) => line.replace('\r', '').length), ...boundsOf(fixed, 'x')),
    height: Math.max(
      lines[lines.length - 1] ? lines.length : lines.length - 1,
      ...boundsOf(fixed, 'y'),
    ),
    rocks,
    walls: wallsOf(rocks.map(({ x, y }) => ({ x: x + MARGIN, y: y + MARGIN }))),
    solid: new Set(fixed.map(keyOf)),
    health: each('health', 9, 6, 12),
    speed: each('speed', 6, 5, 2),
    damage: each('damage', 3, 5, 2),
    cost: each('cost', 10, 11, 12),
    reach: config['max-distance-from-base'] ?? 5,
    income: config['money-per-turn'] ?? 3,
  };
  fields.set(header, field);
  return field;
}

/**
 * A list with one more than the largest coordinate, for a call of Math.max. A map may have more
 * rocks than a call takes arguments.
 */
function boundsOf(squares: Square[], side: 'x' | 'y'): number[] {
  return [squares.reduce((most, square) => Math.max(most, square[side] + 1), 1)];
}

export function isSoldierThing(thing: Thing): boolean {
  return thing.kind !== 'base';
}
