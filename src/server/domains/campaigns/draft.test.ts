import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { PAGE_SIZE } from '#contract/base/act.ts';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import { type CampaignRecipient, OPEN_CAMPAIGNS_MAX } from '#contract/campaigns.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { type RunningApp, signedIn, test } from '#tests/support/app/running-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';

type Owner = Awaited<ReturnType<typeof signedIn>>;

/** Draft acts of a signed-in person, in any number of tabs. */
function tabsOf(running: RunningApp, { accountId, userId, tokenId, token }: Owner) {
  const ask = async (act: string, fields: Record<string, unknown> = {}) =>
    (await running.ask(act, { token, key: randomUUID(), ...fields })).body;
  const upload = async (list = 'Nomor,Nama\n0812-3456-7890,Budi') => {
    const bytes = Buffer.from(list);
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
  const create = (given: string, name = 'Promo') =>
    ask('campaign_create', {
      name,
      token_id: publicId('token', tokenId),
      upload: given,
    });
  return { ask, upload, create };
}

/** Waits until `count` database statements wait for a lock. */
const untilWaiting = ({ owner }: TestDatabase, count: number) =>
  waitFor(async () => {
    const waiting = await owner`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    expect(waiting).toHaveLength(count);
  });

test('keeps the fields that a tab leaves out as another tab has just written them', async ({
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

test('creates one draft from an upload, for concurrent and for sequential calls', async ({
  openApp,
  db,
}) => {
  const running = await openApp({ env: { LOG_LEVEL: 'warn' } });
  const ani = await signedIn(db);
  const shop = tabsOf(running, ani);
  const list = await shop.upload();
  const both = await holdingRoom(db, ani, async () => {
    // At once: one that waited for the other on a slow machine would give up after three seconds.
    const made = [shop.create(list), shop.create(list)];
    await untilWaiting(db, 2);
    return made;
  });
  const [first, second] = await Promise.all(both);
  expect([first, second]).toMatchObject([{ code: 1 }, { code: 1 }]);
  // The upload is deleted by now.
  const third = await shop.create(list, 'Promo Natal');
  expect(third).toMatchObject({ data: { name: 'Promo Natal' } });
  expect(new Set([first, second, third].map((one) => one?.data.id)).size).toBe(1);
  expect((await shop.ask('campaign_list')).result.data).toHaveLength(1);
  expect(running.lines).toEqual([]);
});

test('takes the numbers of a draft from another of its columns', async ({ openApp, db }) => {
  const running = await openApp();
  const shop = tabsOf(running, await signedIn(db));
  const list = await shop.upload(
    'Nama,HP,HP kedua\nBudi,0812-3456-7890,0813-1111-2222\nSiti,0812-3456-7891,kosong\nAni,,081311112222',
  );
  const { data: draft } = await shop.create(list);
  const change = (fields: object) =>
    shop.ask('campaign_update', { campaign_id: draft.id, ...fields });
  const peers = async () => {
    const page = await shop.ask('campaign_recipient_list', { campaign_id: draft.id });
    return page.result.data.map(({ peer, values, state }: CampaignRecipient) => [
      peer,
      ...values,
      state,
    ]);
  };
  expect(draft).toMatchObject({ number_column: 'HP', columns: ['Nama', 'HP kedua'] });
  const asRead = [
    ['6281234567890', 'Budi', '0813-1111-2222', 'waiting'],
    ['6281234567891', 'Siti', 'kosong', 'waiting'],
    [null, 'Ani', '081311112222', 'invalid'],
  ];
  expect(await peers()).toEqual(asRead);
  const names = async () =>
    (await db.owner`select peer, name, source from contacts order by peer`).map(
      ({ peer, name, source }) => [peer, name, source],
    );
  const first = [
    ['6281234567890', 'Budi', 'list'],
    ['6281234567891', 'Siti', 'list'],
  ];
  expect(await names()).toEqual(first);
  expect(await change({ number_column: 'HP kedua' })).toMatchObject({
    data: {
      number_column: 'HP kedua',
      columns: ['Nama', 'HP'],
      recipients: { waiting: 1, invalid: 1, duplicate: 1 },
    },
  });
  expect(await peers()).toEqual([
    ['6281311112222', 'Budi', '0812-3456-7890', 'waiting'],
    [null, 'Siti', '0812-3456-7891', 'invalid'],
    ['6281311112222', 'Ani', '', 'duplicate'],
  ]);
  expect(await names()).toEqual([...first, ['6281311112222', 'Budi', 'list']]);
  const content = JSON.stringify({
    type: 'text',
    text: 'Halo {nama}, nomor lama Anda {hp|kosong}.',
  });
  await change({ content });
  for (const number_column of ['HP', 'Alamat']) {
    expect(await change({ number_column })).toMatchObject({
      error: { type: 'input_invalid', fields: { number_column: expect.any(String) } },
    });
  }
  await change({ content: JSON.stringify({ type: 'text', text: 'Halo' }), number_column: 'HP' });
  expect(await peers()).toEqual(asRead);
});

test('creates one draft when two tabs compete for the last free slot', async ({ openApp, db }) => {
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

  const page = OPEN_CAMPAIGNS_MAX / PAGE_SIZE - 1;
  const lastOpen = async () => (await shop.ask('campaign_list', { status: 'open', page })).result;
  expect((await lastOpen()).data).toHaveLength(PAGE_SIZE);
  const content = json({ type: 'text', text: 'Halo' });
  await db.owner`
    update campaigns set status = 'done', content = ${content}, started_at = created_at
    where campaign_id = (select campaign_id from campaigns limit 1)`;
  expect((await lastOpen()).data).toHaveLength(PAGE_SIZE - 1);
});

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
