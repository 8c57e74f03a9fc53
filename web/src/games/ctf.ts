// Capture the flag: soldiers, flags, grenades and explosions. Soldiers that share a square are
// drawn smaller, side by side.
import type { Frame, Header, PlayerTurn } from '../rules/types';
import {
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

type Team = 'A' | 'B';

interface Soldier extends Square {
  name: string;
  team: Team;
  cooldown: number | null; // null: hidden from the player
  alive: boolean;
}

interface Flag extends Square {
  team: Team;
  carrier: string | null;
}

interface Grenade extends Square {
  team: Team;
  thrower: string;
  countdown: number; // 0: it explodes before the coming orders
}

interface State {
  round: number;
  rounds: number;
  map: string[];
  points: [number, number];
  flags: [Flag, Flag];
  soldiers: Soldier[];
  grenades: Grenade[];
}

interface Order {
  soldier: string;
  move: string;
  throw?: Square;
}

/** What stays the same during a match. */
interface Field {
  width: number;
  height: number;
  walls: Walls;
  spawns: [Square, Square];
  bases: [Square, Square];
  range: number;
  cooldown: number;
}

interface Extra {
  field: Field;
  blasts: Square[]; // centres of what exploded in this turn
  thrown: { id: string; from: Square }[];
  captures: number[]; // the teams that brought a flag home
}

const STEPS: Record<string, Square> = {
  U: { x: 0, y: -1 },
  D: { x: 0, y: 1 },
  L: { x: -1, y: 0 },
  R: { x: 1, y: 0 },
  S: { x: 0, y: 0 },
};
const WAYS: Record<string, string> = { U: 'up', D: 'down', L: 'left', R: 'right' };

function playerOf(team: Team): number {
  return team === 'A' ? 0 : 1;
}

const centre = ({ x, y }: Square): Square => ({ x: x + 0.5, y: y + 0.5 });
const same = (one: Square, other: Square): boolean => one.x === other.x && one.y === other.y;
const formatSquare = ({ x, y }: Square): string => `(${x},${y})`;

const fields = new WeakMap<Header, Field>();

function fieldOf(header: Header, state: State): Field {
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

/**
 * Where soldiers that share a square are drawn, and how large.
 */
function standing(index: number, count: number): { dx: number; dy: number; scale: number } {
  if (count === 1) return { dx: 0, dy: 0, scale: 1 };
  const angle = (index * 2 * Math.PI) / count + (count === 2 ? 0 : -Math.PI / 2);
  const out = count <= 4 ? 0.24 : 0.3;
  return {
    dx: out * Math.cos(angle),
    dy: out * Math.sin(angle),
    scale: count <= 2 ? 0.6 : count <= 4 ? 0.52 : count <= 7 ? 0.36 : 0.24,
  };
}

function soldierThings(header: Header, field: Field, state: State, before: Scene | null): Thing[] {
  const shared = new Map<string, Soldier[]>();
  for (const soldier of state.soldiers) {
    const key = formatSquare(soldier);
    shared.set(key, [...(shared.get(key) ?? []), soldier]);
  }
  return state.soldiers.map((soldier) => {
    const player = playerOf(soldier.team);
    const mates = shared.get(formatSquare(soldier)) as Soldier[];
    const { dx, dy, scale } = standing(mates.indexOf(soldier), mates.length);
    const was = before?.byId.get(`soldier ${soldier.name}`)?.data.soldier as Soldier | undefined;
    const carries = state.flags[1 - player]?.carrier === soldier.name;
    const ready =
      soldier.cooldown === null
        ? 'unknown'
        : soldier.cooldown === 0
          ? 'now'
          : `in ${soldier.cooldown} ${soldier.cooldown === 1 ? 'round' : 'rounds'}`;
    return {
      id: `soldier ${soldier.name}`,
      kind: 'soldier',
      owner: player,
      x: soldier.x + 0.5 + dx,
      y: soldier.y + 0.5 + dy,
      size: 0.5 * scale,
      name: `Soldier ${soldier.name} of ${nameOf(header, player)}`,
      facts: [
        ['square', formatSquare(soldier)],
        [
          'is',
          soldier.alive
            ? 'alive'
            : `dead; respawns at ${formatSquare(field.spawns[player] as Square)} next round`,
        ],
        ['can throw', soldier.alive ? ready : 'not while dead'],
        ['carries', carries ? `the flag of ${nameOf(header, 1 - player)}` : 'nothing'],
      ] as [string, string][],
      leapt:
        was !== undefined &&
        (!was.alive || Math.abs(was.x - soldier.x) + Math.abs(was.y - soldier.y) > 1),
      data: { soldier, scale, carries },
    };
  });
}

function scene(header: Header, frame: Frame<State, Order[]>, before: Scene | null): Scene {
  const state = frame.state;
  const field = fieldOf(header, state);
  const things = soldierThings(header, field, state, before);
  const carriers = new Map(things.map((thing) => [thing.data.soldier.name as string, thing]));
  for (const player of [0, 1]) {
    const flag = state.flags[player] as Flag;
    const carrier = flag.carrier === null ? undefined : carriers.get(flag.carrier);
    const home = same(flag, field.bases[player] as Square);
    const was = before?.byId.get(`flag ${flag.team}`)?.data as Flag | undefined;
    const place = carrier ? { x: carrier.x, y: carrier.y } : centre(flag);
    things.push({
      id: `flag ${flag.team}`,
      kind: 'flag',
      owner: player,
      ...place,
      size: 0.45,
      name: `Flag of ${nameOf(header, player)}`,
      facts: [
        ['square', formatSquare(flag)],
        [
          'is',
          flag.carrier
            ? `carried by ${flag.carrier}`
            : home
              ? 'at home'
              : 'dropped: only the enemy can pick it up',
        ],
      ],
      leapt: was !== undefined && Math.abs(was.x - flag.x) + Math.abs(was.y - flag.y) > 1,
      data: flag,
    });
  }
  const thrown: Extra['thrown'] = [];
  for (const grenade of state.grenades) {
    const id = `grenade ${grenade.thrower} ${state.round + grenade.countdown}`;
    const when =
      grenade.countdown === 0
        ? 'at the start of the next round'
        : `in ${grenade.countdown + 1} rounds`;
    things.push({
      id,
      kind: 'grenade',
      owner: playerOf(grenade.team),
      ...centre(grenade),
      size: 0.35,
      name: `Grenade of ${grenade.thrower}`,
      facts: [
        ['square', formatSquare(grenade)],
        ['explodes', when],
        ['kills', 'everyone in the 3 × 3 squares around it'],
      ],
      data: grenade,
    });
    const thrower = before?.byId.get(`soldier ${grenade.thrower}`);
    if (before && !before.byId.has(id) && thrower)
      thrown.push({
        id,
        from: (thrower.data.soldier as Soldier).alive
          ? thrower
          : centre(field.spawns[thrower.owner as number] as Square),
      });
  }
  const blasts: Square[] = [];
  const captures: number[] = [];
  for (const event of frame.events) {
    const blast = /^the grenade of \w explodes at \((\d+),(\d+)\)$/.exec(event);
    if (blast) blasts.push({ x: Number(blast[1]), y: Number(blast[2]) });
    const capture = /^\w captures the flag of ([AB]):/.exec(event);
    if (capture) captures.push(1 - playerOf(capture[1] as Team));
  }
  return sceneOf(frame, things, { field, blasts, thrown, captures } satisfies Extra);
}

/** A team knows neither the other team's grenades nor its cooldowns. */
function seen(_header: Header, frame: Frame<State>, seat: number): Frame<State> {
  const { soldiers, grenades } = frame.state;
  const own = (team: Team): boolean => playerOf(team) === seat;
  const others = new Set(soldiers.filter(({ team }) => !own(team)).map(({ name }) => name));
  return {
    ...frame,
    state: {
      ...frame.state,
      soldiers: soldiers.map((soldier) =>
        own(soldier.team) ? soldier : { ...soldier, cooldown: null },
      ),
      grenades: grenades.filter(({ team }) => own(team)),
    },
    events: frame.events.filter(
      (event) => !others.has(/^(\w) throws a grenade /.exec(event)?.[1] ?? ''),
    ),
  };
}

// ---- drawing ----

/** The body of a soldier: round for player 1, square for player 2. */
function body(pen: Pen, player: number, radius: number, fill: string): void {
  if (player === 0) pen.disc(0, 0, radius, fill);
  else
    pen.shape(
      [
        [-radius, -radius * 0.55],
        [-radius * 0.55, -radius],
        [radius * 0.55, -radius],
        [radius, -radius * 0.55],
        [radius, radius * 0.95],
        [-radius, radius * 0.95],
      ],
      fill,
    );
}

function drawSoldier(pen: Pen, field: Field, thing: Thing, x: number, y: number): void {
  const { soldier, scale } = thing.data as { soldier: Soldier; scale: number };
  const colour = pen.colour(thing.owner);
  const player = thing.owner as number;
  // Large enough to read, if the body has room for it.
  const letter = Math.max(0.46, 7.2 / (pen.unit * scale));
  pen.at(x, y, 0, scale, () => {
    if (!soldier.alive) {
      pen.fade(0.45, () => body(pen, player, 0.34, pen.palette.neutral));
      pen.cross(0, 0, 0.3, pen.palette.danger, 0.1);
      if (letter <= 0.7) pen.text(soldier.name, 0, 0, letter, pen.palette.ink, 700);
      return;
    }
    body(pen, player, 0.34, colour);
    if (pen.unit * scale >= 8 && soldier.cooldown !== null) {
      // The ring fills during the cooldown; full and with a dot, the soldier can throw.
      const part = field.cooldown ? 1 - Math.min(1, soldier.cooldown / field.cooldown) : 1;
      pen.ring(0, 0, 0.43, pen.palette.line, 0.06);
      pen.arc(0, 0, 0.43, part, soldier.cooldown ? pen.palette.faint : colour, 0.07);
      if (soldier.cooldown === 0) pen.disc(0.31, -0.31, 0.11, pen.palette.ink);
    }
    if (letter <= 0.7) pen.text(soldier.name, 0, 0, letter, inkOn(colour), 800);
  });
}

function drawFlag(pen: Pen, thing: Thing, x: number, y: number): void {
  const flag = thing.data as Flag;
  const colour = pen.colour(thing.owner);
  const scale = flag.carrier ? 0.8 : 1;
  pen.at(x + (flag.carrier ? 0.16 : -0.12), y - (flag.carrier ? 0.3 : 0), 0, scale, () => {
    pen.line(0, 0.38, 0, -0.44, pen.palette.ink, Math.max(0.06, pen.hair));
    // A flag with one tip for player 1, two for player 2.
    const cloth: [number, number][] =
      thing.owner === 0
        ? [
            [0, -0.44],
            [0.46, -0.2],
            [0, 0.04],
          ]
        : [
            [0, -0.44],
            [0.46, -0.44],
            [0.3, -0.2],
            [0.46, 0.04],
            [0, 0.04],
          ];
    pen.shape(cloth, colour);
    pen.outline(cloth, pen.palette.ink, Math.max(0.025, 0.6 * pen.hair));
    pen.text(String((thing.owner as number) + 1), 0.14, -0.2, 0.28, inkOn(colour), 800);
  });
}

function drawGround(pen: Pen, field: Field): void {
  pen.cells(field.width, field.height);
  for (const player of [0, 1]) {
    const colour = pen.colour(player);
    const [base, spawn] = [field.bases[player] as Square, field.spawns[player] as Square];
    pen.fade(0.3, () => pen.box(base.x, base.y, 1, 1, colour));
    pen.box(base.x + 0.1, base.y + 0.74, 0.8, 0.16, colour, 0.05); // a pedestal
    pen.fade(0.16, () => pen.box(spawn.x, spawn.y, 1, 1, colour));
    pen.fade(0.8, () => pen.ring(spawn.x + 0.5, spawn.y + 0.5, 0.46, colour, 0.05));
    if (pen.unit >= 14)
      pen.fade(0.7, () =>
        pen.text(String(player + 1), spawn.x + 0.14, spawn.y + 0.16, 0.24, pen.palette.ink, 700),
      );
  }
  pen.walls(field.walls);
}

function drawBlast(pen: Pen, { x, y }: Square, strength: number, t: number): void {
  const reach = 1.5 * Math.min(1, 0.4 + t * 3);
  pen.fade(0.34 * strength, () =>
    pen.box(x + 0.5 - reach, y + 0.5 - reach, 2 * reach, 2 * reach, pen.palette.danger, 0.2),
  );
  pen.fade(strength, () => {
    pen.c.setLineDash([]);
    for (let i = 0; i < 12; i++) {
      const angle = (i * Math.PI) / 6;
      const [near, out] = [0.3, i % 2 ? 0.75 : 1.15];
      pen.line(
        x + 0.5 + near * Math.cos(angle),
        y + 0.5 + near * Math.sin(angle),
        x + 0.5 + out * Math.cos(angle),
        y + 0.5 + out * Math.sin(angle),
        '#ff9d2e',
        0.1,
      );
    }
    pen.disc(x + 0.5, y + 0.5, 0.26, '#ffd166');
  });
}

function drawGrenade(pen: Pen, grenade: Grenade, x: number, y: number, height: number): void {
  const size = Math.max(0.22, Math.min(0.32, 6 * pen.hair)) + height * 0.12;
  if (height > 0) pen.fade(0.25, () => pen.disc(x, y, 0.14, '#000000')); // its shadow
  const top = y - height;
  pen.disc(x, top, size, pen.palette.ink);
  pen.ring(x, top, size, pen.colour(playerOf(grenade.team)), 0.07);
  pen.line(x + size * 0.6, top - size * 0.7, x + size * 1.1, top - size * 1.3, '#ff9d2e', 0.07);
  if (pen.unit >= 16)
    pen.text(
      String(grenade.countdown),
      x,
      top,
      Math.max(0.28, 8 * pen.hair),
      pen.palette.ground,
      800,
    );
}

/** The blast area, with a heavier outline as time runs out. */
function drawDanger(pen: Pen, grenade: Grenade, strength: number): void {
  const now = grenade.countdown === 0;
  pen.fade((now ? 0.16 : 0.07) * strength, () =>
    pen.box(grenade.x - 1, grenade.y - 1, 3, 3, pen.palette.danger, 0.1),
  );
  pen.fade((now ? 0.9 : 0.45) * strength, () => {
    const [left, top, right, bottom] = [
      grenade.x - 0.96,
      grenade.y - 0.96,
      grenade.x + 1.96,
      grenade.y + 1.96,
    ];
    const width = Math.max(now ? 0.07 : 0.04, pen.hair);
    for (const [x1, y1, x2, y2] of [
      [left, top, right, top],
      [right, top, right, bottom],
      [right, bottom, left, bottom],
      [left, bottom, left, top],
    ] as [number, number, number, number][])
      pen.line(x1, y1, x2, y2, pen.palette.danger, width, [0.25, 0.2]);
  });
}

function paint(pen: Pen, scene: Scene, before: Scene | null, t: number): void {
  const { field, blasts, thrown, captures } = scene.extra as Extra;
  const going = before !== null && t < 1;
  drawGround(pen, field);
  const things = moving(scene, before, t);
  for (const { thing, presence } of things)
    if (thing.kind === 'grenade' && scene.byId.has(thing.id)) drawDanger(pen, thing.data, presence);
  // Explosions come first in a round, so they are brightest at its start.
  const blast = going ? 1 - 0.55 * t : 0.45;
  for (const at of blasts) drawBlast(pen, at, blast, going ? t : 1);
  for (const player of captures) {
    const home = centre(field.bases[player] as Square);
    const strength = flash(before, t, 0.2);
    for (const ring of [0.6, 1, 1.4])
      pen.fade(strength, () =>
        pen.ring(home.x, home.y, ring * (going ? 0.4 + 0.6 * t : 1), pen.colour(player), 0.1),
      );
  }
  for (const alive of [false, true])
    for (const { thing, x, y, presence } of things)
      if (thing.kind === 'soldier' && (thing.data.soldier as Soldier).alive === alive)
        pen.fade(presence, () => drawSoldier(pen, field, thing, x, y));
  for (const { thing, x, y, presence } of things)
    if (thing.kind === 'flag') pen.fade(presence, () => drawFlag(pen, thing, x, y));
  const flying = new Map(thrown.map((one) => [one.id, one.from]));
  for (const { thing, x, y, presence } of things) {
    if (thing.kind !== 'grenade') continue;
    const from = flying.get(thing.id);
    if (going && from && scene.byId.has(thing.id))
      drawGrenade(
        pen,
        thing.data,
        from.x + (x - from.x) * t,
        from.y + (y - from.y) * t,
        2.4 * t * (1 - t),
      );
    else pen.fade(presence, () => drawGrenade(pen, thing.data, x, y, 0));
  }
}

function paintSelection(pen: Pen, scene: Scene, thing: Thing, x: number, y: number): void {
  const { field } = scene.extra as Extra;
  if (thing.kind !== 'soldier' || !(thing.data.soldier as Soldier).alive || field.range > 250)
    return;
  // Its throwing range, in steps: a diamond.
  const reach = field.range + 0.5;
  pen.fade(0.7, () =>
    pen.outline(
      [
        [x - reach, y],
        [x, y - reach],
        [x + reach, y],
        [x, y + reach],
      ],
      pen.palette.glow,
      Math.max(0.04, pen.hair),
    ),
  );
}

// ---- marks and orders ----

/** An event with the players' names instead of the letters of their teams. */
function readable(header: Header, _frame: Frame, text: string): string {
  const name = (letter: string): string => nameOf(header, playerOf(letter as Team));
  return text
    .replace(/(?<= the flag of )[AB]/, name)
    .replace(/: A (-?\d+) - B (-?\d+)$/, (_, a: string, b: string) =>
      [`: ${name('A')} ${a}`, `${name('B')} ${b}`].join(', '),
    );
}

function marks(header: Header, scene: Scene): Mark[] {
  const found: Mark[] = [];
  const { captures } = scene.extra as Extra;
  for (const player of captures)
    found.push({
      kind: 'capture',
      player,
      text: `${nameOf(header, player)} captures the flag`,
    });
  for (const event of scene.frame.events) {
    const death = /^(\w) dies at (\S+):/.exec(event);
    const whose = (name: string | undefined): number | null => {
      const soldier = (scene.frame.state as State).soldiers.find((one) => one.name === name);
      return soldier ? playerOf(soldier.team) : null;
    };
    if (death) found.push({ kind: 'death', player: whose(death[1]), text: `${death[1]} dies` });
    const taken = /^(\w) (picks up|drops) the flag of ([AB])/.exec(event);
    if (taken)
      found.push({
        kind: 'event',
        player: whose(taken[1]),
        text: readable(header, scene.frame, taken[0]),
      });
  }
  return found;
}

function orderLine(state: State, order: Order): OrderLine {
  const moves =
    order.move === 'S'
      ? `${order.soldier} stays`
      : `${order.soldier} moves ${WAYS[order.move] ?? order.move}`;
  const soldier = state.soldiers.find(({ name }) => name === order.soldier);
  return {
    text: order.throw ? `${moves} and throws at ${formatSquare(order.throw)}` : moves,
    ...(soldier ? { at: centre(soldier) } : {}),
    ...(order.throw ? { to: centre(order.throw) } : {}),
  };
}

// ---- player input ----

interface Draft {
  orders: Record<string, { move?: string; throw?: Square }>;
  aims: string | null; // the soldier for whom a click is a target
}

/** Where a soldier will be when the orders are executed, and whether it will be alive. */
function comes(scene: Scene, soldier: Soldier): { at: Square; cooldown: number; lives: boolean } {
  const { field } = scene.extra as Extra;
  const at = soldier.alive ? soldier : (field.spawns[playerOf(soldier.team)] as Square);
  const lives = !(scene.frame.state as State).grenades.some(
    (grenade) =>
      grenade.countdown === 0 && Math.abs(grenade.x - at.x) <= 1 && Math.abs(grenade.y - at.y) <= 1,
  );
  return { at, cooldown: soldier.alive ? (soldier.cooldown ?? 0) : field.cooldown, lives };
}

function tile(state: State, { x, y }: Square): string {
  return state.map[y]?.[x] ?? '#';
}

const SQUARES_OFFERED = 3000;

/**
 * Targets for a throw: all squares in range if they are not too many, else those near the soldier
 * and around useful targets.
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
 * Every soldier that will be alive gets an order, if only to stay: without one it would neither
 * pick up a flag nor capture.
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

const ctf: GameModule = {
  name: 'ctf',
  protocol: protocolWords(`
    Flag | line of the view: your flag, x y
    EnemyFlag | line of the view: the enemy's flag, x y
    Soldier | line of the view: name x y cooldown alive flag
    Enemy | line of the view: name x y alive flag
    Grenade | line of the view: x y countdown
    True | the soldier is alive
    False | the soldier is dead
    No | the soldier carries no flag`),
  size: (header, start: Frame<State>) => {
    const field = fieldOf(header, start.state);
    return { width: field.width, height: field.height };
  },
  scene,
  seen,
  paint,
  paintSelection,
  series: (scene) => {
    const state = scene.frame.state as State;
    const alive = (player: number): number =>
      state.soldiers.filter((soldier) => playerOf(soldier.team) === player && soldier.alive).length;
    // The distance of the enemy's flag to the team's home; 0 is home.
    const { field } = scene.extra as Extra;
    const away = (player: number): number => {
      const [flag, base] = [state.flags[1 - player] as Flag, field.bases[player] as Square];
      return Math.abs(flag.x - base.x) + Math.abs(flag.y - base.y);
    };
    return [
      { name: 'points', one: 'point', values: [...state.points] },
      { name: 'alive', values: [alive(0), alive(1)] },
      { name: 'flag distance', values: [away(0), away(1)] },
    ];
  },
  marks,
  readable,
  orders: (_header, frame: Frame<State, Order[]>, player) => {
    const turn = frame.players[player] as PlayerTurn<Order[]> | undefined;
    return (turn?.orders ?? []).map((order) => orderLine(frame.state, order));
  },
  legend: [
    { sign: '●', text: 'soldiers of player 1: round' },
    { sign: '⬓', text: 'soldiers of player 2: square' },
    {
      sign: '◔',
      text: 'cooldown; a full ring with a dot can throw',
    },
    {
      sign: '⚑',
      text: 'a flag: one tip for player 1, two for player 2; on a pedestal at home',
    },
    { sign: '○', text: 'a spawn, where soldiers return' },
    {
      sign: '💣',
      text: 'a grenade and the rounds until it explodes; the dashed square is its blast area',
    },
    { sign: '✹', text: 'an explosion this round' },
    { sign: '×', text: 'a dead soldier; it returns next round' },
  ],
  input: {
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
  },
};

export default ctf;
