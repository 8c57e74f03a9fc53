// The rules of the games, compiled from the referee's C code (web/rules/rules.c lists the
// functions). Loaded once, on first use.
import address from './rules.wasm?url';

export interface Exports {
  memory: WebAssembly.Memory;
  _initialize?(): void;
  rules_take(size: number): number;
  rules_give(at: number): void;
  rules_said(): number;
  rules_said_length(): number;
  rules_map(game: number, map: number, players: number, seed: number, size: number): number;
  replay_head_bytes(): number;
  replay_head_check(at: number, length: number): number;
  film_open(at: number, length: number): number;
  film_new(at: number, length: number): number;
  film_free(film: number): void;
  film_play(film: number, at: number, length: number): number;
  film_header(film: number): void;
  film_state(film: number): void;
  film_turn(film: number, turn: number): number;
  film_view(film: number, player: number): number;
  film_try(film: number, player: number, at: number, length: number): number;
}

let loading: Promise<Rules> | undefined;

/** Loads the rules, once. */
export function loadRules(): Promise<Rules> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined; // the next call tries again
    throw error;
  });
  return loading;
}

async function load(): Promise<Rules> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`Could not load the game rules (status ${answer.status}).`);
  return rulesFrom(await answer.arrayBuffer());
}

/** The same from bytes, for tests without a server. */
export async function rulesFrom(bytes: BufferSource): Promise<Rules> {
  // The rules need no system calls: those of the C library are refused.
  const refuse = () => 52; // "not supported"
  const system = new Proxy({}, { get: () => refuse });
  const module = await WebAssembly.compile(bytes);
  const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: system });
  const exports = instance.exports as unknown as Exports;
  exports._initialize?.();
  return new Rules(exports);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The exported functions, with bytes and text going in and out. */
export class Rules {
  constructor(readonly c: Exports) {}

  /** Calls with a copy of the bytes in the module's memory, and frees it afterwards. */
  lend<T>(data: Uint8Array | string, call: (at: number, length: number) => T): T {
    const bytes = typeof data === 'string' ? encoder.encode(data) : data;
    const at = this.c.rules_take(bytes.length);
    try {
      new Uint8Array(this.c.memory.buffer, at, bytes.length).set(bytes);
      return call(at, bytes.length);
    } finally {
      this.c.rules_give(at);
    }
  }

  said(): string {
    return decoder.decode(
      new Uint8Array(this.c.memory.buffer, this.c.rules_said(), this.c.rules_said_length()),
    );
  }
}
