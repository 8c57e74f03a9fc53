// The browsers of the tests: Chromium, or with BROWSER=firefox Debian's Firefox, driven over
// WebDriver BiDi. Hides the differences between them, and lists the tests that one cannot run.
import { test as nodeTest } from 'node:test';

import { chromium, firefox } from 'playwright-core';

export const inFirefox = process.env.BROWSER === 'firefox';

// Tests that Firefox cannot run, and why. Two parts of tests do nothing there: Firefox does not
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

/**
 * WebDriver BiDi cannot change the colour scheme, so there is one Firefox per scheme, started when
 * a page needs it.
 */
function startFirefox() {
  const started = new Map();
  const launch = (scheme) =>
    firefox.launch({
      channel: 'moz-firefox', // over WebDriver BiDi
      executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
      firefoxUserPrefs: {
        'layout.css.prefers-color-scheme.content-override': scheme === 'dark' ? 0 : 1,
        'full-screen-api.transition-duration.enter': '0 0',
        'full-screen-api.transition-duration.leave': '0 0',
        'full-screen-api.warning.timeout': 0,
      },
    });
  return {
    async newContext({ colorScheme = 'light', ...options }) {
      if (!started.has(colorScheme)) started.set(colorScheme, launch(colorScheme));
      return (await started.get(colorScheme)).newContext(options);
    },
    async close() {
      for (const one of started.values()) await (await one).close();
    },
  };
}

/** Starts the browser of the tests. */
export async function startBrowser() {
  return inFirefox ? startFirefox() : startChromium();
}

/** Double-clicks. Firefox does not see a double click in two clicks over WebDriver BiDi. */
export async function doubleClick(locator) {
  if (!inFirefox) return locator.dblclick();
  await locator.click();
  await locator.click();
  await locator.dispatchEvent('dblclick');
}

/** Whether an error in the console only says that a request failed; pages are tested for that. */
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
