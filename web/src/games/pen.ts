// What games draw with: a canvas in the board's own units, the colours of the page's theme, and the shapes that more than one game needs.

export interface Palette {
  ground: string; // the board
  line: string; // grids and borders
  wall: string;
  ink: string; // text and signs
  faint: string; // what matters less
  neutral: string; // what belongs to nobody
  danger: string;
  glow: string; // what is picked, or can be chosen
  players: string[];
}

// Eight colours that people who see colours differently can tell apart; further players get hues in between.
const PLAYERS = ['#e69f00', '#3a8fd6', '#009e73', '#d55e00', '#b967c7', '#c7b31c', '#36b5a2', '#8c6d4f'];

export const LIGHT: Palette = {
  ground: '#f4f1ea', line: '#ddd7ca', wall: '#8a8272', ink: '#1f2328', faint: '#8b8577', neutral: '#9a9384', danger: '#c4302b', glow: '#7a3cff',
  players: PLAYERS,
};

export const DARK: Palette = {
  ground: '#161b22', line: '#262d38', wall: '#596273', ink: '#e8e6e1', faint: '#7d8590', neutral: '#6e7681', danger: '#ff6b63', glow: '#b794ff',
  players: PLAYERS,
};

export function playerColour(palette: Palette, player: number | null): string {
  if (player === null) return palette.neutral;
  return palette.players[player] ?? `hsl(${Math.round((player * 137.5) % 360)} 60% 52%)`;
}

export class Pen {
  /** `unit` is how many pixels of the screen (CSS pixels) one unit of the board is; what would be smaller than it can be read is better left out. */
  constructor(
    readonly c: CanvasRenderingContext2D,
    readonly palette: Palette,
    readonly unit: number,
  ) {}

  /** One pixel of the screen, in units of the board: for hairlines. */
  get hair(): number {
    return 1 / this.unit;
  }

  colour(player: number | null): string {
    return playerColour(this.palette, player);
  }

  fade(presence: number, draw: () => void): void {
    const was = this.c.globalAlpha;
    this.c.globalAlpha = was * presence;
    draw();
    this.c.globalAlpha = was;
  }

  disc(x: number, y: number, radius: number, fill: string): void {
    this.c.beginPath();
    this.c.arc(x, y, radius, 0, 2 * Math.PI);
    this.c.fillStyle = fill;
    this.c.fill();
  }

  ring(x: number, y: number, radius: number, stroke: string, width = 0.08): void {
    this.c.beginPath();
    this.c.arc(x, y, radius, 0, 2 * Math.PI);
    this.c.strokeStyle = stroke;
    this.c.lineWidth = width;
    this.c.stroke();
  }

  box(x: number, y: number, width: number, height: number, fill: string, corner = 0): void {
    this.c.beginPath();
    this.c.roundRect(x, y, width, height, corner);
    this.c.fillStyle = fill;
    this.c.fill();
  }

  line(x1: number, y1: number, x2: number, y2: number, stroke: string, width = 0.08, dash: number[] = []): void {
    this.c.beginPath();
    this.c.setLineDash(dash);
    this.c.moveTo(x1, y1);
    this.c.lineTo(x2, y2);
    this.c.strokeStyle = stroke;
    this.c.lineWidth = width;
    this.c.stroke();
    this.c.setLineDash([]);
  }

  shape(points: [number, number][], fill: string): void {
    this.c.beginPath();
    points.forEach(([x, y], i) => (i ? this.c.lineTo(x, y) : this.c.moveTo(x, y)));
    this.c.closePath();
    this.c.fillStyle = fill;
    this.c.fill();
  }

  /** A text whose middle is at x, y. `size` is its height in units; what would be under 7 pixels is not drawn. */
  text(text: string, x: number, y: number, size: number, fill: string, weight = 600): void {
    if (size * this.unit < 7) return;
    // Canvas fonts below a few pixels come out badly in some browsers, so the text is drawn large and shrunk.
    this.c.save();
    this.c.translate(x, y);
    this.c.scale(size / 32, size / 32);
    this.c.font = `${weight} 32px system-ui, sans-serif`;
    this.c.textAlign = 'center';
    this.c.textBaseline = 'middle';
    this.c.fillStyle = fill;
    this.c.fillText(text, 0, 1);
    this.c.restore();
  }

  /** The ground of a board of cells, with its grid where cells are large enough for one. */
  cells(width: number, height: number): void {
    this.box(0, 0, width, height, this.palette.ground);
    if (this.unit < 6) return;
    this.c.beginPath();
    for (let x = 0; x <= width; x++) {
      this.c.moveTo(x, 0);
      this.c.lineTo(x, height);
    }
    for (let y = 0; y <= height; y++) {
      this.c.moveTo(0, y);
      this.c.lineTo(width, y);
    }
    this.c.strokeStyle = this.palette.line;
    this.c.lineWidth = this.hair;
    this.c.stroke();
  }

  /** A bar of how much of something is left, under a thing. */
  gauge(x: number, y: number, width: number, part: number, fill: string): void {
    if (this.unit * width < 8) return;
    const height = 0.09;
    this.box(x - width / 2, y, width, height, this.palette.line, height / 2);
    if (part > 0) this.box(x - width / 2, y, width * Math.min(1, part), height, fill, height / 2);
  }
}
