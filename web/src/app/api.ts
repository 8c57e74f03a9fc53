// The arena's API. Responses are JSON; errors (RFC 9457) are thrown as a Problem, whose message is
// a sentence for the reader.

export class Problem extends Error {
  constructor(
    readonly status: number,
    sentence: string,
    readonly retryAfter: number | null = null,
    readonly errors: { field: string; detail: string }[] = [], // about fields of the request
  ) {
    super(sentence);
  }

  /** The message without the advice to wait, for a place that counts down. */
  get reason(): string {
    return this.message.replace(/[.;] try again in .*$/i, '.');
  }
}

export interface Page<Row> {
  items: Row[];
  next: string | null;
}

// Sent with every change, so that no other site can make changes in the visitor's name.
let csrfToken = '';

/** The session's CSRF token, from the answer to a login or to GET /me. */
export function setCsrfToken(value: string): void {
  csrfToken = value;
}

async function problemOf(answer: Response): Promise<Problem> {
  const retry = Number(answer.headers.get('retry-after')) || null;
  const body = await answer.json().catch(() => null);
  return new Problem(
    answer.status,
    body?.detail ?? body?.title ?? `Request failed (status ${answer.status}).`,
    retry,
    body?.errors,
  );
}

/** Sends a request to /api/v1. Returns the response if it succeeded; throws a Problem otherwise. */
export async function send(
  method: string,
  path: string,
  body?: BodyInit | object,
  signal?: AbortSignal,
): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json' };
  let content: BodyInit | undefined;
  if (body instanceof Blob || body instanceof Uint8Array || typeof body === 'string')
    content = body as BodyInit;
  else if (body !== undefined) {
    headers['content-type'] = 'application/json';
    content = JSON.stringify(body);
  }
  if (method !== 'GET' && csrfToken) headers['x-csrf-token'] = csrfToken;
  let answer: Response;
  try {
    answer = await fetch('/api/v1' + path, {
      method,
      headers,
      body: content,
      signal,
      credentials: 'same-origin',
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0, 'Cannot reach the arena. Check your connection and try again.');
  }
  if (!answer.ok) throw await problemOf(answer);
  return answer;
}

async function json<T>(answer: Promise<Response>): Promise<T> {
  const response = await answer;
  return (response.status === 204 ? undefined : await response.json()) as T;
}

export function get<T>(
  path: string,
  query: Record<string, string | number | boolean | null | undefined> = {},
  signal?: AbortSignal,
): Promise<T> {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== null && value !== undefined && value !== '') parameters.set(name, String(value));
  const text = parameters.toString();
  return json<T>(send('GET', path + (text ? '?' + text : ''), undefined, signal));
}

export const post = <T>(path: string, body?: object | BodyInit): Promise<T> =>
  json<T>(send('POST', path, body));
export const put = <T>(path: string, body: object): Promise<T> => json<T>(send('PUT', path, body));
export const patch = <T>(path: string, body: object): Promise<T> =>
  json<T>(send('PATCH', path, body));
export const remove = <T>(path: string, body?: object): Promise<T> =>
  json<T>(send('DELETE', path, body));

/** Whether the arena is busy, restarting or unreachable, so that the next try may succeed. */
export const isTransient = (error: unknown): boolean =>
  error instanceof Problem && (error.status === 0 || error.status === 429 || error.status >= 500);

export async function bytes(path: string): Promise<Uint8Array> {
  return new Uint8Array(await (await send('GET', path)).arrayBuffer());
}

/**
 * Follows a stream of server-sent events until `close`. `on` has a handler per event, which gets
 * the data and the event. The browser reconnects on its own; `connection` is called when the
 * connection is lost or restored, `broken` when the browser gives up.
 */
export function follow(
  path: string,
  on: Record<string, (data: any, event: MessageEvent<string>) => void>,
  broken?: () => void,
  connection?: (restored: boolean) => void,
): { close(): void } {
  const source = new EventSource('/api/v1' + path);
  for (const [name, handle] of Object.entries(on))
    source.addEventListener(name, (event) =>
      handle(JSON.parse((event as MessageEvent<string>).data), event as MessageEvent<string>),
    );
  source.onopen = () => connection?.(true);
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) broken?.();
    else connection?.(false);
  };
  return source;
}
