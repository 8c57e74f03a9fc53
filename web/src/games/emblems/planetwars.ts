// The emblem of Planet Wars: planets, and two fleets on their way.
import { circle, type EmblemShape } from '.';

const emblem: EmblemShape[] = [
  { style: 'first', path: circle(24, 34, 12) },
  { style: 'second', path: circle(96, 34, 12) },
  { style: 'wall', path: circle(52, 14, 7) + circle(70, 54, 8) },
  { style: 'route', path: 'M36 30L46 17M84 38L77 50' },
  { style: 'prize', path: 'M42 18l6-3-2 6zM76 45l0 7 5-4z' },
];

export default emblem;
