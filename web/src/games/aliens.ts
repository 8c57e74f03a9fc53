// Aliens: units on a grid, energy, spawns. The state has one character per square and no ids, so a
// unit is tracked by its orders.
import type { Frame, Header, PlayerTurn } from '../rules/types';
import {
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
import { corners, inkOn, type Pen } from './pen';

interface State {
  rows: number;
  cols: number;
  p1: { food: number; spawn: number; spawnDisabled?: boolean };
  p2: { food: number; spawn: number; spawnDisabled?: boolean };
  grid: string;
  maxTurns: number;
  turnsElapsed: number;
}

interface Move {
  from: number;
  to: number;
}

type Draft = Move[];

interface Extra {
  dead: { x: number; y: number }[];
  lost: Map<string, { x: number; y: number }>; // where units of the previous scene died
}

const PLAYER: Record<string, number> = { a: 0, b: 1 };

function place(state: State, square: number): { x: number; y: number } {
  return { x: (square % state.cols) + 0.5, y: Math.floor(square / state.cols) + 0.5 };
}

function squareWords(state: State, square: number): string {
  return `row ${Math.floor(square / state.cols)}, column ${square % state.cols}`;
}

function orderLine(state: State, { from, to }: Move): OrderLine {
  const way = { [-state.cols]: 'up', [state.cols]: 'down', [-1]: 'left', [1]: 'right' }[to - from];
  const where = `the unit at ${squareWords(state, from)}`;
  return {
    text: to === from ? `leave ${where} there` : `move ${where} ${way ?? 'elsewhere'}`,
    at: place(state, from),
    to: place(state, to),
  };
}

/** An event or reason with names instead of letters, and rows and columns instead of indexes. */
function readable(header: Header, frame: Frame<State>, text: string): string {
  const { rows, cols } = frame.state;
  const name = (letter: string): string => nameOf(header, PLAYER[letter] ?? 0);
  return text
    .replace(/^[ab](?= dies)/, (letter) => `a unit of ${name(letter)}`)
    .replace(/^[ab](?= (spawns|gathers|tramples))/, name)
    .replace(/(?<=^the spawn of )[ab]/, name)
    .replace(/(?<= (?:at|from|to|at \d+ and) )\d+\b(?!\.)/g, (square) =>
      Number(square) < rows * cols ? squareWords(frame.state, Number(square)) : square,
    );
}

/** The units of the previous scene at the squares to which this turn's orders moved them. */
function carried(frame: Frame<State, Move[]>, before: Scene): { thing: Thing; square: number }[] {
  const target = new Map<number, number>();
  if (before.frame.turn === frame.turn - 1)
    for (const player of frame.players)
      for (const move of player.orders ?? []) target.set(move.from, move.to);
  return before.things
    .filter((thing) => thing.kind === 'unit')
    .map((thing) => ({
      thing,
      square: target.get(thing.data as number) ?? (thing.data as number),
    }));
}

function scene(header: Header, frame: Frame<State, Move[]>, before: Scene | null): Scene {
  const state = frame.state;
  const went = before ? carried(frame, before) : [];
  const names = new Map(went.map(({ thing, square }) => [square, thing.id]));
  const things: Thing[] = [];
  const spawns = [state.p1, state.p2];
  spawns.forEach((side, player) => {
    things.push({
      id: `spawn ${player}`,
      kind: 'spawn',
      owner: player,
      ...place(state, side.spawn),
      size: 0.6,
      name: `Spawn of ${nameOf(header, player)}`,
      facts: [
        ['energy', String(side.food)],
        ['status', side.spawnDisabled ? 'razed' : 'intact'],
        ['square', squareWords(state, side.spawn)],
      ],
      data: side.spawnDisabled ? 'razed' : 'intact',
    });
  });
  for (let square = 0; square < state.grid.length; square++) {
    const sign = state.grid[square] as string;
    const player = PLAYER[sign];
    if (player !== undefined) {
      const known = names.get(square);
      const id = known?.startsWith(`unit ${player} `)
        ? known
        : `unit ${player} ${frame.turn}-${square}`;
      things.push({
        id,
        kind: 'unit',
        owner: player,
        ...place(state, square),
        size: 0.5,
        name: `Unit of ${nameOf(header, player)}`,
        get facts(): [string, string][] {
          return [['square', `${square} (${squareWords(state, square)})`]];
        },
        data: square,
      });
    } else if (sign === '*') {
      things.push({
        id: `energy ${square}`,
        kind: 'energy',
        owner: null,
        ...place(state, square),
        size: 0.4,
        name: 'Energy',
        get facts(): [string, string][] {
          return [['square', `${square} (${squareWords(state, square)})`]];
        },
        data: square,
      });
    }
  }
  const dead = [...state.grid].flatMap((sign, square) =>
    sign === 'x' ? [place(state, square)] : [],
  );
  const kept = new Set(things.map((thing) => thing.id));
  const lost = new Map(
    went
      .filter(({ thing }) => !kept.has(thing.id))
      .map(({ thing, square }) => [thing.id, place(state, square)]),
  );
  return sceneOf(frame, things, { dead, lost } satisfies Extra);
}

/** A head with antennae: round for player 1, square for player 2. */
function drawUnit(pen: Pen, player: number, x: number, y: number): void {
  pen.stamp(`aliens ${player}`, x, y, 0.56, (pen) => drawHead(pen, player));
}

function drawHead(pen: Pen, player: number): void {
  const colour = pen.colour(player);
  const ink = inkOn(colour);
  pen.at(0, 0.06, 0, 1, () => {
    for (const side of [-1, 1]) {
      pen.line(side * 0.12, -0.2, side * 0.24, -0.42, colour, 0.07);
      if (player === 0) pen.disc(side * 0.24, -0.42, 0.075, colour);
      else pen.line(side * 0.24, -0.42, side * 0.36, -0.34, colour, 0.07);
    }
    if (player === 0) pen.disc(0, 0, 0.33, colour);
    else
      pen.shape(
        [
          [-0.33, -0.22],
          [0.33, -0.22],
          [0.33, 0.08],
          [0.14, 0.34],
          [-0.14, 0.34],
          [-0.33, 0.08],
        ],
        colour,
      );
    if (pen.unit < 9) return;
    for (const side of [-1, 1])
      if (player === 0) pen.disc(side * 0.13, -0.07, 0.085, ink);
      else
        pen.shape(
          [
            [side * 0.24, -0.14],
            [side * 0.05, -0.04],
            [side * 0.2, 0.02],
          ],
          ink,
        );
    pen.text(String(player + 1), 0, 0.15, 0.26, ink, 800);
  });
}

function drawEnergy(pen: Pen): void {
  pen.fade(0.25, () => pen.disc(0, 0, 0.4, ENERGY));
  pen.shape(corners(0, 0, 0.36, 4, 0, 0.38), ENERGY);
}

const ENERGY = '#d6409f';

function paint(pen: Pen, scene: Scene, before: Scene | null, t: number): void {
  const state = scene.frame.state as State;
  const { dead } = scene.extra as Extra;
  const going = before !== null && t < 1;
  const spawns = scene.things.filter((thing) => thing.kind === 'spawn');
  pen.crowd(
    scene.things,
    `aliens ${state.cols} ${state.rows} ${spawns.map(({ x, y, data }) => [x, y, data])}`,
    (pen) => {
      pen.cells(state.cols, state.rows);
      for (const spawn of spawns) drawSpawn(pen, spawn);
    },
    () => {
      pen.fade(going ? t : 1, () => {
        for (const { x, y } of dead) pen.stamp('aliens dead', x, y, 0.5, drawDeath);
      });
      drawThings(pen, scene, before, t);
    },
  );
}

function drawThings(pen: Pen, scene: Scene, before: Scene | null, t: number): void {
  const { lost } = scene.extra as Extra;
  const going = before !== null && t < 1;
  for (const { thing, x, y, presence } of moving(scene, before, t)) {
    const end = going ? lost.get(thing.id) : undefined;
    if (thing.kind === 'unit' && end) {
      // The unit moved there and died.
      const part = Math.min(1, t * 1.6);
      pen.fade(t < 0.6 ? 1 : (1 - t) / 0.4, () =>
        drawUnit(pen, thing.owner as number, x + (end.x - x) * part, y + (end.y - y) * part),
      );
    } else if (thing.kind === 'unit')
      pen.fade(presence, () => drawUnit(pen, thing.owner as number, x, y));
    else if (thing.kind === 'energy')
      pen.fade(presence, () => pen.stamp('aliens energy', x, y, 0.45, drawEnergy));
  }
}

function drawSpawn(pen: Pen, { x, y, owner, data }: Thing): void {
  pen.fade(0.28, () => pen.box(x - 0.5, y - 0.5, 1, 1, pen.colour(owner)));
  for (const ring of [0.44, 0.3]) pen.ring(x, y, ring, pen.colour(owner), 0.05);
  pen.text(String((owner as number) + 1), x - 0.36, y - 0.36, 0.3, pen.palette.ink, 700);
  if (data === 'razed') pen.cross(x, y, 0.45, pen.palette.danger, 0.09);
}

function drawDeath(pen: Pen): void {
  pen.fade(0.14, () => pen.box(-0.5, -0.5, 1, 1, pen.palette.danger));
  pen.cross(0, 0, 0.26, pen.palette.danger, 0.09);
}

function count(scene: Scene, player: number): number {
  return scene.things.filter((thing) => thing.kind === 'unit' && thing.owner === player).length;
}

function choices(
  scene: Scene,
  seat: number,
  draft: Draft,
  selected: Thing | null,
): Choice<Draft>[] {
  if (!selected || selected.owner !== seat || selected.kind !== 'unit') return [];
  const state = scene.frame.state as State;
  const from = selected.data as number;
  const [row, column] = [Math.floor(from / state.cols), from % state.cols];
  const ways: [string, string, number, number][] = [
    ['Up', 'ArrowUp', row - 1, column],
    ['Down', 'ArrowDown', row + 1, column],
    ['Left', 'ArrowLeft', row, column - 1],
    ['Right', 'ArrowRight', row, column + 1],
  ];
  const others = draft.filter((move) => move.from !== from);
  const found: Choice<Draft>[] = [];
  for (const [name, key, r, c] of ways)
    if (r >= 0 && r < state.rows && c >= 0 && c < state.cols) {
      const to = r * state.cols + c;
      found.push({
        label: `Move ${name.toLowerCase()}`,
        key,
        at: place(state, to),
        take: () => [...others, { from, to }],
      });
    }
  found.push({ label: 'Stay', key: 's', at: place(state, from), take: () => others });
  return found;
}

const aliens: GameModule = {
  name: 'aliens',
  protocol: protocolWords(`
    player | in the view: which player you are, "a" or "b"
    state | in the view: the board and the players
    rows | in state: number of rows
    cols | in state: number of columns
    grid | in state: one character per square, row by row
    spawn | in state.p1 and state.p2: where units appear
    from | in an order: the unit's square
    to | in an order: a square next to it
    food | in state.p1 and state.p2: energy gathered
    turnsElapsed | in state: turns played
    maxTurns | in state: turn limit`),
  size: (_header, start: Frame<State>) => ({ width: start.state.cols, height: start.state.rows }),
  scene,
  paint,
  series: (scene) => {
    const state = scene.frame.state as State;
    return [
      { name: 'units', one: 'unit', values: [count(scene, 0), count(scene, 1)] },
      { name: 'energy', values: [state.p1.food, state.p2.food] },
    ];
  },
  marks: (header, scene, before) => {
    const state = scene.frame.state as State;
    const was = before?.frame.state as State | undefined;
    const marks: Mark[] = [];
    for (const player of [0, 1]) {
      const died = scene.frame.events.filter((event) =>
        event.startsWith(`${player ? 'b' : 'a'} dies `),
      ).length;
      if (died)
        marks.push({
          kind: 'death',
          player,
          text:
            died === 1
              ? `a unit of ${nameOf(header, player)} dies`
              : `${died} units of ${nameOf(header, player)} die`,
        });
    }
    return [
      ...marks,
      ...[state.p1, state.p2].flatMap((side, player) =>
        side.spawnDisabled && was && !(player ? was.p2 : was.p1).spawnDisabled
          ? [
              {
                kind: 'capture' as const,
                player: 1 - player,
                text: `the spawn of ${nameOf(header, player)} is razed`,
              },
            ]
          : [],
      ),
    ];
  },
  readable,
  orders: (_header, frame: Frame<State, Move[]>, player) => {
    const turn = frame.players[player] as PlayerTurn<Move[]> | undefined;
    return (turn?.orders ?? []).map((move) => orderLine(frame.state, move));
  },
  legend: [
    { sign: '1 2', text: 'units: round for player 1, square for player 2' },
    { sign: '✦', text: 'energy: gathered by a unit next to it' },
    { sign: '◎', text: 'a spawn; crossed out when razed' },
    { sign: '×', text: 'units died here this turn' },
  ],
  input: {
    hint: 'Select a unit, then a square next to it.',
    keys: 'Arrow keys move the selected unit; Tab selects the next one; Enter ends the turn.',
    empty: () => [],
    selectable: (scene, seat) =>
      scene.things
        .filter((thing) => thing.kind === 'unit' && thing.owner === seat)
        .map((thing) => thing.id),
    choices,
    list: (scene, _seat, draft: Draft) =>
      draft.map((move) => ({
        ...orderLine(scene.frame.state as State, move),
        without: draft.filter((other) => other !== move),
      })),
    sketch: (pen, scene, _seat, draft: Draft) => {
      for (const move of draft) {
        const [from, to] = [
          place(scene.frame.state as State, move.from),
          place(scene.frame.state as State, move.to),
        ];
        const [dx, dy] = [to.x - from.x, to.y - from.y];
        pen.line(
          from.x + dx * 0.35,
          from.y + dy * 0.35,
          from.x + dx * 0.8,
          from.y + dy * 0.8,
          pen.palette.glow,
          Math.max(0.09, 1.5 * pen.hair),
        );
        pen.arrow(
          from.x + dx * 0.85,
          from.y + dy * 0.85,
          Math.atan2(dy, dx),
          Math.max(0.34, 7 * pen.hair),
          pen.palette.glow,
        );
      }
    },
    answer: (_scene, _seat, draft: Draft) => JSON.stringify(draft) + '\n',
  },
};

export default aliens;
