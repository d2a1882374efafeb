import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import type { Campaign, CampaignRecipient, CampaignContentInput } from '#contract/campaigns.ts';
import { campaignOf, readCampaign } from '#server/domains/campaigns/row.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { orderOf } from '#tests/support/people/people.ts';
import { type RunningApp, signedIn, test } from '#tests/support/app/running-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { giveSaldo } from '#tests/support/money/wallets.ts';

type Owner = Awaited<ReturnType<typeof signedIn>>;

/** Campaign acts of a signed-in person. */
function shopOf(running: RunningApp, { accountId, userId, tokenId, token }: Owner) {
  const ask = async (act: string, fields: Record<string, unknown> = {}) =>
    (await running.ask(act, { token, key: randomUUID(), ...fields })).body;
  const upload = async (text: string | Buffer, name = 'pelanggan.csv') => {
    const bytes = Buffer.from(text);
    const id = await running.container.media.uploads.take(
      { accountId, userId },
      {
        purpose: 'recipients',
        declared: '',
        name,
        lengthBytes: bytes.length,
        bytes: (async function* () {
          yield bytes;
        })(),
      },
    );
    return publicId('upload', id);
  };
  const draft = async (list: string): Promise<Campaign> =>
    (
      await ask('campaign_create', {
        name: 'Promo November',
        token_id: publicId('token', tokenId),
        upload: await upload(list),
      })
    ).data;
  // Reads directly, because the act's rate limit is lower than the test's poll rate.
  const get = async (id: string): Promise<Campaign> =>
    campaignOf(
      await readCampaign(running.container.pools.allAccountsSql, {
        accountId,
        campaignId: uuidOf('campaign', id) ?? '',
      }),
      60,
    );
  return {
    ask,
    upload,
    draft,
    get,
    write: async (id: string, content: CampaignContentInput, more: object = {}) =>
      ask('campaign_update', { campaign_id: id, content: JSON.stringify(content), ...more }),
    start: (id: string) => ask('campaign_start', { campaign_id: id }),
    recipients: async (id: string, more: object = {}): Promise<CampaignRecipient[]> =>
      (await ask('campaign_recipient_list', { campaign_id: id, page: 0, ...more })).result.data,
    until: (id: string, check: (campaign: Campaign) => void) =>
      waitFor(async () => check(await get(id))),
  };
}

/** A CSV list of `count` numbers, each with its own name. */
const listOf = (count: number): string =>
  `Nomor HP,Nama\n${Array.from(
    { length: count },
    (_, index) => `0812${String(30_000_000 + index)},Pelanggan ${index + 1}`,
  ).join('\n')}`;

const textsOf = ({ allAccountsSql }: TestDatabase, accountId: string) =>
  allAccountsSql<{ peer: string; text: string; status: string; price: number }[]>`
    select peer, body ->> 'text' as text, status, price from messages
    where account_id = ${accountId} and direction = 'out' order by message_id`;

describe('campaign results', () => {
  test('are a file with every row of the list, including those that get nothing', async ({
    openApp,
    db,
  }) => {
    const running = await openApp({ works: true });
    const shop = shopOf(running, await signedIn(db, { saldo: 10_000 }));
    const list = 'Nama;No. WA\n=Budi;0812-3456-7890\nSiti;+62 812 3456 7890\n=Joko;bukan nomor';
    const { id } = await shop.draft(list);
    await shop.write(id, { type: 'text', text: 'Halo {nama}.' });
    await shop.start(id);
    await shop.until(id, ({ messages }) => expect(messages.delivered).toBe(1));
    const { newest } = (await shop.ask('home_summary')).data;
    expect(newest).toMatchObject([{ campaign: { id, name: 'Promo November', messages: 1 } }]);
    await shop.ask('campaign_export', { campaign_id: id, format: 'csv' });
    const made = async () => (await shop.ask('export_list')).data.exports[0];
    await waitFor(async () => expect((await made()).status).toBe('ready'));
    expect(await made()).toMatchObject({ rows: 3, of: { kind: 'campaign', campaign_id: id } });
    const [head, ...rows] = (await running.app.inject({ url: (await made()).url })).body.split(
      '\r\n',
    );
    expect(head).toContain(
      'Baris,Nomor tertulis,Nomor,Nama kontak,Nama,Keadaan,Alasan ditolak,Status,',
    );
    expect(rows[0]).toMatch(
      /^1,0812-3456-7890,6281234567890,'=Budi,'=Budi,Sudah dikirim,,(Sampai|Dibaca),,\d+,msg_/,
    );
    expect(rows[1]).toMatch(/^2,'\+62 812 3456 7890,6281234567890,'=Budi,Siti,Nomor ganda,,,/);
    expect(rows[2]).toMatch(/^3,bukan nomor,,,'=Joko,Nomor salah,,,/);
  });

  test('are no file and no error after the campaign is deleted', async ({ openApp, db }) => {
    const running = await openApp({ env: { LOG_LEVEL: 'warn' } });
    const shop = shopOf(running, await signedIn(db));
    const { id } = await shop.draft(listOf(2));
    await shop.ask('campaign_export', { campaign_id: id, format: 'xlsx' });
    await shop.ask('campaign_delete', { campaign_id: id });
    await running.inEach(() => running.container.rowExports.work());
    const { data } = await shop.ask('export_list');
    expect(data.exports).toMatchObject([{ status: 'empty', rows: 0, url: null }]);
    expect(running.lines).toEqual([]);
  });
});

describe('a draft', () => {
  test('reports for each row of its list whether it will be sent', async ({ openApp, db }) => {
    const running = await openApp();
    const ani = await signedIn(db, { saldo: 10_000 });
    const shop = shopOf(running, ani);
    await shop.ask('optout_add', {
      token_id: publicId('token', ani.tokenId),
      peer: '0812-7777-0001',
      reason: 'Lewat telepon',
    });
    const made = await shop.draft(
      [
        'Nama;No. WA;Tagihan',
        'Budi;0812-3456-7890;"Rp 150.000"',
        'Siti;+62 812 3456 7890;Rp 90.000',
        'Joko;bukan nomor;Rp 1',
        ';0813-1111-2222;Rp 75.000',
        'Rina;0812-7777-0001;Rp 5.000',
      ].join('\n'),
    );
    expect(made).toMatchObject({
      status: 'draft',
      columns: ['Nama', 'Tagihan'],
      content: null,
      recipients: { total: 5, waiting: 2, duplicate: 1, invalid: 1, opted_out: 1, incomplete: 0 },
    });
    const { data: written } = await shop.write(made.id, {
      type: 'text',
      text: 'Halo {nama}, tagihan {tagihan}.',
    });
    expect(written.recipients).toMatchObject({ waiting: 1, incomplete: 1 });
    const rows = await shop.recipients(made.id);
    expect(rows.map(({ place, state, peer }) => [place, state, peer])).toEqual([
      [1, 'waiting', '6281234567890'],
      [2, 'duplicate', '6281234567890'],
      [3, 'invalid', null],
      [4, 'incomplete', '6281311112222'],
      [5, 'opted_out', '6281277770001'],
    ]);
    // With a fallback value, no recipient lacks a name.
    const { data: kinder } = await shop.write(made.id, { type: 'text', text: 'Halo {nama|Kak}.' });
    expect(kinder.recipients).toMatchObject({ waiting: 2, incomplete: 0 });
    const wrong = await shop.write(made.id, { type: 'text', text: 'Halo {kota}.' });
    expect(wrong.error).toMatchObject({
      type: 'input_invalid',
      fields: { content: expect.stringContaining('"kota"') },
    });
  });

  test('rejects a time that does not exist in the calendar', async ({ openApp, db }) => {
    const running = await openApp();
    const shop = shopOf(running, await signedIn(db));
    const { id } = await shop.draft(listOf(1));
    for (const at of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-23:00']) {
      const { error } = await shop.ask('campaign_update', { campaign_id: id, starts_at: at });
      expect(error?.type, at).toBe('input_invalid');
    }
  });

  test('is refused for a file without numbers, and created once per key', async ({
    openApp,
    db,
  }) => {
    const running = await openApp();
    const shop = shopOf(running, await signedIn(db));
    const other = shopOf(running, await signedIn(db));
    const token_id = publicId('token', (await signedIn(db)).tokenId);
    const why = async (text: string | Buffer, name?: string) =>
      (
        await shop.ask('campaign_create', {
          name: 'A',
          token_id,
          upload: await shop.upload(text, name),
        })
      ).error;
    expect(await why('halo,apa\nkabar,ya')).toMatchObject({
      type: 'recipients_unreadable',
      facts: { why: 'no_numbers' },
    });
    expect(await why('0812-3456-7890')).toMatchObject({ type: 'not_found' });
    const made = await shop.draft('0812-3456-7890\n0813-1111-2222');
    expect(made.recipients).toMatchObject({ total: 2, waiting: 2 });
    expect((await other.ask('campaign_get', { campaign_id: made.id })).error.type).toBe(
      'not_found',
    );
    expect((await other.start(made.id)).error.type).toBe('not_found');
    expect((await other.ask('campaign_recipient_list', { campaign_id: made.id })).error.type).toBe(
      'not_found',
    );
    expect((await shop.start(made.id)).error).toMatchObject({
      type: 'campaign_incomplete',
      facts: { missing: 'content' },
    });
    expect((await shop.ask('campaign_delete', { campaign_id: made.id })).code).toBe(1);
    expect((await shop.ask('campaign_get', { campaign_id: made.id })).error.type).toBe('not_found');
  });
});

describe('a campaign', () => {
  test('sends each recipient their own text once, and counts the outcomes', async ({
    openApp,
    db,
  }) => {
    const running = await openApp({ works: true, env: { LANE_PACE_PER_SECOND: '1000' } });
    const ani = await signedIn(db, { saldo: 1_000_000 });
    const shop = shopOf(running, ani);
    const { id } = await shop.draft(listOf(230));
    await shop.write(id, { type: 'text', text: 'Halo {nama}!' });
    expect((await shop.start(id)).data).toMatchObject({ status: 'running' });
    expect((await shop.start(id)).error.type).toBe('campaign_state');
    await shop.until(id, ({ status, messages, recipients }) => {
      expect(status).toBe('done');
      expect(recipients).toMatchObject({ waiting: 0, placed: 230 });
      expect(messages).toMatchObject({ waiting: 0, sent: 230, delivered: 230 });
    });
    const texts = await textsOf(db, ani.accountId);
    expect(texts.map(({ text }) => text)).toEqual(
      Array.from({ length: 230 }, (_, index) => `Halo Pelanggan ${index + 1}!`),
    );
    const { cost, ended_at } = await shop.get(id);
    expect(cost).toBe(texts.reduce((sum, { price }) => sum + price, 0));
    expect(ended_at).not.toBeNull();
    const [first] = await shop.recipients(id);
    expect(first?.message?.status).toMatch(/delivered|read/);
  });

  test('pauses when the saldo runs out, and continues after a top-up', async ({ openApp, db }) => {
    const running = await openApp({ works: true, env: { LANE_PACE_PER_SECOND: '1000' } });
    const ani = await signedIn(db, { saldo: 1_500 });
    const shop = shopOf(running, ani);
    const { id } = await shop.draft(listOf(30));
    await shop.write(id, { type: 'text', text: 'Halo' });
    await shop.start(id);
    await shop.until(id, ({ status, pause_reason }) =>
      expect([status, pause_reason]).toEqual(['paused', 'saldo_short']),
    );
    const { placed, waiting } = (await shop.get(id)).recipients;
    expect(placed).toBeGreaterThan(0);
    expect(placed + waiting).toBe(30);
    expect((await shop.ask('home_summary')).data.paused).toEqual([
      { id, name: 'Promo November', waiting },
    ]);
    await db.allAccountsSql.begin((tx) => giveSaldo(tx, ani.accountId, 100_000));
    await shop.ask('campaign_resume', { campaign_id: id });
    expect((await shop.ask('home_summary')).data.paused).toEqual([]);
    await shop.until(id, ({ status, recipients }) => {
      expect(status).toBe('done');
      expect(recipients.placed).toBe(30);
    });
    const texts = await textsOf(db, ani.accountId);
    expect(new Set(texts.map(({ peer }) => peer)).size).toBe(30);
    expect(texts).toHaveLength(30);
  });

  test('takes back unsent messages when paused, and sends them after it resumes', async ({
    openApp,
    db,
  }) => {
    const running = await openApp({ works: true, env: { LANE_PACE_PER_SECOND: '10' } });
    const ani = await signedIn(db, { saldo: 1_000_000 });
    const shop = shopOf(running, ani);
    const { id } = await shop.draft(listOf(60));
    await shop.write(id, { type: 'text', text: 'Halo {nama}' });
    await shop.start(id);
    await shop.until(id, ({ recipients }) => expect(recipients.placed).toBeGreaterThan(5));
    await shop.ask('campaign_pause', { campaign_id: id });
    await shop.until(id, ({ status }) => expect(status).toBe('paused'));
    await waitFor(async () =>
      expect(await db.allAccountsSql`select from dispatch where state <> 'ready'`).toEqual([]),
    );
    expect(
      await db.allAccountsSql`select from dispatch where account_id = ${ani.accountId}`,
    ).toEqual([]);
    const before = await shop.get(id);
    expect(before.recipients.placed + before.recipients.waiting).toBe(60);
    await shop.ask('campaign_resume', { campaign_id: id });
    await shop.until(id, ({ status, messages }) => {
      expect(status).toBe('done');
      expect(messages).toMatchObject({ waiting: 0, sent: 60, cancelled: 0 });
      expect(messages.delivered).toBe(60);
    });
    const texts = await textsOf(db, ani.accountId);
    const left = texts.filter(({ status }) => status !== 'cancelled');
    expect(left).toHaveLength(60);
    expect(new Set(left.map(({ peer }) => peer)).size).toBe(60);
  });

  test('takes back only its own messages, regardless of the references that API callers use', async ({
    openApp,
    db,
  }) => {
    const running = await openApp({ works: true, env: { LANE_PACE_PER_SECOND: '20' } });
    const ani = await signedIn(db, { saldo: 1_000_000 });
    const shop = shopOf(running, ani);
    const { id } = await shop.draft(listOf(60));
    await shop.write(id, { type: 'text', text: 'Halo {nama}' });
    const tomorrow = new Date(Date.now() + 86_400_000);
    const named = orderOf(ani, {
      prices: [150, 150, 150],
      refs: ['abc', '99999999999', '1.7'].map((end) => `${id}:${end}`),
    });
    const items = named.items.map((item) => ({ ...item, priority: 2, readyAt: tomorrow }));
    await openIntake(db.allAccountsSql, () => undefined).accept({ ...named, items });
    await shop.start(id);
    await shop.until(id, ({ recipients }) => expect(recipients.placed).toBeGreaterThan(5));
    await shop.ask('campaign_pause', { campaign_id: id });
    await shop.until(id, ({ status }) => expect(status).toBe('paused'));
    await shop.ask('campaign_resume', { campaign_id: id });
    await shop.until(id, ({ status, recipients }) =>
      expect([status, recipients.placed]).toEqual(['done', 60]),
    );
    const sent = (await textsOf(db, ani.accountId)).filter(({ status }) => status !== 'cancelled');
    expect(sent.filter(({ status }) => status === 'scheduled')).toHaveLength(3);
    expect(new Set(sent.map(({ peer }) => peer)).size).toBe(sent.length - 2);
  });

  test('sends nothing more after it is cancelled', async ({ openApp, db }) => {
    const running = await openApp({ works: true, env: { LANE_PACE_PER_SECOND: '1' } });
    const ani = await signedIn(db, { saldo: 1_000_000 });
    const shop = shopOf(running, ani);
    const { id } = await shop.draft(listOf(60));
    await shop.write(id, { type: 'text', text: 'Halo' });
    await shop.start(id);
    await shop.until(id, ({ recipients }) => expect(recipients.placed).toBeGreaterThan(0));
    await shop.ask('campaign_cancel', { campaign_id: id });
    await shop.until(id, ({ status }) => expect(status).toBe('cancelled'));
    const { recipients } = await shop.get(id);
    expect(recipients.waiting).toBe(0);
    expect(recipients.placed + recipients.cancelled).toBe(60);
    expect((await shop.ask('campaign_resume', { campaign_id: id })).error.type).toBe(
      'campaign_state',
    );
  });
});
