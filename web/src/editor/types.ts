// What the API tells the editor.
import type { Match as MatchTold } from '../viewer/match';

export interface Language {
  name: string;
  title: string;
  endings: string[];
  built: boolean;
  available: boolean;
}

/** A place in a bot's file, and what a compiler or a crash said of it. */
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

/** The answer to somebody who asks for a match. */
export interface Match extends MatchTold {
  key?: string; // a visitor's
}

/** A bot to play against. */
export interface Opponent {
  name: string; // "owner/name"
  owner: string;
  bot: string;
  rating: number | null;
}
