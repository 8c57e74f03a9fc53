// The state of the editor: game, language, bot, code, and the version it started from. Stores
// drafts in the browser and versions on the arena; knows nothing about the display.
import { get, post, Problem, send, type Page } from '../app/api';
import { session } from '../app/session.svelte';
import { allGames } from '../app/games.svelte';
import type { Bot, BotDetail, Game, Version } from '../pages/parts/types';
import { keepDraft, readDraft, recall, remember } from './drafts';
import { hasStarter, starter } from './starters';
import { languageSupport } from './languages';
import type { Diagnostic, Language, VersionDiagnostics } from './types';

/** The saved text: the code differs from it if there is something to save. */
interface Base {
  text: string;
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

export interface Wanted {
  game: string | null;
  language: string | null;
  bot: string | null;
  version: string | null;
}

const KEEP_AFTER = 400; // milliseconds after the last key
const POLL = 700;
const ARCHIVE = /\.(zip|tar|tgz|tar\.gz)$/i;

export class Workspace {
  games = $state.raw<Game[]>([]);
  languages = $state.raw<Language[]>([]);
  game = $state('');
  language = $state('');
  bot = $state(''); // "owner/name"; "": not saved yet
  base = $state.raw<Base>({ text: '', version: null });
  text = $state('');
  /**
   * The text that the editor must load: a new text has a new number. `fresh` starts a new undo
   * history.
   */
  given = $state.raw({ number: 0, text: '', fresh: true });
  diagnostics = $state.raw<Diagnostic[]>([]);
  // With `aside`, there is a draft to restore.
  notice = $state.raw<{ text: string; aside: boolean } | null>(null);
  full = $state(false); // storage is full
  saving = $state.raw<Saving | null>(null);
  versions = $state(0); // incremented when the bot's versions change

  readonly dirty = $derived(this.text !== this.base.text);
  readonly path = $derived(this.bot.split('/').map(encodeURIComponent).join('/'));
  readonly own = $derived(this.bot !== '' && session.person?.name === this.bot.split('/')[0]);
  readonly gameInfo = $derived(this.games.find((game) => game.name === this.game));
  readonly title = $derived(
    this.languages.find((language) => language.name === this.language)?.title ?? this.language,
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
      const [games, languages] = await Promise.all([allGames(), get<Page<Language>>('/languages')]);
      this.games = games;
      this.languages = languages.items.filter(
        (language) => language.available && languageSupport[language.name],
      );
      if (!this.languages.length)
        throw new Error(
          'No programming languages are installed on this arena. Ask its administrator.',
        );
    }
    const found = wanted.version || wanted.bot ? await this.find(wanted) : null;
    if (mine !== this.opened) return;
    if (found)
      await this.show(
        found.game,
        found.version?.language ?? wanted.language ?? this.defaultLanguage(),
        found.own ? found.bot : '',
        found.own || !found.version ? found.base : null,
        found.text,
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
    text: string | null;
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
    const text = wanted ? await this.source(wanted) : null;
    const base =
      newest && own && text !== null && newest.id !== requested?.id && requested
        ? { version: newest, text: await this.source(newest).catch(() => text) }
        : wanted && text !== null
          ? { version: wanted, text }
          : null;
    return {
      game: detail.game,
      bot: name,
      own,
      version: wanted,
      base,
      text: requested || !own ? text : null,
    };
  }

  /** The source of a single-file version. */
  async source(version: Version): Promise<string> {
    if (version.language === 'house')
      throw new Error('The source of house bots is not public. Read the starter bots instead.');
    if (ARCHIVE.test(version.file_name ?? '') || !languageSupport[version.language])
      throw new Error(
        `Version ${version.number} of ${version.name} has several files. ` +
          'The editor opens single files only; upload archives with "skirmish submit".',
      );
    return (await send('GET', `/versions/${version.id}/source`)).text();
  }

  /**
   * Shows a game, a language and a bot. Shows `text` if given, and puts an unsaved draft aside;
   * otherwise shows the draft.
   */
  private async show(
    game: string,
    language: string,
    bot: string,
    base: Base | null,
    text: string | null,
  ): Promise<void> {
    const mine = this.opened;
    if (!this.games.some((one) => one.name === game)) game = this.games[0]?.name ?? '';
    if (!this.languages.some((one) => one.name === language))
      language = this.languages[0]?.name ?? '';
    const from = base ?? { text: await starter(game, language), version: null };
    if (mine !== this.opened) return;
    const draft = readDraft(game, language, bot);
    this.game = game;
    this.language = language;
    this.bot = bot;
    this.base = from;
    this.diagnostics = [];
    this.notice = null;
    this.saving = null;
    this.give(text ?? draft?.text ?? from.text, true);
    remember('game', game);
    remember('language', language);
    if (text !== null && draft && draft.text !== text)
      this.putAside(draft.text, draft.base, 'Your unsaved draft is kept.');
    else if (draft && text === null && from.version && draft.base !== from.version.number)
      this.notice = {
        text: `Unsaved draft. Version ${from.version.number} is newer; compare under "Versions".`,
        aside: false,
      };
    else this.offerAside();
  }

  private give(text: string, fresh: boolean): void {
    this.text = text;
    this.given = { number: this.given.number + 1, text, fresh };
    this.keep();
  }

  // ---- drafts ----

  /** The code was changed in the editor. */
  changed(text: string): void {
    this.text = text;
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
        ? { text: this.text, time: Date.now(), base: this.base.version?.number ?? null }
        : null,
    );
  }

  /** Stores the latest changes; call before leaving. */
  flush(): void {
    if (this.timer !== undefined) this.keep();
  }

  private putAside(text: string, base: number | null, why: string): void {
    keepDraft(this.game, this.language, this.bot, { text, time: Date.now(), base }, true);
    this.notice = { text: why, aside: true };
  }

  private offerAside(): void {
    const aside = readDraft(this.game, this.language, this.bot, true);
    if (aside && aside.text !== this.text)
      this.notice = { text: 'An earlier draft is available.', aside: true };
  }

  /** Swaps the code with the draft put aside. */
  restoreDraft(): void {
    const { game, language, bot } = this;
    const aside = readDraft(game, language, bot, true);
    if (!aside) return;
    keepDraft(
      game,
      language,
      bot,
      this.dirty
        ? { text: this.text, time: Date.now(), base: this.base.version?.number ?? null }
        : null,
      true,
    );
    this.notice = null;
    this.give(aside.text, false);
  }

  discardDraft(): void {
    keepDraft(this.game, this.language, this.bot, null, true);
    this.notice = null;
  }

  /** Replaces the code, with undo; an unsaved draft is put aside. */
  put(text: string, why: string): void {
    if (text === this.text) return;
    const lost = this.dirty ? this.text : null;
    this.diagnostics = [];
    this.notice = null;
    this.give(text, false);
    if (lost !== null) this.putAside(lost, this.base.version?.number ?? null, why);
  }

  async resetToStarter(): Promise<void> {
    this.put(
      await starter(this.game, this.language),
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
   * then waits for the build.
   */
  async save(name: string, make: boolean, archive: File | null = null): Promise<void> {
    const bot = `${session.person?.name}/${name}`;
    const { game, language, text } = this;
    const from = { bot: this.bot, base: this.base };
    const update = (change: Partial<Saving>): void => {
      this.saving = { ...(this.saving as Saving), ...change };
    };
    this.saving = { phase: 'sending', bot, version: null, log: '', problem: '' };
    const mine = this.opened;
    try {
      const path = '/bots/' + bot.split('/').map(encodeURIComponent).join('/');
      if (make) await post('/bots', { game, name });
      const fileName = archive?.name ?? this.fileName(from.bot === bot ? from.base.version : null);
      const version = archive
        ? await post<Version>(`${path}/versions?file_name=${encodeURIComponent(fileName)}`, archive)
        : await post<Version>(`${path}/versions`, { file_name: fileName, source: text });
      if (mine === this.opened && !archive) {
        // The draft is now a version of that bot.
        clearTimeout(this.timer);
        keepDraft(game, language, from.bot, null);
        this.bot = bot;
        this.base = { text, version };
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

  /** The file name. */
  get name(): string {
    return this.fileName(this.base.version);
  }

  private fileName(before: Version | null): string {
    const ending = languageSupport[this.language]?.ending ?? '';
    if (before?.file_name?.toLowerCase().endsWith(ending)) return before.file_name;
    const javaClass =
      this.language === 'java'
        ? /\bpublic\s+(?:final\s+)?class\s+(\w+)/.exec(this.text)?.[1]
        : undefined;
    return (javaClass ?? (this.language === 'java' ? 'Main' : 'main')) + ending;
  }

  // ---- files ----

  /**
   * Opens a source file. Returns true for an archive, which can only be uploaded. Throws an Error
   * whose message is a sentence.
   */
  async take(file: File): Promise<boolean> {
    if (ARCHIVE.test(file.name)) return true;
    const language = this.languages.find((one) =>
      one.endings.some((ending) => file.name.toLowerCase().endsWith(ending)),
    );
    if (!language)
      throw new Error(
        `Unsupported file type: ${file.name}. Use source code, .zip, .tar or .tar.gz.`,
      );
    if (file.size > 1 << 20) throw new Error(`${file.name} is too large (limit: 1 MiB).`);
    const text = await file.text();
    if (text.includes('\0')) throw new Error(`${file.name} is not a text file.`);
    if (language.name !== this.language) {
      this.opened++;
      this.flush();
      await this.show(this.game, language.name, '', null, text);
    } else this.put(text, `${file.name} opened. Your draft is kept.`);
    return false;
  }

  close(): void {
    this.flush();
    this.closed = true;
    this.opened++;
  }
}
