// Turns frames of Footsoldiers into scenes, and finds the part of the board with the action.
import type { Frame, Header } from '../../rules/types';
import { nameOf, type Scene, sceneOf, type Thing } from '../game';
import {
  BASE_HEALTH,
  centre,
  type Extra,
  far,
  type Field,
  fieldOf,
  formatSquare,
  isSoldier,
  isSoldierThing,
  keyOf,
  type Order,
  sideOf,
  type Soldier,
  type Square,
  type State,
} from './state';
import { namesOf } from './tracking';

const STRIKE = new RegExp(
  /^player(\d)'s \w+ at \((-?\d+), (-?\d+)\) strikes the /.source +
    /(?:base of player(\d)|\w+ at \((-?\d+), (-?\d+)\)), which/.source,
);

function strikesOf(frame: Frame<State>): Extra['strikes'] {
  return frame.events.flatMap((event) => {
    const found = STRIKE.exec(event);
    if (!found) return [];
    const player = Number(found[1]) - 1;
    const to = found[4]
      ? sideOf(frame.state, Number(found[4]) - 1).base
      : { x: Number(found[5]), y: Number(found[6]) };
    return [{ player, from: { x: Number(found[2]), y: Number(found[3]) }, to }];
  });
}

function soldierFacts(field: Field, soldier: Soldier): [string, string][] {
  const { position, destination, type } = soldier;
  const speed = field.speed[type];
  return [
    ['health', `${soldier.health} of ${field.health[type]}`],
    ['square', formatSquare(position)],
    ['destination', far(position, destination) ? formatSquare(destination) : 'here'],
    ['faces', soldier['attack-direction'].toLowerCase()],
    ['damage', String(field.damage[type])],
    ['speed', `${speed} ${speed === 1 ? 'square' : 'squares'} per turn`],
  ];
}

export function scene(
  header: Header,
  frame: Frame<State, Order | null>,
  before: Scene | null,
): Scene {
  const state = frame.state;
  const field = fieldOf(header, state);
  const { names, fallen } = namesOf(field, frame, before);
  const things: Thing[] = [];
  for (const player of [0, 1]) {
    const side = sideOf(state, player);
    things.push({
      id: `base ${player}`,
      kind: 'base',
      owner: player,
      ...centre(side.base),
      size: 0.6,
      name: `Base of ${nameOf(header, player)}`,
      facts: [
        ['health', `${side.health} of ${BASE_HEALTH}`],
        ['money', `${side.money}, +${field.income} per turn`],
        ['square', formatSquare(side.base)],
      ],
      data: side,
    });
  }
  for (const soldier of state.map.filter(isSoldier)) {
    const player = soldier.team === 'player2' ? 1 : 0;
    const { position, type } = soldier;
    const id =
      names.get(keyOf(position)) ?? `soldier ${player}-${frame.turn}-${position.x},${position.y}`;
    things.push({
      id,
      kind: type.toLowerCase(),
      owner: player,
      ...centre(position),
      size: 0.5,
      name: `${type} of ${nameOf(header, player)}`,
      get facts() {
        return soldierFacts(field, soldier);
      },
      data: soldier,
    });
  }
  return sceneOf(frame, things, { field, strikes: strikesOf(frame), fallen } satisfies Extra);
}

const AROUND = 4; // squares shown around the action
const TOGETHER = 12; // two soldiers that are farther apart do not both have to be in view

const LINES: ((square: Square) => number)[] = [
  ({ x }) => x,
  ({ y }) => y,
  ({ x, y }) => x + y,
  ({ x, y }) => x - y,
];

/** The closest pair of soldiers, one of each army; null if an army is empty. */
function nearestPair(first: Square[], second: Square[]): [Square, Square] | null {
  // Two squares are at least as far apart as their rows, columns or diagonals. So sort one army
  // along the line that separates the armies best, and skip squares that cannot beat the best pair.
  const separation = (line: (square: Square) => number): number => {
    const [low, high, others, most] = [first, second].flatMap((army) => [
      army.reduce((least, square) => Math.min(least, line(square)), Infinity),
      army.reduce((most, square) => Math.max(most, line(square)), -Infinity),
    ]) as [number, number, number, number];
    return Math.max(others - high, low - most);
  };
  const line = LINES.reduce((best, one) => (separation(one) > separation(best) ? one : best));
  const sorted = second.map((square) => ({ square, at: line(square) })).sort((a, b) => a.at - b.at);
  let least = Infinity;
  let best: [Square, Square] | null = null;
  for (const one of first) {
    const here = line(one);
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle]!.at < here) low = middle + 1;
      else high = middle;
    }
    const compare = (at: number): boolean => {
      const other = sorted[at];
      if (!other || Math.abs(other.at - here) >= least) return false;
      if (far(one, other.square) < least) {
        least = far(one, other.square);
        best = [one, other.square];
      }
      return true;
    };
    for (let at = low; compare(at); at++);
    for (let at = low - 1; compare(at); at--);
  }
  return best;
}

/**
 * The area around fighting and falling soldiers; if there are none, around the soldiers closest to
 * an enemy, or else around the soldier closest to the enemy's base. Null without soldiers.
 */
export function action(
  scene: Scene,
): { left: number; top: number; right: number; bottom: number } | null {
  const { strikes, fallen } = scene.extra as Extra;
  let places = [...strikes.flatMap(({ from, to }) => [from, to]), ...fallen.map(({ at }) => at)];
  if (!places.length) {
    const [first = [], second = []] = [0, 1].map((player) =>
      scene.things
        .filter((thing) => isSoldierThing(thing) && thing.owner === player)
        .map((thing) => (thing.data as Soldier).position),
    );
    const pair = nearestPair(first, second);
    if (pair) places = far(...pair) <= TOGETHER ? pair : [pair[0]];
    const state = scene.frame.state as State;
    for (const [player, soldiers] of [first, second].entries())
      for (const one of pair ? [] : soldiers) {
        const left = far(one, sideOf(state, 1 - player).base);
        const best = places[0] ? far(places[0], sideOf(state, 1 - player).base) : Infinity;
        if (left < best) places = [one];
      }
  }
  if (!places.length) return null;
  const [xs, ys] = [places.map((at) => centre(at).x), places.map((at) => centre(at).y)];
  return {
    left: Math.min(...xs) - AROUND,
    top: Math.min(...ys) - AROUND,
    right: Math.max(...xs) + AROUND,
    bottom: Math.max(...ys) + AROUND,
  };
}
