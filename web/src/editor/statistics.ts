// Statistics of a series of matches.

const Z = 1.96; // 95% of a normal distribution is within this many standard deviations

/**
 * The 95% Wilson confidence interval of a share. Unlike the normal approximation, it is also right
 * for few matches and for shares near 0 and 1.
 */
function wilson(points: number, matches: number): [number, number] {
  if (!matches) return [0, 1];
  const share = points / matches;
  const z2 = (Z * Z) / matches;
  const centre = (share + z2 / 2) / (1 + z2);
  const spread = (Z / (1 + z2)) * Math.sqrt((share * (1 - share)) / matches + z2 / (4 * matches));
  return [Math.max(0, centre - spread), Math.min(1, centre + spread)];
}

export interface Tally {
  won: number;
  drawn: number;
  lost: number;
}

export function tally(results: { result: string }[]): Tally {
  const number = (result: string): number => results.filter((one) => one.result === result).length;
  return { won: number('won'), drawn: number('drawn'), lost: number('lost') };
}

export const played = ({ won, drawn, lost }: Tally): number => won + drawn + lost;

const percent = (share: number): string => `${Math.round(100 * share)}%`;

/** "62%", or "–" before the first match. Draws count as half a win. */
export function winRate(one: Tally): string {
  const matches = played(one);
  return matches ? percent((one.won + one.drawn / 2) / matches) : '–';
}

/** "41% to 80%". */
export function interval(one: Tally): string {
  return wilson(one.won + one.drawn / 2, played(one))
    .map(percent)
    .join(' to ');
}
