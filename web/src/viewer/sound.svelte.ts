// A few tones for events of a match. Off by default; the reader's choice is remembered.
import type { MarkKind } from './scan.svelte';

const KEY = 'skirmish-sound';
const GAP = 0.06; // seconds between tones, so that busy turns stay bearable
const VOLUME = 0.12;

// Frequencies in hertz, played in sequence.
const TONES: Partial<Record<MarkKind | 'end', number[]>> = {
  capture: [523, 784],
  death: [196],
  event: [392],
  failure: [147, 139],
  end: [392, 523, 659, 784],
};
const LENGTH = 0.11; // seconds per tone

function stored(): boolean {
  try {
    return localStorage.getItem(KEY) === 'on';
  } catch {
    return false;
  }
}

export const sound = $state({ on: stored() });

let context: AudioContext | null = null;
let busyUntil = 0;

export function switchSound(): void {
  sound.on = !sound.on;
  try {
    if (sound.on) localStorage.setItem(KEY, 'on');
    else localStorage.removeItem(KEY);
  } catch {
    // storage is unavailable: the choice is not remembered
  }
  if (sound.on) playTones(['event']); // a click allows the page to play sound
}

/** Plays the tones of some moments, each kind once. */
export function playTones(kinds: (MarkKind | 'end')[]): void {
  if (!sound.on || typeof AudioContext === 'undefined') return;
  context ??= new AudioContext();
  if (context.state === 'suspended') void context.resume().catch(() => null);
  const now = context.currentTime;
  if (now < busyUntil && !kinds.includes('end')) return;
  let at = now;
  for (const kind of new Set(kinds))
    for (const frequency of TONES[kind] ?? []) {
      tone(context, frequency, at);
      at += LENGTH;
    }
  if (at > now) busyUntil = at + GAP;
}

function tone(context: AudioContext, frequency: number, at: number): void {
  const [source, gain] = [context.createOscillator(), context.createGain()];
  source.type = 'triangle';
  source.frequency.value = frequency;
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(VOLUME, at + 0.01);
  gain.gain.exponentialRampToValueAtTime(0.001, at + LENGTH);
  source.connect(gain).connect(context.destination);
  source.start(at);
  source.stop(at + LENGTH);
}
