// Draws a scene of Footsoldiers.
import { flash, moving, type Scene, type Thing } from '../game';
import { inkOn, type Pen } from '../pen';
import {
  BASE_HEALTH,
  centre,
  type Direction,
  type Extra,
  far,
  type Field,
  MARGIN,
  type Side,
  type Soldier,
  type Square,
  type Type,
} from './state';

export const ANGLES: Record<Direction, number> = {
  Right: 0,
  Down: Math.PI / 2,
  Left: Math.PI,
  Up: -Math.PI / 2,
};

/**
 * A soldier facing right, on a plate: round for the first player, square for the second.
 */
export function drawSoldier(
  pen: Pen,
  type: Type,
  player: number,
  direction: Direction,
  x: number,
  y: number,
): void {
  // On small squares, soldiers are slightly larger than their square.
  pen.stamp(`footsoldiers ${type} ${player} ${direction}`, x, y, 0.75, (pen) =>
    pen.at(0, 0, ANGLES[direction], pen.unit < 8 ? 1.35 : 1, () => drawBody(pen, type, player)),
  );
}

function drawBody(pen: Pen, type: Type, player: number): void {
  const colour = pen.colour(player);
  const ink = inkOn(colour);
  if (pen.unit >= 5)
    pen.shape(
      [
        [0.5, 0],
        [0.3, 0.17],
        [0.3, -0.17],
      ],
      colour,
    ); // its direction
  if (player === 0) pen.disc(0, 0, 0.4, colour);
  else pen.box(-0.37, -0.37, 0.74, 0.74, colour, 0.07);
  if (type === 'Scout')
    pen.shape(
      [
        [0.32, 0],
        [-0.24, 0.26],
        [-0.1, 0],
        [-0.24, -0.26],
      ],
      ink,
    );
  else if (type === 'Assassin') {
    pen.shape(
      [
        [0.37, 0],
        [0.2, 0.09],
        [-0.06, 0.09],
        [-0.06, -0.09],
        [0.2, -0.09],
      ],
      ink,
    );
    pen.box(-0.12, -0.22, 0.08, 0.44, ink, 0.03);
    pen.box(-0.27, -0.045, 0.2, 0.09, ink, 0.03);
    pen.disc(-0.28, 0, 0.07, ink);
  } else {
    pen.box(-0.27, -0.27, 0.5, 0.54, ink, 0.07);
    for (const y of [-0.15, 0.12]) pen.box(-0.27, y, 0.5, 0.03, colour);
    pen.disc(-0.05, 0, 0.115, colour);
    pen.box(-0.02, -0.055, 0.39, 0.11, ink, 0.02);
    pen.disc(-0.05, 0, 0.075, ink);
  }
}

function drawBase(pen: Pen, base: Thing): void {
  const { x, y } = base;
  const side = base.data as Side;
  const colour = pen.colour(base.owner);
  const part = side.health / BASE_HEALTH;
  const [left, right, top, bottom] = [x - 0.48, x + 0.48, y - 0.44, y + 0.48];
  const step = (right - left) / 5;
  const outline: [number, number][] = [
    [left, bottom],
    [left, top],
  ];
  for (let i = 0; i < 5; i++) {
    const level = i % 2 ? top + 0.16 : top;
    outline.push([left + i * step, level], [left + (i + 1) * step, level]);
  }
  pen.shape([...outline, [right, bottom]], side.health ? colour : pen.palette.neutral);
  pen.outline([...outline, [right, bottom]], pen.palette.ink, Math.max(0.04, pen.hair));
  pen.text(base.owner ? '2' : '1', x, y + 0.1, 0.56, inkOn(colour), 800);
  if (side.health <= 0) pen.cross(x, y, 0.42, pen.palette.danger, 0.12);
  // The health bar is wide, because bases decide the match.
  pen.gauge(x, y + 0.56, 1.5, part, pen.gaugeColour(part));
  pen.text(String(side.health), x, y - 0.74, 0.46, pen.palette.ink, 700);
}

/** Rocks: boulders, each slightly different. */
function drawRocks(pen: Pen, field: Field): void {
  if (pen.unit < 9 || field.rocks.length > 4000) return pen.walls(field.walls);
  const dark = pen.palette.wall;
  const c = pen.c;
  for (const [shift, size, alpha, fill] of [
    [0, 1, 1, dark],
    [-0.08, 0.62, 0.2, '#ffffff'],
  ] as [number, number, number, string][]) {
    c.beginPath();
    for (const { x, y } of field.rocks) {
      const seed = (x * 73 + y * 151) % 7;
      for (let i = 0; i < 7; i++) {
        const angle = ((i + seed / 7) * 2 * Math.PI) / 7;
        const out = (0.42 + (((seed + i * 3) % 5) - 2) * 0.025) * size;
        const [px, py] = [
          x + MARGIN + 0.5 + shift + out * Math.cos(angle) * 1.08,
          y + MARGIN + 0.5 + shift + out * Math.sin(angle),
        ];
        if (i) c.lineTo(px, py);
        else c.moveTo(px, py);
      }
      c.closePath();
    }
    c.fillStyle = fill;
    pen.fade(alpha, () => c.fill());
  }
}

function drawGround(pen: Pen, field: Field): void {
  const [width, height] = [field.width + 2 * MARGIN, field.height + 2 * MARGIN];
  pen.box(0, 0, width, height, pen.palette.ground, 0.3);
  // Shade the area around the map.
  pen.fade(0.45, () => pen.box(0, 0, width, height, pen.palette.line, 0.3));
  pen.c.save();
  pen.c.translate(MARGIN, MARGIN);
  pen.cells(field.width, field.height);
  pen.c.restore();
  drawRocks(pen, field);
}

function drawSoldiers(pen: Pen, scene: Scene, before: Scene | null, t: number): void {
  const { field, fallen } = scene.extra as Extra;
  const [width, height] = [field.width + 2 * MARGIN, field.height + 2 * MARGIN];
  const going = new Map(fallen.map((one) => [one.thing.id, one.at]));
  for (const { thing, x, y, presence } of moving(scene, before, t)) {
    if (thing.kind === 'base') continue;
    const soldier = thing.data as Soldier;
    const falls = going.get(thing.id);
    if (falls) {
      // The soldier moved and struck before it fell.
      const place = centre(falls);
      const part = Math.min(1, t * 1.6);
      pen.fade(t < 0.6 ? 1 : (1 - t) / 0.4, () =>
        drawSoldier(
          pen,
          soldier.type,
          thing.owner as number,
          soldier['attack-direction'],
          x + (place.x - x) * part,
          y + (place.y - y) * part,
        ),
      );
      continue;
    }
    if (x < 0 || y < 0 || x > width || y > height) {
      // Outside the board: an arrow at the edge.
      const [ex, ey] = [
        Math.max(0.4, Math.min(width - 0.4, x)),
        Math.max(0.4, Math.min(height - 0.4, y)),
      ];
      const eighth = Math.round((Math.atan2(y - ey, x - ex) / Math.PI) * 4);
      pen.stamp(`footsoldiers away ${thing.owner} ${eighth}`, ex, ey, 0.5, (pen) =>
        pen.arrow(0, 0, (eighth * Math.PI) / 4, 0.6, pen.colour(thing.owner)),
      );
      continue;
    }
    pen.fade(presence, () => {
      drawSoldier(pen, soldier.type, thing.owner as number, soldier['attack-direction'], x, y);
      const part = soldier.health / field.health[soldier.type];
      if (part < 1) pen.gauge(x, y + 0.4, 0.8, part, pen.gaugeColour(part));
    });
  }
}

export function paint(pen: Pen, scene: Scene, before: Scene | null, t: number): void {
  const { field, strikes, fallen } = scene.extra as Extra;
  const bases = scene.things.filter((thing) => thing.kind === 'base');
  pen.crowd(
    scene.things,
    `footsoldiers ${field.number} ${bases.map(({ data }) => (data as Side).health)}`,
    (pen) => {
      drawGround(pen, field);
      for (const base of bases) drawBase(pen, base);
    },
    () => drawSoldiers(pen, scene, before, t),
  );
  const strength = flash(before, t, 0.55);
  if (strength > 0)
    pen.fade(strength, () => {
      for (const strike of strikes) drawStrike(pen, centre(strike.from), centre(strike.to));
    });
  pen.fade(before && t < 1 ? t : 1, () => {
    for (const { at } of fallen)
      pen.cross(centre(at).x, centre(at).y, 0.26, pen.palette.danger, 0.08);
  });
}

function drawStrike(pen: Pen, from: Square, to: Square): void {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const [x, y] = [from.x + dx * 0.68, from.y + dy * 0.68];
  const colour = pen.palette.danger;
  pen.line(from.x + dx * 0.3, from.y + dy * 0.3, x, y, colour, 0.12);
  // A burst at the hit: short rays around the point.
  for (let i = 0; i < 5; i++) {
    const angle = Math.atan2(dy, dx) + ((i - 2) * Math.PI) / 5;
    pen.line(x, y, x + 0.26 * Math.cos(angle), y + 0.26 * Math.sin(angle), colour, 0.07);
  }
}

export function paintSelection(pen: Pen, scene: Scene, thing: Thing, x: number, y: number): void {
  const { field } = scene.extra as Extra;
  if (thing.kind === 'base') {
    // The area where soldiers can be built.
    const reach = field.reach + 0.5;
    if (reach < 60)
      pen.outline(
        [
          [x - reach - 0.5, y],
          [x, y - reach - 0.5],
          [x + reach + 0.5, y],
          [x, y + reach + 0.5],
        ],
        pen.palette.glow,
        Math.max(0.04, pen.hair),
      );
    return;
  }
  const soldier = thing.data as Soldier;
  if (far(soldier.position, soldier.destination))
    drawWay(pen, { x, y }, centre(soldier.destination));
}

/** A dashed line with a small flag at its end. */
export function drawWay(pen: Pen, from: Square, to: Square): void {
  pen.line(
    from.x,
    from.y,
    to.x,
    to.y,
    pen.palette.glow,
    Math.max(0.06, 1.5 * pen.hair),
    [0.3, 0.2],
  );
  pen.line(to.x, to.y + 0.3, to.x, to.y - 0.4, pen.palette.glow, Math.max(0.07, 1.5 * pen.hair));
  pen.shape(
    [
      [to.x, to.y - 0.42],
      [to.x + 0.36, to.y - 0.26],
      [to.x, to.y - 0.1],
    ],
    pen.palette.glow,
  );
}
