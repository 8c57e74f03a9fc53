// Draws a scene of Planet Wars.
import { flash, type Scene, type Thing } from '../game';
import { inkOn, type Pen } from '../pen';
import { type Expedition, type Extra, placeIn, type Planet, type Sky } from './state';

const ROUTES_MAX = 250; // more expeditions than this are drawn without routes
const DIRECTIONS = 64; // of stamped expeditions
const arrowKeys: string[] = []; // cached, because making a key takes longer than finding a stamp

export function radiusOf(sky: Sky, ships: number): number {
  return sky.radius * (0.62 + 0.38 * (1 - 1 / (1 + ships / 25)));
}

/** A short number that fits on a planet: 1234567 is 1.2M. */
export function short(count: number): string {
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

/** Draws an arrow, rounded to whole pixels and DIRECTIONS, so that expeditions share stamps. */
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

export function paint(pen: Pen, scene: Scene, before: Scene | null, t: number): void {
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
    const part = before ? t : 1; // expeditions fly at constant speed
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

export function paintSelection(pen: Pen, scene: Scene, thing: Thing, x: number, y: number): void {
  const { sky } = scene.extra as Extra;
  const width = Math.max(0.08, 1.5 * pen.hair);
  if (thing.kind === 'expedition') {
    const to = placeIn(sky, (thing.data as Expedition).destination);
    pen.line(x, y, to.x, to.y, pen.palette.glow, width, [0.4, 0.25]);
    return;
  }
  // All expeditions on their way to the planet.
  for (const one of scene.things)
    if (
      one.kind === 'expedition' &&
      (one.data as Expedition).destination === (thing.data as Planet).name
    )
      pen.line(one.x, one.y, x, y, pen.palette.glow, width, [0.4, 0.25]);
}
