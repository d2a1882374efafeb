/**
 * Measures the customer's screens on a phone: the slowest response to a key or a tap, and Lighthouse's mobile scores.
 * The processor is slowed to one reference device (`lib/device.ts`).
 *
 * `npm run bench:screens`, after `npm run build`. Lighthouse is fetched by npx (pinned below) and never part of the
 * product.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BrowserContext, type Page, chromium } from 'playwright-core';
import { launching } from '#tests/journeys/browser/browser.ts';
import { startProduct } from '#tests/journeys/support/product.ts';
import { openShop, type Shop } from '#tests/journeys/seeds/shop.ts';
import { encode } from '#web/browser/session.ts';
import { PHONE, slowdownToPhone, slowed } from './lib/device.ts';
import { report, table } from './lib/results.ts';
import { median } from './lib/rounds.ts';

const LIGHTHOUSE = 'lighthouse@13.5.0';
const ROUNDS = 5;
/** From a key or a tap to the paint after it. */
const ANSWER_MS_MAX = 150;
const categories = ['performance', 'accessibility', 'best-practices'] as const;
/** The minimum of each score (docs/faults.md#figures). */
const scoresMin = [0.95, 1, 1] as const;

const run = promisify(execFile);

type Scores = readonly number[];

type LighthouseAnswer = {
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, { score: number | null; title: string }>;
};

/**
 * The scores of a page, and the audits that lower them. Lighthouse starts its own browser each time: one under other
 * control is slower.
 */
async function lighthouse(
  url: string,
  folder: string,
  times: number,
): Promise<{ scores: Scores; lost: string[] }> {
  const { executablePath, args } = launching('whole');
  const flags = ['--headless=new', `--user-data-dir=${folder}`, ...args].join(' ');
  const given = [
    '--yes',
    LIGHTHOUSE,
    url,
    `--only-categories=${categories.join()}`,
    `--chrome-flags=${flags}`,
    // Keep the session. The live stream never ends, so the network is never quiet.
    `--throttling.cpuSlowdownMultiplier=${times}`,
    '--output=json',
    '--quiet',
    '--disable-storage-reset',
    '--max-wait-for-load=15000',
  ];
  const env = { ...process.env, CHROME_PATH: executablePath };
  const ask = () => run('npx', given, { maxBuffer: 64 * 1024 * 1024, env });
  // Its trace sometimes has no beginning, and it asks for another run.
  const { stdout } = await ask().catch(ask).catch(ask);
  const answer = JSON.parse(stdout) as LighthouseAnswer;
  const found = categories.map((name) => answer.categories[name]);
  const lost = found.flatMap((category) =>
    (category?.auditRefs ?? [])
      .filter(({ id, weight }) => weight > 0 && (answer.audits[id]?.score ?? 1) < 0.9)
      .map(({ id }) => `${id} ${answer.audits[id]?.score}`),
  );
  return { scores: found.map((category) => category?.score ?? 0), lost };
}

type Slow = { what: string; ms: number };

declare global {
  // oxlint-disable-next-line no-var -- a global of the page, written by its first script.
  var slowest: Slow[];
}

/** In the page: records the time from each key and tap to the next paint. */
function listenToInteractions(): void {
  globalThis.slowest = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { interactionId: number })[]) {
      if (entry.interactionId > 0)
        globalThis.slowest.push({ what: entry.name, ms: entry.duration });
    }
  });
  observer.observe({ type: 'event', durationThreshold: 16, buffered: true } as never);
}

type Flow = {
  name: string;
  stranger?: boolean;
  go: (tab: Page, address: string, shop: Shop) => Promise<void>;
};

const flows: readonly Flow[] = [
  {
    name: 'sign-in form',
    stranger: true,
    go: async (tab, address) => {
      await tab.goto(`${address}/auth/login`);
      await tab.getByRole('button', { name: 'Masuk', exact: true }).click();
      await tab.getByText('Tulis nomor ponsel Anda.').waitFor();
      await tab.getByLabel('Nomor ponsel').pressSequentially('081234567890');
      await tab.getByLabel('Kata sandi', { exact: true }).pressSequentially('rahasia sekali 7');
    },
  },
  {
    name: 'messages: rows, filters, pages',
    go: async (tab, address) => {
      await tab.goto(`${address}/message-history`);
      const rows = tab.locator('tbody [data-row="open"]');
      await rows.first().click();
      await tab.getByRole('dialog').getByText('Diterima').first().waitFor();
      await tab.keyboard.press('Escape');
      await tab.getByRole('dialog').waitFor({ state: 'detached' });
      await tab.getByRole('button', { name: 'Halaman 2', exact: true }).click();
      await tab.getByRole('button', { name: 'Semua tanggal' }).click();
      await tab.getByRole('button', { name: '7 hari terakhir' }).click();
      await tab
        .getByRole('searchbox', { name: 'Cari nomor, nama, atau kata' })
        .pressSequentially('62812');
    },
  },
  {
    name: 'a conversation: typing, sending',
    go: async (tab, address, { sender, peer }) => {
      const place = `/message-history?view=percakapan&open=${sender.id}&peer=${peer}`;
      await tab.goto(address + place);
      const box = tab.getByLabel(/^Tulis pesan untuk/);
      await box.pressSequentially('Baik Kak, pesanan kami siapkan hari ini.');
      await box.press('Enter');
      await tab.getByRole('article').filter({ hasText: 'siapkan hari ini' }).first().waitFor();
    },
  },
  {
    name: 'from page to page: palette, menu',
    go: async (tab, address) => {
      await tab.goto(`${address}/`);
      const menu = tab.getByRole('navigation', { name: 'Menu utama' });
      for (const name of ['Nomor', 'Saldo', 'Pesan', 'Beranda']) {
        await menu
          .getByRole('link', { name: new RegExp(`^${name}`) })
          .first()
          .click();
        await tab.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      }
      await tab.keyboard.press('Control+k');
      await tab.getByRole('dialog', { name: 'Cari atau lompat' }).waitFor();
      await tab.keyboard.type('profil');
      await tab.keyboard.press('Enter');
      await tab.getByRole('heading', { level: 1, name: 'Profil' }).waitFor();
    },
  },
  {
    name: 'a top-up: amount, bank',
    go: async (tab, address) => {
      await tab.goto(`${address}/saldo?new=1`);
      await tab.getByLabel('Nominal').first().pressSequentially('250000');
      await tab.getByRole('button', { name: 'Pilih cara bayar' }).click();
      await tab.getByRole('radio', { name: /^Transfer bank/ }).check();
      await tab.getByRole('button', { name: 'Lanjut ke pembayaran' }).click();
    },
  },
];

async function worstOf(
  context: BrowserContext,
  flow: Flow,
  { address, shop, times }: Stage & { times: number },
) {
  const tab = await context.newPage();
  const wire = await context.newCDPSession(tab);
  await wire.send('Emulation.setCPUThrottlingRate', { rate: times });
  await flow.go(tab, address, shop);
  await tab.evaluate(() => new Promise((painted) => setTimeout(painted, 500)));
  const slow = await tab.evaluate(() => globalThis.slowest);
  await tab.close();
  return slow.reduce<Slow>((worst, one) => (one.ms > worst.ms ? one : worst), { what: '', ms: 0 });
}

async function openBrowser(folder: string): Promise<BrowserContext> {
  const place = { locale: 'id-ID', timezoneId: 'Asia/Jakarta' };
  return chromium.launchPersistentContext(folder, { ...launching('whole'), ...place });
}

async function actAs(context: BrowserContext, address: string, session: string): Promise<void> {
  const tab = await context.newPage();
  await tab.goto(`${address}/leaving`);
  await tab.evaluate((token) => localStorage.setItem('auth-token', token), encode(session));
  await tab.close();
}

type Stage = { address: string; shop: Shop };

async function measureScores(folder: string, { address, shop }: Stage) {
  const rows: string[][] = [];
  for (const [name, path, session] of [
    ['login', '/auth/login', ''],
    ['signed in: home', '/?home', shop.customer.session],
    ['signed in: messages', '/message-history', shop.customer.session],
  ] as const) {
    const context = await openBrowser(folder);
    await actAs(context, address, session);
    const slowdown = await slowdownToPhone(await context.newPage());
    await context.close();
    const found: Awaited<ReturnType<typeof lighthouse>>[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      found.push(await lighthouse(address + path, folder, slowdown.times));
    }
    const scores = categories.map((_, at) => median(found.map(({ scores: all }) => all[at] ?? 0)));
    const held = scores.every((score, at) => score >= (scoresMin[at] ?? 1));
    const lost = [...new Set(found.flatMap((one) => one.lost))].join(', ');
    const shown = scores.map((score) => score.toFixed(2));
    rows.push([name, ...shown, held ? 'yes' : 'NO', slowed(slowdown), lost]);
  }
  return table([`Lighthouse, ${PHONE}`, ...categories, 'held', 'here', 'what costs'], rows);
}

async function measureAnswers(folder: string, stage: Stage) {
  const { address, shop } = stage;
  const rows: string[][] = [];
  const context = await openBrowser(folder);
  await context.addInitScript(listenToInteractions);
  for (const flow of flows) {
    await actAs(context, address, flow.stranger ? '' : shop.customer.session);
    const slowdown = await slowdownToPhone(await context.newPage());
    const worst: Slow[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      worst.push(await worstOf(context, flow, { ...stage, times: slowdown.times }));
    }
    const ms = median(worst.map((one) => one.ms));
    const { what } = worst.toSorted((a, b) => b.ms - a.ms)[0] ?? { what: '' };
    const held = ms <= ANSWER_MS_MAX ? 'yes' : 'NO';
    rows.push([flow.name, ms.toFixed(0), held, slowed(slowdown), what]);
  }
  await context.close();
  return table([`slowest answer, ${PHONE}`, 'ms', 'held', 'here', 'worst'], rows);
}

const folder = await mkdtemp(join(tmpdir(), 'kabari-bench-profile-'));
// The server does not yield: the measured phone has processors of its own.
const product = await startProduct({ SIMULATOR_SPEED: '0' }, { yields: true });
try {
  const shop = await openShop(product.address);
  const stage = { address: product.address, shop };
  const answers = await measureAnswers(folder, stage);
  await report(`Screens: keys and taps, ${ROUNDS} rounds, medians`, answers);
  const scores = await measureScores(folder, stage);
  await report(`Screens: Lighthouse, ${ROUNDS} rounds, medians`, scores);
} finally {
  await product.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
