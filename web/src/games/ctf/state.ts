// The state of Capture the flag, and what stays the same during a match.
import type { Header } from '../../rules/types';
import { type Walls, wallsOf } from '../pen';

export interface Square {
  x: number;
  y: number;
}

export type Team = 'A' | 'B';

export interface Soldier extends Square {
  name: string;
  team: Team;
  cooldown: number | null; // null: hidden from the player
  alive: boolean;
}

export interface Flag extends Square {
  team: Team;
  carrier: string | null;
}

export interface Grenade extends Square {
  team: Team;
  thrower: string;
  countdown: number; // 0: it explodes before the coming orders
}

export interface State {
  round: number;
  rounds: number;
  map: string[];
  points: [number, number];
  flags: [Flag, Flag];
  soldiers: Soldier[];
  grenades: Grenade[];
}

export interface Order {
  soldier: string;
  move: string;
  throw?: Square;
}

/** What stays the same during a match. */
export interface Field {
  width: number;
  height: number;
  walls: Walls;
  spawns: [Square, Square];
  bases: [Square, Square];
  range: number;
  cooldown: number;
}

export interface Extra {
  field: Field;
  blasts: Square[]; // centres of what exploded in this turn
  thrown: { id: string; from: Square }[];
  captures: number[]; // the teams that brought a flag home
}

export const STEPS: Record<string, Square> = {
  U: { x: 0, y: -1 },
  D: { x: 0, y: 1 },
  L: { x: -1, y: 0 },
  R: { x: 1, y: 0 },
  S: { x: 0, y: 0 },
};
export const WAYS: Record<string, string> = { U: 'up', D: 'down', L: 'left', R: 'right' };

export function playerOf(team: Team): number {
  return team === 'A' ? 0 : 1;
}

export const centre = ({ x, y }: Square): Square => ({ x: x + 0.5, y: y + 0.5 });
export const same = (one: Square, other: Square): boolean => one.x === other.x && one.y === other.y;
export const formatSquare = ({ x, y }: Square): string => `(${x},${y})`;

const fields = new WeakMap<Header, Field>();

export function fieldOf(header: Header, state: State): Field {
  let field = fields.get(header);
  if (field) return field;
  const rules = /^.*$/m.exec(header.config?.text ?? '')?.[0] ?? '';
  const rule = (name: string, standard: number): number =>
    Number(new RegExp(`\\b${name}\\s*=\\s*(\\d+)`).exec(rules)?.[1] ?? standard);
  const where = (sign: string): Square => {
    const y = state.map.findIndex((row) => row.includes(sign));
    return { x: state.map[y]?.indexOf(sign) ?? 0, y };
  };
  const walls = state.map.flatMap((row, y) =>
    [...row].flatMap((tile, x) => (tile === '#' ? [{ x, y }] : [])),
  );
  field = {
    width: state.map[0]?.length ?? 1,
    height: state.map.length,
    walls: wallsOf(walls),
    spawns: [where('A'), where('B')],
    bases: [where('a'), where('b')],
    range: rule('grenadeRange', 10),
    cooldown: rule('grenadeCooldown', 8),
  };
  fields.set(header, field);
  return field;
}
