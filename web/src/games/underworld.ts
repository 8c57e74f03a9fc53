// Underworld: castles, barracks, farms and warriors of up to 64 players on a grid. Its parts are in
// underworld/.
import type { Frame, PlayerTurn } from '../rules/types';
import { type GameModule, protocolWords } from './game';
import { input } from './underworld/input';
import { marks, orderLine, readable } from './underworld/orders';
import { paint, paintSelection } from './underworld/paint';
import { scene, seen } from './underworld/scene';
import type { Extra, Item, Order, State } from './underworld/state';

const underworld: GameModule = {
  name: 'underworld',
  protocol: protocolWords(`
    Who are you? | received once, at the start
    crayfish | your answer to it
    money | line of the view: the amount
    end | last line of a view and of an answer
    move | x y DIRECTION: move the warrior at x y
    spawn | x y DIRECTION: make a warrior at the barracks at x y
    build | x y TYPE: build F or B at x y
    gg | received instead of a view when the match is over for you`),
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
  input,
};

export default underworld;
