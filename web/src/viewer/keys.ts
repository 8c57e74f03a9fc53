// The keys of the viewer. Whoever types into a field, or works a control that has a use for the key
// itself, keeps it.
import type { Scan } from './scan.svelte';
import type { Show } from './show.svelte';

interface Calls {
  fill(): void;
  help(): void;
  leave(): boolean; // Escape; whether there was something to leave
}

const FIELDS =
  'input, textarea, select, [contenteditable=""], [contenteditable="true"], dialog, [role="textbox"]';
// Space and Enter are theirs.
const PRESSED = 'button, a[href], summary, [role="button"], [role="tab"]';

export function keyHandler(show: Show, scan: Scan, calls: Calls): (event: KeyboardEvent) => void {
  function moment(by: 1 | -1): void {
    const turns = scan.moments
      .map((moment) => moment.turn)
      .filter((turn) => (turn - show.turn) * by > 0);
    if (turns.length) {
      show.pause();
      show.go(by > 0 ? Math.min(...turns) : Math.max(...turns));
    }
  }
  function step(by: number): void {
    show.pause();
    show.step(by);
  }
  const keys: Record<string, () => unknown> = {
    ' ': () => show.toggle(),
    ArrowRight: () => step(1),
    ArrowLeft: () => step(-1),
    'Shift+ArrowRight': () => step(10),
    'Shift+ArrowLeft': () => step(-10),
    Home: () => (show.pause(), show.go(0)),
    End: () => (show.pause(), show.go(show.length)),
    n: () => moment(1),
    p: () => moment(-1),
    '+': () => show.faster(1),
    '=': () => show.faster(1),
    '-': () => show.faster(-1),
    f: () => calls.fill(),
    '?': () => calls.help(),
    Escape: () => calls.leave() || ((show.picked = null), (show.following = false)),
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
