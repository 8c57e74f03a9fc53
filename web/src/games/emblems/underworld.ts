// The emblem of Underworld: two castles, and the land between them.
import { box, type EmblemShape } from '.';

const emblem: EmblemShape[] = [
  { style: 'first', path: 'M12 56V36h5v5h5v-5h5v5h5v-5h5v20z' },
  { style: 'second', path: 'M83 30V10h5v5h5v-5h5v5h5v-5h5v20z' },
  { style: 'first-outline', path: box(44, 44, 12, 12) },
  { style: 'second-outline', path: box(66, 14, 12, 12) },
  { style: 'wall', path: box(54, 28, 12, 12) },
  { style: 'danger-line', path: 'M72 46l8 8m0-8l-8 8' },
];

export default emblem;
