// Planet Wars: planets and the expeditions between them. Maps have any position and size, so they
// are scaled to a board of about SPAN units. As in the terminal, y grows upwards.
import type { Frame, Header, PlayerTurn } from '../rules/types';
import {
  flash,
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
import { inkOn, type Pen } from './pen';

interface Planet {
  name: string;
  x: number;
  y: number;
  ship_count: number;
  owner: number | null; // the player's number from 1
}

interface Expedition {
  id: number;
  ship_count: number;
  origin: string;
  destination: string;
  owner: number;
  turns_remaining: number;
}

interface State {
  planets: Planet[];
  expeditions: Expedition[];
  players: { planets: number; expeditions: number; died: number | null }[];
  turn: number;
  max_turns: number;
}

interface Move {
  origin: string;
  destination: string;
  ship_count: number;
}

interface Place {
  x: number;
  y: number;
}

/** The mapping from map to board coordinates. */
interface Sky {
  width: number;
  height: number;
  radius: number; // of a planet with many ships
  places: Map<string, Place>;
  stars: [x: number, y: number, size: number][];
}

interface Extra {
  header: Header;
  sky: Sky;
  fights: { planet: string; owner: number | null; taken: boolean }[];
  planets: Thing[];
  expeditions: Thing[];
  arrived: Thing[]; // expeditions of the turn before that are at their planets now
}

const SPAN = 36;
const ROUTES_MAX = 250; // more expeditions than this are drawn without routes
const DIRECTIONS = 64; // of stamped expeditions
const arrowKeys: string[] = []; // made once, because that takes longer than to find a stamp

const skies = new WeakMap<Header, Sky>();

/** The median distance from a planet to its nearest neighbour. */
function usualGap(places: Place[]): number {
  const gaps = places.map((one) =>
    places.reduce(
      (least, other) =>
        other === one ? least : Math.min(least, Math.hypot(one.x - other.x, one.y - other.y)),
      Infinity,
    ),
  );
  gaps.sort((a, b) => a - b);
  return gaps[Math.floor(gaps.length / 3)] ?? 1;
}

function skyOf(header: Header, state: State): Sky {
  let sky = skies.get(header);
  if (sky) return sky;
  const [xs, ys] = [
    state.planets.map((planet) => planet.x),
    state.planets.map((planet) => planet.y),
  ];
  const [left, right, bottom, top] = [
    Math.min(...xs),
    Math.max(...xs),
    Math.min(...ys),
    Math.max(...ys),
  ];
  const scale = SPAN / (Math.max(right - left, top - bottom) || SPAN);
  const bare = state.planets.map((planet) => ({
    x: (planet.x - left) * scale,
    y: (top - planet.y) * scale,
  }));
  const radius = Math.max(0.55, Math.min(2.6, 0.34 * usualGap(bare)));
  const edge = radius * 1.2 + 1.1; // room for a whole planet and its name
  const places = new Map(
    state.planets.map((planet, i) => [
      planet.name,
      { x: (bare[i] as Place).x + edge, y: (bare[i] as Place).y + edge },
    ]),
  );
  const [width, height] = [(right - left) * scale + 2 * edge, (top - bottom) * scale + 2 * edge];
  // The same stars every time: the fraction of a product looks random enough.
  const part = (n: number): number => n - Math.floor(n);
  const stars = Array.from(
    { length: 140 },
    (_, i) =>
      [
        part(i * 0.754877666) * width,
        part(i * 0.569840291) * height,
        0.03 + 0.05 * part(i * 0.618033989),
      ] as [number, number, number],
  );
  sky = { width, height, radius, places, stars };
  skies.set(header, sky);
  return sky;
}

function placeIn(sky: Sky, planet: string): Place {
  return sky.places.get(planet) ?? { x: 0, y: 0 };
}

/** Turns from planet to planet, as the rules count them. */
function travel(one: Planet, other: Planet): number {
  return Math.max(1, Math.ceil(Math.sqrt((one.x - other.x) ** 2 + (one.y - other.y) ** 2)));
}

function radiusOf(sky: Sky, ships: number): number {
  return sky.radius * (0.62 + 0.38 * (1 - 1 / (1 + ships / 25)));
}

/** A short number that fits on a planet: 1234567 is 1.2M. */
function short(count: number): string {
  const units: [number, string][] = [
    [1e15, 'P'],
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e4, 'k'],
  ];
  for (const [unit, letter] of units)
    if (count >= unit) {
      const scaled = count / (letter === 'k' ? 1e3 : unit);
      return (scaled < 10 ? scaled.toFixed(1) : String(Math.floor(scaled))) + letter;
    }
  return String(count);
}

function ships(count: number): string {
  return count === 1 ? '1 ship' : `${count} ships`;
}

function scene(
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
 * Where ships fought: planets reached by expeditions of other players, or that changed owner.
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
  // An expedition over a distance of one turn arrives at once and is never shown.
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

// ---- drawing ----

function drawPlanet(pen: Pen, sky: Sky, planet: Planet, x: number, y: number, count: number): void {
  const owner = planet.owner === null ? null : planet.owner - 1;
  const colour = pen.colour(owner);
  // Whole pixels, so that one stamp serves many ship counts.
  const radius = Math.round(radiusOf(sky, count) * pen.unit) * pen.hair;
  pen.stamp(
    `planetwars ${owner} ${Math.round(radius * pen.unit)}`,
    x,
    y,
    radius * 1.7 + 0.5,
    (pen) => drawGlobe(pen, owner, radius),
  );
  const text = short(count);
  const size = Math.min(radius * 1.05, (radius * 2.6) / Math.max(2, text.length));
  pen.text(text, x, y, Math.max(size, Math.min(8 * pen.hair, radius * 1.3)), inkOn(colour), 800);
  if (pen.unit >= 11 && sky.places.size <= 80) {
    const name = planet.name.length > 16 ? planet.name.slice(0, 15) + '…' : planet.name;
    pen.text(name, x, y + radius + 0.5, Math.max(0.55, 10 * pen.hair), pen.palette.faint, 500);
  }
}

function drawGlobe(pen: Pen, owner: number | null, radius: number): void {
  const colour = pen.colour(owner);
  const [x, y] = [0, 0];
  // An atmosphere for planets that have an owner.
  if (owner !== null) pen.fade(0.2, () => pen.disc(x, y, radius * 1.28, colour));
  pen.disc(x, y, radius, colour);
  // Light from the upper left, and bands.
  if (radius * pen.unit >= 9) {
    pen.c.save();
    pen.c.beginPath();
    pen.c.arc(x, y, radius, 0, 2 * Math.PI);
    pen.c.clip();
    pen.fade(0.16, () => pen.disc(x - radius * 0.35, y - radius * 0.4, radius * 0.85, '#ffffff'));
    pen.fade(0.13, () => {
      pen.line(
        x - radius,
        y + radius * 0.42,
        x + radius,
        y + radius * 0.3,
        '#000000',
        radius * 0.16,
      );
      pen.line(
        x - radius,
        y - radius * 0.5,
        x + radius,
        y - radius * 0.62,
        '#000000',
        radius * 0.1,
      );
    });
    pen.c.restore();
  }
  if (owner === null) pen.ring(x, y, radius, pen.palette.faint, Math.max(0.05, pen.hair));
  else {
    // The owner's shape and number, at the rim.
    const [sx, sy] = [x + radius * 0.82, y - radius * 0.82];
    const size = Math.max(0.36, radius * 0.36);
    pen.crest(owner, sx, sy, size * 1.22, pen.palette.ground);
    pen.crest(owner, sx, sy, size, colour);
    pen.text(String(owner + 1), sx, sy, size * 1.3, inkOn(colour), 800);
  }
}

function drawExpedition(
  pen: Pen,
  sky: Sky,
  thing: Thing,
  x: number,
  y: number,
  crowded: boolean,
): void {
  const one = thing.data as Expedition;
  const [from, to] = [placeIn(sky, one.origin), placeIn(sky, one.destination)];
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  const colour = pen.colour(thing.owner);
  const length = Math.max(
    7 * pen.hair,
    sky.radius * 0.42 * (1 + 0.16 * Math.min(6, Math.log2(one.ship_count + 1))),
  );
  if (crowded) return stampArrow(pen, x, y, angle, length, thing.owner);
  pen.arrow(x, y, angle, length * 1.3, pen.palette.ground);
  pen.arrow(x, y, angle, length, colour);
  if (
    pen.unit < 7 ||
    Math.min(Math.hypot(x - from.x, y - from.y), Math.hypot(x - to.x, y - to.y)) < sky.radius * 1.2
  )
    return;
  // To the right of the arrow, so that labels of meeting expeditions do not overlap.
  const away = length * 0.5 + Math.max(0.42, 8 * pen.hair);
  const size = Math.max(0.5, 9 * pen.hair);
  const [tx, ty] = [x - Math.sin(angle) * away, y + Math.cos(angle) * away];
  pen.text(short(one.ship_count), tx, ty, size, pen.palette.ink, 700);
}

/** An arrow in whole pixels and one of DIRECTIONS: a few stamps serve a thousand expeditions. */
function stampArrow(
  pen: Pen,
  x: number,
  y: number,
  angle: number,
  length: number,
  owner: number | null,
): void {
  const turned = Math.round((angle / (2 * Math.PI) + 1) * DIRECTIONS) % DIRECTIONS;
  const pixels = Math.round(length * pen.unit);
  const number = ((owner ?? 0) * 100 + pixels) * DIRECTIONS + turned;
  const key = (arrowKeys[number] ??= `planetwars > ${number}`);
  pen.stamp(key, x, y, length, (pen) => {
    const direction = (turned / DIRECTIONS) * 2 * Math.PI;
    pen.arrow(0, 0, direction, pixels * 1.3 * pen.hair, pen.palette.ground);
    pen.arrow(0, 0, direction, pixels * pen.hair, pen.colour(owner));
  });
}

/** The routes of expeditions, one per owner. */
function drawRoutes(pen: Pen, sky: Sky, expeditions: Thing[]): void {
  const routes = new Map<string, Thing>();
  for (const thing of expeditions)
    routes.set([thing.owner, thing.data.origin, thing.data.destination].join('\n'), thing);
  const many = routes.size > 40;
  pen.fade(many ? 0.22 : 0.45, () => {
    for (const { owner, data } of routes.values()) {
      const [from, to] = [placeIn(sky, data.origin), placeIn(sky, data.destination)];
      const width = Math.max(0.05, pen.hair);
      const dash = many ? [] : [0.3, 0.3]; // dashes take time
      pen.line(from.x, from.y, to.x, to.y, pen.colour(owner), width, dash);
    }
  });
}

/** Battles: rays around the planet, and a ring if it changed owner. */
function drawFights(pen: Pen, sky: Sky, fights: Extra['fights'], reach: number): void {
  const rays: [number, number, number, number][] = [];
  for (const fight of fights) {
    const { x, y } = placeIn(sky, fight.planet);
    if (fight.taken) pen.ring(x, y, reach, pen.colour(fight.owner), Math.max(0.16, 2 * pen.hair));
    for (let i = 0; i < 8; i++) {
      const angle = ((i + 0.5) * Math.PI) / 4;
      const [dx, dy] = [Math.cos(angle) * reach, Math.sin(angle) * reach];
      rays.push([x + dx * 1.05, y + dy * 1.05, x + dx * 1.3, y + dy * 1.3]);
    }
  }
  pen.lines(rays, pen.palette.danger, Math.max(0.1, pen.hair));
}

function drawGround(pen: Pen, sky: Sky): void {
  pen.box(0, 0, sky.width, sky.height, pen.palette.ground, 0.5);
  pen.fade(0.55, () => {
    pen.boxes(
      sky.stars.map(([x, y, size]) => [
        x,
        y,
        Math.max(1.5 * size, pen.hair),
        Math.max(1.5 * size, pen.hair),
      ]),
      pen.palette.faint,
    );
  });
}

function paint(pen: Pen, scene: Scene, before: Scene | null, t: number): void {
  const { sky, fights, expeditions } = scene.extra as Extra;
  const going = before !== null && t < 1;
  // Expeditions of a crowd are stamps, without their numbers.
  const crowded = pen.crowded(expeditions);
  pen.crowd(
    expeditions,
    `planetwars ${sky.width} ${sky.height}`,
    (pen) => {
      drawGround(pen, sky);
      if (expeditions.length <= ROUTES_MAX) drawRoutes(pen, sky, expeditions);
    },
    () => drawThings(pen, scene, going ? before : null, t, crowded),
  );
  const strength = flash(before, t, 0.8);
  const reach = sky.radius * (going ? 1 + (t - 0.8) * 3 : 1.5);
  if (strength > 0) pen.fade(strength, () => drawFights(pen, sky, fights, reach));
}

function drawThings(
  pen: Pen,
  scene: Scene,
  before: Scene | null,
  t: number,
  crowded: boolean,
): void {
  const { sky, planets, expeditions, arrived } = scene.extra as Extra;
  if (before)
    for (const thing of arrived) {
      const to = placeIn(sky, (thing.data as Expedition).destination);
      const [x, y] = [thing.x + (to.x - thing.x) * t, thing.y + (to.y - thing.y) * t];
      pen.fade(t > 0.85 ? (1 - t) / 0.15 : 1, () => drawExpedition(pen, sky, thing, x, y, crowded));
    }
  for (const thing of expeditions) {
    const one = thing.data as Expedition;
    const start = before ? (before.byId.get(thing.id) ?? placeIn(sky, one.origin)) : thing;
    const part = before ? t : 1; // they fly evenly, turn for turn
    const [x, y] = [start.x + (thing.x - start.x) * part, start.y + (thing.y - start.y) * part];
    drawExpedition(pen, sky, thing, x, y, crowded);
  }
  // Planets are drawn over expeditions, because their numbers matter most.
  for (const thing of planets) {
    const planet = thing.data as Planet;
    const was = before?.byId.get(thing.id)?.data as Planet | undefined;
    // Ship count and owner change when ships arrive, at the end of the turn.
    drawPlanet(
      pen,
      sky,
      was && t < 0.85 ? was : planet,
      thing.x,
      thing.y,
      was
        ? Math.round(was.ship_count + (planet.ship_count - was.ship_count) * t)
        : planet.ship_count,
    );
  }
}

function paintSelection(pen: Pen, scene: Scene, thing: Thing, x: number, y: number): void {
  const { sky } = scene.extra as Extra;
  const width = Math.max(0.08, 1.5 * pen.hair);
  if (thing.kind === 'expedition') {
    const to = placeIn(sky, (thing.data as Expedition).destination);
    pen.line(x, y, to.x, to.y, pen.palette.glow, width, [0.4, 0.25]);
    return;
  }
  // Everything on its way to the planet.
  for (const one of scene.things)
    if (
      one.kind === 'expedition' &&
      (one.data as Expedition).destination === (thing.data as Planet).name
    )
      pen.line(one.x, one.y, x, y, pen.palette.glow, width, [0.4, 0.25]);
}

// ---- marks and orders ----

/** An event with the players' names. */
function readable(header: Header, _frame: Frame, text: string): string {
  return text.replace(/\bplayer (\d+)\b/g, (_, number) => nameOf(header, Number(number) - 1));
}

function marks(header: Header, scene: Scene, before: Scene | null): Mark[] {
  const state = scene.frame.state as State;
  const was = before?.frame.state as State | undefined;
  const { fights } = scene.extra as Extra;
  const found: Mark[] = [];
  for (const fight of fights)
    if (fight.taken)
      found.push({
        kind: 'capture',
        player: fight.owner,
        text:
          fight.owner === null
            ? `${fight.planet} is neutral now`
            : `${nameOf(header, fight.owner)} takes ${fight.planet}`,
      });
  state.players.forEach((player, i) => {
    if (was && player.died !== null && was.players[i]?.died === null)
      found.push({ kind: 'death', player: i, text: `${nameOf(header, i)} is eliminated` });
  });
  return found;
}

function orderLine(sky: Sky, move: Move): OrderLine {
  return {
    text: `${ships(move.ship_count)} from ${move.origin} to ${move.destination}`,
    at: placeIn(sky, move.origin),
    to: placeIn(sky, move.destination),
  };
}

// ---- player input ----

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
  input: {
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
  },
};

export default planetwars;
