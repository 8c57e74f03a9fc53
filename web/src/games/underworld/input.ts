// How a person plays Underworld.
import type { Choice, PlayerInput, Scene, Thing } from '../game';
import { orderLine } from './orders';
import { drawItem, drawScaffold } from './paint';
import {
  beside,
  cellOf,
  type Extra,
  type Item,
  type Kind,
  marches,
  NAMES,
  type Order,
  type State,
  total,
  WAYS,
} from './state';

interface Draft {
  orders: Order[];
  plans: 'F' | 'B' | null; // what a click builds
}

const ORDERS_MAX = 4096; // lines in an answer

/**
 * Whether a cell's occupant may leave: another player's warrior, unless that player is eliminated.
 */
function mayLeave(state: State, seat: number, item: Item | undefined): boolean {
  return (
    item?.type === 'W' && item.owner !== seat && state.players[item.owner]?.lostInTurn === null
  );
}

/**
 * The orders that the board and the player's money allow together. Orders can depend on each other:
 * a warrior can move only if the warrior in front of it moves, too. A warrior may follow another
 * player's warrior, and moves if that warrior does.
 */
function allowed(scene: Scene, seat: number, orders: Order[]): Order[] {
  const state = scene.frame.state as State;
  const { values } = scene.extra as Extra;
  const at = new Map<number, Item>(
    state.objects.map((item) => [cellOf(state, item.x, item.y), item]),
  );
  const own = (order: Order, type: Kind): boolean => {
    const item = at.get(cellOf(state, order.x, order.y));
    return item?.owner === seat && item.type === type;
  };
  let moves = new Map<number, number>();
  for (const order of orders)
    if (order.command === 'move' && own(order, 'W'))
      moves.set(cellOf(state, order.x, order.y), beside(state, order.x, order.y, order.dir));
  for (const [from, to] of moves) if (to < 0) moves.delete(from);
  for (;;) {
    const going = marches(moves, (cell) => at.has(cell) && !mayLeave(state, seat, at.get(cell)));
    if (going.size === moves.size) break;
    moves = going; // a warrior that cannot move blocks others
  }
  const taken = new Set(at.keys());
  for (const from of moves.keys()) taken.delete(from);
  for (const to of moves.values()) taken.add(to);
  let money =
    (state.players[seat]?.money ?? 0) +
    values.income * total(scene, seat, (item) => Number(item.type === 'F'));
  const kept = new Set<Order>();
  for (const order of orders)
    if (order.command === 'move' && moves.has(cellOf(state, order.x, order.y))) kept.add(order);
  const pay = (order: Order, cell: number, cost: number): void => {
    if (cell < 0 || taken.has(cell) || cost > money) return;
    taken.add(cell);
    money -= cost;
    kept.add(order);
  };
  for (const order of orders)
    if (order.command === 'spawn' && own(order, 'B'))
      pay(order, beside(state, order.x, order.y, order.dir), values.cost.W as number);
  for (const order of orders)
    if (order.command === 'build' && nearOwn(state, seat, at, order))
      pay(order, cellOf(state, order.x, order.y), values.cost[order.obj as string] as number);
  return orders.filter((order) => kept.has(order));
}

function nearOwn(
  state: State,
  seat: number,
  at: Map<number, Item>,
  { x, y }: { x: number; y: number },
): boolean {
  for (let dy = -2; dy <= 2; dy++)
    for (let dx = -2; dx <= 2; dx++) {
      if (
        dx * dx + dy * dy > 4 ||
        x + dx < 0 ||
        x + dx >= state.sizex ||
        y + dy < 0 ||
        y + dy >= state.sizey
      )
        continue;
      const item = at.get(cellOf(state, x + dx, y + dy));
      if (item?.owner === seat && item.type !== 'W') return true;
    }
  return false;
}

function choices(
  scene: Scene,
  seat: number,
  draft: Draft,
  selected: Thing | null,
): Choice<Draft>[] {
  const state = scene.frame.state as State;
  if (!selected || selected.owner !== seat || state.players[seat]?.lostInTurn !== null) return [];
  const item = selected.data as Item;
  const found: Choice<Draft>[] = [];
  const mine = (order: Order): boolean =>
    order.command !== 'build' && order.x === item.x && order.y === item.y;
  const others = draft.orders.filter((order) => !mine(order));
  const at = new Map<number, Item>(state.objects.map((one) => [cellOf(state, one.x, one.y), one]));
  const offer = (
    order: Order,
    rest: Order[],
    label: string,
    key: string | undefined,
    cell: number,
  ): Choice<Draft>[] => {
    if (cell < 0 || rest.length >= ORDERS_MAX) return [];
    const orders = allowed(scene, seat, [...rest, order]);
    const place = { x: (cell % state.sizex) + 0.5, y: Math.floor(cell / state.sizex) + 0.5 };
    return orders.includes(order)
      ? [{ label, ...(key ? { key } : {}), at: place, take: () => ({ orders, plans: null }) }]
      : [];
  };
  const sites = (obj: 'F' | 'B'): Choice<Draft>[] => {
    const all: Choice<Draft>[] = [];
    for (let y = Math.max(0, item.y - 2); y <= Math.min(state.sizey - 1, item.y + 2); y++)
      for (let x = Math.max(0, item.x - 2); x <= Math.min(state.sizex - 1, item.x + 2); x++) {
        const rest = draft.orders.filter(
          (order) => !(order.command === 'build' && order.x === x && order.y === y),
        );
        if ((x - item.x) ** 2 + (y - item.y) ** 2 <= 4)
          all.push(
            ...offer(
              { command: 'build', x, y, obj },
              rest,
              `Build a ${NAMES[obj]} at (${x},${y})`,
              undefined,
              cellOf(state, x, y),
            ),
          );
      }
    return all;
  };
  if (draft.plans && item.type !== 'W') {
    found.push(
      {
        label: 'Cancel building',
        key: draft.plans.toLowerCase(),
        take: () => ({ ...draft, plans: null }),
      },
      ...sites(draft.plans),
    );
    return found;
  }
  for (const [dir, way] of Object.entries(WAYS)) {
    const cell = beside(state, item.x, item.y, dir);
    if (item.type === 'W')
      found.push(
        ...offer(
          { command: 'move', x: item.x, y: item.y, dir },
          others,
          `Move ${way.name}` +
            (mayLeave(state, seat, at.get(cell)) ? ', if that warrior leaves' : ''),
          way.key,
          cell,
        ),
      );
    if (item.type === 'B')
      found.push(
        ...offer(
          { command: 'spawn', x: item.x, y: item.y, dir },
          others,
          `Spawn a warrior ${way.name}`,
          way.key,
          cell,
        ),
      );
  }
  if (others.length < draft.orders.length)
    found.push({
      label: item.type === 'W' ? 'Stay' : 'Spawn nothing',
      key: 's',
      take: () => ({ orders: allowed(scene, seat, others), plans: null }),
    });
  if (item.type !== 'W')
    for (const obj of ['F', 'B'] as const)
      if (sites(obj).length)
        found.push({
          label: `Build a ${NAMES[obj]}`,
          key: obj.toLowerCase(),
          take: () => ({ ...draft, plans: obj }),
        });
  return found;
}

const RANKS: Record<string, number> = { warrior: 0, barracks: 1, castle: 2, farm: 3 };

export const input: PlayerInput<Draft> = {
  hello: { after: 'Who are you?\n', say: 'crayfish\n' },
  hint: 'Select a warrior or barracks, then a cell next to it, or a building to build near it.',
  keys:
    'Arrow keys move the selected warrior or spawn one; F and B build near the building. ' +
    'Tab selects the next; Enter ends the turn.',
  empty: () => ({ orders: [], plans: null }),
  selectable: (scene, seat) =>
    (scene.frame.state as State).players[seat]?.lostInTurn !== null
      ? []
      : scene.things
          .filter((thing) => thing.owner === seat)
          .sort((a, b) => (RANKS[a.kind] as number) - (RANKS[b.kind] as number))
          .map((thing) => thing.id),
  choices,
  list: (scene, seat, draft: Draft) =>
    draft.orders.map((order) => ({
      ...orderLine(order),
      without: {
        orders: allowed(
          scene,
          seat,
          draft.orders.filter((other) => other !== order),
        ),
        plans: draft.plans,
      },
    })),
  sketch: (pen, scene, seat, draft: Draft) => {
    const state = scene.frame.state as State;
    const { values } = scene.extra as Extra;
    for (const order of draft.orders) {
      const way = WAYS[order.dir ?? ''] ?? { x: 0, y: 0 };
      const [x, y] = [order.x + 0.5, order.y + 0.5];
      const kind = order.command === 'move' ? null : ((order.obj ?? 'W') as Kind);
      if (kind)
        pen.fade(0.5, () =>
          drawItem(
            pen,
            values,
            { x: 0, y: 0, type: kind, owner: seat, hitpoints: values.hitpoints[kind] as number },
            x + way.x,
            y + way.y,
            false,
          ),
        );
      if (order.command === 'build') drawScaffold(pen, x, y);
      else {
        pen.line(
          x + way.x * 0.3,
          y + way.y * 0.3,
          x + way.x * 0.8,
          y + way.y * 0.8,
          pen.palette.glow,
          Math.max(0.08, 1.5 * pen.hair),
        );
        pen.arrow(
          x + way.x * 0.85,
          y + way.y * 0.85,
          Math.atan2(way.y, way.x),
          Math.max(0.3, 7 * pen.hair),
          pen.palette.glow,
        );
      }
    }
    if (draft.plans)
      pen.fade(0.8, () =>
        pen.text(
          `${NAMES[draft.plans as string]}?`,
          state.sizex / 2,
          0.3,
          Math.max(0.4, 13 * pen.hair),
          pen.palette.glow,
          700,
        ),
      );
  },
  answer: (_scene, _seat, draft: Draft) =>
    draft.orders
      .map((order) => `${order.command} ${order.x} ${order.y} ${order.dir ?? order.obj}\n`)
      .join('') + 'end\n',
};
