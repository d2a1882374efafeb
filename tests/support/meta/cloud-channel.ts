import { publicId } from '#contract/base/ids.ts';
import { type ApiAnswer, callerAt } from '#tests/support/app/api-caller.ts';
import { type RunningApp, test as base, signedIn } from '#tests/support/app/running-app.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { changeTokens, keyFor } from '#tests/support/people/people.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { type FakeMeta, type FakeMetaOptions, startFakeMeta } from './fake-meta.ts';

export const accessOf = ({ numbers, wabaId, token, appSecret }: FakeMeta, number = 0) => ({
  phone_number_id: numbers[number]!.id,
  waba_id: wabaId,
  access_token: token,
  app_secret: appSecret,
});

/** A customer whose token sends by the Cloud API of a fake Meta, which calls back. */
export type CloudSender = {
  meta: FakeMeta;
  running: RunningApp;
  accountId: string;
  tokenId: string;
  session: string;
  ask: (act: string, fields?: Record<string, unknown>) => ReturnType<RunningApp['ask']>;
  call: (path: string, options?: Parameters<ReturnType<typeof callerAt>>[1]) => Promise<ApiAnswer>;
  callbackUrl: string;
  verifyToken: string;
  /** Waits for a status. @returns the message as `/v1` shows it. */
  becomes: (id: string, status: string) => Promise<ApiAnswer['body']>;
};

/** Advances pauses and waiting messages by `ms`; by default until the pause is over. */
export async function passTime({ owner: sql }: Pick<TestDatabase, 'owner'>, ms?: number) {
  await untilLanesRest(sql);
  await sql.begin(async (tx) => {
    const [pause] = await tx<{ ms: number | null }[]>`
      select extract(epoch from max(paused_until) - clock_timestamp())::float8 * 1000 as ms
      from connections where paused_for is not null`;
    const passed = tx`${ms ?? pause?.ms ?? 0}::float8 * interval '1 millisecond'`;
    await tx`update connections set paused_until = paused_until - ${passed}`;
    await tx`update dispatch set ready_at = ready_at - ${passed}, unsure_until = unsure_until - ${passed}`;
    await tx`
      update lanes l set ready_at = clock_timestamp(), wakes = wakes + 1 where ${hasMessages(tx)}`;
  });
}

/** Waits until no worker has a lane with messages. */
export const untilLanesRest = (sql: Sql) =>
  waitFor(async () => {
    const owned = await sql`select from lanes l where owner is not null and ${hasMessages(sql)}`;
    if (owned.length > 0) throw new Error('a lane is at work');
  });

/** Also a lane without messages has an owner for some seconds. */
const hasMessages = (sql: Sql | Tx) => sql`exists (
  select from dispatch d where d.account_id = l.account_id and d.token_id = l.token_id
)`;

type Options = {
  db: Parameters<typeof signedIn>[0];
  saldo?: number;
  number?: number;
};

export async function connectedSender(
  running: RunningApp,
  meta: FakeMeta,
  { db, saldo = 100_000, number = 0 }: Options,
): Promise<CloudSender> {
  const { accountId, tokenId, token: session } = await signedIn(db, { saldo, linked: false });
  const key = await keyFor(db.allAccountsSql, { accountId, tokenId }, 'cloud');
  await changeTokens(db.allAccountsSql, { tokenId }, { channel: 'cloud' });
  const ask: CloudSender['ask'] = (act, fields = {}) =>
    running.ask(act, { token: session, key: crypto.randomUUID(), ...fields });
  const connected = await ask('token_cloud_connect', {
    token_id: publicId('token', tokenId),
    ...accessOf(meta, number),
  });
  if (connected.status !== 200) throw new Error(JSON.stringify(connected.body));
  const { callback_url, verify_token } = connected.body.data.cloud;
  const server = running.app.server.address();
  const port = typeof server === 'object' ? server?.port : undefined;
  const callbackUrl = `http://127.0.0.1:${port}${new URL(callback_url).pathname}`;
  const { isConfirmed } = await meta.control.subscribe(callbackUrl, verify_token);
  if (!isConfirmed) throw new Error('the callback address was not confirmed');
  const anybody = callerAt(running);
  const call: CloudSender['call'] = (path, options = {}) =>
    anybody(path, { ...options, headers: { authorization: `Bearer ${key}`, ...options.headers } });
  return {
    meta,
    running,
    accountId,
    tokenId,
    session,
    ask,
    call,
    callbackUrl,
    verifyToken: verify_token,
    becomes: (id, status) =>
      waitFor(
        async () => {
          const { body } = await call(`/v1/messages/${id}`);
          if (body.status === status) return body;
          throw new Error(`${id} is ${body.status} (${body.failure?.code ?? '-'}), not ${status}`);
        },
        { what: `${id} becomes ${status}` },
      ),
  };
}

/** A test with a fake Meta, the application working with it, and a connected customer. */
export const test = base.extend<{
  metaOptions: FakeMetaOptions;
  env: Record<string, string>;
  meta: FakeMeta;
  running: RunningApp;
  ani: CloudSender;
}>({
  metaOptions: {
    seed: 7,
    areWindowsOpen: true,
    slowMs: 20,
    numbers: [{}, {}],
  },
  env: {},
  meta: async ({ metaOptions }, use) => {
    const meta = await startFakeMeta(metaOptions);
    await use(meta);
    await meta.close();
  },
  running: async ({ openApp, meta, env }, use) => {
    const running = await openApp({
      works: true,
      env: { CLOUD_URL: `${meta.url}/v23.0`, ...env },
    });
    await running.app.listen({ host: '127.0.0.1', port: 0 });
    await use(running);
  },
  ani: async ({ running, meta, db }, use) => use(await connectedSender(running, meta, { db })),
});
