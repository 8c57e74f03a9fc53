// Numbers and times as text, the same on every page.

const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** "15 Nov 2026, 10:12", or "never". */
export function when(time: string | null): string {
  if (!time) return 'never';
  // The hour and its AM or PM stay on one line.
  return dayAndTime.format(new Date(time)).replace(/\s(?=[AP]M)/, '\u00a0');
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

/** "2 days 3 h", "1 h 5 min", "4 min 10 s", "9 s". */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const parts: [number, string][] = [
    [Math.floor(seconds / 86400), seconds >= 2 * 86400 ? 'days' : 'day'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = Math.max(
    0,
    parts.findIndex(([number]) => number > 0),
  );
  const shown = parts.slice(first, first + 2).filter(([number]) => number > 0);
  return shown.map(([number, unit]) => `${number} ${unit}`).join(' ') || '0 s';
}

/** A time as the value of an input of the type datetime-local. */
export function localTime(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

/** The visitor's time zone: "Europe/Paris". */
export function timeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** "1 match", "3 matches". */
export function count(number: number, one: string, many = one + 's'): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}

/** "1512 ± 40". */
export function rating(value: number, error: number): string {
  return `${Math.round(value)} ± ${Math.round(error)}`;
}

/** The language of a version: "own" means that the commands of its bot.json name no language. */
export function languageLabel(language: string): string {
  return language === 'own' ? 'custom' : language;
}
