// The visible part of the board: all of it, or an enlarged part. Pixels are CSS pixels.

const MARGIN = 8; // pixels around the board
const ZOOM_MAX = 24;
const READABLE = 11; // pixels per board unit; below this, symbols are hard to tell apart
const ACTION_UNIT = 34; // pixels per board unit, at most, when the camera shows the action

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export class Camera {
  room = $state.raw({ width: 0, height: 0 }); // pixels
  size = $state.raw({ width: 1, height: 1 }); // the board, in its own units
  zoom = $state(1); // 1: the whole board
  // The centre of the view, in board units; used only if zoom > 1.
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
  /** Whether the whole board is too small to read. */
  readonly tiny = $derived(this.room.width > 0 && this.fit < READABLE);
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

  /**
   * Moves the view towards a part of the board, which fills the view as far as that stays readable;
   * null: the whole board. `part` is the fraction of the way, from 0 to 1.
   */
  aim(box: Box | null, part: number): void {
    const most = Math.max(1, Math.min(ZOOM_MAX, ACTION_UNIT / this.fit));
    const least = Math.max(1, READABLE / this.fit);
    const zoom = !box
      ? 1
      : Math.max(
          least,
          Math.min(
            most,
            this.room.width / (box.right - box.left) / this.fit,
            this.room.height / (box.bottom - box.top) / this.fit,
          ),
        );
    const to = box
      ? { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 }
      : { x: this.size.width / 2, y: this.size.height / 2 };
    const now = this.zoom > 1 ? this.centre : { x: this.size.width / 2, y: this.size.height / 2 };
    const nearly = (one: number, other: number): number =>
      Math.abs(other - one) < 0.01 ? other : one + (other - one) * part;
    const centre = { x: nearly(now.x, to.x), y: nearly(now.y, to.y) };
    this.zoom = nearly(this.zoom, zoom);
    // Assigning an equal value would cause another frame.
    if (centre.x !== this.centre.x || centre.y !== this.centre.y) this.centre = centre;
  }

  reset(): void {
    this.zoom = 1;
  }
}
