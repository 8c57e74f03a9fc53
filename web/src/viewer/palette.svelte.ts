// The colours of boards in the current theme.
import { theme } from '../app/theme.svelte';
import { DARK, LIGHT, type Palette } from '../games/pen';

export function boardPalette(): Palette {
  return theme.dark ? DARK : LIGHT;
}
