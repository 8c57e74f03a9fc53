// Footsoldiers: bases, rocks, and soldiers that walk to their destinations on their own. Its parts
// are in footsoldiers/.
import type { Frame, PlayerTurn } from '../rules/types';
import { input } from './footsoldiers/input';
import { marks, orderLine, readable } from './footsoldiers/orders';
import { paint, paintSelection } from './footsoldiers/paint';
import { action, scene } from './footsoldiers/scene';
import {
  type Extra,
  fieldOf,
  isSoldierThing,
  MARGIN,
  type Order,
  type Soldier,
  type State,
} from './footsoldiers/state';
import { type GameModule, protocolWords } from './game';

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
      { name: 'army value', values: army.map((worth) => Math.round(worth * 10) / 10) },
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
  input,
};

export default footsoldiers;
