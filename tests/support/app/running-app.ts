import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { LightMyRequestResponse } from 'fastify';
import { toPairs } from '#contract/base/form.ts';
import { openHttp } from '#server/app/http.ts';
import { readWebApp } from '#server/http/site.ts';
import { openContainer } from '#server/app/container.ts';
import { readConfig } from '#server/infra/config.ts';
import { openLog } from '#server/infra/observability/log.ts';
import { startWorker } from '#server/app/worker.ts';
import { type TestDatabase, test as base } from '#tests/support/database/database.ts';
import {
  type Customer,
  browserOf,
  customerWith,
  makeSession,
} from '#tests/support/people/people.ts';
import { endInjected } from '#tests/support/app/injected.ts';

type AppOptions = {
  env?: Record<string, string>;
  works?: boolean;
  /** Folder of a built web app; none by default. */
  webFolder?: string;
  url?: string;
};

export type AskOptions = { headers?: Record<string, string>; ip?: string };
export type ApiResponse = {
  status: number;
  // oxlint-disable-next-line no-explicit-any -- tests look into answers of any shape.
  body: any;
  headers: LightMyRequestResponse['headers'];
};

/** The whole application on a test's database: every endpoint, nothing faked, no port. */
async function runningApp(
  db: TestDatabase,
  { env = {}, works = false, webFolder, url = db.wholeUrl }: AppOptions = {},
) {
  const dataFolder = await mkdtemp(join(tmpdir(), 'kabari-app-'));
  const config = readConfig({
    SIMULATOR_SPEED: '0',
    LOG_LEVEL: 'silent',
    BACKUP: 'off',
    ...env,
  });
  const lines: string[] = [];
  const log = openLog({ level: config.LOG_LEVEL }, { write: (line) => void lines.push(line) });
  const webApp = await readWebApp(webFolder ?? join(dataFolder, 'none'));
  const container = await openContainer({ config, log, url, dataFolder, build: webApp.build });
  const worker = works ? await startWorker(container) : undefined;
  const state = { open: true };
  const { app, closeStreams } = openHttp(container, {
    webApp,
    worker,
    open: () => state.open,
    delayMsMax: 0,
  });
  endInjected(app);
  await app.ready();

  const cookies = new Map<string, string>();
  const ask = async (
    act: string,
    fields: Record<string, unknown> = {},
    { headers = {}, ip = '203.0.113.7' }: AskOptions = {},
  ): Promise<ApiResponse> => {
    const token = typeof fields['token'] === 'string' ? fields['token'] : '';
    const cookie = cookies.get(token) ?? `kabari-device=${browserOf(token)}`;
    const body = new URLSearchParams(toPairs({ act, token: '', fcm: '', ...fields }));
    const response = await app.inject({
      method: 'POST',
      url: '/api',
      remoteAddress: ip,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        ...(token !== '' && { cookie }),
        ...headers,
      },
      payload: body.toString(),
    });
    const answer: ApiResponse['body'] = response.json();
    const [given] = String(response.headers['set-cookie'] ?? '').split(';');
    if (given && answer.data?.token) cookies.set(answer.data.token, given);
    return { status: response.statusCode, body: answer, headers: response.headers };
  };

  return {
    container,
    dataFolder,
    worker,
    app,
    state,
    lines,
    ask,
    closeStreams,
    /** Runs a job's work as the worker does: in each bucket of a distributed database. */
    inEach: container.infra.place.inEach,
    close: async () => {
      closeStreams();
      await app.close();
      await worker?.close();
      await container.close();
      await rm(dataFolder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

export type RunningApp = Awaited<ReturnType<typeof runningApp>>;

/** A test that opens applications on its database; they close before the database is dropped. */
export const test = base.extend<{ openApp: (options?: AppOptions) => Promise<RunningApp> }>({
  openApp: async ({ db }, use) => {
    const opened: RunningApp[] = [];
    await use(async (options) => {
      const running = await runningApp(db, options);
      opened.push(running);
      return running;
    });
    await Promise.all(opened.map(({ close }) => close()));
  },
});

export async function signedIn(
  { allAccountsSql: sql }: Pick<TestDatabase, 'allAccountsSql'>,
  options: Parameters<typeof customerWith>[1] = {},
): Promise<Customer & { token: string; sessionId: string }> {
  const customer = await customerWith(sql, options);
  return { ...customer, ...(await makeSession(sql, customer)) };
}

export async function solved(
  { ask }: Pick<RunningApp, 'ask'>,
  act: 'user_login' | 'user_register',
): Promise<string> {
  const { body } = await ask('captcha_challenge', { for: act });
  if (body.error) throw new Error(`captcha_challenge: ${body.error.type}`);
  const { challenge } = body.data;
  const solution = await solveChallenge({ challenge, deriveKey });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}

export async function codeIn(
  { ask }: Pick<RunningApp, 'ask'>,
  phone: string,
): Promise<string | undefined> {
  const { body } = await ask('simulator_phone', { phone });
  const captions = body.data.lines.map(
    (line: { content: { caption: string } }) => line.content.caption,
  );
  return captions
    .map((caption: string) => /Kode verifikasi Kabari: (\d{6})/.exec(caption)?.[1])
    .findLast((code: string | undefined) => code !== undefined);
}
