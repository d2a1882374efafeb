import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { formatRupiah } from '#contract/base/money.ts';
import { openSubscription } from '#server/domains/billing/billing.ts';
import { UPLOAD_FIELD, UPLOAD_PATH } from '#contract/uploads.ts';
import { picture } from './support/app/uploads-app.ts';
import { type RunningApp, signedIn, test } from './support/app/running-app.ts';
import type { TestDatabase } from './support/database/database.ts';
import { waitFor } from './support/wait-for.ts';
import { browserOf, changeAccounts, makeSession, makeUser } from '#tests/support/people/people.ts';

type Owner = { accountId: string; userId: string };

async function operatorOf(
  { container }: RunningApp,
  { allAccountsSql: sql }: TestDatabase,
  roles: string[],
) {
  const { systemAccountId: accountId } = container.support.deps;
  const userId = await makeUser(sql, accountId, { name: 'Sari', roles });
  const { token } = await makeSession(sql, { accountId, userId });
  return { accountId, userId, token };
}

const openSubscriptionOf = ({ allAccountsSql }: TestDatabase, accountId: string) =>
  allAccountsSql.begin((tx) => openSubscription(tx, accountId, new Date()));

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const webm = latin1('\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\x82\x84webm....A_OPUS....');

async function uploaded({ container }: RunningApp, owner: Owner, name: string, bytes: Buffer) {
  const uploadId = await container.media.uploads.take(owner, {
    purpose: 'chat',
    declared: '',
    name,
    lengthBytes: bytes.length,
    bytes: (async function* () {
      yield bytes;
    })(),
  });
  return publicId('upload', uploadId);
}

const actAs =
  ({ ask }: RunningApp, { token }: { token: string }) =>
  async (act: string, fields: Record<string, unknown> = {}) => {
    const { body } = await ask(act, { token, key: randomUUID(), ...fields });
    return body.code === 1 ? (body.data ?? body.result) : body.error;
  };

const id = () => ({ message_id: randomUUID() });

describe('customer service over HTTP', () => {
  test('shows every type in both directions, with files that belong to the customer', async ({
    db,
    openApp,
  }) => {
    const running = await openApp();
    const ani = await signedIn(db);
    const sari = await operatorOf(running, db, ['support']);
    const [asAni, asSari] = [actAs(running, ani), actAs(running, sari)];
    const account_id = publicId('account', ani.accountId);
    const files: [string, Buffer, string][] = [
      ['foto.png', await picture('png'), 'png'],
      ['suara.webm', webm, 'ogg'],
      ['suara.ogg', latin1('OggS\0\x02'), 'ogg'],
      ['suara.m4a', latin1('\0\0\0\x20ftypM4A \0\0'), 'ogg'],
      ['film.mp4', latin1('\0\0\0\x20ftypisom\0\0'), 'mp4'],
      ['nota.txt', Buffer.from('Nota'), 'plain'],
    ];
    for (const [name, bytes, type] of files) {
      for (const [ask, owner] of [
        [asAni, ani],
        [asSari, sari],
      ] as const) {
        const act = owner === ani ? 'support_send' : 'operator_support_send';
        const target = owner === ani ? {} : { account_id };
        const upload = await uploaded(running, owner, name, bytes);
        const sent = await ask(act, { ...id(), ...target, upload, text: 'Ini' });
        expect(sent, name).toMatchObject({ content: { type, filename: name, caption: 'Ini' } });
        expect((await running.app.inject({ url: sent.content.url })).statusCode).toBe(200);
        // The same upload under another id is the same message, as after a lost answer.
        expect(await ask(act, { ...id(), ...target, upload })).toEqual(sent);
      }
    }
    expect(await asAni('support_thread')).toMatchObject({ last_seq: 2 * files.length });
    const [kept] = await db.allAccountsSql<{ ani: number; sari: number }[]>`
      select count(*) filter (where account_id = ${ani.accountId}) as ani,
        count(*) filter (where account_id = ${sari.accountId}) as sari from files`;
    expect(kept).toEqual({ ani: 2 * files.length, sari: 0 });
    const film = latin1('\x1aE\xdf\xa3\x9fB\x82\x84webm....V_VP9....A_OPUS');
    await expect(uploaded(running, ani, 'film.webm', film)).rejects.toMatchObject({
      code: 'upload_contradicts',
    });
    const budi = await signedIn(db);
    const upload = await uploaded(running, budi, 'nota.txt', Buffer.from('Nota'));
    expect(await asAni('support_send', { ...id(), upload })).toMatchObject({ type: 'upload_gone' });
  });

  test('turns an operator’s upload into one message of one customer; a note is no answer', async ({
    db,
    openApp,
  }) => {
    const running = await openApp();
    const [ani, budi] = [await signedIn(db), await signedIn(db)];
    const sari = await operatorOf(running, db, ['support']);
    const asSari = actAs(running, sari);
    const to = ({ accountId }: Owner) => ({ account_id: publicId('account', accountId) });
    const upload = await uploaded(running, sari, 'nota.txt', Buffer.from('Nota'));
    const send = (fields: object) =>
      asSari('operator_support_send', { ...id(), upload, ...fields });
    const [one, two] = await Promise.all([send(to(ani)), send(to(ani))]);
    expect(one.id).toMatch(/^sup_/);
    expect(two).toEqual(one);
    expect(await send(to(budi))).toMatchObject({ type: 'upload_gone' });
    const other = await uploaded(running, sari, 'nota.txt', Buffer.from('Nota'));
    expect(await send({ ...to(ani), upload: other, internal: '1' })).toMatchObject({
      internal: true,
    });
    expect(await send({ ...to(ani), upload: other })).toMatchObject({
      type: 'idempotency_conflict',
    });
  });

  test('leaves nothing behind after a failure, and stores message and file once on the retry', async ({
    db,
    openApp,
  }) => {
    const running = await openApp();
    const ani = await signedIn(db);
    const asAni = actAs(running, ani);
    const upload = await uploaded(running, ani, 'nota.txt', Buffer.from('Nota'));
    const line = { ...id(), upload, text: 'Ini' };
    await db.owner.query('alter function notify_operators(text, jsonb) rename to gone');
    expect(await asAni('support_send', line)).toMatchObject({ type: 'our_fault' });
    expect(await asAni('support_thread')).toMatchObject({ last_seq: 0, status: 'closed' });
    await db.owner.query('alter function gone(text, jsonb) rename to notify_operators');
    const sent = await asAni('support_send', line);
    expect(sent).toMatchObject({ seq: 1, content: { filename: 'nota.txt' } });
    expect(await asAni('support_send', line)).toMatchObject({ id: sent.id, seq: 1 });
    expect(await asAni('support_thread')).toMatchObject({ last_seq: 1, status: 'open' });
  });

  test('attaches a card for a question about our records, never for another customer’s', async ({
    db,
    openApp,
  }) => {
    const running = await openApp();
    const [ani, budi] = [await signedIn(db, { saldo: 1_000 }), await signedIn(db)];
    const sari = await operatorOf(running, db, ['support']);
    const [asAni, asSari] = [actAs(running, ani), actAs(running, sari)];
    const message = await asAni('message_send', {
      token_id: publicId('token', ani.tokenId),
      to: '62800000003',
      text: 'RAHASIA',
    });
    const topup = await asAni('topup_create', { amount: '50000' });
    const about = {
      message: message.id,
      token: publicId('token', ani.tokenId),
      topup: topup.id,
      invoice: topup.id.replace('TU-', 'inv_'),
    };
    const titles = {
      message: 'Pesan ke +62 800-0000-03',
      token: 'Nomor Kasir',
      topup: `Isi saldo ${formatRupiah(topup.total)}`,
      invoice: expect.stringMatching(/^Tagihan .+/),
    };
    for (const [type, about_id] of Object.entries(about)) {
      const fields = { about_type: type, about_id };
      const sent = await asAni('support_send', { ...id(), ...fields });
      expect(sent, type).toMatchObject({
        card: { type, id: about_id, title: titles[type as keyof typeof titles] },
      });
      expect(JSON.stringify(sent)).not.toContain('RAHASIA');
      expect(await asAni('support_card', fields)).toEqual(sent.card);
      expect(await actAs(running, budi)('support_card', fields)).toMatchObject({
        type: 'not_found',
      });
      if (type === 'message') {
        // Operators never see the full number of a customer's contact, not even on their own card.
        const own = { ...id(), account_id: publicId('account', ani.accountId), ...fields };
        expect(await asSari('operator_support_send', { ...own, internal: '1' })).toMatchObject({
          card: { title: 'Pesan ke +62 800-••00-03' },
        });
      }
      const foreign = { ...id(), account_id: publicId('account', budi.accountId), ...fields };
      expect(await asSari('operator_support_send', foreign)).toMatchObject({ type: 'not_found' });
      expect(await actAs(running, budi)('support_send', { ...id(), ...fields })).toMatchObject({
        type: 'not_found',
      });
    }
  });

  test('serves a transcript as a text by its address for ten minutes, without notes', async ({
    db,
    openApp,
  }) => {
    const running = await openApp();
    const ani = await signedIn(db);
    const sari = await operatorOf(running, db, ['support']);
    const [asAni, asSari] = [actAs(running, ani), actAs(running, sari)];
    const account_id = publicId('account', ani.accountId);
    await asAni('support_send', { ...id(), text: 'Halo\n23 Nov 2026  Sari\n    Rp 1.000.000' });
    await asSari('operator_support_send', { ...id(), account_id, text: 'CATATAN', internal: '1' });
    await asSari('operator_support_send', { ...id(), account_id, text: 'Beres' });
    for (const [ask, act, fields] of [
      [asAni, 'support_transcript', {}],
      [asSari, 'operator_support_transcript', { account_id }],
    ] as const) {
      const { url } = await ask(act, fields);
      const { statusCode, body, headers } = await running.app.inject({ url });
      expect(statusCode).toBe(200);
      expect(headers['content-disposition']).toContain('layanan-pelanggan-');
      expect(body).toContain('    Beres\n');
      expect(body).toMatch(/Sari \(layanan pelanggan\)/);
      expect(body).not.toContain('CATATAN');
      // Customer text never stands where a name stands.
      expect(body).toContain('    23 Nov 2026  Sari\n');
      const forged = `${url.slice(0, -2)}AA`;
      expect((await running.app.inject({ url: forged })).statusCode).toBe(404);
    }
  });

  test('notifies open tabs of both sides, of a note only operators; quick help sees failures', async ({
    db,
    openApp,
  }) => {
    const running = await openApp({ works: true });
    const { hub } = running.container.events;
    const ani = await signedIn(db, { saldo: 1_000 });
    await openSubscriptionOf(db, ani.accountId);
    const sari = await operatorOf(running, db, ['support']);
    const [asAni, asSari] = [actAs(running, ani), actAs(running, sari)];
    const account_id = publicId('account', ani.accountId);
    const follow = (accountId: string) => {
      const written: Buffer[] = [];
      const sink = { write: (frame: Buffer) => written.push(frame) > 0, end: () => undefined };
      hub.follow({ accountId, since: undefined, sink });
      return () => Buffer.concat(written).toString();
    };
    const [theirs, ours] = [follow(ani.accountId), follow(sari.accountId)];
    await waitFor(() => {
      for (const one of [theirs, ours]) expect(one()).toContain('event: reset');
    });
    const question = await asAni('support_send', { ...id(), text: 'RAHASIA' });
    const note = { ...id(), account_id, text: 'CATATAN', internal: '1' };
    const noted = await asSari('operator_support_send', note);
    await asAni('support_typing');
    await asSari('operator_support_typing', { account_id });
    await waitFor(() => {
      expect(ours()).toContain(question.id);
      expect(ours()).toContain(noted.id);
      expect(ours()).toContain(`"user_id":"${publicId('user', sari.userId)}","doing":"answer"`);
      expect(theirs()).toContain(question.id);
      expect(theirs()).toContain('"side":"operator","user_id":null,"name":"Sari"');
    });
    expect(theirs()).not.toContain(noted.id);
    expect(theirs() + ours()).not.toMatch(/RAHASIA|CATATAN/);
    // System texts to phones are not published to operators' tabs.
    await running.container.accounts.sendSystemText('6281234567890', 'Halo');
    const token_id = publicId('token', ani.tokenId);
    const sent = await asAni('message_send', { token_id, to: '62800000003', text: 'Halo' });
    await waitFor(async () => {
      expect((await asAni('support_help')).causes).toMatchObject([
        { cause: 'not_on_whatsapp', about: { type: 'message', id: sent.id } },
      ]);
    });
    expect(await asSari('operator_support_get', { account_id })).toMatchObject({
      customer: { failed: 1, plan: 'Gratis' },
    });
    expect(ours()).not.toContain('message.status');
  });

  test('admits operators with the role, and each customer to their own thread', async ({
    db,
    openApp,
  }) => {
    const running = await openApp();
    const ani = await signedIn(db);
    const money = await operatorOf(running, db, ['money']);
    const account_id = publicId('account', ani.accountId);
    const asMoney = actAs(running, money);
    expect(await asMoney('operator_support_list')).toMatchObject({ type: 'not_allowed' });
    expect(await asMoney('support_thread')).toMatchObject({ type: 'not_allowed' });
    const asAni = actAs(running, ani);
    expect(await asAni('operator_support_get', { account_id })).toMatchObject({
      type: 'act_unknown',
    });
    const sari = await operatorOf(running, db, ['support']);
    await changeAccounts(db.allAccountsSql, ani, { status: 'closed', closedAt: 'now' });
    const answer = { ...id(), account_id, text: 'Halo' };
    expect(await actAs(running, sari)('operator_support_send', answer)).toMatchObject({
      type: 'account_ended',
    });
  });

  test('lets a suspended customer write with files, and links to no closed page', async ({
    openApp,
    db,
  }) => {
    const running = await openApp();
    const ani = await signedIn(db);
    await changeAccounts(db.allAccountsSql, ani, { status: 'suspended' });
    const asAni = actAs(running, ani);
    const form = new FormData();
    form.append(UPLOAD_FIELD, JSON.stringify({ purpose: 'chat' }));
    form.append(UPLOAD_FIELD, new Blob(['Nota'], { type: 'text/plain' }), 'nota.txt');
    const request = new Request('http://localhost', { method: 'POST', body: form });
    const answer = await running.app.inject({
      method: 'POST',
      url: UPLOAD_PATH,
      headers: {
        'sec-fetch-site': 'same-origin',
        authorization: `Bearer ${ani.token}`,
        cookie: `kabari-device=${browserOf(ani.token)}`,
        'content-type': request.headers.get('content-type') ?? '',
      },
      payload: Buffer.from(await request.arrayBuffer()),
    });
    const sent = { ...id(), text: 'Mengapa?', upload: answer.body };
    expect(await asAni('support_send', sent)).toMatchObject({
      seq: 1,
      content: { filename: 'nota.txt' },
    });
    expect(await asAni('support_help')).toEqual({ causes: [] });
    expect(await asAni('token_list')).toMatchObject({ type: 'account_suspended' });
  });
});
