import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  chromium,
} from 'playwright-core';
import { PATIENCE_MS } from '#tests/support/wait-for.ts';
import { encode } from '#web/browser/session.ts';
import { deviceOf } from '#tests/journeys/support/portal.ts';
import { installSpies, type Kind } from './spies.ts';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Pages here are short-lived: optimizing their code costs more than it gains, a third of a page's start.
  '--js-flags=--no-opt --no-maglev --no-flush-bytecode',
];

export type BrowserKind = 'light' | 'whole';

const whole = () => process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/**
 * Launch options. The light browser (`CHROMIUM_SHELL`) draws the same pages in half the time; the whole one
 * (`CHROMIUM`, or Debian's) also supports notifications, installed apps and push.
 */
export const launching = (kind: BrowserKind = 'light') => ({
  executablePath: kind === 'light' ? (process.env['CHROMIUM_SHELL'] ?? whole()) : whole(),
  args: flags,
  // Without a locale Chromium cannot read a file whose name is not ASCII.
  env: { ...process.env, LANG: process.env['LANG'] ?? 'C.UTF-8' },
});

export const startBrowser = (kind?: BrowserKind): Promise<Browser> =>
  chromium.launch(launching(kind));

export type Observed = { kind: Kind; what: string; page: Page };

export type PersonOptions = {
  session?: string;
  width?: number;
  height?: number;
  dark?: boolean;
  /** Whether the app's service worker may run: it fetches the whole shell into each new profile. */
  worker?: boolean;
  notices?: boolean;
  /** Overlay scrollbars, as on a Mac. */
  floatingScrollbars?: boolean;
  still?: boolean;
  expects?: readonly RegExp[];
};

export type Person = {
  context: BrowserContext;
  open: (path?: string) => Promise<Page>;
  observed: readonly Observed[];
  /** Errors that no journey may cause: console errors, failed scripts, policy violations. */
  wrongs: readonly string[];
};

export async function openPerson(
  browser: Browser,
  address: string,
  options: PersonOptions = {},
  lines: string[] = [],
): Promise<Person> {
  const context = await browser.newContext(optionsFor(address, options));
  context.setDefaultTimeout(PATIENCE_MS);
  if (options.notices) await context.grantPermissions(['notifications'], { origin: address });
  const observed: Observed[] = [];
  const wrongs: string[] = [];
  const note = (line: string) => void lines.push(`${new Date().toISOString()} ${line}`);
  const wrong = (line: string) => {
    note(`WRONG ${line}`);
    if (!options.expects?.some((pattern) => pattern.test(line))) wrongs.push(line);
  };
  await context.exposeBinding('journeyObserved', ({ page }, kind: Kind, what: string) => {
    note(`${kind} ${what}`);
    observed.push({ kind, what, page });
    if (kind === 'violation') wrong(`policy: ${what}`);
  });
  await context.addInitScript(installSpies);
  context.on('page', (page) => watch(page, note, wrong));
  return {
    context,
    observed,
    wrongs,
    open: async (path) => {
      const page = await context.newPage();
      if (path !== undefined) await page.goto(address + path);
      return page;
    },
  };
}

/** The browser in which the session began: elsewhere sensitive acts require the password. */
const deviceCookie = (address: string, session: string) => ({
  name: 'kabari-device',
  value: deviceOf(session),
  domain: new URL(address).hostname,
  path: '/',
  expires: -1,
  httpOnly: true,
  secure: false,
  sameSite: 'Strict' as const,
});

function optionsFor(address: string, options: PersonOptions): BrowserContextOptions {
  const { width = 1440, height = width < 600 ? 844 : 900, dark = false, session } = options;
  const localStorage = [{ name: 'auth-token', value: encode(session ?? '') }];
  return {
    baseURL: address,
    locale: 'id-ID',
    timezoneId: 'Asia/Jakarta',
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    serviceWorkers: options.worker ? 'allow' : 'block',
    reducedMotion: options.still ? 'reduce' : 'no-preference',
    ...(options.floatingScrollbars && { isMobile: true }),
    ...(width < 600 && { hasTouch: true, isMobile: true, deviceScaleFactor: 2 }),
    ...(session !== undefined && {
      storageState: {
        cookies: [deviceCookie(address, session)],
        origins: [{ origin: address, localStorage }],
      },
    }),
  };
}

function watch(page: Page, note: (line: string) => void, wrong: (line: string) => void): void {
  page.on('console', (message) => {
    // A journey's profile is a private window, where Chromium has no push and reports so.
    if (/Push API in incognito mode/.test(message.text())) return;
    if (/Service Worker registration blocked by Playwright/.test(message.text())) return;
    if (message.type() === 'error' || message.type() === 'warning') {
      wrong(`console ${message.type()}: ${message.text()} (${message.location().url})`);
    }
  });
  page.on('pageerror', (error) => wrong(`script: ${error.stack || String(error)}`));
  page.on('crash', () => wrong('the page crashed'));
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) note(`at ${frame.url()}`);
  });
  page.on('response', (response) => {
    const act = /(?:^|&)act=(\w+)/.exec(response.request().postData() ?? '')?.[1];
    if (act) note(`act ${act} ${response.status()}`);
  });
}

/** Waits for two repaints, so that the current state is on the screen. */
export const frames = (tab: Page): Promise<void> =>
  tab.evaluate(
    () =>
      new Promise<void>((drawn) => {
        requestAnimationFrame(() => requestAnimationFrame(() => drawn()));
      }),
  );

const ENDLESS_MS = 60_000;

/** Waits for animations: colours in transition are no fault. */
export async function settled(tab: Page): Promise<void> {
  await frames(tab);
  const still = (endlessMs: number) =>
    document
      .getAnimations()
      .filter(({ playState }) => playState === 'running')
      .every(({ effect }) => Number(effect?.getComputedTiming().endTime) >= endlessMs);
  await tab.waitForFunction(still, ENDLESS_MS);
}
