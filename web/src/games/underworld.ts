// Underworld: castles, barracks, farms and warriors of up to 64 players on a grid. The state has no
// ids. Buildings are identified by their cells; warriors are tracked by their orders, which
// `marches` resolves as the rules do, because lines and rings of warriors move together.
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
import { inkOn, wallsOf, type Pen, type Walls, type Point } from './pen';

type Kind = 'C' | 'B' | 'F' | 'W' | '#';

interface Item {
  x: number;
  y: number;
  type: Kind;
  owner: number; // -1: none
  hitpoints: number;
}

interface State {
  turn: number;
  maxTurns: number;
  sizex: number;
  sizey: number;
  players: { money: number | null; lostInTurn: number | null }[]; // null: hidden from the player
  objects: Item[];
  dark?: [number, number, number, number][]; // parts of rows hidden from the player
}

interface Order {
  command: 'move' | 'spawn' | 'build';
  x: number;
  y: number;
  dir?: string;
  obj?: string;
}

/** What stays the same during a match. */
interface Values {
  number: number; // one per match that is shown
  hitpoints: Record<string, number>;
  cost: Record<string, number>;
  income: number;
  damage: number;
  range: number;
  vision: number; // how far a player sees from its own things; 0: everything
  reach: { x: number; y: number }[]; // cells in a warrior's range
  walls: Walls;
}

interface Extra {
  values: Values;
  strikes: { from: Item; to: Item }[];
  hits: Set<string>; // ids of what was hit
  fallen: { thing: Thing; x: number; y: number }[];
  // New things: where they came from, or null if built.
  fresh: Map<string, { x: number; y: number } | null>;
}

const NAMES: Record<string, string> = {
  C: 'castle',
  B: 'barracks',
  F: 'farm',
  W: 'warrior',
  '#': 'wall',
};
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** How many objects of a type a player has. */
const count = (state: State, type: string, owner: number): number =>
  state.objects.filter((one) => one.type === type && one.owner === owner).length;

const WAYS: Record<string, { x: number; y: number; name: string; key: string }> = {
  N: { x: 0, y: -1, name: 'north', key: 'ArrowUp' },
  S: { x: 0, y: 1, name: 'south', key: 'ArrowDown' },
  E: { x: 1, y: 0, name: 'east', key: 'ArrowRight' },
  W: { x: -1, y: 0, name: 'west', key: 'ArrowLeft' },
};
const STRIKES_DRAWN = 60000; // cells examined per scene; beyond that only hits are drawn

const known = new WeakMap<Header, Values>();
let knownCount = 0;

function valuesOf(header: Header, state: State): Values {
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

function cellOf(state: State, x: number, y: number): number {
  return y * state.sizex + x;
}

/** The neighbouring cell, or -1 off the board. */
function beside(state: State, x: number, y: number, dir: string | undefined): number {
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
 * Which warriors can move: `wants` has the cell of each and its target, `taken` says which cells
 * are occupied.
 */
function marches(
  wants: Map<number, number>,
  taken: (cell: number) => boolean,
): Map<number, number> {
  const rush = new Map<number, number>();
  for (const to of wants.values()) rush.set(to, (rush.get(to) ?? 0) + 1);
  const goes = new Map<number, boolean>();
  for (const start of wants.keys()) {
    // Follow the line until a warrior whose move is decided; a line that returns to its end is a
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
function seen(header: Header, frame: Frame<State>, seat: number): Frame<State> {
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

function scene(header: Header, frame: Frame<State, Order[]>, before: Scene | null): Scene {
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
    // With limited vision, what comes into view is not new,
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
  // And what goes out of view is not lost.
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

// ---- drawing ----

const CASTLE: Point[] = [
  [-0.44, 0.42],
  [-0.44, -0.26],
  [-0.34, -0.26],
  [-0.34, -0.16],
  [-0.24, -0.16],
  [-0.24, -0.42],
  [-0.12, -0.42],
  [-0.12, -0.32],
  [-0.05, -0.32],
  [-0.05, -0.42],
  [0.05, -0.42],
  [0.05, -0.32],
  [0.12, -0.32],
  [0.12, -0.42],
  [0.24, -0.42],
  [0.24, -0.16],
  [0.34, -0.16],
  [0.34, -0.26],
  [0.44, -0.26],
  [0.44, 0.42],
];
const BARRACKS: Point[] = [
  [-0.4, 0.38],
  [-0.4, -0.06],
  [0, -0.4],
  [0.4, -0.06],
  [0.4, 0.38],
];
const BARN: Point[] = [
  [-0.34, 0.08],
  [-0.34, -0.16],
  [-0.2, -0.32],
  [0.02, -0.32],
  [0.16, -0.16],
  [0.16, 0.08],
];

/** The player's shape and number. */
function drawSign(
  pen: Pen,
  owner: number,
  x: number,
  y: number,
  radius: number,
  colour: string,
): void {
  pen.crest(owner, x, y, radius, inkOn(colour));
  pen.text(String(owner + 1), x, y, radius * 1.5, colour, 800);
}

function drawItem(pen: Pen, values: Values, item: Item, x: number, y: number, out: boolean): void {
  const part = item.hitpoints / (values.hitpoints[item.type] as number);
  pen.stamp(
    `underworld ${item.type} ${item.owner} ${out} ${item.type === 'W' ? 0 : cracks(part)}`,
    x,
    y,
    0.56,
    (pen) => drawBody(pen, item, part, out),
  );
  if (part < 1) pen.gauge(x, y + 0.42, 0.84, part, pen.gaugeColour(part));
}

function drawBody(pen: Pen, item: Item, part: number, out: boolean): void {
  const colour = out ? pen.palette.neutral : pen.colour(item.owner);
  const line = Math.max(0.035, pen.hair * 0.8);
  if (item.type === 'C') {
    pen.shape(CASTLE, colour);
    pen.outline(CASTLE, pen.palette.ink, line);
    pen.box(-0.09, 0.2, 0.18, 0.22, pen.palette.ink, 0.08);
    drawSign(pen, item.owner, 0, -0.02, 0.17, colour);
  } else if (item.type === 'B') {
    pen.shape(BARRACKS, colour);
    pen.outline(BARRACKS, pen.palette.ink, line);
    pen.line(-0.46, -0.02, 0, -0.42, pen.palette.ink, 0.08);
    pen.line(0.46, -0.02, 0, -0.42, pen.palette.ink, 0.08);
    drawSign(pen, item.owner, 0, 0.12, 0.17, colour);
  } else if (item.type === 'F') {
    pen.fade(0.35, () => pen.box(-0.46, -0.4, 0.92, 0.82, colour, 0.06));
    // Furrows and a barn.
    for (const row of [0.18, 0.28, 0.38]) pen.line(-0.42, row, 0.42, row, '#b08a2e', 0.05);
    for (const column of [0.24, 0.34]) pen.line(column, -0.34, column, 0.12, '#b08a2e', 0.05);
    pen.shape(BARN, colour);
    pen.outline(BARN, pen.palette.ink, line);
    drawSign(pen, item.owner, -0.09, -0.1, 0.14, colour);
  } else {
    if (pen.unit >= 8) {
      pen.line(0.2, 0.3, 0.36, -0.36, pen.palette.ink, 0.07); // a spear
      pen.shape(
        [
          [0.36, -0.46],
          [0.43, -0.28],
          [0.29, -0.3],
        ],
        pen.palette.ink,
      );
    }
    pen.crest(item.owner, -0.05, 0.02, 0.27, colour);
    pen.crestLine(item.owner, -0.05, 0.02, 0.27, pen.palette.ink, line);
    pen.text(String(item.owner), -0.05, 0.03, 0.32, inkOn(colour), 800);
  }
  if (pen.unit >= 8 && item.type !== 'W') drawDamage(pen, part);
}

/** The number of cracks for the damage: 0 to 3. */
function cracks(part: number): number {
  return part >= 0.85 ? 0 : part >= 0.65 ? 1 : part >= 0.35 ? 2 : 3;
}

/** Cracks, and flames when few hit points are left. */
function drawDamage(pen: Pen, part: number): void {
  const lines: Point[][] = [
    [
      [-0.3, -0.1],
      [-0.2, 0.04],
      [-0.28, 0.16],
      [-0.18, 0.34],
    ],
    [
      [0.34, -0.12],
      [0.22, 0.02],
      [0.32, 0.14],
      [0.22, 0.36],
    ],
    [
      [0.02, -0.3],
      [-0.06, -0.2],
      [0.06, -0.12],
    ],
  ];
  for (const crack of lines.slice(0, cracks(part)))
    crack
      .slice(1)
      .forEach((point, i) =>
        pen.line(
          (crack[i] as Point)[0],
          (crack[i] as Point)[1],
          point[0],
          point[1],
          pen.palette.ink,
          0.035,
        ),
      );
  if (cracks(part) === 3)
    for (const x of [-0.26, 0.24]) {
      pen.shape(
        [
          [x - 0.1, -0.12],
          [x - 0.03, -0.36],
          [x + 0.02, -0.26],
          [x + 0.06, -0.42],
          [x + 0.12, -0.12],
        ],
        '#ff8c1a',
      );
      pen.shape(
        [
          [x - 0.04, -0.12],
          [x + 0.02, -0.26],
          [x + 0.06, -0.12],
        ],
        '#ffd166',
      );
    }
}

/** How far new things have appeared at the moment `t`: late in a turn. */
function appeared(t: number): number {
  return Math.max(0, (t - 0.4) / 0.6);
}

/** Draws all things except new buildings, which it returns. */
function drawItems(pen: Pen, scene: Scene, before: Scene | null, t: number): Thing[] {
  const state = scene.frame.state as State;
  const { values, fallen, fresh } = scene.extra as Extra;
  const going = before !== null && t < 1;
  const out = (owner: number | null): boolean =>
    owner !== null && state.players[owner]?.lostInTurn !== null;
  const falls = new Map(fallen.map((one) => [one.thing.id, one]));
  const rising: Thing[] = [];
  for (const { thing, x, y, presence } of moving(scene, before, t)) {
    const item = thing.data as Item;
    const last = falls.get(thing.id);
    if (last && going) {
      const part = Math.min(1, t * 1.6);
      pen.fade(t < 0.6 ? 1 : (1 - t) / 0.4, () =>
        drawItem(
          pen,
          values,
          item,
          x + (last.x + 0.5 - x) * part,
          y + (last.y + 0.5 - y) * part,
          out(thing.owner),
        ),
      );
      continue;
    }
    const from = fresh.get(thing.id);
    if (going && from !== undefined && presence < 1) {
      // A warrior comes from its barracks.
      const part = appeared(t);
      if (from)
        pen.fade(Math.min(1, part * 2), () =>
          drawItem(
            pen,
            values,
            item,
            from.x + (x - from.x) * part,
            from.y + (y - from.y) * part,
            false,
          ),
        );
      else rising.push(thing);
      continue;
    }
    pen.fade(presence, () => drawItem(pen, values, item, x, y, out(thing.owner)));
  }
  return rising;
}

function paint(pen: Pen, scene: Scene, before: Scene | null, t: number): void {
  const state = scene.frame.state as State;
  const { values, strikes, hits, fallen, fresh } = scene.extra as Extra;
  const going = before !== null && t < 1;
  let rising: Thing[] = [];
  pen.crowd(
    scene.things,
    `underworld ${values.number} ${state.dark ? state.turn : ''}`,
    (pen) => {
      pen.cells(state.sizex, state.sizey);
      pen.walls(values.walls);
      if (state.dark) pen.fade(0.25, () => pen.boxes(state.dark ?? [], '#000000'));
    },
    () => (rising = drawItems(pen, scene, before, t)),
  );
  // New buildings rise from the ground, late in a turn.
  const risen = appeared(t);
  for (const { x, y, data } of rising)
    pen.at(x, y + 0.45 * (1 - risen), 0, Math.max(0.01, risen), () =>
      drawBody(pen, data as Item, 1, false),
    );
  const strength = flash(before, t, 0.5);
  if (strength > 0)
    pen.fade(strength * 0.8, () => {
      drawStrikes(pen, strikes);
      if (!strikes.length)
        for (const id of hits)
          pen.ring(scene.byId.get(id)!.x, scene.byId.get(id)!.y, 0.46, pen.palette.danger, 0.06);
    });
  // Buildings have a frame during their first turn.
  for (const [id, from] of fresh) {
    const thing = scene.byId.get(id);
    if (thing && from === null) pen.fade(going ? t : 1, () => drawScaffold(pen, thing.x, thing.y));
  }
  pen.fade(going ? t : 1, () => {
    for (const { x, y } of fallen) pen.cross(x + 0.5, y + 0.5, 0.26, pen.palette.danger, 0.08);
  });
}

/**
 * Lines from edge to edge, so that both things stay visible, with a spark at the target. All of a
 * player at once: there can be many.
 */
function drawStrikes(pen: Pen, strikes: Extra['strikes']): void {
  const lines = new Map<number, [number, number, number, number][]>();
  const sparks: [number, number, number, number][] = [];
  for (const { from, to } of strikes) {
    const far = Math.hypot(to.x - from.x, to.y - from.y);
    const [dx, dy] = [(to.x - from.x) / far, (to.y - from.y) / far];
    const [x, y] = [to.x + 0.5 - dx * 0.34, to.y + 0.5 - dy * 0.34];
    const own = lines.get(from.owner) ?? [];
    if (!own.length) lines.set(from.owner, own);
    own.push([from.x + 0.5 + dx * 0.3, from.y + 0.5 + dy * 0.3, x, y]);
    sparks.push(
      [x - dy * 0.14, y + dx * 0.14, x + dy * 0.14, y - dx * 0.14],
      [x - dx * 0.1, y - dy * 0.1, x + dx * 0.12, y + dy * 0.12],
    );
  }
  for (const [owner, own] of lines) pen.lines(own, pen.colour(owner), Math.max(0.06, pen.hair));
  pen.lines(sparks, pen.palette.danger, Math.max(0.06, pen.hair));
}

function drawScaffold(pen: Pen, x: number, y: number): void {
  const dash = [0.12, 0.09];
  for (const [x1, y1, x2, y2] of [
    [-0.48, -0.48, 0.48, -0.48],
    [0.48, -0.48, 0.48, 0.48],
    [0.48, 0.48, -0.48, 0.48],
    [-0.48, 0.48, -0.48, -0.48],
  ] as [number, number, number, number][])
    pen.line(x + x1, y + y1, x + x2, y + y2, pen.palette.faint, Math.max(0.05, pen.hair), dash);
}

function paintSelection(pen: Pen, scene: Scene, thing: Thing, x: number, y: number): void {
  const { values } = scene.extra as Extra;
  if (thing.kind === 'warrior')
    pen.fade(0.7, () =>
      pen.ring(x, y, values.range + 0.45, pen.palette.glow, Math.max(0.04, pen.hair)),
    );
}

// ---- marks and orders ----

function total(scene: Scene, player: number, count: (item: Item) => number): number {
  return scene.things.reduce(
    (sum, thing) => (thing.owner === player ? sum + count(thing.data as Item) : sum),
    0,
  );
}

/** An event with the players' names; the record numbers them from 0. */
function readable(header: Header, _frame: Frame, text: string): string {
  return text.replace(/^player (\d+)\b/, (_, number) => nameOf(header, Number(number)));
}

function marks(header: Header, scene: Scene, before: Scene | null): Mark[] {
  const state = scene.frame.state as State;
  const was = before?.frame.state as State | undefined;
  const { fallen } = scene.extra as Extra;
  const found: Mark[] = [];
  const lost = new Map<number, number>();
  for (const { thing } of fallen)
    if (thing.kind === 'castle')
      found.push({
        kind: 'capture',
        player: thing.owner,
        text: `a castle of ${nameOf(header, thing.owner as number)} falls`,
      });
    else lost.set(thing.owner as number, (lost.get(thing.owner as number) ?? 0) + 1);
  for (const [player, count] of lost)
    found.push({
      kind: 'death',
      player,
      text: `${nameOf(header, player)} loses ${count === 1 ? 'one' : count}`,
    });
  state.players.forEach((player, i) => {
    if (was && player.lostInTurn !== null && was.players[i]?.lostInTurn === null)
      found.push({ kind: 'event', player: i, text: `${nameOf(header, i)} is eliminated` });
  });
  return found;
}

function orderLine(order: Order): OrderLine {
  const way = WAYS[order.dir ?? ''];
  const at = { x: order.x + 0.5, y: order.y + 0.5 };
  return { text: words(order), at, ...(way ? { to: { x: at.x + way.x, y: at.y + way.y } } : {}) };
}

function words(order: Order): string {
  const at = `(${order.x},${order.y})`;
  const way = WAYS[order.dir ?? '']?.name ?? order.dir;
  if (order.command === 'move') return `move the warrior at ${at} ${way}`;
  if (order.command === 'spawn') return `spawn a warrior ${way} of the barracks at ${at}`;
  return `build a ${NAMES[order.obj ?? ''] ?? order.obj} at ${at}`;
}

// ---- player input ----

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
 * The orders that board and money allow together. Orders can depend on each other: a warrior needs
 * the one in front of it to move. A warrior may follow another player's, and moves if that one
 * does.
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

const underworld: GameModule = {
  name: 'underworld',
  protocol: protocolWords(`
    Who are you? | received once, at the start
    crayfish | the answer to it
    money | line of the view: the amount
    end | last line of a view and of an answer
    move | x y DIRECTION: move the warrior at x y
    spawn | x y DIRECTION: make a warrior at the barracks at x y
    build | x y TYPE: build F or B at x y
    gg | received instead of a view when you are out`),
  size: (_header, start: Frame<State>) => ({ width: start.state.sizex, height: start.state.sizey }),
  scene,
  seen,
  paint,
  paintSelection,
  series: (scene) => {
    const state = scene.frame.state as State;
    const { values } = scene.extra as Extra;
    const names = ['castle', 'worth', 'warriors', 'farms'];
    const sums = names.map(() => state.players.map(() => 0));
    for (const thing of scene.things) {
      const item = thing.data as Item;
      const cost = values.cost[item.type] ?? 0;
      const add = [
        item.type === 'C' ? item.hitpoints : 0,
        (cost * item.hitpoints) / (values.hitpoints[item.type] as number),
        Number(item.type === 'W'),
        item.type === 'F' ? values.income : 0,
      ];
      add.forEach((value, i) => ((sums[i] as number[])[item.owner]! += value));
    }
    // A player whose money is hidden may have a castle and farms out of view.
    const knownValues = (values: number[], least = 1): (number | null)[] =>
      values.map((value, i) => (value >= least || state.players[i]?.money !== null ? value : null));
    return [
      { name: 'castle', values: knownValues(sums[0] as number[]) },
      { name: 'money', values: state.players.map(({ money }) => money) },
      { name: 'income', values: knownValues(sums[3] as number[], Infinity) },
      { name: 'warriors', one: 'warrior', values: sums[2] as number[] },
      { name: 'worth', values: (sums[1] as number[]).map(Math.round) },
    ];
  },
  marks,
  readable,
  orders: (_header, frame: Frame<State, Order[]>, player) => {
    const turn = frame.players[player] as PlayerTurn<Order[]> | undefined;
    return (turn?.orders ?? []).map(orderLine);
  },
  legend: [
    { sign: '♜', text: 'a castle: lose them all and you lose' },
    { sign: '⌂', text: 'a barracks: spawns warriors next to it' },
    { sign: '▤', text: 'a farm: income every turn' },
    { sign: '⚔', text: "a warrior; its shield has its player's shape and number" },
    { sign: '■', text: 'a wall' },
    { sign: '⚡', text: 'cracks, flames and bar: damage' },
    { sign: '╱', text: 'a line from a warrior: its target this turn' },
    { sign: '▢', text: 'a dashed frame: built this turn' },
    { sign: '×', text: 'lost this turn' },
    {
      sign: '░',
      text: 'a dark cell: out of view, if vision is limited',
    },
  ],
  input: {
    hello: { after: 'Who are you?\n', say: 'crayfish\n' },
    hint: 'Select a warrior or barracks, then a cell next to it; a building to build near it.',
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
  },
};

export default underworld;
