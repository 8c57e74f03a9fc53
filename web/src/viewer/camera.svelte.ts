// The visible part of the board: all of it, or an enlarged part. Pixels are CSS pixels.

const MARGIN = 8; // pixels around the board
export const ZOOM_MAX = 24;

export class Camera {
  room = $state.raw({ width: 0, height: 0 }); // pixels
  size = $state.raw({ width: 1, height: 1 }); // the board, in its own units
  zoom = $state(1); // 1: all of it
  // The centre of the view, in board units; used only with zoom.
  private centre = $state.raw({ x: 0, y: 0 });

  private readonly fit = $derived(
    Math.max(
      0.05,
      Math.min(
        (this.room.width - 2 * MARGIN) / this.size.width,
        (this.room.height - 2 * MARGIN) / this.size.height,
      ),
    ),
  );
  /** Pixels per board unit. */
  readonly unit = $derived(this.fit * this.zoom);
  readonly left = $derived(
    this.room.width / 2 -
      this.unit * this.clampCentre(this.centre.x, this.size.width, this.room.width),
  );
  readonly top = $derived(
    this.room.height / 2 -
      this.unit * this.clampCentre(this.centre.y, this.size.height, this.room.height),
  );

  /** The centre, limited so that the board fills the view. */
  private clampCentre(centre: number, size: number, room: number): number {
    const seen = room / this.unit / 2;
    const slack = MARGIN / this.unit;
    if (2 * seen >= size + 2 * slack) return size / 2;
    return Math.max(seen - slack, Math.min(size - seen + slack, centre));
  }

  /** Converts pixels to board units. */
  at(x: number, y: number): { x: number; y: number } {
    return { x: (x - this.left) / this.unit, y: (y - this.top) / this.unit };
  }

  /** Zooms around the point x, y (pixels). */
  zoomAt(x: number, y: number, by: number): void {
    const zoom = Math.max(1, Math.min(ZOOM_MAX, this.zoom * by));
    const under = this.at(x, y);
    this.zoom = zoom;
    this.centre = {
      x: under.x - (x - this.room.width / 2) / this.unit,
      y: under.y - (y - this.room.height / 2) / this.unit,
    };
  }

  pan(dx: number, dy: number): void {
    const middle = this.at(this.room.width / 2, this.room.height / 2);
    this.centre = { x: middle.x - dx / this.unit, y: middle.y - dy / this.unit };
  }

  lookAt(x: number, y: number): void {
    if (this.zoom > 1 && (Math.abs(this.centre.x - x) > 1e-3 || Math.abs(this.centre.y - y) > 1e-3))
      this.centre = { x, y };
  }

  reset(): void {
    this.zoom = 1;
  }
}
