// The emblem of Capture the flag: two flags, a soldier of each player, obstacles and a grenade.
import { box, circle, type EmblemShape } from '.';

const emblem: EmblemShape[] = [
  { style: 'first-outline', path: 'M22 52V16l18 7-18 7' },
  { style: 'second-outline', path: 'M98 52V16l-18 7 18 7' },
  { style: 'wall', path: box(54, 14, 8, 26) + box(62, 32, 14, 8) },
  { style: 'first', path: circle(44, 48, 5) },
  { style: 'second', path: circle(78, 52, 5) },
  { style: 'danger', path: circle(60, 52, 3) },
];

export default emblem;
