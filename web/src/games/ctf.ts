// Capture the flag: soldiers, flags, grenades and explosions. Its parts are in ctf/.
import type { Frame, PlayerTurn } from '../rules/types';
import { input } from './ctf/input';
import { marks, orderLine, readable } from './ctf/orders';
import { paint, paintSelection } from './ctf/paint';
import { scene, seen } from './ctf/scene';
import {
  type Extra,
  fieldOf,
  type Flag,
  type Order,
  playerOf,
  type Square,
  type State,
} from './ctf/state';
import { type GameModule, protocolWords } from './game';

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
  input,
};

export default ctf;
