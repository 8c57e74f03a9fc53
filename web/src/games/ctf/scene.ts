// Turns frames of Capture the flag into scenes. Soldiers that share a square are drawn smaller,
// side by side.
import type { Frame, Header } from '../../rules/types';
import { nameOf, type Scene, sceneOf, type Thing } from '../game';
import {
  centre,
  type Extra,
  type Field,
  fieldOf,
  type Flag,
  formatSquare,
  type Order,
  playerOf,
  same,
  type Soldier,
  type Square,
  type State,
  type Team,
} from './state';

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

export function scene(header: Header, frame: Frame<State, Order[]>, before: Scene | null): Scene {
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
export function seen(_header: Header, frame: Frame<State>, seat: number): Frame<State> {
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
