// The browsers of the tests: Chromium, or with BROWSER=firefox Debian's Firefox, driven over
// WebDriver BiDi. Hides the differences between them, and lists the tests that Firefox cannot run.
import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as nodeTest } from 'node:test';

import { chromium, firefox } from 'playwright-core';

export const inFirefox = process.env.BROWSER === 'firefox';

// Tests that Firefox cannot run, and why. Two other checks are weaker in Firefox: it does not
// report layout shifts (pages.test.mjs), and `emulateMedia` below only changes the style sheet.
const NOT_IN_FIREFOX = {
  'the board zooms with two fingers': 'Playwright has no touch input over WebDriver BiDi',
};

/** Like `test` of node:test; skips the tests that the browser cannot run. */
export function test(name, ...more) {
  const options = typeof more[0] === 'object' ? more.shift() : {};
  const skip = inFirefox && NOT_IN_FIREFOX[name];
  return nodeTest(name, skip ? { ...options, skip } : options, ...more);
}

function startChromium() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--disable-gpu',
      '--mute-audio',
    ],
  });
}

let downloads; // the folder of Firefox's downloads

// Values of `ui.primaryPointerCapabilities`: a finger is coarse; a mouse is fine and can hover.
const [FINGER, MOUSE] = [1, 2 + 4];

/**
 * WebDriver BiDi cannot change the colour scheme, reduce motion or replace the mouse with a finger,
 * so there is one Firefox for each combination, started when a page needs it. All pages may use the
 * clipboard, because permissions cannot be granted to one page.
 */
async function startFirefox() {
  const started = new Map();
  downloads = await mkdtemp(join(tmpdir(), 'skirmish-downloads-'));
  const launch = (scheme, motion, pointer) =>
    firefox.launch({
      channel: 'moz-firefox', // over WebDriver BiDi
      executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
      downloadsPath: downloads,
      // The size of the screen, which full screen uses; pages have their own size.
      env: { ...process.env, MOZ_HEADLESS_WIDTH: '1920', MOZ_HEADLESS_HEIGHT: '1080' },
      firefoxUserPrefs: {
        'layout.css.prefers-color-scheme.content-override': scheme === 'dark' ? 0 : 1,
        'ui.prefersReducedMotion': motion === 'reduce' ? 1 : 0,
        'ui.primaryPointerCapabilities': pointer,
        'ui.allPointerCapabilities': pointer,
        'dom.events.testing.asyncClipboard': true,
        'full-screen-api.transition-duration.enter': '0 0',
        'full-screen-api.transition-duration.leave': '0 0',
        'full-screen-api.warning.timeout': 0,
      },
    });
  return {
    async newContext({ colorScheme, reducedMotion, hasTouch, isMobile, ...options } = {}) {
      void isMobile; // Chromium only
      const look = [colorScheme ?? 'light', reducedMotion ?? '', hasTouch ? FINGER : MOUSE];
      const key = look.join(' ');
      if (!started.has(key)) started.set(key, launch(...look));
      const context = await (await started.get(key)).newContext(options);
      return Object.assign(context, { grantPermissions: () => Promise.resolve() });
    },
    async close() {
      for (const one of started.values()) await (await one).close();
      await rm(downloads, { recursive: true, force: true });
    },
  };
}

/** Starts the browser of the tests. */
export async function startBrowser() {
  return inFirefox ? startFirefox() : startChromium();
}

/** The file in the folder of downloads, once it is complete. */
async function completeDownload() {
  for (const end = Date.now() + 30_000; Date.now() < end;) {
    const names = (await readdir(downloads, { withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
    // During the download, the file is empty, and a second file has the content.
    if (names.length === 1 && (await stat(join(downloads, names[0]))).size > 0) return names[0];
    await new Promise((go) => setTimeout(go, 50));
  }
  throw new Error('timed out waiting for the download');
}

/**
 * Calls `start`, which starts a download, and returns the name and path of the file. Playwright
 * does not report downloads over WebDriver BiDi, but Firefox saves them in a folder.
 */
export async function download(page, start) {
  if (!inFirefox) {
    const [event] = await Promise.all([page.waitForEvent('download'), start()]);
    return { name: event.suggestedFilename(), path: await event.path() };
  }
  await start();
  const name = await completeDownload();
  const path = join(await mkdtemp(join(downloads, 'done-')), name);
  await rename(join(downloads, name), path); // the next one may have the same name
  return { name, path };
}

/** Double-clicks. Over WebDriver BiDi, Firefox does not treat two clicks as a double click. */
export async function doubleClick(locator) {
  if (!inFirefox) return locator.dblclick();
  await locator.click();
  await locator.click();
  await locator.dispatchEvent('dblclick');
}

/** Whether an error in the console only reports a failed request, which tests check separately. */
export const isRequestError = (text) =>
  text.startsWith('Failed to load resource') ||
  /blocked the loading of \S+ \S+ \(img-src\) at \S+\/favicon\.ico /.test(text) || // of a report
  /^(Firefox can’t establish a connection|The connection to \S+ was interrupted)/.test(text);

/** Replaces what Playwright cannot do in Firefox. */
export function adapt(page) {
  if (!inFirefox) return page;
  // Inserts text at once, as pasting does: WebDriver BiDi can only press keys.
  page.keyboard.insertText = (text) =>
    page.evaluate((pasted) => {
      let target = document.activeElement;
      while (target.shadowRoot?.activeElement) target = target.shadowRoot.activeElement;
      target.dispatchEvent(
        new ClipboardEvent('paste', {
          dataType: 'text/plain', // only Firefox has these two
          data: pasted,
          bubbles: true,
          cancelable: true,
        }),
      );
    }, text);
  // The style sheet follows this attribute.
  page.emulateMedia = ({ colorScheme }) =>
    page.evaluate((scheme) => (document.documentElement.dataset.theme = scheme), colorScheme);
  return page;
}
