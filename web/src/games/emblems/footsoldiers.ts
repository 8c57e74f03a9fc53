// The emblem of Footsoldiers: two bases, their soldiers, and rocks between them.
import { box, circle, type EmblemShape } from '.';

const emblem: EmblemShape[] = [
  { style: 'first', path: box(10, 26, 14, 16) + 'M38 28l10 6-10 6zM54 16l8 5-8 5z' },
  { style: 'second', path: box(96, 26, 14, 16) + 'M82 28l-10 6 10 6z' },
  { style: 'wall', path: circle(60, 8, 4) + circle(70, 60, 4) + circle(46, 58, 4) },
];

export default emblem;
