// How a person plays Capture the flag.
import type { Choice, PlayerInput, Scene, Thing } from '../game';
import { orderLine } from './orders';
import { drawDanger } from './paint';
import {
  centre,
  type Extra,
  formatSquare,
  type Order,
  playerOf,
  type Soldier,
  type Square,
  type State,
  STEPS,
  WAYS,
} from './state';

interface Draft {
  orders: Record<string, { move?: string; throw?: Square }>;
  aims: string | null; // the soldier that throws at the clicked square
}

/** Where a soldier will be when orders are executed, its cooldown, and whether it will be alive. */
function comes(scene: Scene, soldier: Soldier): { at: Square; cooldown: number; lives: boolean } {
  const { field } = scene.extra as Extra;
  const at = soldier.alive ? soldier : (field.spawns[playerOf(soldier.team)] as Square);
  const lives = !(scene.frame.state as State).grenades.some(
    (grenade) =>
      grenade.countdown === 0 && Math.abs(grenade.x - at.x) <= 1 && Math.abs(grenade.y - at.y) <= 1,
  );
  return { at, cooldown: soldier.alive ? (soldier.cooldown ?? 0) : field.cooldown, lives };
}

export function tile(state: State, { x, y }: Square): string {
  return state.map[y]?.[x] ?? '#';
}

const SQUARES_OFFERED = 3000;

/**
 * Targets for a throw: on small maps all squares in range, else those near the soldier and around
 * useful targets.
 */
function targets(scene: Scene, seat: number, from: Square): Square[] {
  const state = scene.frame.state as State;
  const { field } = scene.extra as Extra;
  const near = Math.min(field.range, field.width * field.height <= SQUARES_OFFERED ? Infinity : 16);
  const found = new Map<string, Square>();
  const offer = (at: Square): void => {
    if (Math.abs(at.x - from.x) + Math.abs(at.y - from.y) <= field.range && tile(state, at) !== '#')
      found.set(formatSquare(at), at);
  };
  for (let y = Math.max(0, from.y - near); y <= Math.min(field.height - 1, from.y + near); y++)
    for (let x = Math.max(0, from.x - near); x <= Math.min(field.width - 1, from.x + near); x++)
      offer({ x, y });
  for (const place of [
    ...state.soldiers.filter((one) => playerOf(one.team) !== seat),
    ...state.flags,
    ...field.spawns,
    ...field.bases,
  ])
    for (let y = -3; y <= 3; y++)
      for (let x = -3; x <= 3; x++) offer({ x: place.x + x, y: place.y + y });
  return [...found.values()];
}

const MOVE_KEYS: Record<string, string> = {
  U: 'ArrowUp',
  D: 'ArrowDown',
  L: 'ArrowLeft',
  R: 'ArrowRight',
  S: 's',
};

function choices(
  scene: Scene,
  seat: number,
  draft: Draft,
  selected: Thing | null,
): Choice<Draft>[] {
  if (!selected || selected.kind !== 'soldier' || selected.owner !== seat) return [];
  const state = scene.frame.state as State;
  const soldier = selected.data.soldier as Soldier;
  const { at, cooldown, lives } = comes(scene, soldier);
  if (!lives) return [];
  const own = draft.orders[soldier.name] ?? {};
  const give = (order: { move?: string; throw?: Square }): Draft => ({
    orders: { ...draft.orders, [soldier.name]: order },
    aims: null,
  });
  const found: Choice<Draft>[] = [];
  if (draft.aims === soldier.name) {
    found.push({
      label: 'Do not throw',
      key: 'g',
      take: () => give({ ...(own.move ? { move: own.move } : {}) }),
    });
    for (const target of targets(scene, seat, at))
      found.push({
        label: `Throw at ${formatSquare(target)}`,
        at: centre(target),
        take: () => give({ ...own, throw: target }),
      });
    return found;
  }
  for (const [move, way] of Object.entries(STEPS)) {
    const to = { x: at.x + way.x, y: at.y + way.y };
    if (tile(state, to) !== '#')
      found.push({
        label: move === 'S' ? 'Stay' : `Move ${WAYS[move]}`,
        key: MOVE_KEYS[move] as string,
        at: centre(to),
        take: () => give({ ...own, move }),
      });
  }
  if (cooldown === 0)
    found.push({
      label: 'Throw a grenade',
      key: 'g',
      take: () => ({ ...draft, aims: soldier.name }),
    });
  return found;
}

/**
 * Gives an order to every soldier that will be alive, even if only to stay: without an order, it
 * would neither pick up a flag nor capture.
 */
function ordersOf(scene: Scene, seat: number, draft: Draft): Order[] {
  const soldiers = (scene.frame.state as State).soldiers.filter(
    (soldier) => playerOf(soldier.team) === seat && comes(scene, soldier).lives,
  );
  return soldiers.map((soldier) => {
    const order = draft.orders[soldier.name];
    return {
      soldier: soldier.name,
      move: order?.move ?? 'S',
      ...(order?.throw ? { throw: order.throw } : {}),
    };
  });
}

export const input: PlayerInput<Draft> = {
  hint: 'Select a soldier, then a square next to it. To throw a grenade, aim first.',
  keys:
    'Arrow keys move the selected soldier, S lets it stay, G aims a grenade. ' +
    'Tab selects the next soldier; Enter ends the round.',
  empty: () => ({ orders: {}, aims: null }),
  selectable: (scene, seat) =>
    scene.things
      .filter(
        (thing) =>
          thing.kind === 'soldier' &&
          thing.owner === seat &&
          comes(scene, thing.data.soldier).lives,
      )
      .map((thing) => thing.id),
  choices,
  list: (scene, _seat, draft: Draft) =>
    Object.entries(draft.orders)
      .filter(([, order]) => order.move || order.throw)
      .map(([soldier, order]) => {
        const { [soldier]: _gone, ...others } = draft.orders;
        return {
          ...orderLine(scene.frame.state as State, {
            soldier,
            move: order.move ?? 'S',
            ...(order.throw ? { throw: order.throw } : {}),
          }),
          without: { orders: others, aims: draft.aims },
        };
      }),
  sketch: (pen, scene, seat, draft: Draft) => {
    for (const thing of scene.things) {
      const soldier = thing.data.soldier as Soldier | undefined;
      const order = soldier && thing.owner === seat ? draft.orders[soldier.name] : undefined;
      if (!soldier || !order) continue;
      const { at } = comes(scene, soldier);
      const from = soldier.alive ? thing : centre(at);
      const way = STEPS[order.move ?? 'S'] as Square;
      if (way.x || way.y) {
        pen.line(
          from.x + way.x * 0.3,
          from.y + way.y * 0.3,
          from.x + way.x * 0.8,
          from.y + way.y * 0.8,
          pen.palette.glow,
          Math.max(0.09, 1.5 * pen.hair),
        );
        pen.arrow(
          from.x + way.x * 0.85,
          from.y + way.y * 0.85,
          Math.atan2(way.y, way.x),
          Math.max(0.34, 7 * pen.hair),
          pen.palette.glow,
        );
      } else if (order.move)
        pen.ring(from.x, from.y, 0.2, pen.palette.glow, Math.max(0.07, pen.hair));
      if (order.throw) {
        const to = centre(order.throw);
        pen.line(
          from.x,
          from.y,
          to.x,
          to.y,
          pen.palette.danger,
          Math.max(0.06, pen.hair),
          [0.2, 0.2],
        );
        drawDanger(
          pen,
          { ...order.throw, team: soldier.team, thrower: soldier.name, countdown: 2 },
          1,
        );
        pen.disc(to.x, to.y, 0.2, pen.palette.ink);
      }
    }
  },
  answer: (scene, seat, draft: Draft) =>
    ordersOf(scene, seat, draft)
      .map(
        (order) =>
          `${order.soldier} ${order.move}${order.throw ? ' ' + formatSquare(order.throw) : ''}\n`,
      )
      .join('') + '\n',
};
