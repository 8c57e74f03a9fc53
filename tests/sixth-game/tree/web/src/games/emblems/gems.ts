// The emblem of Gems: a unit of each player, and gems.
import { circle, type EmblemShape } from '.';

const emblem: EmblemShape[] = [
  { style: 'first', path: circle(30, 46, 9) },
  { style: 'second', path: circle(90, 22, 9) },
  { style: 'prize', path: 'M60 22l9 12-9 12-9-12z' },
  { style: 'prize', path: 'M96 44l6 8-6 8-6-8zM26 10l6 8-6 8-6-8z' },
];

export default emblem;
