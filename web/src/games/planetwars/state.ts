// The state of Planet Wars, and the sky, which stays the same during a match. Maps can have any
// position and size, so they are scaled to a board of about SPAN units. As in the terminal, y grows
// upwards.
import type { Header } from '../../rules/types';
import type { Thing } from '../game';

export interface Planet {
  name: string;
  x: number;
  y: number;
  ship_count: number;
  owner: number | null; // the player's number from 1
}

export interface Expedition {
  id: number;
  ship_count: number;
  origin: string;
  destination: string;
  owner: number;
  turns_remaining: number;
}

export interface State {
  planets: Planet[];
  expeditions: Expedition[];
  players: { planets: number; expeditions: number; died: number | null }[];
  turn: number;
  max_turns: number;
}

export interface Move {
  origin: string;
  destination: string;
  ship_count: number;
}

interface Place {
  x: number;
  y: number;
}

/** The mapping from map to board coordinates. */
export interface Sky {
  width: number;
  height: number;
  radius: number; // of a planet with many ships
  places: Map<string, Place>;
  stars: [x: number, y: number, size: number][];
}

export interface Extra {
  header: Header;
  sky: Sky;
  fights: { planet: string; owner: number | null; taken: boolean }[];
  planets: Thing[];
  expeditions: Thing[];
  arrived: Thing[]; // expeditions of the previous turn that have reached their planets
}

const SPAN = 36;

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

export function skyOf(header: Header, state: State): Sky {
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

export function placeIn(sky: Sky, planet: string): Place {
  return sky.places.get(planet) ?? { x: 0, y: 0 };
}

/** Turns from planet to planet, as the rules count them. */
export function travel(one: Planet, other: Planet): number {
  return Math.max(1, Math.ceil(Math.sqrt((one.x - other.x) ** 2 + (one.y - other.y) ** 2)));
}

export function ships(count: number): string {
  return count === 1 ? '1 ship' : `${count} ships`;
}
