// The time limits per turn that a person can choose.
export const TIMES = [30_000, 60_000, 120_000, 300_000, 600_000];

export function turnTimeLabel(ms: number): string {
  const minutes = ms / 60_000;
  return minutes < 1 ? `${ms / 1000} seconds` : minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
