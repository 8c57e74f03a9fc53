// The text editor itself: CodeMirror, set up for bots. Loaded when the first editor is shown.
//
// It lives in a shadow root: the content security policy forbids style elements, and only in a
// shadow root does CodeMirror use adopted style sheets. CSS variables are inherited into it, so
// light and dark themes work.
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completeAnyWord,
  completionKeymap,
  ifNotIn,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import {
  bracketMatching,
  ensureSyntaxTree,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import {
  forEachDiagnostic,
  lintGutter,
  lintKeymap,
  setDiagnostics,
  type Diagnostic as EditorDiagnostic,
} from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  crosshairCursor,
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

import { loadGame } from '../games';
import { languageSupport } from './languages';
import { syntaxCheck, type SyntaxCheck } from './syntax';
import type { Diagnostic } from './types';

const CHECK_AFTER = 500; // milliseconds after the last keystroke
const PARSE_MOST = 200; // milliseconds

const editorTheme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--panel)', fontSize: '0.9rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '0.5rem 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  [[
    '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground',
    '.cm-selectionBackground',
    '.cm-content ::selection',
  ].join()]: { backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 6%, transparent)' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunk)',
    color: 'var(--soft)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 12%, transparent)',
    color: 'var(--ink)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'color-mix(in srgb, var(--good) 25%, transparent)',
    color: 'inherit',
  },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': {
    backgroundColor: 'color-mix(in srgb, var(--bad) 25%, transparent)',
    color: 'inherit',
  },
  '.cm-searchMatch': {
    backgroundColor: 'color-mix(in srgb, var(--warn) 30%, transparent)',
    outline: '1px solid var(--warn)',
  },
  '.cm-searchMatch-selected': {
    backgroundColor: 'color-mix(in srgb, var(--warn) 55%, transparent)',
  },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--soft) 22%, transparent)' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--sunk)',
    border: '1px solid var(--line)',
    color: 'var(--soft)',
  },
  '.cm-panels': { backgroundColor: 'var(--sunk)', color: 'var(--ink)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-panel.cm-search': {
    padding: '0.4rem 2rem 0.4rem 0.5rem',
    fontFamily: 'system-ui, sans-serif',
  },
  '.cm-panel.cm-search label': { fontSize: '0.85rem' },
  '.cm-textfield': {
    backgroundColor: 'var(--panel)',
    color: 'inherit',
    border: '1px solid var(--line)',
    borderRadius: '4px',
    fontSize: '0.9rem',
    padding: '0.2rem 0.4rem',
  },
  '.cm-button': {
    backgroundColor: 'var(--panel)',
    backgroundImage: 'none',
    color: 'inherit',
    border: '1px solid var(--line)',
    borderRadius: '4px',
    fontSize: '0.9rem',
    padding: '0.2rem 0.6rem',
    cursor: 'pointer',
  },
  '.cm-panel button[name=close]': { color: 'inherit', fontSize: '1.2rem', cursor: 'pointer' },
  '.cm-tooltip': {
    backgroundColor: 'var(--panel)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mono)',
    fontSize: '0.85rem',
    maxHeight: '14rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.15rem 0.5rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--accent-ink)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.85' },
  '.cm-diagnostic': { padding: '0.3rem 0.6rem', whiteSpace: 'pre-wrap', maxWidth: '32rem' },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--bad)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textUnderlineOffset: '3px',
  },
  '.cm-changedLine, &.cm-merge-b .cm-changedLine': {
    backgroundColor: 'color-mix(in srgb, var(--good) 13%, transparent)',
  },
  '.cm-deletedChunk': {
    backgroundColor: 'color-mix(in srgb, var(--bad) 12%, transparent)',
    paddingLeft: '0.4rem',
  },
  '&.cm-merge-b .cm-changedText': {
    background: 'color-mix(in srgb, var(--good) 30%, transparent)',
  },
  '.cm-deletedChunk .cm-deletedText': {
    background: 'color-mix(in srgb, var(--bad) 30%, transparent)',
  },
  '.cm-collapsedLines': {
    background: 'var(--sunk)',
    color: 'var(--soft)',
    padding: '0.2rem 0.8rem',
  },
});

const colours = HighlightStyle.define([
  {
    tag: [
      tags.keyword,
      tags.controlKeyword,
      tags.operatorKeyword,
      tags.definitionKeyword,
      tags.moduleKeyword,
      tags.modifier,
    ],
    color: 'var(--accent)',
    fontWeight: '600',
  },
  {
    tag: [tags.string, tags.special(tags.string), tags.regexp, tags.character],
    color: 'var(--good)',
  },
  {
    tag: [tags.number, tags.bool, tags.null, tags.atom, tags.escape, tags.self],
    color: 'var(--warn)',
  },
  {
    tag: [tags.comment, tags.meta, tags.processingInstruction],
    color: 'var(--soft)',
    fontStyle: 'italic',
  },
  {
    tag: [
      tags.function(tags.variableName),
      tags.function(tags.propertyName),
      tags.definition(tags.function(tags.variableName)),
      tags.className,
      tags.typeName,
    ],
    color: 'color-mix(in srgb, var(--accent) 55%, var(--ink))',
  },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

/** Extensions of both the editor and the comparison. */
function baseExtensions(): Extension[] {
  return [
    lineNumbers(),
    highlightSpecialChars(),
    editorTheme,
    syntaxHighlighting(colours),
    EditorState.tabSize.of(4),
  ];
}

// ---- completion ----

/**
 * Completes words of the document, except those that another source offers. The options have no
 * type, so that they are not listed twice.
 */
function documentWords(known: Set<string>): CompletionSource {
  return async (context) => {
    const found = await completeAnyWord(context);
    return (
      found && {
        ...found,
        options: found.options
          .filter(({ label }) => !known.has(label))
          .map(({ label }) => ({ label, boost: -10 })),
      }
    );
  };
}

function wordList(
  options: { label: string; detail?: string; type?: string; boost?: number }[],
): CompletionSource {
  return (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/[\w$-]*/);
    return word && (word.from !== word.to || context.explicit)
      ? { from: word.from, options, validFor: /^[\w$ ?-]*$/ }
      : null;
  };
}

async function completions(game: string, language: string): Promise<Extension> {
  const protocol = await loadGame(game).then(
    (module) => module.protocol ?? [],
    () => [],
  );
  const own = (languageSupport[language]?.words ?? '').split(/\s+/).filter(Boolean);
  const sources = [
    wordList(
      protocol.map(({ word, meaning }) => ({
        label: word,
        detail: meaning,
        type: 'constant',
        boost: 5,
      })),
    ),
    wordList(own.map((label) => ({ label, type: 'keyword' }))),
    documentWords(new Set([...own, ...protocol.map(({ word }) => word)])),
  ];
  const outside = sources.map((source) =>
    ifNotIn(['Comment', 'LineComment', 'BlockComment', 'comment'], source),
  );
  return EditorState.languageData.of(() => outside.map((autocomplete) => ({ autocomplete })));
}

// ---- the editor ----

export interface CodeEditorHandlers {
  changed(text: string): void;
  syntax(problem: Diagnostic | null): void; // the first syntax error
  save(): void;
  play(): void;
}

export class CodeEditor {
  private readonly view: EditorView;
  private readonly language = new Compartment();
  private readonly wrapping = new Compartment();
  private wraps = false;
  private shownLanguage = '';
  private shownGame = '';
  private file = '';
  private readonly others = new Map<string, EditorState>(); // of the files that are not shown
  private check: SyntaxCheck | null = null;
  private checkTimer: ReturnType<typeof setTimeout> | undefined;
  private syntaxMark: EditorDiagnostic | null = null;

  constructor(
    private readonly host: HTMLElement,
    private readonly handlers: CodeEditorHandlers,
  ) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    this.view = new EditorView({ parent: root, root, state: this.state('') });
    host.style.visibility = 'hidden'; // until the lines of the first text are measured
  }

  private state(text: string): EditorState {
    const handlers = this.handlers;
    return EditorState.create({
      doc: text,
      extensions: [
        keymap.of([
          { key: 'Mod-s', preventDefault: true, run: () => (handlers.save(), true) },
          { key: 'Mod-Enter', preventDefault: true, run: () => (handlers.play(), true) },
        ]),
        ...baseExtensions(),
        this.wrapping.of(this.wrapExtension),
        lintGutter(),
        foldGutter(),
        history(),
        drawSelection(),
        dropCursor(),
        EditorState.allowMultipleSelections.of(true),
        indentOnInput(),
        indentUnit.of(/^( {2,8}|\t)\S/m.exec(text)?.[1] ?? '    '),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ icons: false }),
        rectangularSelection(),
        crosshairCursor(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSelectionMatches(),
        search(),
        keymap.of([
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...foldKeymap,
          ...completionKeymap,
          ...lintKeymap,
          indentWithTab,
        ]),
        this.language.of([]),
        EditorView.contentAttributes.of({
          'aria-label': 'Bot code',
          tabindex: '0',
          'aria-description': 'Press Escape, then Tab to leave the editor.',
          spellcheck: 'false',
          autocapitalize: 'off',
          autocorrect: 'off',
        }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          handlers.changed(update.state.doc.toString());
          this.checkSoon();
        }),
      ],
    });
  }

  /** Loads the text of a bot's file, with an empty undo history. */
  load(file: string, text: string): void {
    this.others.clear();
    this.present(file, this.state(text));
  }

  /** Shows another file of the same bot. Each file keeps its undo history. */
  switchTo(file: string, text: string): void {
    this.others.set(this.file, this.view.state);
    const kept = this.others.get(file);
    this.present(file, kept?.doc.toString() === text ? kept : this.state(text));
  }

  private present(file: string, state: EditorState): void {
    this.file = file;
    this.view.setState(state);
    this.view.requestMeasure({ read: () => null, write: () => (this.host.style.visibility = '') });
    this.view.dispatch({ effects: this.wrapping.reconfigure(this.wrapExtension) });
    this.shownLanguage = '-'; // none
    this.check = null;
    this.syntaxMark = null;
    this.handlers.syntax(null);
  }

  private get wrapExtension(): Extension {
    return this.wraps ? EditorView.lineWrapping : [];
  }

  /** Whether long lines are wrapped. */
  setWrap(wraps: boolean): void {
    if (wraps === this.wraps) return;
    this.wraps = wraps;
    this.view.dispatch({ effects: this.wrapping.reconfigure(this.wrapExtension) });
  }

  /** Replaces the text; can be undone. */
  replace(text: string): void {
    this.view.dispatch({
      changes: { from: 0, to: this.view.state.doc.length, insert: text },
      selection: { anchor: 0 },
      scrollIntoView: true,
    });
  }

  /** Sets up highlighting and completion for a game and a language. */
  async setLanguage(game: string, language: string): Promise<void> {
    if (game === this.shownGame && language === this.shownLanguage) return;
    this.shownGame = game;
    this.shownLanguage = language;
    const [highlighting, completion, check] = await Promise.all([
      languageSupport[language]?.load() ?? [],
      completions(game, language),
      syntaxCheck(language),
    ]);
    if (game !== this.shownGame || language !== this.shownLanguage) return;
    this.view.dispatch({
      effects: this.language.reconfigure([highlighting, completion]),
    });
    this.check = check;
    this.checkNow();
  }

  // ---- errors ----

  private checkSoon(): void {
    clearTimeout(this.checkTimer);
    this.checkTimer = setTimeout(() => this.checkNow(), CHECK_AFTER);
  }

  private checkNow(): void {
    clearTimeout(this.checkTimer);
    const { state } = this.view;
    const tree = this.check && ensureSyntaxTree(state, state.doc.length, PARSE_MOST);
    const text = state.doc.toString();
    const found = tree && this.check ? this.check(tree, text) : null;
    const reported: EditorDiagnostic[] = []; // where they are now
    forEachDiagnostic(state, (one, from, to) => {
      if (one !== this.syntaxMark) reported.push({ ...one, from, to });
    });
    this.syntaxMark = found && { ...found, severity: 'error' };
    this.mark(reported);
    const at = found && state.doc.lineAt(found.from);
    this.handlers.syntax(at && { file: '', line: at.number, message: found.message });
  }

  private mark(reported: EditorDiagnostic[]): void {
    const all = this.syntaxMark ? [...reported, this.syntaxMark] : reported;
    all.sort((a, b) => a.from - b.from);
    this.view.dispatch(setDiagnostics(this.view.state, all));
  }

  /** Shows errors of a build or crash at their lines. */
  showDiagnostics(diagnostics: Diagnostic[]): void {
    const { doc } = this.view.state;
    const marks: EditorDiagnostic[] = diagnostics
      .filter(({ line }) => line <= doc.lines)
      .map(({ line, column, message }) => {
        const at = doc.line(line);
        const blank = /^\s*/.exec(at.text)?.[0].length ?? 0;
        const from = Math.min(at.to, at.from + (column ? column - 1 : blank));
        return {
          from,
          to: Math.max(from, at.to),
          severity: 'error' as const,
          message: message || 'Here',
        };
      });
    this.mark(marks);
  }

  /** Moves the cursor to a line and scrolls it into view. */
  goTo(line: number): void {
    const { doc } = this.view.state;
    const at = doc.line(Math.max(1, Math.min(doc.lines, line)));
    this.view.dispatch({
      selection: { anchor: at.from },
      effects: EditorView.scrollIntoView(at.from, { y: 'center' }),
    });
    this.view.focus();
  }

  focus(): void {
    this.view.focus();
  }

  /** Call this after the editor was hidden or resized. */
  measure(): void {
    this.view.requestMeasure();
  }

  destroy(): void {
    clearTimeout(this.checkTimer);
    this.view.destroy();
  }
}

/** Shows the differences between two texts, read-only. */
export async function compare(
  host: HTMLElement,
  before: string,
  after: string,
  language: string,
): Promise<() => void> {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const loaded = await (languageSupport[language]?.load() ?? Promise.resolve([]));
  const view = new EditorView({
    parent: root,
    root,
    doc: after,
    extensions: [
      ...baseExtensions(),
      loaded,
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': 'Differences', tabindex: '0' }),
      EditorView.editable.of(false),
      unifiedMergeView({
        original: before,
        mergeControls: false,
        collapseUnchanged: { margin: 3, minSize: 6 },
      }),
    ],
  });
  return () => view.destroy();
}
