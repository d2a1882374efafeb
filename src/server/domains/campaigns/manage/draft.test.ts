import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import { OPEN_CAMPAIGNS_MAX } from '#contract/campaigns/campaign.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { type RunningApp, signedIn, test } from '#tests/support/app/running-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';

type Owner = Awaited<ReturnType<typeof signedIn>>;

/** Drafts as a signed-in person asks for them, in any number of tabs. */
function tabsOf(running: RunningApp, { accountId, userId, tokenId, token }: Owner) {
  const ask = async (act: string, fields: Record<string, unknown> = {}) =>
    (await running.ask(act, { token, key: randomUUID(), ...fields })).body;
  const upload = async () => {
    const bytes = Buffer.from('Nomor,Nama\n0812-3456-7890,Budi');
    const id = await running.container.media.uploads.take(
      { accountId, userId },
      {
        purpose: 'recipients',
        declared: '',
        name: 'pelanggan.csv',
        lengthBytes: bytes.length,
        bytes: (async function* () {
          yield bytes;
        })(),
      },
    );
    return publicId('upload', id);
  };
  const create = (given: string) =>
    ask('campaign_create', {
      name: 'Promo',
      token_id: publicId('token', tokenId),
      upload: given,
    });
  return { ask, upload, create };
}

/** So many statements of the database wait for a lock. */
const untilWaiting = ({ owner }: TestDatabase, count: number) =>
  waitFor(async () => {
    const waiting = await owner`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    expect(waiting).toHaveLength(count);
  });

test('what a tab leaves out of a change stays as another tab has just written it', async ({
  openApp,
  db,
}) => {
  const running = await openApp();
  const shop = tabsOf(running, await signedIn(db));
  const { data: draft } = await shop.create(await shop.upload());
  const id = draft.id as string;
  let renamed: Promise<unknown> = Promise.resolve();
  await db.allAccountsSql.begin(async (tx) => {
    const content = { type: 'text', text: 'Halo {nama}, yang baru.' };
    await tx`
      update campaigns set content = ${json(content)}
      where campaign_id = ${uuidOf('campaign', id) ?? ''}`;
    renamed = shop.ask('campaign_update', { campaign_id: id, name: 'Promo Desember' });
    await untilWaiting(db, 1);
  });
  expect(await renamed).toMatchObject({
    data: { name: 'Promo Desember', content: { text: 'Halo {nama}, yang baru.' } },
  });
});

test('two tabs make drafts of one list, of which nobody is told as of a fault', async ({
  openApp,
  db,
}) => {
  const running = await openApp({ env: { LOG_LEVEL: 'warn' } });
  const ani = await signedIn(db);
  const shop = tabsOf(running, ani);
  const list = await shop.upload();
  const both = await holdingRoom(db, ani, async () => {
    const made = [shop.create(list), shop.create(list)];
    await untilWaiting(db, 2);
    return made;
  });
  expect((await Promise.all(both)).map(({ code }) => code)).toEqual([1, 1]);
  expect(running.lines).toEqual([]);
});

test('two tabs that begin the last draft there is room for begin one', async ({ openApp, db }) => {
  const running = await openApp();
  const ani = await signedIn(db);
  const shop = tabsOf(running, ani);
  await storeDrafts(db.allAccountsSql, ani, OPEN_CAMPAIGNS_MAX - 1);
  const [late] = await holdingRoom(db, ani, async (tx) => {
    const made = [shop.create(await shop.upload())];
    await untilWaiting(db, 1);
    await storeDrafts(tx, ani, 1);
    return made;
  });
  expect(await late).toMatchObject({ error: { type: 'campaigns_full' } });
});

/** Does something while another tab is about to store a draft. */
const holdingRoom = <T>(
  { allAccountsSql }: TestDatabase,
  { accountId }: Owner,
  work: (tx: Tx) => Promise<T>,
): Promise<T> =>
  allAccountsSql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('campaigns ' || ${accountId}::text, 0))`;
    return work(tx);
  });

const storeDrafts = async (sql: Sql | Tx, { accountId, tokenId, userId }: Owner, count: number) =>
  sql`
    insert into campaigns (
      account_id, campaign_id, token_id, created_by, name, status, columns, created_at
    )
    select ${accountId}, gen_random_uuid(), ${tokenId}, ${userId}, 'Promo', 'draft', '{}', now()
    from generate_series(1, ${count}::int)`;
