// The check of a version: the conformance test that the arena runs after an upload.
import { count } from '../../app/format';

/** Part of every version; null if the reader may not see it. */
export interface CheckSummary {
  state: 'none' | 'waiting' | 'running' | 'done' | 'failed';
  errors: number;
  warnings: number;
}

export interface CheckFinding {
  id: string;
  severity: 'error' | 'warning';
  stage: string;
  where: string;
  what: string;
  sent: string;
  received: string;
  stderr: string;
  change: string;
}

export interface VersionCheck extends CheckSummary {
  failure: string | null;
  report: {
    passed: boolean;
    findings: CheckFinding[];
    stages: { name: string; outcome: string; note: string }[];
  } | null;
}

/** A check's state as text; "" if there was no check. */
export function checkText({ state, errors, warnings }: CheckSummary): string {
  if (state === 'none') return '';
  if (state === 'failed') return 'Check failed';
  if (state !== 'done') return 'Checking…';
  const found = [];
  if (errors) found.push(count(errors, 'error'));
  if (warnings) found.push(count(warnings, 'warning'));
  return found.join(', ') || 'Passed all checks';
}

/** The CSS class of `checkText`. */
export function checkTone({ state, errors, warnings }: CheckSummary): string {
  if (state !== 'done') return 'soft';
  return errors ? 'bad' : warnings ? 'warn' : 'good';
}
