// What is shown of a film, and when: the turn, the way there, playing and pausing. Frames become scenes here; scenes are made in order as far as possible, so that things keep their names.
import type { GameModule, Scene } from '../games/game';
import type { Film } from '../rules/film';

const SCENES_KEPT = 400;

export class Show {
  turn = $state(0); // the scene that is shown, or on the way to
  playing = $state(false);
  speed = $state(8); // turns a second
  length = $state(0);
  live = $state(false);
  version = $state(0); // goes up whenever the film changed
  picked = $state<string | null>(null); // the id of a thing
  follows = $state(false); // stays at the last turn of a live match

  /** Where between the turn before and `turn` one is: 1 is there. Not reactive: the board looks at it for every picture. */
  part = 1;

  private scenes = new Map<number, Scene>();
  private ends: () => void;

  constructor(
    readonly film: Film,
    readonly game: GameModule,
  ) {
    this.ends = film.subscribe(() => this.filmChanged());
    this.filmChanged();
    this.follows = film.live;
    if (film.live) this.turn = film.length;
  }

  private filmChanged(): void {
    this.length = this.film.length;
    if (this.live && !this.film.live) this.scenes.clear(); // the replay has taken over
    this.live = this.film.live;
    this.version++;
    if (this.follows && this.turn < this.length) {
      this.part = this.length - this.turn === 1 ? 0 : 1;
      this.turn = this.length;
    }
  }

  scene(turn: number): Scene {
    let scene = this.scenes.get(turn);
    if (!scene) {
      scene = this.game.scene(this.film.header, this.film.frame(turn), turn > 0 ? (this.scenes.get(turn - 1) ?? null) : null);
      if (this.scenes.size >= SCENES_KEPT) this.scenes.delete(this.scenes.keys().next().value as number);
      this.scenes.set(turn, scene);
    }
    return scene;
  }

  /** The scene before the shown one, made first where it is missing, so that the two fit together. */
  before(): Scene | null {
    if (this.turn === 0 || this.part >= 1) return null;
    return this.scene(this.turn - 1);
  }

  go(turn: number): void {
    this.turn = Math.max(0, Math.min(this.length, Math.round(turn)));
    this.part = 1;
    this.follows = this.live && this.turn === this.length;
  }

  /** One turn on or back; on with motion. */
  step(by: number): void {
    const to = Math.max(0, Math.min(this.length, this.turn + by));
    if (to === this.turn) return;
    if (by === 1) this.scene(this.turn); // so that the next one can be told from it
    this.turn = to;
    this.part = by === 1 ? 0 : 1;
    this.follows = this.live && this.turn === this.length;
  }

  toggle(): void {
    if (!this.playing && this.turn === this.length && !this.live) this.go(0);
    this.playing = !this.playing;
    if (this.playing) this.follows = false;
  }

  /** Time has passed: called for every picture. */
  tick(seconds: number): void {
    if (this.part < 1) this.part = Math.min(1, this.part + seconds * Math.max(this.speed, 4));
    else if (this.playing) {
      if (this.turn < this.length) this.step(1);
      else if (this.live) this.follows = true;
      else this.playing = false;
    }
  }

  close(): void {
    this.ends();
  }
}
