// What the API tells the editor.
import type { Verdict } from '../rules/types';
import type { MatchRow } from '../pages/parts/types';

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

export interface Match extends MatchRow {
  ahead: number | null;
  verdict: Verdict | null;
  key?: string; // a visitor's
}

/** A bot to play against. */
export interface Opponent {
  name: string; // "owner/name"
  owner: string;
  bot: string;
  rating: number | null;
}
