// The rules of the games, compiled from the referee's C code (web/rules/rules.c lists the
// functions). Loaded once, on first use.
import address from './rules.wasm?url';

export interface Exports {
  memory: WebAssembly.Memory;
  _initialize?(): void;
  rules_alloc(size: number): number;
  rules_free(at: number): void;
  rules_output(): number;
  rules_output_length(): number;
  rules_map(game: number, map: number, players: number, seed: number, size: number): number;
  replay_head_bytes(): number;
  replay_head_check(at: number, length: number): number;
  recording_open(at: number, length: number): number;
  recording_new(at: number, length: number): number;
  recording_free(recording: number): void;
  recording_play(recording: number, at: number, length: number): number;
  recording_header(recording: number): void;
  recording_state(recording: number): void;
  recording_turn(recording: number, turn: number): number;
  recording_view(recording: number, player: number, turns: number): number;
  recording_try(recording: number, player: number, at: number, length: number): number;
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

/** Creates the rules from the bytes of the module, for tests without a server. */
export async function rulesFrom(bytes: BufferSource): Promise<Rules> {
  // The rules need no system calls, so those of the C library all fail.
  const unsupported = () => 52; // ENOSYS in WASI
  const system = new Proxy({}, { get: () => unsupported });
  const module = await WebAssembly.compile(bytes);
  const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: system });
  const exports = instance.exports as unknown as Exports;
  exports._initialize?.();
  return new Rules(exports);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The exported functions, with helpers that pass bytes and text in and out. */
export class Rules {
  constructor(readonly c: Exports) {}

  /** Copies the data into the module's memory for the duration of a call. */
  withCopy<T>(data: Uint8Array | string, call: (at: number, length: number) => T): T {
    const bytes = typeof data === 'string' ? encoder.encode(data) : data;
    const at = this.c.rules_alloc(bytes.length);
    try {
      new Uint8Array(this.c.memory.buffer, at, bytes.length).set(bytes);
      return call(at, bytes.length);
    } finally {
      this.c.rules_free(at);
    }
  }

  /** The text that the last call returned. */
  output(): string {
    return decoder.decode(
      new Uint8Array(this.c.memory.buffer, this.c.rules_output(), this.c.rules_output_length()),
    );
  }
}
