// Turns frames of Planet Wars into scenes.
import type { Frame, Header } from '../../rules/types';
import { nameOf, type Scene, sceneOf, type Thing } from '../game';
import { radiusOf } from './paint';
import {
  type Expedition,
  type Extra,
  type Move,
  placeIn,
  skyOf,
  type State,
  travel,
} from './state';

export function scene(
  header: Header,
  frame: Frame<State, { moves: Move[] }>,
  before: Scene | null,
): Scene {
  const state = frame.state;
  const sky = skyOf(header, state);
  const byName = new Map(state.planets.map((planet) => [planet.name, planet]));
  const coming = new Map<string, number>();
  for (const one of state.expeditions)
    coming.set(one.destination, (coming.get(one.destination) ?? 0) + 1);
  const planets: Thing[] = state.planets.map((planet) => {
    const owner = planet.owner === null ? null : planet.owner - 1;
    return {
      id: `planet ${planet.name}`,
      kind: 'planet',
      owner,
      ...placeIn(sky, planet.name),
      size: Math.max(0.8, radiusOf(sky, planet.ship_count)),
      name: `Planet ${planet.name}`,
      facts: [
        ...(owner === null ? [['owner', 'neutral'] as [string, string]] : []),
        ['ships', String(planet.ship_count)],
        ['production', owner === null ? 'none' : '1 ship per turn'],
        ['incoming expeditions', String(coming.get(planet.name) ?? 0)],
        ['position', `(${planet.x}, ${planet.y})`],
      ],
      data: planet,
    };
  });
  const expeditions: Thing[] = state.expeditions.map((one) => {
    const [from, to] = [placeIn(sky, one.origin), placeIn(sky, one.destination)];
    const [origin, destination] = [byName.get(one.origin), byName.get(one.destination)];
    const turns = origin && destination ? travel(origin, destination) : one.turns_remaining || 1;
    const left = Math.min(1, one.turns_remaining / turns);
    return {
      id: `expedition ${one.id}`,
      kind: 'expedition',
      owner: one.owner - 1,
      x: to.x + (from.x - to.x) * left,
      y: to.y + (from.y - to.y) * left,
      size: 0.5,
      name: `Expedition ${one.id} of ${nameOf(header, one.owner - 1)}`,
      get facts(): [string, string][] {
        return [
          ['ships', String(one.ship_count)],
          ['from', one.origin],
          ['to', one.destination],
          ['arrives', `in ${one.turns_remaining} of ${turns} ${turns === 1 ? 'turn' : 'turns'}`],
        ];
      },
      data: one,
    };
  });
  const now = new Set(expeditions.map((thing) => thing.id));
  const arrived =
    before && before.frame.turn === frame.turn - 1
      ? (before.extra as Extra).expeditions.filter((thing) => !now.has(thing.id))
      : [];
  return sceneOf(frame, [...planets, ...expeditions], {
    header,
    sky,
    planets,
    expeditions,
    arrived,
    fights: fightsOf(state, arrived, frame, before),
  } satisfies Extra);
}

/**
 * Where ships fought: planets that other players' expeditions reached, or that changed owner.
 */
function fightsOf(
  state: State,
  arrived: Thing[],
  frame: Frame<State, { moves: Move[] }>,
  before: Scene | null,
): Extra['fights'] {
  if (!before || before.frame.turn !== frame.turn - 1) return [];
  const was = new Map((before.frame.state as State).planets.map((planet) => [planet.name, planet]));
  const met = new Set(
    arrived
      .filter(
        (thing) =>
          was.get((thing.data as Expedition).destination)?.owner !==
          (thing.data as Expedition).owner,
      )
      .map((thing) => (thing.data as Expedition).destination),
  );
  // An expedition that takes one turn arrives immediately and is never shown.
  frame.players.forEach((turn, player) => {
    for (const move of turn.orders?.moves ?? []) {
      const [origin, destination] = [was.get(move.origin), was.get(move.destination)];
      if (
        origin &&
        destination &&
        travel(origin, destination) === 1 &&
        destination.owner !== player + 1
      )
        met.add(move.destination);
    }
  });
  return state.planets.flatMap((planet) => {
    const taken = was.get(planet.name)?.owner !== planet.owner;
    return taken || met.has(planet.name)
      ? [{ planet: planet.name, owner: planet.owner === null ? null : planet.owner - 1, taken }]
      : [];
  });
}
