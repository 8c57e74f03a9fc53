// What is shown of a film, and when: the turn, the way there, playing and pausing. Frames become
// scenes here; scenes are made in order as far as possible, so that things cacheScene their names.
import type { GameModule, Scene, Thing } from '../games/game';
import type { Film } from '../rules/film';
import type { Verdict } from '../rules/types';

const THINGS_KEPT = 120_000; // in all scenes together: what memory is spent on
const STEPS_A_PICTURE = 4; // turns that one picture may skip; a slow machine plays slower then
// Seconds: while it plays, the words beside the board follow at this pace, so that the board has
// the time.
const TEXT_EVERY = 0.15;

// Turns follow each other without motion between them.
const calm = matchMedia('(prefers-reduced-motion: reduce)');

export const SPEEDS = [1, 2, 4, 8, 16, 32, 64];

export class Playback {
  turn = $state(0); // the scene that is shown, or on the way to
  // The turn that the words beside the board tell of: `turn`, or a little behind it.
  textTurn = $state(0);
  playing = $state(false);
  speed = $state(8); // turns a second
  length = $state(0);
  live = $state(false);
  version = $state(0); // goes up whenever the film changed
  // Goes up when all frames are new ones: the replay has taken the place of what was seen live.
  source = $state(0);
  verdict = $state.raw<Verdict | null>(null);
  selected = $state<string | null>(null); // the id of a thing
  following = $state(false); // keeps the selected thing in the middle
  followsLive = $state(false); // stays at the last turn of a live match

  /**
   * Where between the turn before and `turn` one is: 1 is there. Not reactive: the board looks at
   * it for every picture.
   */
  progress = 1;

  private scenes = new Map<number, Scene>();
  private things = 0;
  private sinceText = 0; // seconds
  private header: unknown;
  private ends: () => void;

  constructor(
    readonly film: Film,
    readonly game: GameModule,
  ) {
    this.header = film.header;
    this.ends = film.subscribe(() => this.filmChanged());
    this.followsLive = film.live;
    this.turn = film.live ? film.length : 0;
    this.textTurn = this.turn;
    this.filmChanged();
  }

  private filmChanged(): void {
    if (this.film.header !== this.header) {
      this.header = this.film.header;
      this.forget();
      this.source++;
    }
    this.length = this.film.length;
    this.live = this.film.live;
    this.verdict = this.film.verdict;
    this.version++;
    if (this.turn > this.length) this.go(this.length);
    if (!this.live) this.followsLive = this.followsLive && this.turn < this.length;
  }

  private forget(): void {
    this.scenes.clear();
    this.things = 0;
  }

  /**
   * Keeps a scene. One that was made in order takes the place of one that was not; what is selected
   * stays selected.
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
      // After a jump the one before is made as well, so that the two fit together.
      const before =
        turn > 0
          ? (this.scenes.get(turn - 1) ??
            this.game.scene(this.film.header, this.film.frame(turn - 1), null))
          : null;
      if (before) this.cacheScene(turn - 1, before);
      scene = this.game.scene(this.film.header, this.film.frame(turn), before);
      this.cacheScene(turn, scene);
    }
    return scene;
  }

  /** The scene before the shown one, while on the way from there. */
  before(): Scene | null {
    if (this.turn === 0 || this.progress >= 1 || calm.matches) return null;
    this.scene(this.turn);
    return this.scene(this.turn - 1);
  }

  /** The selected thing as it is in the turn shown, or null. */
  thing(): Thing | null {
    return this.selected === null ? null : (this.scene(this.turn).byId.get(this.selected) ?? null);
  }

  private moved(): void {
    this.textTurn = this.turn;
    this.sinceText = 0;
    this.followsLive = this.live && this.turn === this.length;
  }

  go(turn: number): void {
    this.turn = Math.max(0, Math.min(this.length, Math.round(turn) || 0));
    this.progress = 1;
    this.moved();
  }

  /** One turn on or back; on with motion. */
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

  /** The next speed that is changeSpeed (1) or slower (-1). */
  changeSpeed(by: number): void {
    const at = SPEEDS.findIndex((speed) => speed >= this.speed);
    this.speed = SPEEDS[
      Math.max(0, Math.min(SPEEDS.length - 1, (at < 0 ? SPEEDS.length - 1 : at) + by))
    ] as number;
  }

  /** To the last turn of a live match, and on with it. */
  catchUp(): void {
    this.playing = false;
    this.go(this.length);
  }

  /** Whether there is a next picture to draw. */
  get animating(): boolean {
    return this.progress < 1 || this.playing || (this.followsLive && this.turn < this.length);
  }

  /** Time has passed: called for every picture. */
  tick(seconds: number): void {
    if (!this.animating) return;
    const behind = this.length - this.turn;
    const chases = this.followsLive && !this.playing;
    if (chases && behind > 8) {
      this.turn = this.length;
      this.progress = 1;
    }
    this.progress +=
      seconds *
      (chases ? Math.max(4, 3 * behind) : this.playing ? this.speed : Math.max(4, this.speed));
    for (let steps = 0; this.progress >= 1; steps++) {
      const on = (this.playing || this.followsLive) && this.turn < this.length;
      if (!on || steps === STEPS_A_PICTURE) {
        this.progress = 1;
        break;
      }
      this.turn++;
      this.progress -= 1;
    }
    if (this.playing && this.progress >= 1 && this.turn === this.length) {
      this.playing = false; // of a live match the rest is followed
      this.moved();
    }
    this.sinceText += seconds;
    if (this.sinceText >= TEXT_EVERY || !this.animating) {
      this.textTurn = this.turn;
      this.sinceText = 0;
    }
  }

  close(): void {
    this.ends();
    this.forget();
  }
}

function same(a: Thing, b: Thing): boolean {
  return a.kind === b.kind && a.owner === b.owner && a.x === b.x && a.y === b.y;
}
