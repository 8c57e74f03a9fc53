// How a person plays Planet Wars.
import { type Choice, nameOf, type PlayerInput, type Scene, type Thing } from '../game';
import { orderLine } from './orders';
import { short } from './paint';
import { type Extra, type Move, placeIn, type Planet, ships, type State, travel } from './state';

type Draft = Move[];

const UNDER_WAY_PER_PLANET = 16;
const UNDER_WAY_LEAST = 3072;

function choices(
  scene: Scene,
  seat: number,
  draft: Draft,
  selected: Thing | null,
): Choice<Draft>[] {
  if (!selected || selected.kind !== 'planet' || selected.owner !== seat) return [];
  const state = scene.frame.state as State;
  const { header, sky } = scene.extra as Extra;
  const origin = selected.data as Planet;
  const sent = draft.reduce(
    (sum, move) => (move.origin === origin.name ? sum + move.ship_count : sum),
    0,
  );
  const most =
    Math.max(UNDER_WAY_LEAST, UNDER_WAY_PER_PLANET * state.planets.length) -
    (state.players[seat]?.expeditions ?? 0);
  const others = state.planets
    .filter((planet) => planet.name !== origin.name)
    .map((planet) => ({ planet, turns: travel(origin, planet) }));
  others.sort((a, b) => a.turns - b.turns);
  return others.flatMap(({ planet, turns }, i) => {
    // A second order to the same planet replaces the first.
    const earlier = draft.find(
      (move) => move.origin === origin.name && move.destination === planet.name,
    );
    const left = origin.ship_count - sent + (earlier?.ship_count ?? 0);
    if (left < 1 || (!earlier && draft.length >= most)) return [];
    const whose =
      planet.owner === null
        ? "nobody's"
        : planet.owner === seat + 1
          ? 'yours'
          : `of ${nameOf(header, planet.owner - 1)}`;
    return [
      {
        label:
          `Send ships to ${planet.name} (${whose}, ${ships(planet.ship_count)}, ` +
          `${turns} ${turns === 1 ? 'turn' : 'turns'})`,
        ...(i < 9 ? { key: String(i + 1) } : {}),
        at: placeIn(sky, planet.name),
        amount: {
          label: `Ships from ${origin.name} to ${planet.name}`,
          min: 1,
          max: left,
          value: earlier?.ship_count ?? left,
        },
        selects: null,
        take: (draft: Draft, amount: number): Draft => {
          const move = {
            origin: origin.name,
            destination: planet.name,
            ship_count: Math.max(1, Math.min(left, Math.floor(amount) || 1)),
          };
          return [
            ...draft.filter(
              (other) => !(other.origin === move.origin && other.destination === move.destination),
            ),
            move,
          ];
        },
      },
    ];
  });
}

export const input: PlayerInput<Draft> = {
  hint: 'Select one of your planets, then the destination, and enter the number of ships.',
  keys: '1 to 9 are the nearest destinations. Tab selects your next planet; Enter ends the turn.',
  empty: () => [],
  selectable: (scene, seat) =>
    scene.things
      .filter((thing) => thing.kind === 'planet' && thing.owner === seat)
      .sort((a, b) => b.data.ship_count - a.data.ship_count)
      .map((thing) => thing.id),
  choices,
  list: (scene, _seat, draft: Draft) =>
    draft.map((move) => ({
      ...orderLine((scene.extra as Extra).sky, move),
      without: draft.filter((other) => other !== move),
    })),
  sketch: (pen, scene, seat, draft: Draft) => {
    const { sky } = scene.extra as Extra;
    for (const move of draft) {
      const [from, to] = [placeIn(sky, move.origin), placeIn(sky, move.destination)];
      const angle = Math.atan2(to.y - from.y, to.x - from.x);
      const [x, y] = [from.x + (to.x - from.x) * 0.35, from.y + (to.y - from.y) * 0.35];
      pen.line(from.x, from.y, to.x, to.y, pen.palette.glow, Math.max(0.1, 2 * pen.hair));
      pen.arrow(x, y, angle, Math.max(1, 12 * pen.hair), pen.colour(seat));
      pen.text(
        short(move.ship_count),
        x - Math.sin(angle) * 1.1,
        y + Math.cos(angle) * 1.1,
        Math.max(0.7, 11 * pen.hair),
        pen.palette.ink,
        800,
      );
    }
  },
  answer: (_scene, _seat, draft: Draft) => JSON.stringify({ moves: draft }) + '\n',
};
