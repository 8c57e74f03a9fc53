// Draws a scene of Underworld.
import { flash, moving, type Scene, type Thing } from '../game';
import { inkOn, type Pen, type Point } from '../pen';
import type { Extra, Item, State, Values } from './state';

const CASTLE: Point[] = [
  [-0.44, 0.42],
  [-0.44, -0.26],
  [-0.34, -0.26],
  [-0.34, -0.16],
  [-0.24, -0.16],
  [-0.24, -0.42],
  [-0.12, -0.42],
  [-0.12, -0.32],
  [-0.05, -0.32],
  [-0.05, -0.42],
  [0.05, -0.42],
  [0.05, -0.32],
  [0.12, -0.32],
  [0.12, -0.42],
  [0.24, -0.42],
  [0.24, -0.16],
  [0.34, -0.16],
  [0.34, -0.26],
  [0.44, -0.26],
  [0.44, 0.42],
];
const BARRACKS: Point[] = [
  [-0.4, 0.38],
  [-0.4, -0.06],
  [0, -0.4],
  [0.4, -0.06],
  [0.4, 0.38],
];
const BARN: Point[] = [
  [-0.34, 0.08],
  [-0.34, -0.16],
  [-0.2, -0.32],
  [0.02, -0.32],
  [0.16, -0.16],
  [0.16, 0.08],
];

/** The player's shape and number. */
function drawSign(
  pen: Pen,
  owner: number,
  x: number,
  y: number,
  radius: number,
  colour: string,
): void {
  pen.crest(owner, x, y, radius, inkOn(colour));
  pen.text(String(owner + 1), x, y, radius * 1.5, colour, 800);
}

export function drawItem(
  pen: Pen,
  values: Values,
  item: Item,
  x: number,
  y: number,
  out: boolean,
): void {
  const part = item.hitpoints / (values.hitpoints[item.type] as number);
  pen.stamp(
    `underworld ${item.type} ${item.owner} ${out} ${item.type === 'W' ? 0 : cracks(part)}`,
    x,
    y,
    0.56,
    (pen) => drawBody(pen, item, part, out),
  );
  if (part < 1) pen.gauge(x, y + 0.42, 0.84, part, pen.gaugeColour(part));
}

function drawBody(pen: Pen, item: Item, part: number, out: boolean): void {
  const colour = out ? pen.palette.neutral : pen.colour(item.owner);
  const line = Math.max(0.035, pen.hair * 0.8);
  if (item.type === 'C') {
    pen.shape(CASTLE, colour);
    pen.outline(CASTLE, pen.palette.ink, line);
    pen.box(-0.09, 0.2, 0.18, 0.22, pen.palette.ink, 0.08);
    drawSign(pen, item.owner, 0, -0.02, 0.17, colour);
  } else if (item.type === 'B') {
    pen.shape(BARRACKS, colour);
    pen.outline(BARRACKS, pen.palette.ink, line);
    pen.line(-0.46, -0.02, 0, -0.42, pen.palette.ink, 0.08);
    pen.line(0.46, -0.02, 0, -0.42, pen.palette.ink, 0.08);
    drawSign(pen, item.owner, 0, 0.12, 0.17, colour);
  } else if (item.type === 'F') {
    pen.fade(0.35, () => pen.box(-0.46, -0.4, 0.92, 0.82, colour, 0.06));
    // Furrows and a barn.
    for (const row of [0.18, 0.28, 0.38]) pen.line(-0.42, row, 0.42, row, '#b08a2e', 0.05);
    for (const column of [0.24, 0.34]) pen.line(column, -0.34, column, 0.12, '#b08a2e', 0.05);
    pen.shape(BARN, colour);
    pen.outline(BARN, pen.palette.ink, line);
    drawSign(pen, item.owner, -0.09, -0.1, 0.14, colour);
  } else {
    if (pen.unit >= 8) {
      pen.line(0.2, 0.3, 0.36, -0.36, pen.palette.ink, 0.07); // a spear
      pen.shape(
        [
          [0.36, -0.46],
          [0.43, -0.28],
          [0.29, -0.3],
        ],
        pen.palette.ink,
      );
    }
    pen.crest(item.owner, -0.05, 0.02, 0.27, colour);
    pen.crestLine(item.owner, -0.05, 0.02, 0.27, pen.palette.ink, line);
    pen.text(String(item.owner + 1), -0.05, 0.03, 0.32, inkOn(colour), 800);
  }
  if (pen.unit >= 8 && item.type !== 'W') drawDamage(pen, part);
}

/** The number of cracks for the damage: 0 to 3. */
function cracks(part: number): number {
  return part >= 0.85 ? 0 : part >= 0.65 ? 1 : part >= 0.35 ? 2 : 3;
}

/** Cracks, and flames when few hit points are left. */
function drawDamage(pen: Pen, part: number): void {
  const lines: Point[][] = [
    [
      [-0.3, -0.1],
      [-0.2, 0.04],
      [-0.28, 0.16],
      [-0.18, 0.34],
    ],
    [
      [0.34, -0.12],
      [0.22, 0.02],
      [0.32, 0.14],
      [0.22, 0.36],
    ],
    [
      [0.02, -0.3],
      [-0.06, -0.2],
      [0.06, -0.12],
    ],
  ];
  for (const crack of lines.slice(0, cracks(part)))
    crack
      .slice(1)
      .forEach((point, i) =>
        pen.line(
          (crack[i] as Point)[0],
          (crack[i] as Point)[1],
          point[0],
          point[1],
          pen.palette.ink,
          0.035,
        ),
      );
  if (cracks(part) === 3)
    for (const x of [-0.26, 0.24]) {
      pen.shape(
        [
          [x - 0.1, -0.12],
          [x - 0.03, -0.36],
          [x + 0.02, -0.26],
          [x + 0.06, -0.42],
          [x + 0.12, -0.12],
        ],
        '#ff8c1a',
      );
      pen.shape(
        [
          [x - 0.04, -0.12],
          [x + 0.02, -0.26],
          [x + 0.06, -0.12],
        ],
        '#ffd166',
      );
    }
}

/** How far new things have appeared at the moment `t`, 0 to 1. They appear late in a turn. */
function appeared(t: number): number {
  return Math.max(0, (t - 0.4) / 0.6);
}

/** Draws all things except new buildings, which it returns. */
function drawItems(pen: Pen, scene: Scene, before: Scene | null, t: number): Thing[] {
  const state = scene.frame.state as State;
  const { values, fallen, fresh } = scene.extra as Extra;
  const going = before !== null && t < 1;
  const out = (owner: number | null): boolean =>
    owner !== null && state.players[owner]?.lostInTurn !== null;
  const falls = new Map(fallen.map((one) => [one.thing.id, one]));
  const rising: Thing[] = [];
  for (const { thing, x, y, presence } of moving(scene, before, t)) {
    const item = thing.data as Item;
    const last = falls.get(thing.id);
    if (last && going) {
      const part = Math.min(1, t * 1.6);
      pen.fade(t < 0.6 ? 1 : (1 - t) / 0.4, () =>
        drawItem(
          pen,
          values,
          item,
          x + (last.x + 0.5 - x) * part,
          y + (last.y + 0.5 - y) * part,
          out(thing.owner),
        ),
      );
      continue;
    }
    const from = fresh.get(thing.id);
    if (going && from !== undefined && presence < 1) {
      // A warrior comes from its barracks.
      const part = appeared(t);
      if (from)
        pen.fade(Math.min(1, part * 2), () =>
          drawItem(
            pen,
            values,
            item,
            from.x + (x - from.x) * part,
            from.y + (y - from.y) * part,
            false,
          ),
        );
      else rising.push(thing);
      continue;
    }
    pen.fade(presence, () => drawItem(pen, values, item, x, y, out(thing.owner)));
  }
  return rising;
}

export function paint(pen: Pen, scene: Scene, before: Scene | null, t: number): void {
  const state = scene.frame.state as State;
  const { values, strikes, hits, fallen, fresh } = scene.extra as Extra;
  const going = before !== null && t < 1;
  let rising: Thing[] = [];
  pen.crowd(
    scene.things,
    `underworld ${values.number} ${state.dark ? state.turn : ''}`,
    (pen) => {
      pen.cells(state.sizex, state.sizey);
      pen.walls(values.walls);
      if (state.dark) pen.fade(0.25, () => pen.boxes(state.dark ?? [], '#000000'));
    },
    () => (rising = drawItems(pen, scene, before, t)),
  );
  // New buildings rise from the ground, late in a turn.
  const risen = appeared(t);
  for (const { x, y, data } of rising)
    pen.at(x, y + 0.45 * (1 - risen), 0, Math.max(0.01, risen), () =>
      drawBody(pen, data as Item, 1, false),
    );
  const strength = flash(before, t, 0.5);
  if (strength > 0)
    pen.fade(strength * 0.8, () => {
      drawStrikes(pen, strikes);
      if (!strikes.length)
        for (const id of hits)
          pen.ring(scene.byId.get(id)!.x, scene.byId.get(id)!.y, 0.46, pen.palette.danger, 0.06);
    });
  // Buildings have a frame during their first turn.
  for (const [id, from] of fresh) {
    const thing = scene.byId.get(id);
    if (thing && from === null) pen.fade(going ? t : 1, () => drawScaffold(pen, thing.x, thing.y));
  }
  pen.fade(going ? t : 1, () => {
    for (const { x, y } of fallen) pen.cross(x + 0.5, y + 0.5, 0.26, pen.palette.danger, 0.08);
  });
}

/**
 * Draws lines from edge to edge, so that both things stay visible, with a spark at the target. A
 * player's lines are drawn all at once, because there can be many.
 */
function drawStrikes(pen: Pen, strikes: Extra['strikes']): void {
  const lines = new Map<number, [number, number, number, number][]>();
  const sparks: [number, number, number, number][] = [];
  for (const { from, to } of strikes) {
    const far = Math.hypot(to.x - from.x, to.y - from.y);
    const [dx, dy] = [(to.x - from.x) / far, (to.y - from.y) / far];
    const [x, y] = [to.x + 0.5 - dx * 0.34, to.y + 0.5 - dy * 0.34];
    const own = lines.get(from.owner) ?? [];
    if (!own.length) lines.set(from.owner, own);
    own.push([from.x + 0.5 + dx * 0.3, from.y + 0.5 + dy * 0.3, x, y]);
    sparks.push(
      [x - dy * 0.14, y + dx * 0.14, x + dy * 0.14, y - dx * 0.14],
      [x - dx * 0.1, y - dy * 0.1, x + dx * 0.12, y + dy * 0.12],
    );
  }
  for (const [owner, own] of lines) pen.lines(own, pen.colour(owner), Math.max(0.06, pen.hair));
  pen.lines(sparks, pen.palette.danger, Math.max(0.06, pen.hair));
}

export function drawScaffold(pen: Pen, x: number, y: number): void {
  const dash = [0.12, 0.09];
  for (const [x1, y1, x2, y2] of [
    [-0.48, -0.48, 0.48, -0.48],
    [0.48, -0.48, 0.48, 0.48],
    [0.48, 0.48, -0.48, 0.48],
    [-0.48, 0.48, -0.48, -0.48],
  ] as [number, number, number, number][])
    pen.line(x + x1, y + y1, x + x2, y + y2, pen.palette.faint, Math.max(0.05, pen.hair), dash);
}

export function paintSelection(pen: Pen, scene: Scene, thing: Thing, x: number, y: number): void {
  const { values } = scene.extra as Extra;
  if (thing.kind === 'warrior')
    pen.fade(0.7, () =>
      pen.ring(x, y, values.range + 0.45, pen.palette.glow, Math.max(0.04, pen.hair)),
    );
}
