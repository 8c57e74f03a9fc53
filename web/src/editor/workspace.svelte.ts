// The state of the editor: game, language, bot, files, and the version they started from. Stores
// drafts in the browser and versions on the arena; knows nothing about the display.
import { get, post, Problem, send, type Page } from '../app/api';
import { session } from '../app/session.svelte';
import { allGames } from '../app/games.svelte';
import type { Bot, BotDetail, Game, Version } from '../pages/parts/types';
import { keepDraft, readDraft, recall, remember, type Draft } from './drafts';
import {
  isArchive,
  languageOf,
  mainFile,
  pack,
  pathProblem,
  sameFiles,
  toBase64,
  unpack,
  type Files,
} from './files';
import { emptyBot, hasStarter, starter } from './starters';
import { languageSupport } from './languages';
import type { Diagnostic, Language, Snapshot, VersionDiagnostics } from './types';

/** The saved state. If the files differ from it, there are unsaved changes. */
interface Base {
  files: Files;
  version: Version | null; // null: the starter bot
}

/** An upload and its outcome. */
export interface Saving {
  phase: 'sending' | 'building' | 'good' | 'failed' | 'problem';
  bot: string;
  version: Version | null;
  log: string;
  problem: string;
}

/** `load` forgets the undo histories, `replace` can be undone, `switch` shows another file. */
interface Given {
  number: number;
  file: string;
  text: string;
  how: 'load' | 'replace' | 'switch';
}

export interface Wanted {
  game: string | null;
  language: string | null;
  bot: string | null;
  version: string | null;
}

let languages: Promise<Language[]> | undefined;

/** The languages that the editor knows. They do not change while the arena runs. */
function allLanguages(): Promise<Language[]> {
  languages ??= get<Page<Language>>('/languages').then(
    ({ items }) => items.filter(({ name }) => languageSupport[name]),
    (error: unknown) => {
      languages = undefined; // the next call tries again
      throw error;
    },
  );
  return languages;
}

// Start loading right away: nothing can be shown before these arrive.
void allGames().catch(() => null);
void allLanguages().catch(() => null);

const KEEP_AFTER = 400; // milliseconds after the last keystroke
const POLL = 700; // milliseconds

export class Workspace {
  games = $state.raw<Game[]>([]);
  languages = $state.raw<Language[]>([]);
  game = $state('');
  language = $state('');
  bot = $state(''); // "owner/name"; "": not saved yet
  base = $state.raw<Base>({ files: {}, version: null });
  files = $state.raw<Files>({});
  file = $state(''); // the open one
  /** The text that the editor must show: a new text has a new number. */
  given = $state.raw<Given>({ number: 0, file: '', text: '', how: 'load' });
  diagnostics = $state.raw<Diagnostic[]>([]);
  // With `aside`, there is a draft to restore.
  notice = $state.raw<{ text: string; aside: boolean } | null>(null);
  full = $state(false); // storage is full
  saving = $state.raw<Saving | null>(null);
  versions = $state(0); // incremented when the bot's versions change

  readonly text = $derived(this.files[this.file] ?? ''); // of the open file
  readonly several = $derived(Object.keys(this.files).length > 1);
  readonly key = $derived(
    this.several ? JSON.stringify(Object.entries(this.files).sort()) : this.text,
  );
  readonly dirty = $derived(!sameFiles(this.files, this.base.files));
  readonly path = $derived(this.bot.split('/').map(encodeURIComponent).join('/'));
  readonly own = $derived(this.bot !== '' && session.person?.name === this.bot.split('/')[0]);
  readonly gameInfo = $derived(this.games.find((game) => game.name === this.game));
  readonly title = $derived(
    this.languages.find((language) => language.name === this.language)?.title ?? this.language,
  );

  readonly libraries = $derived(
    this.languages.find((language) => language.name === this.language)?.libraries ?? [],
  );

  private timer: ReturnType<typeof setTimeout> | undefined;
  private opened = 0; // incremented by every open, so that late responses can be ignored
  private closed = false;

  /**
   * Opens what the address names: a version, a bot, or a new bot for a game and language. Throws an
   * Error whose message is a sentence.
   */
  async open(wanted: Wanted): Promise<void> {
    this.flush();
    const mine = ++this.opened;
    if (!this.games.length) {
      [this.games, this.languages] = await Promise.all([allGames(), allLanguages()]);
      if (!this.languages.some((language) => language.available))
        throw new Error(
          'No programming languages are installed on this arena. Ask its administrator.',
        );
    }
    const found = wanted.version || wanted.bot ? await this.find(wanted) : null;
    if (mine !== this.opened) return;
    if (found)
      await this.show(
        found.game,
        this.languageFor(found) ?? wanted.language ?? this.defaultLanguage(),
        found.own ? found.bot : '',
        found.own || !found.version ? found.base : null,
        found.files,
      );
    else
      await this.show(
        wanted.game ?? recall('game', ''),
        wanted.language ?? this.defaultLanguage(),
        '',
        null,
        null,
      );
  }

  /** The language of a version; if it has its own commands, that of its main file. */
  private languageFor(found: {
    version: Version | null;
    base: Base | null;
    files: Files | null;
  }): string | undefined {
    const language = found.version?.language;
    if (!language || languageSupport[language]) return language;
    return languageOf(mainFile(found.files ?? found.base?.files ?? {}));
  }

  private defaultLanguage(): string {
    return recall('language', 'python');
  }

  /**
   * Loads the requested version or bot. The base of your own bot is its newest version; an older
   * version counts as a change to it.
   */
  private async find({ bot, version }: Wanted): Promise<{
    game: string;
    bot: string;
    own: boolean;
    version: Version | null;
    base: Base | null;
    files: Files | null;
  }> {
    const requested = version
      ? await get<Version>(`/versions/${encodeURIComponent(version)}`)
      : null;
    const name = requested ? `${requested.owner}/${requested.name}` : (bot as string);
    const path = '/bots/' + name.split('/').map(encodeURIComponent).join('/');
    const detail = await get<BotDetail>(path);
    const own = session.person?.name === detail.owner;
    const newest = (await get<Page<Version>>(path + '/versions', { limit: 1 })).items[0] ?? null;
    const wanted = requested ?? newest;
    const files = wanted ? await this.source(wanted) : null;
    const base =
      newest && own && files && newest.id !== requested?.id && requested
        ? { version: newest, files: await this.source(newest).catch(() => files) }
        : wanted && files
          ? { version: wanted, files }
          : null;
    return {
      game: detail.game,
      bot: name,
      own,
      version: wanted,
      base,
      files: requested || !own ? files : null,
    };
  }

  /** The files of a version. */
  async source(version: Version): Promise<Files> {
    if (version.language === 'house')
      throw new Error('The source of house bots is not public. Read the starter bots instead.');
    const answer = await send('GET', `/versions/${version.id}/source`);
    const name = version.file_name ?? '';
    if (!isArchive(name)) return { [name || this.newName(version.language)]: await answer.text() };
    const files = await unpack(name, new Uint8Array(await answer.arrayBuffer()));
    if (!files)
      throw new Error(
        `Version ${version.number} of ${version.name} has files that cannot be edited here. ` +
          'Upload new versions as an archive.',
      );
    return files;
  }

  /**
   * Shows a game, a language and a bot. Shows `files` if given, and puts an unsaved draft aside;
   * otherwise shows the draft.
   */
  private async show(
    game: string,
    language: string,
    bot: string,
    base: Base | null,
    files: Files | null,
  ): Promise<void> {
    const mine = this.opened;
    if (!this.games.some((one) => one.name === game)) game = this.games[0]?.name ?? '';
    // A language whose runtime is not installed is used only for existing code.
    const known = this.languages.find((one) => one.name === language);
    const missing = known && !known.available ? known.title : '';
    if (!known || (missing && !base && !files))
      language = this.languages.find((one) => one.available)?.name ?? '';
    const from = base ?? { files: await this.starter(game, language), version: null };
    if (mine !== this.opened) return;
    this.game = game;
    this.language = language;
    this.bot = bot;
    this.base = from;
    const draft = this.readDraft();
    this.diagnostics = [];
    this.notice = null;
    this.saving = null;
    this.give(files ?? draft?.files ?? from.files, 'load');
    remember('game', game);
    remember('language', language);
    if (files && draft && !sameFiles(draft.files, files))
      this.putAside(draft.files, draft.base, 'Your unsaved draft is kept.');
    else if (draft && !files && from.version && draft.base !== from.version.number)
      this.notice = {
        text: `Unsaved draft. Version ${from.version.number} is newer; compare under "Versions".`,
        aside: false,
      };
    else this.offerAside();
    if (missing)
      this.notice ??= { text: `${missing} is not installed on this arena.`, aside: false };
  }

  private async starter(game: string, language: string): Promise<Files> {
    return (
      (await starter(game, language)) ?? { [this.newName(language)]: emptyBot(game, language) }
    );
  }

  private give(files: Files, how: Given['how']): void {
    this.files = files;
    this.present(this.file in files && how !== 'load' ? this.file : mainFile(files), how);
    this.keep();
  }

  private present(file: string, how: Given['how']): void {
    if (how === 'replace' && file !== this.file) how = 'switch';
    this.file = file;
    this.given = { number: this.given.number + 1, file, text: this.text, how };
  }

  // ---- files ----

  /** Shows a file of the bot. */
  openFile(path: string): void {
    if (path !== this.file && path in this.files) this.present(path, 'switch');
  }

  /** Adds an empty file and shows it. Returns a sentence if that is not possible, or "". */
  addFile(path: string): string {
    const problem = pathProblem(path, this.files);
    if (problem) return problem;
    this.files = { ...this.files, [path]: '' };
    this.present(path, 'switch');
    this.keep();
    return '';
  }

  /** Renames the open file. Returns a sentence if that is not possible, or "". */
  renameFile(path: string): string {
    if (path === this.file) return '';
    const { [this.file]: text = '', ...others } = this.files;
    const problem = pathProblem(path, others);
    if (problem) return problem;
    this.files = { ...others, [path]: text };
    this.present(path, 'switch');
    this.keep();
    return '';
  }

  /** Deletes the open file, unless it is the only one. */
  deleteFile(): void {
    if (!this.several) return;
    const { [this.file]: _, ...others } = this.files;
    this.files = others;
    this.present(mainFile(others), 'switch');
    this.keep();
  }

  /** The code as it is now, for a match. */
  async snapshot(): Promise<Snapshot> {
    const { key } = this;
    if (this.several) return { key, seat: { archive: toBase64(await pack(this.files)) } };
    return { key, seat: { language: languageOf(this.file) || this.language, source: this.text } };
  }

  // ---- drafts ----

  /** Takes over a change made in the editor. */
  changed(text: string): void {
    this.files = { ...this.files, [this.file]: text };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keep(), KEEP_AFTER);
  }

  private keep(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.game) return;
    this.full = !keepDraft(
      this.game,
      this.language,
      this.bot,
      this.dirty
        ? { files: this.files, time: Date.now(), base: this.base.version?.number ?? null }
        : null,
    );
  }

  private readDraft(aside = false): Draft | null {
    return readDraft(this.game, this.language, this.bot, mainFile(this.base.files), aside);
  }

  /** Stores the latest changes; call before leaving. */
  flush(): void {
    if (this.timer !== undefined) this.keep();
  }

  private putAside(files: Files, base: number | null, why: string): void {
    keepDraft(this.game, this.language, this.bot, { files, time: Date.now(), base }, true);
    this.notice = { text: why, aside: true };
  }

  private offerAside(): void {
    const aside = this.readDraft(true);
    if (aside && !sameFiles(aside.files, this.files))
      this.notice = { text: 'An earlier draft is available.', aside: true };
  }

  /** Swaps the code with the draft put aside. */
  restoreDraft(): void {
    const { game, language, bot } = this;
    const aside = this.readDraft(true);
    if (!aside) return;
    keepDraft(
      game,
      language,
      bot,
      this.dirty
        ? { files: this.files, time: Date.now(), base: this.base.version?.number ?? null }
        : null,
      true,
    );
    this.notice = null;
    this.give(aside.files, 'replace');
  }

  discardDraft(): void {
    keepDraft(this.game, this.language, this.bot, null, true);
    this.notice = null;
  }

  /** Replaces the code, with undo; an unsaved draft is put aside. */
  put(files: Files, why: string): void {
    if (sameFiles(files, this.files)) return;
    const lost = this.dirty ? this.files : null;
    this.diagnostics = [];
    this.notice = null;
    this.give(files, 'replace');
    if (lost) this.putAside(lost, this.base.version?.number ?? null, why);
  }

  async resetToStarter(): Promise<void> {
    this.put(
      await this.starter(this.game, this.language),
      'Reset to the starter bot. Your draft is kept.',
    );
  }

  get starts(): boolean {
    return hasStarter(this.game, this.language);
  }

  // ---- saving ----

  /** Your own bots for this game. */
  async bots(): Promise<Bot[]> {
    return (await get<Page<Bot>>('/bots', { mine: true, game: this.game, limit: 200 })).items;
  }

  /**
   * Uploads the code or an archive as a version of your bot, which is created first with `make`;
   * then waits for the build. Throws if the bot cannot be created; `saving` has all other failures.
   */
  async save(name: string, make: boolean, archive: File | null = null): Promise<void> {
    const bot = `${session.person?.name}/${name}`;
    const { game, language, files, text } = this;
    const from = this.bot;
    const update = (change: Partial<Saving>): void => {
      this.saving = { ...(this.saving as Saving), ...change };
    };
    this.saving = { phase: 'sending', bot, version: null, log: '', problem: '' };
    const mine = this.opened;
    if (make)
      await post('/bots', { game, name }).catch((error: unknown) => {
        this.saving = null;
        throw error;
      });
    try {
      const path = '/bots/' + bot.split('/').map(encodeURIComponent).join('/');
      const packed = archive ?? (this.several ? await pack(files) : null);
      const fileName = archive?.name ?? (packed ? `${name}.zip` : this.name);
      const version = packed
        ? await post<Version>(`${path}/versions?file_name=${encodeURIComponent(fileName)}`, packed)
        : await post<Version>(`${path}/versions`, { file_name: fileName, source: text });
      if (mine === this.opened && !archive) {
        // The draft is now a version of that bot.
        clearTimeout(this.timer);
        keepDraft(game, language, from, null);
        this.bot = bot;
        this.base = { files, version };
        this.keep();
        this.notice = null;
      }
      update({ phase: 'building', version });
      this.versions++;
      await this.waitForBuild(version, update, mine);
    } catch (error) {
      update({ phase: 'problem', problem: (error as Error).message });
    }
  }

  private async waitForBuild(
    version: Version,
    update: (change: Partial<Saving>) => void,
    mine: number,
  ): Promise<void> {
    while (!this.closed) {
      const now = await get<VersionDiagnostics>(`/versions/${version.id}/diagnostics`).catch(
        (error: unknown) => {
          // A failed poll is ignored; the next one may succeed.
          if (error instanceof Problem && (error.status === 0 || error.status >= 429)) return null;
          throw error;
        },
      );
      if (now && now.build !== 'waiting') {
        update({ phase: now.build, log: now.log });
        if (mine === this.opened && now.build === 'failed') this.diagnostics = now.diagnostics;
        this.versions++;
        return;
      }
      await new Promise((go) => setTimeout(go, POLL));
    }
  }

  /** The name of the only file. A Java file is named after its class. */
  get name(): string {
    return languageOf(this.file) === 'java' ? this.newName('java', this.text) : this.file;
  }

  private newName(language: string, text = ''): string {
    const javaClass =
      language === 'java' ? /\bpublic\s+(?:final\s+)?class\s+(\w+)/.exec(text)?.[1] : undefined;
    const ending = languageSupport[language]?.endings[0] ?? '';
    return (javaClass ?? (language === 'java' ? 'Main' : 'main')) + ending;
  }

  // ---- files from outside ----

  /**
   * Opens a source file or an archive. Returns true for one that can only be uploaded. Throws an
   * Error whose message is a sentence.
   */
  async take(file: File): Promise<boolean> {
    const files = isArchive(file.name)
      ? await unpack(file.name, new Uint8Array(await file.arrayBuffer()))
      : await this.read(file);
    const language = files && languageOf(mainFile(files));
    if (!files || !this.languages.some((one) => one.name === language && one.available))
      return true;
    if (language !== this.language) {
      this.opened++;
      this.flush();
      await this.show(this.game, language as string, '', null, files);
    } else this.put(files, `${file.name} opened. Your draft is kept.`);
    return false;
  }

  /**
   * The files of the bot after opening a source file: the file is added if the bot has several
   * files, is in the same language and is not an unchanged starter; otherwise it replaces them all.
   */
  private async read(file: File): Promise<Files> {
    const language = languageOf(file.name);
    if (!this.languages.some((one) => one.name === language && one.available))
      throw new Error(
        `Unsupported file type: ${file.name}. Use source code, .zip, .tar or .tar.gz.`,
      );
    if (file.size > 1 << 20) throw new Error(`${file.name} is too large (limit: 1 MiB).`);
    const text = await file.text();
    if (text.includes('\0')) throw new Error(`${file.name} is not a text file.`);
    const belongs = language === this.language && (this.dirty || this.bot);
    if (this.several && belongs && !pathProblem(file.name, {}))
      return { ...this.files, [file.name]: text };
    return { [language === this.language ? this.file : this.newName(language, text)]: text };
  }

  close(): void {
    this.flush();
    this.closed = true;
    this.opened++;
  }
}
