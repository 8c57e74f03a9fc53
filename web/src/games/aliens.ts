// Aliens: units on a grid, energy, spawns. The state has a character a square and no names, so a unit is known by where the orders of the turn took it.
import type { Frame, Header, PlayerTurn } from '../rules/types';
import { moving, sceneOf, type Choice, type GameModule, type Scene, type Thing } from './game';
import type { Pen } from './pen';

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

const PLAYER: Record<string, number> = { a: 0, b: 1 };

function place(state: State, square: number): { x: number; y: number } {
  return { x: (square % state.cols) + 0.5, y: Math.floor(square / state.cols) + 0.5 };
}

function words(state: State, square: number): string {
  return `row ${Math.floor(square / state.cols)}, column ${square % state.cols}`;
}

/** The name that each square's unit had before, carried to where the orders took it. */
function carried(frame: Frame<State, Move[]>, before: Scene): Map<number, string> {
  const names = new Map<number, string>();
  const target = new Map<number, number>();
  for (const player of frame.players) for (const move of player.orders ?? []) target.set(move.from, move.to);
  for (const thing of before.things)
    if (thing.owner !== null && thing.kind === 'unit') {
      const square = thing.data as number;
      names.set(target.get(square) ?? square, thing.id);
    }
  return names;
}

function scene(header: Header, frame: Frame<State, Move[]>, before: Scene | null): Scene {
  const state = frame.state;
  const names = before ? carried(frame, before) : new Map<number, string>();
  const things: Thing[] = [];
  const spawns = [state.p1, state.p2];
  spawns.forEach((side, player) => {
    things.push({
      id: `spawn ${player}`, kind: 'spawn', owner: player, ...place(state, side.spawn), size: 0.6, name: `Spawn of ${header.players[player]?.name}`,
      facts: [['energy', String(side.food)], ['state', side.spawnDisabled ? 'razed' : 'stands'], ['square', words(state, side.spawn)]],
      data: side.spawnDisabled ? 'razed' : 'stands',
    });
  });
  for (let square = 0; square < state.grid.length; square++) {
    const sign = state.grid[square] as string;
    const player = PLAYER[sign];
    if (player !== undefined) {
      const known = names.get(square);
      const id = known?.startsWith(`unit ${player} `) ? known : `unit ${player} ${frame.turn}-${square}`;
      things.push({
        id, kind: 'unit', owner: player, ...place(state, square), size: 0.5, name: `Unit of ${header.players[player]?.name}`,
        facts: [['square', `${square} (${words(state, square)})`]], data: square,
      });
    } else if (sign === '*') {
      things.push({
        id: `energy ${square}`, kind: 'energy', owner: null, ...place(state, square), size: 0.4, name: 'Energy', facts: [['square', `${square} (${words(state, square)})`]],
        data: square,
      });
    }
  }
  const dead = [...state.grid].flatMap((sign, square) => (sign === 'x' ? [place(state, square)] : []));
  return sceneOf(frame, things, { dead });
}

function star(x: number, y: number, radius: number): [number, number][] {
  return Array.from({ length: 8 }, (_, i) => {
    const far = i % 2 ? radius * 0.42 : radius;
    return [x + far * Math.sin((i * Math.PI) / 4), y - far * Math.cos((i * Math.PI) / 4)] as [number, number];
  });
}

function paint(pen: Pen, scene: Scene, before: Scene | null, t: number): void {
  const state = scene.frame.state as State;
  pen.cells(state.cols, state.rows);
  for (const thing of scene.things)
    if (thing.kind === 'spawn') {
      pen.fade(0.28, () => pen.box(thing.x - 0.5, thing.y - 0.5, 1, 1, pen.colour(thing.owner)));
      pen.ring(thing.x, thing.y, 0.44, pen.colour(thing.owner), 0.06);
      if (thing.data === 'razed') pen.line(thing.x - 0.45, thing.y - 0.45, thing.x + 0.45, thing.y + 0.45, pen.palette.danger, 0.09);
    }
  for (const { x, y } of scene.extra.dead as { x: number; y: number }[])
    pen.fade(before ? t : 1, () => {
      pen.line(x - 0.28, y - 0.28, x + 0.28, y + 0.28, pen.palette.danger, 0.09);
      pen.line(x - 0.28, y + 0.28, x + 0.28, y - 0.28, pen.palette.danger, 0.09);
    });
  for (const { thing, x, y, presence } of moving(scene, before, t))
    if (thing.kind === 'unit')
      pen.fade(presence, () => {
        pen.disc(x, y, 0.36, pen.colour(thing.owner));
        pen.text(thing.owner === 0 ? 'a' : 'b', x, y, 0.5, '#fff', 700);
      });
    else if (thing.kind === 'energy') pen.fade(presence, () => pen.shape(star(x, y, 0.34), pen.palette.glow));
}

function count(scene: Scene, player: number): number {
  return scene.things.filter((thing) => thing.kind === 'unit' && thing.owner === player).length;
}

function choices(scene: Scene, seat: number, draft: Draft, picked: Thing | null): Choice<Draft>[] {
  if (!picked || picked.owner !== seat || picked.kind !== 'unit') return [];
  const state = scene.frame.state as State;
  const from = picked.data as number;
  const [row, column] = [Math.floor(from / state.cols), from % state.cols];
  const ways: [string, string, number, number][] = [
    ['Up', 'ArrowUp', row - 1, column], ['Down', 'ArrowDown', row + 1, column], ['Left', 'ArrowLeft', row, column - 1], ['Right', 'ArrowRight', row, column + 1],
  ];
  const others = draft.filter((move) => move.from !== from);
  const found: Choice<Draft>[] = [];
  for (const [name, key, r, c] of ways)
    if (r >= 0 && r < state.rows && c >= 0 && c < state.cols) {
      const to = r * state.cols + c;
      found.push({ label: `Move ${name.toLowerCase()}`, key, at: place(state, to), take: () => [...others, { from, to }] });
    }
  found.push({ label: 'Stay', key: 's', at: place(state, from), take: () => others });
  return found;
}

const aliens: GameModule = {
  name: 'aliens',
  size: (_header, start: Frame<State>) => ({ width: start.state.cols, height: start.state.rows }),
  scene,
  paint,
  series: (scene) => {
    const state = scene.frame.state as State;
    return [
      { name: 'units', values: [count(scene, 0), count(scene, 1)] },
      { name: 'energy', values: [state.p1.food, state.p2.food] },
    ];
  },
  marks: (scene, before) => {
    const state = scene.frame.state as State;
    const was = before?.frame.state as State | undefined;
    const marks = [...state.grid].some((sign) => sign === 'x') ? [{ kind: 'death' as const, player: null, text: 'units died' }] : [];
    return [
      ...marks,
      ...[state.p1, state.p2].flatMap((side, player) =>
        side.spawnDisabled && was && !(player ? was.p2 : was.p1).spawnDisabled ? [{ kind: 'capture' as const, player: 1 - player, text: `the spawn of ${player ? 'b' : 'a'} is razed` }] : [],
      ),
    ];
  },
  orders: (_header, frame: Frame<State, Move[]>, player) => {
    const turn = frame.players[player] as PlayerTurn<Move[]> | undefined;
    return (turn?.orders ?? []).map((move) => `${move.from} to ${move.to}`);
  },
  legend: [
    { sign: 'a b', text: 'a unit of the first and of the second player' },
    { sign: '✦', text: 'energy: a unit next to it gathers it' },
    { sign: '○', text: 'a spawn; crossed out when it is razed' },
    { sign: '×', text: 'units died here this turn' },
  ],
  hands: {
    hint: 'Click a unit, then a square next to it, or use the arrow keys; Tab goes to the next unit, Enter ends the turn.',
    empty: () => [],
    pickable: (scene, seat) => scene.things.filter((thing) => thing.kind === 'unit' && thing.owner === seat).map((thing) => thing.id),
    choices,
    list: (_scene, _seat, draft: Draft) => draft.map((move) => ({ text: `${move.from} to ${move.to}`, without: draft.filter((other) => other !== move) })),
    answer: (_scene, _seat, draft: Draft) => JSON.stringify(draft) + '\n',
  },
};

export default aliens;
