// Draws a range of turns as an animated GIF, in the browser.
import { nameAfter } from '../games/game';
import { inkOn, Pen, playerColour, type Palette } from '../games/pen';
import { playerNames } from './describe';
import { GifWriter, paletteOf } from './gif';
import type { Playback } from './playback.svelte';

export interface AnimationOptions {
  from: number; // turns
  to: number;
  width: number; // pixels
  speed: number; // turns per second
  palette: Palette;
}

const PER_SECOND = 20; // maximum number of pictures: browsers slow down faster animations
export const PICTURES_MAX = 1500;
const LINGER = 200; // hundredths of a second, for the last picture
const CAPTION = 26; // pixels per line
const LISTED = 4; // players in the caption

/** The number of pictures per turn at this speed. */
export function picturesPerTurn(speed: number): number {
  return Math.max(1, Math.floor(PER_SECOND / speed));
}

/** Draws the turns, calling `progress` with 0 to 1. Throws when the signal is aborted. */
export async function makeAnimation(
  playback: Playback,
  { from, to, width, speed, palette }: AnimationOptions,
  progress: (part: number) => void,
  signal: AbortSignal,
): Promise<Blob> {
  const { recording, game } = playback;
  const size = game.size(recording.header, recording.frame(0));
  const unit = width / size.width;
  const players = Math.min(LISTED, recording.header.players.length);
  const height = Math.max(1, Math.round(size.height * unit)) + CAPTION * Math.ceil(players / 2);
  const canvas = new OffscreenCanvas(width, height);
  const c = canvas.getContext('2d', { willReadFrequently: true });
  if (!c) throw new Error('This browser cannot draw the animation.');
  const context = c as unknown as CanvasRenderingContext2D;

  const draw = (turn: number, t: number): Uint8ClampedArray => {
    const scene = playback.scene(turn);
    const before = turn > 0 && t < 1 ? playback.scene(turn - 1) : null;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = palette.ground;
    context.fillRect(0, 0, width, height);
    context.setTransform(unit, 0, 0, unit, 0, 0);
    game.paint(new Pen(context, palette, unit), scene, before, t);
    context.setTransform(1, 0, 0, 1, 0, 0);
    drawCaption(context, playback, palette, turn, players, width, height);
    return c.getImageData(0, 0, width, height).data;
  };

  const perTurn = picturesPerTurn(speed);
  const delay = Math.max(2, Math.round(100 / (speed * perTurn)));
  const samples = [0, 0.5, 1].map((part) => draw(Math.round(from + (to - from) * part), 1));
  const writer = new GifWriter(width, height, paletteOf(samples));
  const total = 1 + (to - from) * perTurn;
  let done = 0;
  for (let turn = from; turn <= to; turn++)
    for (let step = turn === from ? perTurn : 1; step <= perTurn; step++) {
      const last = turn === to && step === perTurn;
      writer.frame(draw(turn, step / perTurn), last ? LINGER : delay);
      progress(++done / total);
      await new Promise((resolve) => setTimeout(resolve)); // the page stays responsive
      signal.throwIfAborted();
    }
  return writer.end();
}

/** The players with their values, two per line, and the turn. */
function drawCaption(
  c: CanvasRenderingContext2D,
  playback: Playback,
  palette: Palette,
  turn: number,
  players: number,
  width: number,
  height: number,
): void {
  const lines = Math.ceil(players / 2);
  const top = height - CAPTION * lines;
  const names = playerNames(playback.recording.header.players);
  const line = playback.game.series(playback.scene(turn))[0];
  c.fillStyle = palette.ground;
  c.fillRect(0, top, width, CAPTION * lines);
  c.textBaseline = 'middle';
  const count = `turn ${turn}`;
  c.font = '13px system-ui, sans-serif';
  const right = c.measureText(`turn ${playback.length}`).width + 12;
  const room = (width - right) / 2;
  for (let player = 0; player < players; player++) {
    const x = 6 + (player % 2) * room;
    const y = top + CAPTION * (Math.floor(player / 2) + 0.5);
    const colour = playerColour(palette, player);
    c.fillStyle = colour;
    c.beginPath();
    c.arc(x + 8, y, 8, 0, 2 * Math.PI);
    c.fill();
    c.textAlign = 'center';
    c.font = '700 12px system-ui, sans-serif';
    c.fillStyle = inkOn(colour);
    c.fillText(String(player + 1), x + 8, y + 0.5);
    c.textAlign = 'left';
    c.font = '13px system-ui, sans-serif';
    c.fillStyle = palette.ink;
    const value = line?.values[player];
    const text = line
      ? `${names[player]}: ${value ?? '–'} ${nameAfter(line, value)}`
      : names[player];
    c.fillText(text as string, x + 20, y, room - 24);
  }
  c.textAlign = 'right';
  c.fillStyle = palette.ink;
  c.fillText(count, width - 6, top + CAPTION * 0.5);
}
