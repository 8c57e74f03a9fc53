// The emblem of Aliens: units of both players, and the energy between them.
import { circle, type EmblemShape } from '.';

const emblem: EmblemShape[] = [
  {
    style: 'first',
    path: circle(22, 18, 5) + circle(34, 18, 5) + circle(22, 30, 5) + circle(46, 30, 5),
  },
  { style: 'second', path: circle(98, 50, 5) + circle(86, 50, 5) + circle(86, 38, 5) },
  { style: 'prize', path: 'M60 40l2.4 5.6 5.6 2.4-5.6 2.4L60 56l-2.4-5.6-5.6-2.4 5.6-2.4z' },
  { style: 'prize', path: 'M66 10l2.4 5.6 5.6 2.4-5.6 2.4L66 26l-2.4-5.6-5.6-2.4 5.6-2.4z' },
];

export default emblem;
