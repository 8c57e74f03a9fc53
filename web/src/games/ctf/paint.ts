// Draws a scene of Capture the flag.
import { flash, moving, type Scene, type Thing } from '../game';
import { inkOn, type Pen } from '../pen';
import {
  centre,
  type Extra,
  type Field,
  type Flag,
  type Grenade,
  playerOf,
  type Soldier,
  type Square,
} from './state';

/** The body of a soldier: round for player 1, square for player 2. */
function body(pen: Pen, player: number, radius: number, fill: string): void {
  if (player === 0) pen.disc(0, 0, radius, fill);
  else
    pen.shape(
      [
        [-radius, -radius * 0.55],
        [-radius * 0.55, -radius],
        [radius * 0.55, -radius],
        [radius, -radius * 0.55],
        [radius, radius * 0.95],
        [-radius, radius * 0.95],
      ],
      fill,
    );
}

function drawSoldier(pen: Pen, field: Field, thing: Thing, x: number, y: number): void {
  const { soldier, scale } = thing.data as { soldier: Soldier; scale: number };
  const colour = pen.colour(thing.owner);
  const player = thing.owner as number;
  // Large enough to read, if the body has room for it.
  const letter = Math.max(0.46, 7.2 / (pen.unit * scale));
  pen.at(x, y, 0, scale, () => {
    if (!soldier.alive) {
      pen.fade(0.45, () => body(pen, player, 0.34, pen.palette.neutral));
      pen.cross(0, 0, 0.3, pen.palette.danger, 0.1);
      if (letter <= 0.7) pen.text(soldier.name, 0, 0, letter, pen.palette.ink, 700);
      return;
    }
    body(pen, player, 0.34, colour);
    if (pen.unit * scale >= 8 && soldier.cooldown !== null) {
      // The ring fills during the cooldown; full and with a dot, the soldier can throw.
      const part = field.cooldown ? 1 - Math.min(1, soldier.cooldown / field.cooldown) : 1;
      pen.ring(0, 0, 0.43, pen.palette.line, 0.06);
      pen.arc(0, 0, 0.43, part, soldier.cooldown ? pen.palette.faint : colour, 0.07);
      if (soldier.cooldown === 0) pen.disc(0.31, -0.31, 0.11, pen.palette.ink);
    }
    if (letter <= 0.7) pen.text(soldier.name, 0, 0, letter, inkOn(colour), 800);
  });
}

function drawFlag(pen: Pen, thing: Thing, x: number, y: number): void {
  const flag = thing.data as Flag;
  const colour = pen.colour(thing.owner);
  const scale = flag.carrier ? 0.8 : 1;
  pen.at(x + (flag.carrier ? 0.16 : -0.12), y - (flag.carrier ? 0.3 : 0), 0, scale, () => {
    pen.line(0, 0.38, 0, -0.44, pen.palette.ink, Math.max(0.06, pen.hair));
    // A flag with one tip for player 1, two for player 2.
    const cloth: [number, number][] =
      thing.owner === 0
        ? [
            [0, -0.44],
            [0.46, -0.2],
            [0, 0.04],
          ]
        : [
            [0, -0.44],
            [0.46, -0.44],
            [0.3, -0.2],
            [0.46, 0.04],
            [0, 0.04],
          ];
    pen.shape(cloth, colour);
    pen.outline(cloth, pen.palette.ink, Math.max(0.025, 0.6 * pen.hair));
    pen.text(String((thing.owner as number) + 1), 0.14, -0.2, 0.28, inkOn(colour), 800);
  });
}

function drawGround(pen: Pen, field: Field): void {
  pen.cells(field.width, field.height);
  for (const player of [0, 1]) {
    const colour = pen.colour(player);
    const [base, spawn] = [field.bases[player] as Square, field.spawns[player] as Square];
    pen.fade(0.3, () => pen.box(base.x, base.y, 1, 1, colour));
    pen.box(base.x + 0.1, base.y + 0.74, 0.8, 0.16, colour, 0.05); // a pedestal
    pen.fade(0.16, () => pen.box(spawn.x, spawn.y, 1, 1, colour));
    pen.fade(0.8, () => pen.ring(spawn.x + 0.5, spawn.y + 0.5, 0.46, colour, 0.05));
    if (pen.unit >= 14)
      pen.fade(0.7, () =>
        pen.text(String(player + 1), spawn.x + 0.14, spawn.y + 0.16, 0.24, pen.palette.ink, 700),
      );
  }
  pen.walls(field.walls);
}

function drawBlast(pen: Pen, { x, y }: Square, strength: number, t: number): void {
  const reach = 1.5 * Math.min(1, 0.4 + t * 3);
  pen.fade(0.34 * strength, () =>
    pen.box(x + 0.5 - reach, y + 0.5 - reach, 2 * reach, 2 * reach, pen.palette.danger, 0.2),
  );
  pen.fade(strength, () => {
    pen.c.setLineDash([]);
    for (let i = 0; i < 12; i++) {
      const angle = (i * Math.PI) / 6;
      const [near, out] = [0.3, i % 2 ? 0.75 : 1.15];
      pen.line(
        x + 0.5 + near * Math.cos(angle),
        y + 0.5 + near * Math.sin(angle),
        x + 0.5 + out * Math.cos(angle),
        y + 0.5 + out * Math.sin(angle),
        '#ff9d2e',
        0.1,
      );
    }
    pen.disc(x + 0.5, y + 0.5, 0.26, '#ffd166');
  });
}

function drawGrenade(pen: Pen, grenade: Grenade, x: number, y: number, height: number): void {
  const size = Math.max(0.22, Math.min(0.32, 6 * pen.hair)) + height * 0.12;
  if (height > 0) pen.fade(0.25, () => pen.disc(x, y, 0.14, '#000000')); // its shadow
  const top = y - height;
  pen.disc(x, top, size, pen.palette.ink);
  pen.ring(x, top, size, pen.colour(playerOf(grenade.team)), 0.07);
  pen.line(x + size * 0.6, top - size * 0.7, x + size * 1.1, top - size * 1.3, '#ff9d2e', 0.07);
  if (pen.unit >= 16)
    pen.text(
      String(grenade.countdown),
      x,
      top,
      Math.max(0.28, 8 * pen.hair),
      pen.palette.ground,
      800,
    );
}

/** The blast area, with a heavier outline as time runs out. */
export function drawDanger(pen: Pen, grenade: Grenade, strength: number): void {
  const now = grenade.countdown === 0;
  pen.fade((now ? 0.16 : 0.07) * strength, () =>
    pen.box(grenade.x - 1, grenade.y - 1, 3, 3, pen.palette.danger, 0.1),
  );
  pen.fade((now ? 0.9 : 0.45) * strength, () => {
    const [left, top, right, bottom] = [
      grenade.x - 0.96,
      grenade.y - 0.96,
      grenade.x + 1.96,
      grenade.y + 1.96,
    ];
    const width = Math.max(now ? 0.07 : 0.04, pen.hair);
    for (const [x1, y1, x2, y2] of [
      [left, top, right, top],
      [right, top, right, bottom],
      [right, bottom, left, bottom],
      [left, bottom, left, top],
    ] as [number, number, number, number][])
      pen.line(x1, y1, x2, y2, pen.palette.danger, width, [0.25, 0.2]);
  });
}

export function paint(pen: Pen, scene: Scene, before: Scene | null, t: number): void {
  const { field, blasts, thrown, captures } = scene.extra as Extra;
  const going = before !== null && t < 1;
  drawGround(pen, field);
  const things = moving(scene, before, t);
  for (const { thing, presence } of things)
    if (thing.kind === 'grenade' && scene.byId.has(thing.id)) drawDanger(pen, thing.data, presence);
  // Explosions come first in a round, so they are brightest at its start.
  const blast = going ? 1 - 0.55 * t : 0.45;
  for (const at of blasts) drawBlast(pen, at, blast, going ? t : 1);
  for (const player of captures) {
    const home = centre(field.bases[player] as Square);
    const strength = flash(before, t, 0.2);
    for (const ring of [0.6, 1, 1.4])
      pen.fade(strength, () =>
        pen.ring(home.x, home.y, ring * (going ? 0.4 + 0.6 * t : 1), pen.colour(player), 0.1),
      );
  }
  for (const alive of [false, true])
    for (const { thing, x, y, presence } of things)
      if (thing.kind === 'soldier' && (thing.data.soldier as Soldier).alive === alive)
        pen.fade(presence, () => drawSoldier(pen, field, thing, x, y));
  for (const { thing, x, y, presence } of things)
    if (thing.kind === 'flag') pen.fade(presence, () => drawFlag(pen, thing, x, y));
  const flying = new Map(thrown.map((one) => [one.id, one.from]));
  for (const { thing, x, y, presence } of things) {
    if (thing.kind !== 'grenade') continue;
    const from = flying.get(thing.id);
    if (going && from && scene.byId.has(thing.id))
      drawGrenade(
        pen,
        thing.data,
        from.x + (x - from.x) * t,
        from.y + (y - from.y) * t,
        2.4 * t * (1 - t),
      );
    else pen.fade(presence, () => drawGrenade(pen, thing.data, x, y, 0));
  }
}

export function paintSelection(pen: Pen, scene: Scene, thing: Thing, x: number, y: number): void {
  const { field } = scene.extra as Extra;
  if (thing.kind !== 'soldier' || !(thing.data.soldier as Soldier).alive || field.range > 250)
    return;
  // Its throwing range, in steps: a diamond.
  const reach = field.range + 0.5;
  pen.fade(0.7, () =>
    pen.outline(
      [
        [x - reach, y],
        [x, y - reach],
        [x + reach, y],
        [x, y + reach],
      ],
      pen.palette.glow,
      Math.max(0.04, pen.hair),
    ),
  );
}
