// The viewer's keyboard shortcuts. Fields and controls that use a key themselves keep it.
import type { Scan } from './scan.svelte';
import type { Playback } from './playback.svelte';

interface Calls {
  fill(): void;
  help(): void;
  leave(): boolean; // Escape; returns whether it left full screen
}

const FIELDS =
  'input, textarea, select, dialog, [role="textbox"], ' +
  '[contenteditable=""], [contenteditable="true"]';
// These use space and Enter themselves.
const PRESSED = 'button, a[href], summary, [role="button"], [role="tab"]';

export function keyHandler(
  playback: Playback,
  scan: Scan,
  calls: Calls,
): (event: KeyboardEvent) => void {
  function moment(by: 1 | -1): void {
    const turns = scan.moments
      .map((moment) => moment.turn)
      .filter((turn) => (turn - playback.turn) * by > 0);
    if (turns.length) {
      playback.pause();
      playback.go(by > 0 ? Math.min(...turns) : Math.max(...turns));
    }
  }
  function step(by: number): void {
    playback.pause();
    playback.step(by);
  }
  const keys: Record<string, () => unknown> = {
    ' ': () => playback.toggle(),
    ArrowRight: () => step(1),
    ArrowLeft: () => step(-1),
    'Shift+ArrowRight': () => step(10),
    'Shift+ArrowLeft': () => step(-10),
    Home: () => (playback.pause(), playback.go(0)),
    End: () => (playback.pause(), playback.go(playback.length)),
    n: () => moment(1),
    p: () => moment(-1),
    '+': () => playback.changeSpeed(1),
    '=': () => playback.changeSpeed(1),
    '-': () => playback.changeSpeed(-1),
    f: () => calls.fill(),
    '?': () => calls.help(),
    Escape: () => calls.leave() || ((playback.selected = null), (playback.following = false)),
  };
  return (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target instanceof Element ? event.target : null;
    if (target?.closest(FIELDS)) return;
    if (event.key === ' ' && target?.closest(PRESSED)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const call = keys[(event.shiftKey && key.startsWith('Arrow') ? 'Shift+' : '') + key];
    if (!call) return;
    event.preventDefault();
    call();
  };
}
