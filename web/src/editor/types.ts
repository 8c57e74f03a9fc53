// API types of the editor.
import type { Match as ArenaMatch } from '../viewer/match';

export interface Language {
  name: string;
  title: string;
  endings: string[];
  built: boolean;
  available: boolean; // its runtime is installed
  libraries: string[]; // installed by the operator
}

/** An error message at a place in a bot's file. */
export interface Diagnostic {
  file: string;
  line: number;
  column?: number;
  message: string;
}

export interface MatchDiagnostics {
  log: string | null;
  stderr: string | null;
  diagnostics: Diagnostic[];
}

export interface VersionDiagnostics {
  build: 'waiting' | 'good' | 'failed';
  log: string;
  diagnostics: Diagnostic[];
}

/** The response to a request for a match. */
export interface Match extends ArenaMatch {
  key?: string; // a guest's
}

/** The setup of the next match. */
export interface Setup {
  game: string;
  preferred: string[]; // opponents to choose if they play this game
  against: string[]; // bots that play this game, as "owner/name", or SELF; empty until loaded
  seat: number; // the code's seat, from 0
  map: string;
  seed: string; // "": random
  players: number; // if the map does not set it
}

/** The code itself as its opponent. */
export const SELF = 'self';

/** The code at one moment. */
export interface Snapshot {
  seat: { language: string; source: string } | { archive: string }; // as the API takes it
  key: string; // the same if the code is the same
}
