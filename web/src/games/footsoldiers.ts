// Footsoldiers: bases, rocks, and soldiers that walk to their destinations on their own. The state
// has no ids. Soldiers are tracked by computing their moves as the rules do (`advance`), because
// soldiers of a kind can pass each other in a turn. Only the ids depend on it.
import type { Frame, Header, PlayerTurn } from '../rules/types';
import {
  fieldsOf,
  flash,
  moving,
  nameOf,
  protocolWords,
  sceneOf,
  type Choice,
  type GameModule,
  type Mark,
  type OrderLine,
  type Scene,
  type Thing,
} from './game';
import { inkOn, wallsOf, type Pen, type Walls } from './pen';

interface Square {
  x: number;
  y: number;
}

const TYPES = ['Scout', 'Assassin', 'Tank'] as const;
type Type = (typeof TYPES)[number];

const STEPS = {
  Down: { x: 0, y: 1 },
  Left: { x: -1, y: 0 },
  Up: { x: 0, y: -1 },
  Right: { x: 1, y: 0 },
};
type Direction = keyof typeof STEPS;
const DIRECTIONS = Object.keys(STEPS) as Direction[];
const ANGLES: Record<Direction, number> = {
  Right: 0,
  Down: Math.PI / 2,
  Left: Math.PI,
  Up: -Math.PI / 2,
};

interface Soldier {
  position: Square;
  type: Type;
  health: number;
  team: 'player1' | 'player2';
  destination: Square;
  'attack-direction': Direction;
}

type Entry =
  Soldier | { position: Square; type: 'Rock' } | { position: Square; type: 'Base'; team: string };

interface Side {
  money: number;
  base: Square;
  health: number;
}

interface State {
  map: Entry[];
  'turns-remaining': number;
  player1: Side;
  player2: Side;
}

interface Order {
  command: 'No-op' | 'Build' | 'Move' | 'Change attack direction';
  type?: Type;
  position?: Square;
  destination?: Square;
  'attack-direction'?: Direction;
}

/** What stays the same during a match. */
interface Field {
  number: number; // one per match that is shown
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

/** A soldier and its id, during a turn. */
interface Walker {
  id: string;
  player: number;
  type: Type;
  at: Square;
  to: Square;
}

interface Extra {
  field: Field;
  strikes: { from: Square; to: Square; player: number }[];
  fallen: { thing: Thing; at: Square }[]; // soldiers that fell, and where
}

export const MARGIN = 2; // squares around the map, which has no edge
const BASE_HEALTH = 40;

function sideOf(state: State, player: number): Side {
  return player ? state.player2 : state.player1;
}

function isSoldier(entry: Entry): entry is Soldier {
  return entry.type !== 'Rock' && entry.type !== 'Base';
}

/** A unique number for every square a soldier can reach. */
function keyOf({ x, y }: Square): number {
  return (x + 1048576) * 2097152 + y + 1048576;
}

function far(one: Square, other: Square): number {
  return Math.abs(one.x - other.x) + Math.abs(one.y - other.y);
}

function formatSquare({ x, y }: Square): string {
  return `(${x}, ${y})`;
}

const centre = ({ x, y }: Square): Square => ({ x: x + 0.5 + MARGIN, y: y + 0.5 + MARGIN });

const fields = new WeakMap<Header, Field>();
let fieldCount = 0;

function fieldOf(header: Header, state: State): Field {
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
 * One more than the largest. A list, because a map may have more rocks than a call takes arguments.
 */
function boundsOf(squares: Square[], side: 'x' | 'y'): number[] {
  return [squares.reduce((most, square) => Math.max(most, square[side] + 1), 1)];
}

/**
 * Where a soldier goes: the reachable square nearest to its destination. On equal distance its own
 * square, then the smaller x, then the smaller y.
 */
function stepOf(walker: Walker, speed: number, taken: (key: number) => boolean): Square {
  const own = walker.at;
  if (speed === 0 || far(own, walker.to) === 0) return own;
  const side = 2 * speed + 1;
  const seen = new Uint8Array(side * side);
  let best = own;
  let nearest = far(own, walker.to);
  let edge: Square[] = [own];
  seen[speed * side + speed] = 1;
  for (let steps = 0; steps < speed && edge.length; steps++) {
    const next: Square[] = [];
    for (const { x, y } of edge)
      for (const way of DIRECTIONS) {
        const to = { x: x + STEPS[way].x, y: y + STEPS[way].y };
        const cell = (to.y - own.y + speed) * side + to.x - own.x + speed;
        if (seen[cell] || taken(keyOf(to))) continue;
        seen[cell] = 1;
        next.push(to);
        const away = far(to, walker.to);
        if (
          away < nearest ||
          (away === nearest &&
            best !== own &&
            (to.x < best.x || (to.x === best.x && to.y < best.y)))
        )
          [best, nearest] = [to, away];
      }
    edge = next;
  }
  return best;
}

/**
 * The previous turn's soldiers after this turn's moves: commands first, then one soldier after
 * another.
 */
function advance(field: Field, frame: Frame<State, Order | null>, before: Scene): Walker[] {
  const walkers: Walker[] = [];
  const was = before.frame.state as State;
  for (const thing of before.things)
    if (isSoldierThing(thing)) {
      const soldier = thing.data as Soldier;
      walkers.push({
        id: thing.id,
        player: thing.owner as number,
        type: soldier.type,
        at: soldier.position,
        to: soldier.destination,
      });
    }
  frame.players.forEach((turn, player) => {
    const order = turn.orders;
    // A player has one command per turn, so that is the rejected one.
    if (!order?.position || turn.refused) return;
    const own = walkers.find(
      (walker) => walker.player === player && far(walker.at, order.position as Square) === 0,
    );
    if (order.command === 'Build' && order.type && order.destination)
      walkers.push({
        id: `soldier ${player}-${frame.turn}`,
        player,
        type: order.type,
        at: order.position,
        to: order.destination,
      });
    else if (order.command === 'Move' && own && order.destination) own.to = order.destination;
  });
  const standing = new Set(walkers.map((walker) => keyOf(walker.at)));
  const first = was['turns-remaining'] % 2;
  walkers.sort((a, b) => a.at.x - b.at.x || a.at.y - b.at.y);
  for (const player of [first, 1 - first])
    for (const walker of walkers)
      if (walker.player === player) {
        standing.delete(keyOf(walker.at));
        walker.at = stepOf(
          walker,
          field.speed[walker.type],
          (key) => field.solid.has(key) || standing.has(key),
        );
        standing.add(keyOf(walker.at));
      }
  return walkers;
}

function isSoldierThing(thing: Thing): boolean {
  return thing.kind !== 'base';
}

/** The ids of the soldiers by square, and who fell where. */
function namesOf(
  field: Field,
  frame: Frame<State, Order | null>,
  before: Scene | null,
): { names: Map<number, string>; fallen: { thing: Thing; at: Square }[] } {
  const names = new Map<number, string>();
  const soldiers = frame.state.map.filter(isSoldier);
  if (!before) return { names, fallen: [] };
  const still = before.things.filter(isSoldierThing).map((thing) => ({
    id: thing.id,
    player: thing.owner,
    type: thing.data.type as Type,
    at: thing.data.position as Square,
  }));
  // When a player is disqualified, nobody moves. If turns are missing, at least those that did not
  // move are known.
  for (const walkers of before.frame.turn === frame.turn - 1
    ? [advance(field, frame, before), still]
    : [still]) {
    names.clear();
    const there = new Map(walkers.map((walker) => [keyOf(walker.at), walker]));
    let all = true;
    for (const soldier of soldiers) {
      const walker = there.get(keyOf(soldier.position));
      if (
        walker &&
        walker.type === soldier.type &&
        walker.player === (soldier.team === 'player2' ? 1 : 0)
      )
        names.set(keyOf(soldier.position), walker.id);
      else all = false;
    }
    if (!all) continue;
    const kept = new Set(names.values());
    const fallen = walkers.flatMap((walker) => {
      const thing = before.byId.get(walker.id);
      return thing && !kept.has(walker.id) ? [{ thing, at: walker.at }] : [];
    });
    return { names, fallen };
  }
  return { names, fallen: [] };
}

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

function scene(header: Header, frame: Frame<State, Order | null>, before: Scene | null): Scene {
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

// ---- drawing ----

/**
 * A soldier facing right, on a plate: round for the first player, square for the second.
 */
function drawSoldier(
  pen: Pen,
  type: Type,
  player: number,
  direction: Direction,
  x: number,
  y: number,
): void {
  // On small squares, soldiers are slightly larger than their square.
  pen.stamp(`footsoldiers ${type} ${player} ${direction}`, x, y, 0.75, (pen) =>
    pen.at(0, 0, ANGLES[direction], pen.unit < 8 ? 1.35 : 1, () => drawBody(pen, type, player)),
  );
}

function drawBody(pen: Pen, type: Type, player: number): void {
  const colour = pen.colour(player);
  const ink = inkOn(colour);
  if (pen.unit >= 5)
    pen.shape(
      [
        [0.5, 0],
        [0.3, 0.17],
        [0.3, -0.17],
      ],
      colour,
    ); // its direction
  if (player === 0) pen.disc(0, 0, 0.4, colour);
  else pen.box(-0.37, -0.37, 0.74, 0.74, colour, 0.07);
  if (type === 'Scout')
    pen.shape(
      [
        [0.32, 0],
        [-0.24, 0.26],
        [-0.1, 0],
        [-0.24, -0.26],
      ],
      ink,
    );
  else if (type === 'Assassin') {
    pen.shape(
      [
        [0.37, 0],
        [0.2, 0.09],
        [-0.06, 0.09],
        [-0.06, -0.09],
        [0.2, -0.09],
      ],
      ink,
    );
    pen.box(-0.12, -0.22, 0.08, 0.44, ink, 0.03);
    pen.box(-0.27, -0.045, 0.2, 0.09, ink, 0.03);
    pen.disc(-0.28, 0, 0.07, ink);
  } else {
    pen.box(-0.27, -0.27, 0.5, 0.54, ink, 0.07);
    for (const y of [-0.15, 0.12]) pen.box(-0.27, y, 0.5, 0.03, colour);
    pen.disc(-0.05, 0, 0.115, colour);
    pen.box(-0.02, -0.055, 0.39, 0.11, ink, 0.02);
    pen.disc(-0.05, 0, 0.075, ink);
  }
}

function drawBase(pen: Pen, base: Thing): void {
  const { x, y } = base;
  const side = base.data as Side;
  const colour = pen.colour(base.owner);
  const part = side.health / BASE_HEALTH;
  const [left, right, top, bottom] = [x - 0.48, x + 0.48, y - 0.44, y + 0.48];
  const step = (right - left) / 5;
  const outline: [number, number][] = [
    [left, bottom],
    [left, top],
  ];
  for (let i = 0; i < 5; i++) {
    const level = i % 2 ? top + 0.16 : top;
    outline.push([left + i * step, level], [left + (i + 1) * step, level]);
  }
  pen.shape([...outline, [right, bottom]], side.health ? colour : pen.palette.neutral);
  pen.outline([...outline, [right, bottom]], pen.palette.ink, Math.max(0.04, pen.hair));
  pen.text(base.owner ? '2' : '1', x, y + 0.1, 0.56, inkOn(colour), 800);
  if (side.health <= 0) pen.cross(x, y, 0.42, pen.palette.danger, 0.12);
  // The health bar is on the side with room, and wide: bases decide the match.
  pen.gauge(x, y + 0.56, 1.5, part, pen.gaugeColour(part));
  pen.text(String(side.health), x, y - 0.74, 0.46, pen.palette.ink, 700);
}

/** Rocks: boulders, each slightly different. */
function drawRocks(pen: Pen, field: Field): void {
  if (pen.unit < 9 || field.rocks.length > 4000) return pen.walls(field.walls);
  const dark = pen.palette.wall;
  const c = pen.c;
  for (const [shift, size, alpha, fill] of [
    [0, 1, 1, dark],
    [-0.08, 0.62, 0.2, '#ffffff'],
  ] as [number, number, number, string][]) {
    c.beginPath();
    for (const { x, y } of field.rocks) {
      const seed = (x * 73 + y * 151) % 7;
      for (let i = 0; i < 7; i++) {
        const angle = ((i + seed / 7) * 2 * Math.PI) / 7;
        const out = (0.42 + (((seed + i * 3) % 5) - 2) * 0.025) * size;
        const [px, py] = [
          x + MARGIN + 0.5 + shift + out * Math.cos(angle) * 1.08,
          y + MARGIN + 0.5 + shift + out * Math.sin(angle),
        ];
        if (i) c.lineTo(px, py);
        else c.moveTo(px, py);
      }
      c.closePath();
    }
    c.fillStyle = fill;
    pen.fade(alpha, () => c.fill());
  }
}

function drawGround(pen: Pen, field: Field): void {
  const [width, height] = [field.width + 2 * MARGIN, field.height + 2 * MARGIN];
  pen.box(0, 0, width, height, pen.palette.ground, 0.3);
  // Shade the area around the map.
  pen.fade(0.45, () => pen.box(0, 0, width, height, pen.palette.line, 0.3));
  pen.c.save();
  pen.c.translate(MARGIN, MARGIN);
  pen.cells(field.width, field.height);
  pen.c.restore();
  drawRocks(pen, field);
}

function drawSoldiers(pen: Pen, scene: Scene, before: Scene | null, t: number): void {
  const { field, fallen } = scene.extra as Extra;
  const [width, height] = [field.width + 2 * MARGIN, field.height + 2 * MARGIN];
  const going = new Map(fallen.map((one) => [one.thing.id, one.at]));
  for (const { thing, x, y, presence } of moving(scene, before, t)) {
    if (thing.kind === 'base') continue;
    const soldier = thing.data as Soldier;
    const falls = going.get(thing.id);
    if (falls) {
      // It moved and struck before it fell.
      const place = centre(falls);
      const part = Math.min(1, t * 1.6);
      pen.fade(t < 0.6 ? 1 : (1 - t) / 0.4, () =>
        drawSoldier(
          pen,
          soldier.type,
          thing.owner as number,
          soldier['attack-direction'],
          x + (place.x - x) * part,
          y + (place.y - y) * part,
        ),
      );
      continue;
    }
    if (x < 0 || y < 0 || x > width || y > height) {
      // Outside the board: an arrow at the edge.
      const [ex, ey] = [
        Math.max(0.4, Math.min(width - 0.4, x)),
        Math.max(0.4, Math.min(height - 0.4, y)),
      ];
      const eighth = Math.round((Math.atan2(y - ey, x - ex) / Math.PI) * 4);
      pen.stamp(`footsoldiers away ${thing.owner} ${eighth}`, ex, ey, 0.5, (pen) =>
        pen.arrow(0, 0, (eighth * Math.PI) / 4, 0.6, pen.colour(thing.owner)),
      );
      continue;
    }
    pen.fade(presence, () => {
      drawSoldier(pen, soldier.type, thing.owner as number, soldier['attack-direction'], x, y);
      const part = soldier.health / field.health[soldier.type];
      if (part < 1) pen.gauge(x, y + 0.4, 0.8, part, pen.gaugeColour(part));
    });
  }
}

function paint(pen: Pen, scene: Scene, before: Scene | null, t: number): void {
  const { field, strikes, fallen } = scene.extra as Extra;
  const bases = scene.things.filter((thing) => thing.kind === 'base');
  pen.crowd(
    scene.things,
    `footsoldiers ${field.number} ${bases.map(({ data }) => (data as Side).health)}`,
    (pen) => {
      drawGround(pen, field);
      for (const base of bases) drawBase(pen, base);
    },
    () => drawSoldiers(pen, scene, before, t),
  );
  const strength = flash(before, t, 0.55);
  if (strength > 0)
    pen.fade(strength, () => {
      for (const strike of strikes) drawStrike(pen, centre(strike.from), centre(strike.to));
    });
  pen.fade(before && t < 1 ? t : 1, () => {
    for (const { at } of fallen)
      pen.cross(centre(at).x, centre(at).y, 0.26, pen.palette.danger, 0.08);
  });
}

function drawStrike(pen: Pen, from: Square, to: Square): void {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const [x, y] = [from.x + dx * 0.68, from.y + dy * 0.68];
  const colour = pen.palette.danger;
  pen.line(from.x + dx * 0.3, from.y + dy * 0.3, x, y, colour, 0.12);
  // A burst at the hit: short rays around the point.
  for (let i = 0; i < 5; i++) {
    const angle = Math.atan2(dy, dx) + ((i - 2) * Math.PI) / 5;
    pen.line(x, y, x + 0.26 * Math.cos(angle), y + 0.26 * Math.sin(angle), colour, 0.07);
  }
}

function paintSelection(pen: Pen, scene: Scene, thing: Thing, x: number, y: number): void {
  const { field } = scene.extra as Extra;
  if (thing.kind === 'base') {
    // The area where soldiers can be built.
    const reach = field.reach + 0.5;
    if (reach < 60)
      pen.outline(
        [
          [x - reach - 0.5, y],
          [x, y - reach - 0.5],
          [x + reach + 0.5, y],
          [x, y + reach + 0.5],
        ],
        pen.palette.glow,
        Math.max(0.04, pen.hair),
      );
    return;
  }
  const soldier = thing.data as Soldier;
  if (far(soldier.position, soldier.destination))
    drawWay(pen, { x, y }, centre(soldier.destination));
}

/** A dashed line with a small flag at its end. */
function drawWay(pen: Pen, from: Square, to: Square): void {
  pen.line(
    from.x,
    from.y,
    to.x,
    to.y,
    pen.palette.glow,
    Math.max(0.06, 1.5 * pen.hair),
    [0.3, 0.2],
  );
  pen.line(to.x, to.y + 0.3, to.x, to.y - 0.4, pen.palette.glow, Math.max(0.07, 1.5 * pen.hair));
  pen.shape(
    [
      [to.x, to.y - 0.42],
      [to.x + 0.36, to.y - 0.26],
      [to.x, to.y - 0.1],
    ],
    pen.palette.glow,
  );
}

/** "a tank", "an assassin". */
function withArticle(type: string): string {
  return `${/^[aeiou]/i.test(type) ? 'an' : 'a'} ${type.toLowerCase()}`;
}

const AROUND = 4; // squares shown around the action
const TOGETHER = 12; // soldiers that are farther apart are not shown together

/**
 * Where soldiers fight or fall; else the soldiers that are closest to an enemy; else the soldier
 * that has come farthest.
 */
function action(scene: Scene): { left: number; top: number; right: number; bottom: number } | null {
  const { strikes, fallen } = scene.extra as Extra;
  let places = [...strikes.flatMap(({ from, to }) => [from, to]), ...fallen.map(({ at }) => at)];
  if (!places.length) {
    const [first = [], second = []] = [0, 1].map((player) =>
      scene.things
        .filter((thing) => isSoldierThing(thing) && thing.owner === player)
        .map((thing) => (thing.data as Soldier).position),
    );
    let least = Infinity;
    for (const one of first)
      for (const other of second)
        if (far(one, other) < least) {
          least = far(one, other);
          places = least <= TOGETHER ? [one, other] : [one];
        }
    const state = scene.frame.state as State;
    for (const [player, soldiers] of [first, second].entries())
      for (const one of least < Infinity ? [] : soldiers) {
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

// ---- marks and orders ----

/** An event with the players' names. */
function readable(header: Header, _frame: Frame, text: string): string {
  return text.replace(/\bplayer([12])\b/g, (_, number) => nameOf(header, Number(number) - 1));
}

function marks(header: Header, scene: Scene, before: Scene | null): Mark[] {
  const found: Mark[] = [];
  const state = scene.frame.state as State;
  const was = before?.frame.state as State | undefined;
  for (const { thing } of (scene.extra as Extra).fallen)
    found.push({
      kind: 'death',
      player: thing.owner,
      text: `${withArticle(thing.kind)} of ${nameOf(header, thing.owner as number)} falls`,
    });
  for (const player of [0, 1]) {
    const [now, then] = [sideOf(state, player).health, was ? sideOf(was, player).health : null];
    if (then === null || now === then) continue;
    if (now === 0)
      found.push({
        kind: 'capture',
        player: 1 - player,
        text: `the base of ${nameOf(header, player)} is destroyed`,
      });
    else
      found.push({
        kind: 'event',
        player: 1 - player,
        text: `the base of ${nameOf(header, player)} is hit: ${now} left`,
      });
  }
  return found;
}

function orderLine(order: Order): OrderLine {
  return {
    text: words(order),
    ...(order.position ? { at: centre(order.position) } : {}),
    ...(order.destination ? { to: centre(order.destination) } : {}),
  };
}

function words(order: Order): string {
  const at = order.position ? formatSquare(order.position) : '';
  const to = order.destination ? formatSquare(order.destination) : '';
  if (order.command === 'Build')
    return (
      `build ${withArticle(order.type ?? '')} at ${at}, destination ${to}, ` +
      `facing ${order['attack-direction']?.toLowerCase()}`
    );
  if (order.command === 'Move') return `send the soldier at ${at} to ${to}`;
  if (order.command === 'Change attack direction')
    return `turn the soldier at ${at} to face ${order['attack-direction']?.toLowerCase()}`;
  return 'do nothing';
}

// ---- player input ----

interface Build {
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
 * Squares the player may click: the whole field if it is not too large, else those nearby. Not
 * those with own things, which a click selects.
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

const footsoldiers: GameModule = {
  name: 'footsoldiers',
  protocol: protocolWords(`
    Ready | sent once, before the first view
    Build Scout | (x, y) (x, y) Up: position, destination, direction
    Build Assassin | (x, y) (x, y) Up: position, destination, direction
    Build Tank | (x, y) (x, y) Up: position, destination, direction
    Move | (x, y) to (x, y): a soldier's new destination
    Change attack direction | (x, y) to Up: the soldier's position
    No-op | an answer without a command
    Up | a direction
    Down | a direction
    Left | a direction
    Right | a direction`),
  size: (header, start: Frame<State>) => {
    const field = fieldOf(header, start.state);
    return { width: field.width + 2 * MARGIN, height: field.height + 2 * MARGIN };
  },
  scene,
  paint,
  paintSelection,
  action,
  series: (scene) => {
    const state = scene.frame.state as State;
    const { field } = scene.extra as Extra;
    const army = [0, 0];
    const count = [0, 0];
    for (const thing of scene.things)
      if (isSoldierThing(thing)) {
        const soldier = thing.data as Soldier;
        army[thing.owner as number]! +=
          (field.cost[soldier.type] * soldier.health) / field.health[soldier.type];
        count[thing.owner as number]!++;
      }
    return [
      { name: 'base health', values: [state.player1.health, state.player2.health] },
      { name: 'army worth', values: army.map((worth) => Math.round(worth * 10) / 10) },
      { name: 'soldiers', one: 'soldier', values: count },
      { name: 'money', values: [state.player1.money, state.player2.money] },
    ];
  },
  marks,
  readable,
  orders: (_header, frame: Frame<State, Order | null>, player) => {
    const turn = frame.players[player] as PlayerTurn<Order | null> | undefined;
    return turn?.orders && turn.orders.command !== 'No-op' ? [orderLine(turn.orders)] : [];
  },
  legend: [
    { sign: '●', text: 'player 1: base 1, soldiers on round plates' },
    { sign: '■', text: 'player 2: base 2, soldiers on square plates' },
    { sign: '➤', text: 'a scout: fastest' },
    { sign: '†', text: 'an assassin: highest damage' },
    { sign: '▣', text: 'a tank: slow, most health' },
    {
      sign: '▸',
      text: 'the tip of a plate: the direction a soldier attacks first',
    },
    { sign: '✶', text: 'an attack this turn' },
    { sign: '×', text: 'a soldier fell here this turn' },
    { sign: '▬', text: 'remaining health' },
  ],
  input: {
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
      else if (far(draft.position, draft.destination))
        drawWay(pen, from, centre(draft.destination));
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
  },
};

export default footsoldiers;
