// Gems: players on a grid, and gems worth 1 to 3 points.
import type { Frame, Header } from '../rules/types';
import {
  moving,
  nameOf,
  protocolWords,
  sceneOf,
  type Choice,
  type GameModule,
  type Scene,
  type Thing,
} from './game';
import { corners, inkOn, type Pen } from './pen';

interface Player {
  row: number;
  col: number;
  points: number;
  playing: boolean;
}

interface State {
  turn: number;
  maxTurns: number;
  players: Player[];
  grid: string[];
}

type Move = 'up' | 'down' | 'left' | 'right' | 'stay';

const GEM_COLOURS = ['#e3b7dc', '#d6409f', '#7c1158'];

const WAYS: { move: Move; label: string; key: string; down: number; right: number }[] = [
  { move: 'up', label: 'Move up', key: 'ArrowUp', down: -1, right: 0 },
  { move: 'down', label: 'Move down', key: 'ArrowDown', down: 1, right: 0 },
  { move: 'left', label: 'Move left', key: 'ArrowLeft', down: 0, right: -1 },
  { move: 'right', label: 'Move right', key: 'ArrowRight', down: 0, right: 1 },
];

const centre = (row: number, col: number) => ({ x: col + 0.5, y: row + 0.5 });

function scene(header: Header, frame: Frame<State>): Scene {
  const { players, grid } = frame.state;
  const gems: Thing[] = grid.flatMap((line, row) =>
    [...line].flatMap((sign, col) =>
      sign === '.'
        ? []
        : [
            {
              id: `gem ${row} ${col}`,
              kind: 'gem',
              owner: null,
              ...centre(row, col),
              size: 0.4,
              name: 'Gem',
              facts: [
                ['value', sign],
                ['square', `row ${row}, column ${col}`],
              ] as [string, string][],
              data: Number(sign),
            },
          ],
    ),
  );
  const collectors: Thing[] = players.flatMap(({ row, col, points, playing }, player) =>
    playing
      ? [
          {
            id: `player ${player}`,
            kind: 'player',
            owner: player,
            ...centre(row, col),
            size: 0.5,
            name: nameOf(header, player),
            facts: [
              ['points', String(points)],
              ['square', `row ${row}, column ${col}`],
            ],
          },
        ]
      : [],
  );
  return sceneOf(frame, [...gems, ...collectors]);
}

function drawGem(pen: Pen, value: number): void {
  const colour = GEM_COLOURS[value - 1] as string;
  pen.shape(corners(0, 0, 0.38, 6), colour);
  pen.text(String(value), 0, 0.01, 0.36, inkOn(colour), 700);
}

function paint(pen: Pen, scene: Scene, before: Scene | null, t: number): void {
  const { grid } = scene.frame.state as State;
  pen.cells(grid[0]?.length ?? 0, grid.length);
  for (const { thing, x, y, presence } of moving(scene, before, t))
    pen.fade(presence, () => {
      if (thing.kind === 'gem')
        pen.stamp(`gems ${thing.data}`, x, y, 0.45, (pen) => drawGem(pen, thing.data as number));
      else pen.crest(thing.owner, x, y, 0.34);
    });
}

function choices(scene: Scene, seat: number): Choice<Move>[] {
  const { players, grid } = scene.frame.state as State;
  const me = players[seat];
  if (!me?.playing) return [];
  const ways = WAYS.filter(({ down, right }) => grid[me.row + down]?.[me.col + right]);
  return [
    ...ways.map(({ move, label, key, down, right }) => ({
      label,
      key,
      at: centre(me.row + down, me.col + right),
      take: () => move,
    })),
    { label: 'Stay', key: 's', at: centre(me.row, me.col), take: (): Move => 'stay' },
  ];
}

const gems: GameModule = {
  name: 'gems',
  protocol: protocolWords(`
    you | in the view: your place in players, from 0
    turn | in the view: turns played
    maxTurns | in the view: turns in this match
    players | in the view: position and points of each player
    grid | in the view: one string per row; a digit is a gem
    row | in players: the row, from the top
    col | in players: the column, from the left
    points | in players: points collected
    playing | in players: false once the bot has failed
    up | an answer
    down | an answer
    left | an answer
    right | an answer
    stay | an answer`),
  size: (_header, start: Frame<State>) => ({
    width: start.state.grid[0]?.length ?? 0,
    height: start.state.grid.length,
  }),
  scene,
  paint,
  series: (scene) => [
    {
      name: 'points',
      values: (scene.frame.state as State).players.map((player) => player.points),
    },
  ],
  marks: (scene) =>
    scene.frame.events
      .filter((event) => event.includes('worth 3') && event.includes('collects'))
      .map((event) => ({ kind: 'capture', player: event.charCodeAt(0) - 97, text: event })),
  orders: (_header, frame: Frame<State, Move>, player) => {
    const orders = frame.players[player]?.orders;
    return orders ? [orders] : [];
  },
  legend: [
    { sign: '⬡', text: 'a gem and its value' },
    { sign: '●', text: 'a player: each has its own shape and colour' },
  ],
  input: {
    hint: 'Click a square next to you, or use the arrow keys; Enter ends the turn.',
    empty: (): Move => 'stay',
    selectable: (_scene, seat) => [`player ${seat}`],
    choices,
    list: (_scene, _seat, move: Move) => (move === 'stay' ? [] : [{ text: move, without: 'stay' }]),
    sketch: (pen, scene, seat, move: Move) => {
      const me = (scene.frame.state as State).players[seat];
      const way = WAYS.find((one) => one.move === move);
      if (!me || !way) return;
      const { x, y } = centre(me.row + way.down, me.col + way.right);
      pen.ring(x, y, 0.4, pen.palette.glow, 0.08);
    },
    answer: (_scene, _seat, move: Move) => move + '\n',
  },
};

export default gems;
