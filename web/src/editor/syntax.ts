// Finds the first syntax error in Python and JavaScript code and explains it.
//
// Python: the highlighting parser recovers from errors and marks them; later marks are mostly
// consequences of the first. It does not support all of Python, so errors where it is known to be
// wrong are ignored. JavaScript: the highlighting parser rejects too much valid code (long object
// literals, for example), so acorn decides.
import type { syntaxTree } from '@codemirror/language';

type Tree = ReturnType<typeof syntaxTree>; // of the highlighting parser
type SyntaxNode = Tree['topNode'];

export interface SyntaxProblem {
  from: number;
  to: number;
  message: string;
}

export type SyntaxCheck = (tree: Tree, text: string) => SyntaxProblem | null;

const TEXTS = new Set(['String', 'FormatString', 'TemplateString', 'RegExp']);
const isText = (name: string): boolean => TEXTS.has(name) || name.endsWith('Comment');
const CLOSING: Record<string, string> = { '(': ')', '[': ']', '{': '}' };

/** Whether a string has its closing quote. */
function isClosed(text: string): boolean {
  const [, quote = ''] = /^[a-z]*("""|'''|["'`])/i.exec(text) ?? [];
  const start = text.indexOf(quote) + quote.length;
  return !quote || (text.length >= start + quote.length && text.endsWith(quote));
}

/** The first string without a closing quote. */
function openString(tree: Tree, text: string): SyntaxProblem | null {
  let found: SyntaxProblem | null = null;
  tree.iterate({
    enter({ name, from, to }) {
      if (found || !TEXTS.has(name) || name === 'RegExp' || isClosed(text.slice(from, to))) return;
      const line = /^.*/.exec(text.slice(from))?.[0].length ?? 0;
      found = { from, to: from + Math.max(1, line), message: 'This string has no closing quote' };
    },
  });
  return found;
}

/** The unmatched bracket that explains an error at a position. */
function lonelyBracket(tree: Tree, text: string, error: number): SyntaxProblem | null {
  const skip: [number, number][] = [];
  tree.iterate({
    enter(node) {
      if (!isText(node.name)) return true;
      skip.push([node.from, node.to]);
      return false;
    },
  });
  const open: number[] = [];
  const never = (at: number): SyntaxProblem => ({
    from: at,
    to: at + 1,
    message: `"${text[at]}" is never closed`,
  });
  let next = 0;
  for (let at = 0; at < text.length; at++) {
    while (next < skip.length && (skip[next] as [number, number])[1] <= at) next++;
    const [from, to] = skip[next] ?? [text.length, text.length];
    if (at >= from) {
      at = to - 1;
      continue;
    }
    const sign = text[at] as string;
    if (sign in CLOSING) open.push(at);
    else if (sign === ')' || sign === ']' || sign === '}') {
      const opened = open.pop();
      if (opened === undefined)
        return { from: at, to: at + 1, message: `"${sign}" closes nothing: no bracket is open` };
      if (CLOSING[text[opened] as string] !== sign) return never(opened);
    }
  }
  const last = open.filter((at) => at < error).pop() ?? open.pop();
  return last === undefined ? null : never(last);
}

/** The end of the last line with code before a position. */
function endOfCode(text: string, at: number): number {
  return text.slice(0, at).trimEnd().length;
}

/** A generic message for an error at a position. */
function unexpected(text: string, at: number): SyntaxProblem {
  const rest = text.slice(at);
  const blank = /^\s*/.exec(rest)?.[0] ?? '';
  if (blank.includes('\n') || blank.length === rest.length) {
    const end = Math.max(1, endOfCode(text, at));
    const message = 'Unexpected end of line: something is missing after this';
    return { from: end - 1, to: end, message };
  }
  const token = /^(?:[\w$]+|[^\w\s])/.exec(rest.slice(blank.length))?.[0] ?? '';
  const from = at + blank.length;
  const name = token === '"' ? 'string' : `"${token}"`;
  return { from, to: from + Math.max(1, token.length), message: `Unexpected ${name}` };
}

// ---- Python ----

function firstError(tree: Tree): SyntaxNode | null {
  let error: SyntaxNode | null = null;
  tree.iterate({ enter: (node) => void (node.type.isError && (error ??= node.node)) });
  return error;
}

/** Whether the error may be valid Python that the parser does not support. */
function isDoubtful(error: SyntaxNode, text: string): boolean {
  const before = text.slice(0, error.from);
  if (/\byield\s*$|\d\.$|\f\s*$/.test(before) || text[error.from] === '\f') return true;
  const after = text.slice(error.from);
  for (let node = error.parent; node; node = node.parent) {
    if (node.name === 'MatchStatement') return true;
    if (node.name !== 'WithStatement') continue;
    if (/\bas\s*$/.test(before)) return true;
    // with (a as b, c as d):
    if (/^\s*as\b/.test(after) && /^with\s*\(/.test(text.slice(node.from))) return true;
  }
  return false;
}

function explainPython(error: SyntaxNode, text: string): SyntaxProblem {
  const parent = error.parent?.name ?? '';
  const found = text.slice(error.from, error.to);
  const end = Math.max(1, endOfCode(text, error.from));
  const atEnd = (message: string): SyntaxProblem => ({ from: end - 1, to: end, message });
  const here = (message: string): SyntaxProblem => ({ from: error.from, to: error.to, message });
  if (parent === 'Body' && error.prevSibling) return atEnd('Expected an indented block after this');
  if (found && !/\S|\n/.test(found)) return here('The indentation matches no line above');
  if (
    /^(Body$|If|While|For|With|Try)/.test(parent) &&
    !found.trim() &&
    text.slice(end, error.from + 1).includes('\n')
  )
    return atEnd('Expected ":" at the end of this line');
  if (found === '=' && /^(If|While)/.test(parent)) return here('Unexpected "=": compare with "=="');
  return unexpected(text, error.from);
}

function checkPython(tree: Tree, text: string): SyntaxProblem | null {
  const error = firstError(tree);
  const open = openString(tree, text);
  if (open && (!error || open.from <= error.from)) return open;
  if (!error || isDoubtful(error, text)) return null;
  return lonelyBracket(tree, text, error.from) ?? explainPython(error, text);
}

// ---- JavaScript ----

async function javascriptCheck(): Promise<SyntaxCheck> {
  const { parse } = await import('acorn');
  // A bot is valid if it parses as a script or as a module.
  const failure = (text: string, sourceType: 'script' | 'module'): SyntaxError | null => {
    try {
      parse(text, {
        ecmaVersion: 'latest',
        sourceType,
        allowHashBang: true,
        allowReturnOutsideFunction: sourceType === 'script',
      });
      return null;
    } catch (error) {
      return error as SyntaxError;
    }
  };
  return (tree, text) => {
    const isModule = /^\s*(?:import\b(?!\s*\()|export\b)/m.test(text);
    const first = failure(text, isModule ? 'module' : 'script');
    if (!first || !failure(text, isModule ? 'script' : 'module')) return null;
    const open = openString(tree, text);
    if (open) return open;
    const at = (first as SyntaxError & { pos: number }).pos;
    const message = first.message.replace(/ \(\d+:\d+\)$/, '');
    if (message === 'Unexpected token')
      return lonelyBracket(tree, text, at) ?? unexpected(text, Math.min(at, text.length));
    return { ...unexpected(text, at), message };
  };
}

/** Loads the check of a language; null if it has none. */
export async function syntaxCheck(language: string): Promise<SyntaxCheck | null> {
  if (language === 'python') return checkPython;
  return language === 'javascript' ? javascriptCheck() : null;
}
