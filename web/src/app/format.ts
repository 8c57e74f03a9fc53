// Numbers and times as text, the same on every page.

const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** "15 Nov 2026, 10:12", or "never". */
export function when(time: string | null): string {
  return time ? dayAndTime.format(new Date(time)) : 'never';
}

/** "3 minutes ago". */
export function ago(time: string | null): string {
  if (!time) return 'never';
  const seconds = (new Date(time).getTime() - Date.now()) / 1000;
  const units: [Intl.RelativeTimeFormatUnit, number][] = [
    ['day', 86400],
    ['hour', 3600],
    ['minute', 60],
  ];
  for (const [unit, length] of units)
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  return 'just now';
}

/** "1 match", "3 matches". */
export function count(number: number, one: string, many = one + 's'): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}

/** "1512 ± 40". */
export function rating(value: number, error: number): string {
  return `${Math.round(value)} ± ${Math.round(error)}`;
}
