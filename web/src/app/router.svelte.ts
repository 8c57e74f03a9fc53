// The current address and the page for it. Links are plain links; a click on one within the arena
// changes the page without a reload.
import { untrack, type Component } from 'svelte';

export interface Route {
  pattern: string; // "/bots/:owner/:bot"
  page: () => Promise<{ default: Component<any> }>;
  wide?: boolean; // uses the whole width of the window, also while it loads
}

export interface Place {
  path: string;
  query: URLSearchParams;
  hash: string;
}

function here(): Place {
  return {
    path: location.pathname,
    query: new URLSearchParams(location.search),
    hash: location.hash.slice(1),
  };
}

export const place = $state<{ now: Place }>({ now: here() });

/** Goes to an address within the arena. With `replace`, the current history entry is replaced. */
export function go(address: string, replace = false): void {
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  // Untracked, so that an effect that calls this does not depend on the path.
  const previousPath = untrack(() => place.now.path);
  place.now = here();
  if (!replace && place.now.path !== previousPath) window.scrollTo(0, 0);
}

/**
 * Returns an address from the query if it is a path within the arena, else `otherwise`. Browsers
 * ignore tabs and line ends in addresses and read backslashes as slashes, so "/\t/site" leads to
 * another site: addresses that contain any of these are rejected.
 */
export function localPath(address: string | null, otherwise: string): string {
  const plain = /^\/(?!\/)[^\\\p{Cc}]*$/u;
  return address !== null && plain.test(address) ? address : otherwise;
}

/** Changes the query or the hash of the current page, without a new history entry. */
export function updateQuery(query: Record<string, string | null>, hash?: string): void {
  const parameters = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === '') parameters.delete(name);
    else parameters.set(name, value);
  }
  const text = parameters.toString();
  go(
    location.pathname +
      (text ? '?' + text : '') +
      (hash ? '#' + hash : hash === undefined ? location.hash : ''),
    true,
  );
}

function clicked(event: MouseEvent): void {
  if (
    event.defaultPrevented ||
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey
  )
    return;
  const link = (event.target as Element | null)?.closest?.('a');
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin)
    return;
  if (link.pathname.startsWith('/api/')) return;
  // A link within the page.
  if (link.pathname === location.pathname && link.search === location.search && link.hash) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
}

export function startRouter(): void {
  document.addEventListener('click', clicked);
  window.addEventListener('popstate', () => (place.now = here()));
  window.addEventListener('hashchange', () => (place.now = here()));
}

/** The route for a path and the values of its parameters; null if there is none. */
export function match(
  routes: Route[],
  path: string,
): { route: Route; values: Record<string, string> } | null {
  const parts = path.replace(/\/+$/, '').split('/');
  for (const route of routes) {
    const wanted = route.pattern.replace(/\/+$/, '').split('/');
    if (wanted.length !== parts.length) continue;
    const values: Record<string, string> = {};
    if (
      wanted.every((name, i) =>
        name.startsWith(':')
          ? ((values[name.slice(1)] = decode(parts[i] as string)), true)
          : name === parts[i],
      )
    )
      return { route, values };
  }
  return null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
