// Turns frames of Underworld into scenes. The state has no ids: buildings are identified by their
// cells, and warriors are tracked by their orders.
import type { Frame, Header } from '../../rules/types';
import { nameOf, type Scene, sceneOf, type Thing } from '../game';
import {
  beside,
  cellOf,
  count,
  type Extra,
  type Item,
  marches,
  NAMES,
  type Order,
  type State,
  type Values,
  valuesOf,
} from './state';

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const STRIKES_DRAWN = 60000; // cells examined per scene; beyond that only hits are drawn

/** Where things of the previous turn are after this turn's moves. */
function advance(
  frame: Frame<State, Order[]>,
  before: Scene,
): { thing: Thing; x: number; y: number }[] {
  const was = before.frame.state as State;
  const at = new Map<number, Item>(was.objects.map((item) => [cellOf(was, item.x, item.y), item]));
  const wants = new Map<number, number>();
  frame.players.forEach((turn, player) => {
    if (was.players[player]?.lostInTurn !== null) return;
    for (const order of turn.orders ?? []) {
      const from = cellOf(was, order.x, order.y);
      const item = at.get(from);
      const to = order.command === 'move' ? beside(was, order.x, order.y, order.dir) : -1;
      if (item?.type === 'W' && item.owner === player && to >= 0 && !wants.has(from))
        wants.set(from, to);
    }
  });
  const gone = marches(wants, (cell) => at.has(cell));
  return before.things.map((thing) => {
    const item = thing.data as Item;
    const cell = gone.get(cellOf(was, item.x, item.y)) ?? cellOf(was, item.x, item.y);
    return { thing, x: cell % was.sizex, y: Math.floor(cell / was.sizex) };
  });
}

function strikesOf(
  values: Values,
  state: State,
  stand: { thing: Thing; x: number; y: number }[],
): Extra['strikes'] {
  const warriors = stand.filter(({ thing }) => thing.kind === 'warrior');
  if (warriors.length * values.reach.length > STRIKES_DRAWN) return [];
  const there = new Map(stand.map((one) => [cellOf(state, one.x, one.y), one]));
  const found: Extra['strikes'] = [];
  for (const { thing, x, y } of warriors)
    for (const way of values.reach) {
      if (x + way.x < 0 || x + way.x >= state.sizex) continue;
      const enemy = there.get(cellOf(state, x + way.x, y + way.y));
      if (enemy && enemy.thing.owner !== thing.owner)
        found.push({
          from: { ...(thing.data as Item), x, y },
          to: { ...(enemy.thing.data as Item), x: enemy.x, y: enemy.y },
        });
    }
  return found;
}

function factsOf(values: Values, state: State, item: Item): [string, string][] {
  const facts: [string, string][] = [
    ['hit points', `${item.hitpoints} of ${values.hitpoints[item.type]}`],
    ['cell', `(${item.x},${item.y})`],
  ];
  if (item.type === 'F') facts.push(['income', `${values.income} per turn`]);
  if (item.type === 'W')
    facts.push(
      ['damage', `${values.damage}, split among targets in range`],
      ['range', String(values.range)],
    );
  if (item.type === 'B') facts.push(['spawns', `one warrior per turn for ${values.cost.W}`]);
  const player = state.players[item.owner];
  if (item.type === 'C' && player && player.money !== null)
    facts.push(
      ['money', String(player.money)],
      ['income', `${values.income * count(state, 'F', item.owner)} per turn`],
    );
  if (player && player.lostInTurn !== null)
    facts.push(['player', `eliminated in turn ${player.lostInTurn + 1}`]);
  return facts;
}

const MADE = /^player (\d+) (?:spawns|builds) a \w+ at \((\d+),(\d+)\)$/;
const LOST = /^player (\d+) loses the \w+ at \((\d+),(\d+)\)$/;

/** The cells where the turn's events say that something appeared or was lost. */
function cellsIn(frame: Frame<State>, what: RegExp): string[] {
  return frame.events
    .map((event) => what.exec(event))
    .filter((found) => found !== null)
    .map(([, , x, y]) => `${x},${y}`);
}

/**
 * With `vision`, a player sees other players' things only near its own, and never their money.
 */
export function seen(header: Header, frame: Frame<State>, seat: number): Frame<State> {
  const { state } = frame;
  const { vision } = valuesOf(header, state);
  if (!vision) return frame;
  const near = new Set<number>(); // cells, clipped to the board
  for (const { x, y, owner } of state.objects)
    if (owner === seat)
      for (let row = Math.max(0, y - vision); row <= Math.min(state.sizey - 1, y + vision); row++) {
        const half = Math.floor(Math.sqrt(vision * vision - (row - y) * (row - y)));
        for (
          let column = Math.max(0, x - half);
          column <= Math.min(state.sizex - 1, x + half);
          column++
        )
          near.add(cellOf(state, column, row));
      }
  const dark: State['dark'] = [];
  for (let y = 0; y < state.sizey; y++)
    for (let x = 0, from = 0; x <= state.sizex; x++)
      if (x === state.sizex || near.has(cellOf(state, x, y))) {
        if (x > from) dark.push([from, y, x - from, 1]);
        from = x + 1;
      }
  const isNear = (x: number, y: number): boolean => near.has(cellOf(state, x, y));
  return {
    ...frame,
    state: {
      ...state,
      players: state.players.map((player, i) => (i === seat ? player : { ...player, money: null })),
      objects: state.objects.filter(
        ({ x, y, type, owner }) => type === '#' || owner === seat || isNear(x, y),
      ),
      dark,
    },
    events: frame.events.filter((event) => {
      const [, player, x, y] = MADE.exec(event) ?? LOST.exec(event) ?? [];
      return player === undefined || Number(player) === seat || isNear(Number(x), Number(y));
    }),
  };
}

export function scene(header: Header, frame: Frame<State, Order[]>, before: Scene | null): Scene {
  const state = frame.state;
  const values = valuesOf(header, state);
  const follows = before !== null && before.frame.turn === frame.turn - 1;
  const stand = !before
    ? []
    : follows
      ? advance(frame, before)
      : before.things.map((thing) => ({
          thing,
          x: thing.data.x as number,
          y: thing.data.y as number,
        }));
  const there = new Map(stand.map((one) => [cellOf(state, one.x, one.y), one.thing]));
  const made = new Set(cellsIn(frame, MADE));
  const things: Thing[] = [];
  const hits = new Set<string>();
  const fresh: Extra['fresh'] = new Map();
  for (const item of state.objects) {
    if (item.type === '#') continue;
    const was = there.get(cellOf(state, item.x, item.y));
    const old = was?.data as Item | undefined;
    // More hit points than before: a new warrior took the place of one that fell this turn.
    const same =
      was &&
      old &&
      old.type === item.type &&
      old.owner === item.owner &&
      old.hitpoints >= item.hitpoints &&
      !(follows && made.has(`${item.x},${item.y}`));
    const id = same
      ? was.id
      : `${NAMES[item.type]} ${item.owner}-${frame.turn}-${item.x},${item.y}`;
    if (same && old.hitpoints > item.hitpoints) hits.add(id);
    // With limited vision, a thing that comes into view is not new.
    if (before && !same && (!values.vision || made.has(`${item.x},${item.y}`)))
      fresh.set(id, item.type === 'W' ? spawnedBy(frame, state, item) : null);
    things.push({
      id,
      kind: NAMES[item.type] as string,
      owner: item.owner,
      x: item.x + 0.5,
      y: item.y + 0.5,
      size: 0.5,
      name: `${capital(NAMES[item.type] as string)} of ${nameOf(header, item.owner)}`,
      get facts() {
        return factsOf(values, state, item);
      },
      data: item,
    });
  }
  const kept = new Set(things.map((thing) => thing.id));
  // Likewise, a thing that goes out of view is not lost.
  const lost = values.vision ? new Set(cellsIn(frame, LOST)) : null;
  const fallen = follows
    ? stand.filter(({ thing, x, y }) => !kept.has(thing.id) && (!lost || lost.has(`${x},${y}`)))
    : [];
  const strikes = follows ? strikesOf(values, state, stand) : [];
  return sceneOf(frame, things, { values, strikes, hits, fallen, fresh } satisfies Extra);
}

/** The barracks that spawned the warrior. */
function spawnedBy(
  frame: Frame<State, Order[]>,
  state: State,
  item: Item,
): { x: number; y: number } | null {
  const order = frame.players[item.owner]?.orders?.find(
    (one) =>
      one.command === 'spawn' &&
      beside(state, one.x, one.y, one.dir) === cellOf(state, item.x, item.y),
  );
  return order ? { x: order.x + 0.5, y: order.y + 0.5 } : null;
}
