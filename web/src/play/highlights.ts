// Highlights that the board shows to a player: the units that can get orders, and the places of the
// available actions.
import type { Scene } from '../games/game';
import type { Pen } from '../games/pen';

const LIT = 120; // highlighted squares; more are drawn as dots

const thin = (pen: Pen): number => Math.max(0.05, 1.5 * pen.hair);

/** Draws a ring around each of these units. */
export function ringUnits(pen: Pen, scene: Scene, ids: string[]): void {
  for (const id of ids) {
    const thing = scene.byId.get(id);
    if (thing)
      pen.fade(0.75, () =>
        pen.ring(thing.x, thing.y, thing.size * 1.1, pen.palette.glow, thin(pen)),
      );
  }
}

/** Highlights the places; a thing at one of them gets a ring. */
export function lightPlaces(pen: Pen, scene: Scene, places: { x: number; y: number }[]): void {
  for (const { x, y } of places) {
    const thing =
      places.length <= LIT
        ? scene.things.find((one) => Math.abs(one.x - x) < 0.25 && Math.abs(one.y - y) < 0.25)
        : undefined;
    if (places.length > LIT)
      pen.fade(0.35, () => pen.disc(x, y, Math.max(0.06, pen.hair), pen.palette.glow));
    else if (thing) pen.ring(x, y, Math.max(0.42, thing.size * 0.95), pen.palette.glow, thin(pen));
    else {
      pen.fade(0.2, () => pen.box(x - 0.5, y - 0.5, 1, 1, pen.palette.glow));
      pen.fade(0.8, () => pen.disc(x, y, Math.max(0.1, 2 * pen.hair), pen.palette.glow));
    }
  }
}
