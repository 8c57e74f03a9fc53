// How a person plays Footsoldiers.
import type { Choice, PlayerInput, Scene, Thing } from '../game';
import { orderLine, withArticle } from './orders';
import { ANGLES, drawSoldier, drawWay } from './paint';
import {
  centre,
  type Direction,
  DIRECTIONS,
  type Extra,
  far,
  formatSquare,
  keyOf,
  MARGIN,
  type Side,
  sideOf,
  type Soldier,
  type Square,
  type State,
  STEPS,
  type Type,
  TYPES,
} from './state';

export interface Build {
  command: 'Build';
  type: Type;
  position: Square;
  destination: Square;
  'attack-direction': Direction;
  asks: 'place' | 'goal'; // what a click on the board sets
}

type Draft =
  | Build
  | { command: 'Move'; position: Square; destination: Square }
  | { command: 'Change attack direction'; position: Square; 'attack-direction': Direction }
  | null;

const SQUARES_OFFERED = 3000;

/**
 * Squares the player may click: the whole field if it is not too large, else those nearby, except
 * for squares with the player's own things, which a click selects.
 */
function squaresAround(scene: Scene, seat: number, around: Square): Square[] {
  const { field } = scene.extra as Extra;
  const own = new Set(
    scene.things
      .filter((thing) => thing.owner === seat)
      .map((thing) =>
        thing.kind === 'base'
          ? keyOf((thing.data as Side).base)
          : keyOf((thing.data as Soldier).position),
      ),
  );
  const [right, bottom] = [field.width + MARGIN - 1, field.height + MARGIN - 1];
  const whole = (right + 1) * (bottom + 1) <= SQUARES_OFFERED;
  const found: Square[] = [];
  for (let y = whole ? 0 : Math.max(0, around.y - 25); y <= (whole ? bottom : around.y + 25); y++)
    for (let x = whole ? 0 : Math.max(0, around.x - 25); x <= (whole ? right : around.x + 25); x++)
      if (!own.has(keyOf({ x, y }))) found.push({ x, y });
  return found;
}

/** Where the player can build, nearest to the enemy first. */
function sites(scene: Scene, seat: number): Square[] {
  const state = scene.frame.state as State;
  const { field } = scene.extra as Extra;
  const taken = new Set(state.map.map((entry) => keyOf(entry.position)));
  const [base, enemy] = [sideOf(state, seat).base, sideOf(state, 1 - seat).base];
  return squaresAround(scene, seat, base)
    .filter((square) => far(square, base) <= field.reach && !taken.has(keyOf(square)))
    .sort((a, b) => far(a, enemy) - far(b, enemy) || a.x - b.x || a.y - b.y);
}

function towards(from: Square, to: Square): Direction {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  if (Math.abs(dx) >= Math.abs(dy)) return dx < 0 ? 'Left' : 'Right';
  return dy < 0 ? 'Up' : 'Down';
}

const FACING_KEYS: Record<Direction, string> = { Up: 'w', Left: 'a', Down: 's', Right: 'd' };

function baseChoices(scene: Scene, seat: number, draft: Draft): Choice<Draft>[] {
  const state = scene.frame.state as State;
  const { field } = scene.extra as Extra;
  const side = sideOf(state, seat);
  const enemy = sideOf(state, 1 - seat).base;
  const places = sites(scene, seat);
  const first = places[0];
  const found: Choice<Draft>[] = [];
  const building = draft?.command === 'Build' ? draft : null;
  if (!first) return found;
  TYPES.forEach((type, i) => {
    if (field.cost[type] > side.money) return;
    const fresh: Build = {
      command: 'Build',
      type,
      position: first,
      destination: enemy,
      'attack-direction': towards(first, enemy),
      asks: 'place',
    };
    found.push({
      label: `Build ${withArticle(type)} (${field.cost[type]} money)`,
      key: String(i + 1),
      take: () => (building ? { ...building, type } : fresh),
    });
  });
  if (!building) return found;
  for (const way of DIRECTIONS)
    if (way !== building['attack-direction'])
      found.push({
        label: `Face ${way.toLowerCase()}`,
        key: FACING_KEYS[way],
        take: () => ({ ...building, 'attack-direction': way }),
      });
  if (building.asks === 'place') {
    found.push({
      label: 'Choose where it goes',
      key: 'g',
      take: () => ({ ...building, asks: 'goal' }),
    });
    for (const position of places)
      found.push({
        label: `Build it at ${formatSquare(position)}`,
        at: centre(position),
        take: () => ({ ...building, position, asks: 'goal' }),
      });
  } else {
    found.push({
      label: 'Choose where to build it',
      key: 'g',
      take: () => ({ ...building, asks: 'place' }),
    });
    for (const destination of squaresAround(scene, seat, side.base))
      found.push({
        label: `Send it to ${formatSquare(destination)}`,
        at: centre(destination),
        take: () => ({ ...building, destination }),
      });
  }
  return found;
}

function soldierChoices(scene: Scene, seat: number, selected: Thing): Choice<Draft>[] {
  const state = scene.frame.state as State;
  const { field } = scene.extra as Extra;
  const soldier = selected.data as Soldier;
  const position = soldier.position;
  const send = (destination: Square): Draft => ({ command: 'Move', position, destination });
  const speed = Math.max(1, field.speed[soldier.type]);
  const found: Choice<Draft>[] = [];
  for (const way of DIRECTIONS) {
    const to = {
      x: Math.max(0, position.x + STEPS[way].x * speed),
      y: Math.max(0, position.y + STEPS[way].y * speed),
    };
    if (far(to, position))
      found.push({ label: `Go ${way.toLowerCase()}`, key: `Arrow${way}`, take: () => send(to) });
  }
  found.push({
    label: "Go to the enemy's base",
    key: 'e',
    at: centre(sideOf(state, 1 - seat).base),
    take: () => send(sideOf(state, 1 - seat).base),
  });
  found.push({ label: 'Stay here', key: 'h', take: () => send(position) });
  for (const way of DIRECTIONS)
    if (way !== soldier['attack-direction'])
      found.push({
        label: `Face ${way.toLowerCase()}`,
        key: FACING_KEYS[way],
        take: () => ({ command: 'Change attack direction', position, 'attack-direction': way }),
      });
  const enemy = sideOf(state, 1 - seat).base;
  for (const to of squaresAround(scene, seat, position))
    if (far(to, enemy))
      found.push({ label: `Go to ${formatSquare(to)}`, at: centre(to), take: () => send(to) });
  return found;
}

/** Commands cannot name squares left of or above the map. */
function named(soldier: Soldier): boolean {
  return soldier.position.x >= 0 && soldier.position.y >= 0;
}

export const input: PlayerInput<Draft> = {
  hello: { after: '', say: 'Ready\n' },
  hint:
    'One command per turn. Select your base, choose what to build, then a square. ' +
    'Or select a soldier, then its destination.',
  keys:
    'At your base, 1, 2 and 3 build. Arrow keys move the selected soldier; W, A, S, D turn it. ' +
    'Enter ends the turn.',
  empty: () => null,
  selectable: (scene, seat) =>
    scene.things
      .filter((thing) => thing.owner === seat && (thing.kind === 'base' || named(thing.data)))
      .map((thing) => thing.id),
  choices: (scene, seat, draft: Draft, selected) => {
    if (!selected || selected.owner !== seat) return [];
    if (selected.kind === 'base') return baseChoices(scene, seat, draft);
    return named(selected.data) ? soldierChoices(scene, seat, selected) : [];
  },
  list: (_scene, _seat, draft: Draft) => (draft ? [{ ...orderLine(draft), without: null }] : []),
  sketch: (pen, _scene, seat, draft: Draft) => {
    if (!draft) return;
    const from = centre(draft.position);
    if (draft.command === 'Build')
      pen.fade(0.6, () =>
        drawSoldier(pen, draft.type, seat, draft['attack-direction'], from.x, from.y),
      );
    if (draft.command === 'Change attack direction')
      pen.at(from.x, from.y, ANGLES[draft['attack-direction']], 1, () =>
        pen.arrow(0.6, 0, 0, Math.max(0.4, 8 * pen.hair), pen.palette.glow),
      );
    else if (far(draft.position, draft.destination)) drawWay(pen, from, centre(draft.destination));
  },
  answer: (_scene, _seat, draft: Draft) => {
    if (!draft) return 'No-op\n';
    if (draft.command === 'Build')
      return (
        `Build ${draft.type} ${formatSquare(draft.position)} ` +
        `${formatSquare(draft.destination)} ` +
        `${draft['attack-direction']}\n`
      );
    if (draft.command === 'Move')
      return `Move ${formatSquare(draft.position)} to ${formatSquare(draft.destination)}\n`;
    return (
      `Change attack direction ${formatSquare(draft.position)} ` +
      `to ${draft['attack-direction']}\n`
    );
  },
};
