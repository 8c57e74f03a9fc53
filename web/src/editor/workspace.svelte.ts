// What is on the workbench: a game, a language, perhaps a bot, and the code, with what it began
// from. Keeps unsaved work in the browser and versions on the arena; knows nothing of how it is
// shown.
import { get, post, Problem, send, type Page } from '../app/api';
import { session } from '../app/session.svelte';
import { allGames } from '../app/games.svelte';
import type { Bot, BotDetail, Game, Version } from '../pages/parts/types';
import { keepDraft, readDraft, recall, remember } from './drafts';
import { hasStarter, starter } from './starters';
import { languageSupport } from './languages';
import type { Diagnostic, Language, VersionDiagnostics } from './types';

/** What the code is compared with to tell whether there is something to save. */
interface Base {
  text: string;
  version: Version | null; // null: the starter bot
}

/** A version on its way to the arena, and what became of it. */
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

const KEEP_AFTER = 400; // milliseconds without a key
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
   * The text that the editor has to take: a new one has a new number. `fresh`: with an empty
   * history.
   */
  given = $state.raw({ number: 0, text: '', fresh: true });
  diagnostics = $state.raw<Diagnostic[]>([]);
  // With `aside`, there is something to bring back.
  notice = $state.raw<{ text: string; aside: boolean } | null>(null);
  full = $state(false); // the browser has no room for drafts
  saving = $state.raw<Saving | null>(null);
  versions = $state(0); // goes up when the versions of the bot have changed

  readonly dirty = $derived(this.text !== this.base.text);
  readonly path = $derived(this.bot.split('/').map(encodeURIComponent).join('/'));
  readonly own = $derived(this.bot !== '' && session.person?.name === this.bot.split('/')[0]);
  readonly gameInfo = $derived(this.games.find((game) => game.name === this.game));
  readonly title = $derived(
    this.languages.find((language) => language.name === this.language)?.title ?? this.language,
  );

  private timer: ReturnType<typeof setTimeout> | undefined;
  private opened = 0;
  private gone = false;

  /**
   * Opens what an address asks for: a version, a bot, or a new bot of a game in a language. Throws
   * a sentence.
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
          'This arena has no language installed that bots can be written in. Whoever runs it can change that.',
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
   * What there is of the version or the bot that is asked for. The base of one's own bot is its
   * newest version; an older one that is opened is a change to it.
   */
  private async find({ bot, version }: Wanted): Promise<{
    game: string;
    bot: string;
    own: boolean;
    version: Version | null;
    base: Base | null;
    text: string | null;
  }> {
    const asked = version ? await get<Version>(`/versions/${encodeURIComponent(version)}`) : null;
    const name = asked ? `${asked.owner}/${asked.name}` : (bot as string);
    const path = '/bots/' + name.split('/').map(encodeURIComponent).join('/');
    const detail = await get<BotDetail>(path);
    const own = session.person?.name === detail.owner;
    const newest = (await get<Page<Version>>(path + '/versions', { limit: 1 })).items[0] ?? null;
    const wanted = asked ?? newest;
    const text = wanted ? await this.source(wanted) : null;
    const base =
      newest && own && text !== null && newest.id !== asked?.id && asked
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
      text: asked || !own ? text : null,
    };
  }

  /** The text of a version that is one file. */
  async source(version: Version): Promise<string> {
    if (version.language === 'house')
      throw new Error(
        'The house keeps the sources of its bots to itself. The starter bots are there to be read.',
      );
    if (ARCHIVE.test(version.file_name ?? '') || !languageSupport[version.language])
      throw new Error(
        `Version ${version.number} of ${version.name} is an archive of several files. The editor shows single files; change it on your machine and send it with "skirmish submit".`,
      );
    return (await send('GET', `/versions/${version.id}/source`)).text();
  }

  /**
   * Puts a game, a language and a bot on the bench. `text` is shown if given, and what was not
   * saved is put aside; else that is shown.
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
      this.putAside(draft.text, draft.base, 'You had unsaved work here. It is kept.');
    else if (draft && text === null && from.version && draft.base !== from.version.number)
      this.notice = {
        text: `This is your unsaved work. Since it began, version ${from.version.number} was saved: compare them under "Versions".`,
        aside: false,
      };
    else this.offerAside();
  }

  private give(text: string, fresh: boolean): void {
    this.text = text;
    this.given = { number: this.given.number + 1, text, fresh };
    this.keep();
  }

  // ---- unsaved work ----

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

  /** Keeps what was typed last; before one leaves. */
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
      this.notice = { text: 'Earlier work on this was put aside.', aside: true };
  }

  /** Changes the code on the bench with the one put aside. */
  bringBack(): void {
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

  forget(): void {
    keepDraft(this.game, this.language, this.bot, null, true);
    this.notice = null;
  }

  /** Another text on the bench, which can be undone; what was not saved is put aside. */
  put(text: string, why: string): void {
    if (text === this.text) return;
    const lost = this.dirty ? this.text : null;
    this.diagnostics = [];
    this.notice = null;
    this.give(text, false);
    if (lost !== null) this.putAside(lost, this.base.version?.number ?? null, why);
  }

  async startAgain(): Promise<void> {
    this.put(
      await starter(this.game, this.language),
      'This is the starter bot again. What you had is kept.',
    );
  }

  get starts(): boolean {
    return hasStarter(this.game, this.language);
  }

  // ---- saving ----

  /** One's own bots for this game. */
  async bots(): Promise<Bot[]> {
    return (await get<Page<Bot>>('/bots', { mine: true, game: this.game, limit: 200 })).items;
  }

  /**
   * Sends the code, or an archive, as a version of a bot of one's own, which is made first if
   * `make` says so; then waits for its build.
   */
  async save(name: string, make: boolean, archive: File | null = null): Promise<void> {
    const bot = `${session.person?.name}/${name}`;
    const { game, language, text } = this;
    const from = { bot: this.bot, base: this.base };
    const tell = (change: Partial<Saving>): void => {
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
        // It is that bot now, and what was a draft of none, or of another, is saved.
        clearTimeout(this.timer);
        keepDraft(game, language, from.bot, null);
        this.bot = bot;
        this.base = { text, version };
        this.keep();
        this.notice = null;
      }
      tell({ phase: 'building', version });
      this.versions++;
      await this.built(version, tell, mine);
    } catch (error) {
      tell({ phase: 'problem', problem: (error as Error).message });
    }
  }

  private async built(
    version: Version,
    tell: (change: Partial<Saving>) => void,
    mine: number,
  ): Promise<void> {
    while (!this.gone) {
      const now = await get<VersionDiagnostics>(`/versions/${version.id}/diagnostics`).catch(
        (error: unknown) => {
          // The next one may reach the arena again.
          if (error instanceof Problem && (error.status === 0 || error.status >= 429)) return null;
          throw error;
        },
      );
      if (now && now.build !== 'waiting') {
        tell({ phase: now.build, log: now.log });
        if (mine === this.opened && now.build === 'failed') this.diagnostics = now.diagnostics;
        this.versions++;
        return;
      }
      await new Promise((go) => setTimeout(go, POLL));
    }
  }

  /** What the file is called. */
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
   * Opens a file that somebody chose: a source file here; true for an archive, which can only be
   * uploaded. Throws a sentence.
   */
  async take(file: File): Promise<boolean> {
    if (ARCHIVE.test(file.name)) return true;
    const language = this.languages.find((one) =>
      one.endings.some((ending) => file.name.toLowerCase().endsWith(ending)),
    );
    if (!language)
      throw new Error(
        `${file.name} has an ending that belongs to no language of this arena. Source files and archives (.zip, .tar, .tar.gz) are taken.`,
      );
    if (file.size > 1 << 20) throw new Error(`${file.name} is too large for a bot's source.`);
    const text = await file.text();
    if (text.includes('\0')) throw new Error(`${file.name} is not a text.`);
    if (language.name !== this.language) {
      this.opened++;
      this.flush();
      await this.show(this.game, language.name, '', null, text);
    } else this.put(text, `${file.name} is open. What you had is kept.`);
    return false;
  }

  close(): void {
    this.flush();
    this.gone = true;
    this.opened++;
  }
}
