// Playback of a match: the current turn, animation, play and pause. Turns frames into scenes, in
// order where possible, so that things keep their ids.
import type { GameModule, OrderLine, Scene, Thing } from '../games/game';
import type { Recording } from '../rules/recording';
import type { Frame, Verdict } from '../rules/types';

const THINGS_KEPT = 120_000; // in all cached scenes together
const TURNS_PER_FRAME = 4; // maximum, so a slow machine plays slower
// Seconds between updates of the text during playback; long, to leave time for drawing the board.
const TEXT_EVERY = 0.25;

// No animation between turns.
export const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

export const SPEEDS = [1, 2, 4, 8, 16, 32, 64];

export class Playback {
  turn = $state(0); // the current turn, or the one being animated to
  // The turn that the text next to the board describes: `turn`, or slightly behind it.
  textTurn = $state(0);
  playing = $state(false);
  speed = $state(8); // turns per second
  length = $state(0);
  live = $state(false);
  version = $state(0); // incremented when the recording changes
  // Incremented when all frames are replaced, because a replay has replaced a live match.
  source = $state(0);
  verdict = $state.raw<Verdict | null>(null);
  selected = $state<string | null>(null); // id of a thing
  following = $state(false); // keeps the selected thing centred
  followsLive = $state(false); // follows the latest turn of a live match
  interrupted = $state(false); // a live match ended without a verdict, and may restart
  highlighted = $state.raw<OrderLine[]>([]); // orders to show on the board, of `textTurn`

  /**
   * Animation progress from the previous turn to `turn`, 0 to 1. Not reactive: the board reads it
   * every frame.
   */
  progress = 1;

  private scenes = new Map<number, Scene>();
  private things = 0;
  private sinceText = 0; // seconds
  private header: unknown;
  private ordersOf: { frame: Frame; lines: OrderLine[][] } | null = null;
  private unsubscribe: () => void;

  constructor(
    readonly recording: Recording,
    readonly game: GameModule,
  ) {
    this.header = recording.header;
    this.unsubscribe = recording.subscribe(() => this.recordingChanged());
    this.followsLive = recording.live;
    this.turn = recording.live ? recording.length : 0;
    this.textTurn = this.turn;
    this.recordingChanged();
  }

  private recordingChanged(): void {
    if (this.recording.header !== this.header) {
      this.header = this.recording.header;
      this.forget();
      this.source++;
    }
    this.length = this.recording.length;
    this.interrupted =
      (this.live || this.interrupted) && !this.recording.live && !this.recording.verdict;
    this.live = this.recording.live;
    this.verdict = this.recording.verdict;
    this.version++;
    if (this.turn > this.length) this.go(this.length);
    if (!this.live) this.followsLive = this.followsLive && this.turn < this.length;
  }

  private forget(): void {
    this.scenes.clear();
    this.things = 0;
  }

  /**
   * Caches a scene in place of an earlier scene of that turn, and keeps the selection. `Scan`
   * passes its scenes, which it makes in order.
   */
  cacheScene(turn: number, scene: Scene): void {
    const was = this.scenes.get(turn);
    if (was === scene) return;
    if (was) {
      this.scenes.delete(turn);
      this.things -= was.things.length + 1;
      const selected =
        this.selected !== null && turn === this.turn ? was.byId.get(this.selected) : undefined;
      if (selected && !scene.byId.has(selected.id))
        this.selected = scene.things.find((thing) => same(thing, selected))?.id ?? null;
    }
    this.scenes.set(turn, scene);
    this.things += scene.things.length + 1;
    for (const [old, dropped] of this.scenes) {
      if (this.things <= THINGS_KEPT) break;
      if (Math.abs(old - this.turn) < 2 || old === turn) continue;
      this.scenes.delete(old);
      this.things -= dropped.things.length + 1;
    }
  }

  scene(turn: number): Scene {
    let scene = this.scenes.get(turn);
    if (!scene) {
      // After a jump, make the previous scene too, so that the two match.
      const before =
        turn > 0
          ? (this.scenes.get(turn - 1) ??
            this.game.scene(this.recording.header, this.recording.frame(turn - 1), null))
          : null;
      if (before) this.cacheScene(turn - 1, before);
      scene = this.game.scene(this.recording.header, this.recording.frame(turn), before);
      this.cacheScene(turn, scene);
    }
    return scene;
  }

  /** Makes the scene of the next turn in advance, since that takes long on a crowded board. */
  prepare(): void {
    if (this.playing && this.turn < this.length) this.scene(this.turn + 1);
  }

  /** The previous scene, while the animation from it runs. */
  before(): Scene | null {
    if (this.turn === 0 || this.progress >= 1 || reducedMotion.matches) return null;
    this.scene(this.turn);
    return this.scene(this.turn - 1);
  }

  /** The orders of a turn, per player. Returns the same objects until called for another turn. */
  orders(turn: number): OrderLine[][] {
    const frame = this.recording.frame(turn);
    if (this.ordersOf?.frame !== frame) {
      const { header } = this.recording;
      const lines = frame.players.map((_, player) => this.game.orders(header, frame, player));
      this.ordersOf = { frame, lines };
    }
    return this.ordersOf.lines;
  }

  highlight(lines: OrderLine[]): void {
    if (lines.length || this.highlighted.length) this.highlighted = lines;
  }

  /** Events of a frame, or reasons for rejected orders, with the players' names. */
  readable(frame: Frame, texts: string[]): string[] {
    const { game, recording } = this;
    return texts.map((text) => game.readable?.(recording.header, frame, text) ?? text);
  }

  /** The selected thing in the current turn, or null. */
  thing(): Thing | null {
    return this.selected === null ? null : (this.scene(this.turn).byId.get(this.selected) ?? null);
  }

  /** Makes the text describe the current turn. */
  private describe(): void {
    if (this.textTurn !== this.turn) this.highlight([]);
    this.textTurn = this.turn;
    this.sinceText = 0;
  }

  private moved(): void {
    this.describe();
    this.followsLive = this.live && this.turn === this.length;
  }

  go(turn: number): void {
    this.turn = Math.max(0, Math.min(this.length, Math.round(turn) || 0));
    this.progress = 1;
    this.moved();
  }

  /** Steps forward or back; one turn forward is animated. */
  step(by: number): void {
    const to = Math.max(0, Math.min(this.length, this.turn + by));
    if (to === this.turn) return;
    this.turn = to;
    this.progress = by === 1 ? 0 : 1;
    this.moved();
  }

  toggle(): void {
    if (!this.playing && this.turn === this.length && !this.live) this.go(0);
    this.playing = !this.playing;
    if (!this.playing) this.moved();
  }

  pause(): void {
    if (this.playing) this.toggle();
  }

  /** The next higher (1) or lower (-1) speed. */
  changeSpeed(by: number): void {
    const at = SPEEDS.findIndex((speed) => speed >= this.speed);
    this.speed = SPEEDS[
      Math.max(0, Math.min(SPEEDS.length - 1, (at < 0 ? SPEEDS.length - 1 : at) + by))
    ] as number;
  }

  /** Goes to the latest turn of a live match and follows it. */
  catchUp(): void {
    this.playing = false;
    this.go(this.length);
  }

  /** Whether another animation frame is needed. */
  get animating(): boolean {
    return this.progress < 1 || this.playing || (this.followsLive && this.turn < this.length);
  }

  /** Advances the animation; called every frame. */
  tick(seconds: number): void {
    if (!this.animating) return;
    const behind = this.length - this.turn;
    const catchesUp = this.followsLive && !this.playing;
    if (catchesUp && behind > 8) {
      this.turn = this.length;
      this.progress = 1;
    }
    this.progress +=
      seconds *
      (catchesUp ? Math.max(4, 3 * behind) : this.playing ? this.speed : Math.max(4, this.speed));
    for (let steps = 0; this.progress >= 1; steps++) {
      const on = (this.playing || this.followsLive) && this.turn < this.length;
      if (!on || steps === TURNS_PER_FRAME) {
        this.progress = 1;
        break;
      }
      this.turn++;
      this.progress -= 1;
    }
    if (this.playing && this.progress >= 1 && this.turn === this.length) {
      this.playing = false; // a live match is followed from here
      this.moved();
    }
    this.sinceText += seconds;
    if (this.sinceText >= TEXT_EVERY || !this.animating) this.describe();
  }

  close(): void {
    this.unsubscribe();
    this.forget();
  }
}

function same(a: Thing, b: Thing): boolean {
  return a.kind === b.kind && a.owner === b.owner && a.x === b.x && a.y === b.y;
}
