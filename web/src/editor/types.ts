// API types of the editor.
import type { Match as ArenaMatch } from '../viewer/match';

export interface Language {
  name: string;
  title: string;
  endings: string[];
  built: boolean;
  available: boolean;
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

/** A bot to play against. */
export interface Opponent {
  name: string; // "owner/name"
  owner: string;
  bot: string;
  rating: number | null;
}
