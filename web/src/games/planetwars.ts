// Planet Wars: planets and the expeditions between them. Its parts are in planetwars/.
import type { Frame, PlayerTurn } from '../rules/types';
import { type GameModule, protocolWords } from './game';
import { input } from './planetwars/input';
import { marks, orderLine, readable } from './planetwars/orders';
import { paint, paintSelection } from './planetwars/paint';
import { scene } from './planetwars/scene';
import { type Move, skyOf, type State } from './planetwars/state';

const planetwars: GameModule = {
  name: 'planetwars',
  protocol: protocolWords(`
    planets | in the view: list of planets
    expeditions | in the view: fleets on their way
    owner | of a planet: 1 is you, null is neutral
    name | of a planet
    ship_count | of a planet, an expedition or a move
    moves | in the answer: list of moves
    origin | in a move: the name of your planet
    destination | in a move: the name of a planet
    turns_remaining | of an expedition`),
  size: (header, start: Frame<State>) => {
    const sky = skyOf(header, start.state);
    return { width: sky.width, height: sky.height };
  },
  scene,
  paint,
  paintSelection,
  series: (scene) => {
    const state = scene.frame.state as State;
    const all = state.players.map(() => 0);
    const away = state.players.map(() => 0);
    for (const planet of state.planets)
      if (planet.owner !== null) all[planet.owner - 1]! += planet.ship_count;
    for (const one of state.expeditions) {
      all[one.owner - 1]! += one.ship_count;
      away[one.owner - 1]! += one.ship_count;
    }
    return [
      { name: 'ships', one: 'ship', values: all },
      { name: 'planets', one: 'planet', values: state.players.map((player) => player.planets) },
      { name: 'in flight', values: away },
    ];
  },
  marks,
  readable,
  orders: (header, frame: Frame<State, { moves: Move[] } | null>, player) => {
    const turn = frame.players[player] as PlayerTurn<{ moves: Move[] } | null> | undefined;
    const sky = skyOf(header, frame.state);
    return (turn?.orders?.moves ?? []).map((move) => orderLine(sky, move));
  },
  legend: [
    { sign: '⬤', text: 'a planet and its ships; more ships, larger planet' },
    { sign: '◯', text: 'grey, no sign at the rim: neutral' },
    {
      sign: '①',
      text: 'the sign at the rim: the owner; the planet builds a ship per turn',
    },
    { sign: '➤', text: 'an expedition and its ships' },
    { sign: '✺', text: 'a battle this turn; with a ring if the planet changed owner' },
  ],
  input,
};

export default planetwars;
