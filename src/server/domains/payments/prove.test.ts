import { createHash } from 'node:crypto';
import { describe, expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { OperatorTopup } from '#contract/operator/payments.ts';
import type { Topup } from '#contract/saldo.ts';
import { operatorActs } from '#server/domains/operator/operator.ts';
import {
  expireTopups,
  paymentsActs,
  paymentsAccountData,
} from '#server/domains/payments/payments.ts';
import { newId } from '#server/infra/ids.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { type Customer, changeAccounts, customerWith } from '#tests/support/people/people.ts';
import { operatorsOf } from '#tests/support/money/desk.ts';
import { type TopupApp, idOf, perform, topupApp } from '#tests/support/money/topups.ts';

type Who = Pick<Customer, 'accountId' | 'userId'>;

async function slip(sql: TestDatabase['allAccountsSql'], who: Who, bytes: string) {
  const [fileId, uploadId] = [newId(), newId()];
  const sha256 = createHash('sha256').update(bytes).digest();
  await sql`
    insert into files (account_id, file_id, name, mime, size_bytes, sha256)
    values (${who.accountId}, ${fileId}, 'slip.jpg', 'image/jpeg', 4, ${sha256})`;
  await sql`
    insert into uploads (account_id, upload_id, user_id, purpose, declared, length_bytes, expires_at,
      state, file_id, received_bytes)
    values (${who.accountId}, ${uploadId}, ${who.userId}, 'proof', 'image/jpeg', 4,
      clock_timestamp() + interval '1 day', 'finished', ${fileId}, 4)`;
  return publicId('upload', uploadId);
}

const prove = (app: TopupApp, who: Who, { id }: Topup, upload: string) =>
  perform(paymentsActs(app.deps), 'topup_proof', who, { topup_id: id, upload }) as Promise<Topup>;

async function open(app: TopupApp): Promise<OperatorTopup[]> {
  const operator = { accountId: newId(), role: 'operator' as const };
  const list = await perform(operatorActs(app.deps), 'operator_topup_list', operator, {
    status: 'open',
  });
  return (list as { rows: OperatorTopup[] }).rows;
}

describe('a slip', () => {
  test('lists its top-up for operators, and moves no money', async ({ sql, db }) => {
    const app = await topupApp(db);
    const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
    const proven = await app.topup(ani.accountId);
    await app.topup(budi.accountId);
    const after = await prove(app, ani, proven, await slip(sql, ani, 'one'));
    expect(after).toMatchObject({
      status: 'pending',
      proof: { file_id: expect.stringMatching(/^fil_/), at: app.clock.now() },
    });
    const listed = await open(app);
    expect(listed).toHaveLength(1);
    const [first] = listed;
    expect(first).toMatchObject({
      id: proven.id,
      slip: { name: 'slip.jpg', mime: 'image/jpeg', used_before: null },
    });
    expect(first?.slip?.url).toMatch(/^\/files\//);
    expect(await sql`select from provider_payments`).toHaveLength(0);
    const events = await sql`select kind from outbox where kind = 'topup.changed'`;
    expect(events).toHaveLength(3);
  });

  test.for([
    ['after its top-up has expired', 'Dibayar setelah kedaluwarsa.'],
    ['after its top-up was cancelled', 'Dibayar setelah dibatalkan.'],
  ] as const)(
    '%s waits for an operator, who may confirm or reject',
    async ([when, note], { sql, db }) => {
      const app = await topupApp(db);
      const ani = await customerWith(sql);
      const [oka] = await operatorsOf(sql, app);
      for (const [decision, more] of [
        ['operator_topup_confirm', { reference: 'TRX-1' }],
        ['operator_topup_reject', {}],
      ] as const) {
        const topup = await app.topup(ani.accountId);
        if (when.endsWith('cancelled')) {
          await perform(paymentsActs(app.deps), 'topup_cancel', ani, { topup_id: topup.id });
        } else {
          app.clock.pass(25);
          await expireTopups(app.deps);
        }
        expect(await open(app)).toEqual([]);
        expect(await prove(app, ani, topup, await slip(sql, ani, topup.id))).toMatchObject({
          status: 'review',
          note,
        });
        expect((await open(app)).map(({ id }) => id)).toEqual([topup.id]);
        await oka?.ask(decision, { topup_id: topup.id, reason: 'Slip', ...more });
        expect(await open(app)).toEqual([]);
      }
      expect(await sql`select status from topups order by topup_id`).toEqual([
        { status: 'paid' },
        { status: 'rejected' },
      ]);
    },
  );

  test('keeps its top-up in the list after expiry', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId);
    const other = await app.topup(ani.accountId);
    await prove(app, ani, topup, await slip(sql, ani, 'one'));
    app.clock.pass(25);
    expect(await expireTopups(app.deps)).toMatchObject({ expired: 2 });
    expect((await open(app)).map(({ id, status }) => [id, status])).toEqual([[topup.id, 'review']]);
    await app.transfer(topup.total);
    expect(await open(app)).toEqual([]);
    expect(await sql`select status from topups where topup_id = ${idOf(other)}`).toEqual([
      { status: 'expired' },
    ]);
  });

  test('sent twice, at once or later, is stored once', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const [first, other] = [await app.topup(ani.accountId), await app.topup(ani.accountId)];
    const upload = await slip(sql, ani, 'one');
    const [one, two] = await Promise.all([
      prove(app, ani, first, upload),
      prove(app, ani, first, upload),
    ]);
    expect(two).toEqual(one);
    await app.transfer(first.total);
    expect(await prove(app, ani, first, upload)).toMatchObject({ id: first.id, status: 'paid' });
    expect(await sql`select from topup_proofs`).toHaveLength(1);
    await expect(prove(app, ani, other, upload)).rejects.toEqual(new Refusal('upload_gone', {}));
  });

  test('sent for another top-up before is pointed out, for any sender', async ({ sql, db }) => {
    const app = await topupApp(db);
    const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
    const [hers, his] = [await app.topup(ani.accountId), await app.topup(budi.accountId)];
    await prove(app, ani, hers, await slip(sql, ani, 'same'));
    app.clock.pass(1);
    await prove(app, budi, his, await slip(sql, budi, 'same'));
    const rows = await open(app);
    expect(rows.find(({ id }) => id === his.id)?.slip?.used_before?.topup_id).toBe(hers.id);
    expect(rows.find(({ id }) => id === hers.id)?.slip?.used_before).toBeNull();
  });

  test('is accepted while money may still arrive, at most three times', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId);
    app.clock.pass(25);
    for (const bytes of ['one', 'two', 'three']) {
      await prove(app, ani, topup, await slip(sql, ani, bytes));
      app.clock.pass(1);
    }
    const more = await slip(sql, ani, 'four');
    await expect(prove(app, ani, topup, more)).rejects.toEqual(
      new Refusal('topup_proof_limit', { limit: 3 }),
    );
    const paid = await app.topup(ani.accountId);
    await app.transfer(paid.total);
    await expect(prove(app, ani, paid, more)).rejects.toEqual(
      new Refusal('topup_already_paid', {}),
    );
    const rejected = await app.topup(ani.accountId);
    await sql`update topups set status = 'rejected' where topup_id = ${idOf(rejected)}`;
    await expect(prove(app, ani, rejected, more)).rejects.toEqual(new Refusal('topup_closed', {}));
  });

  test('must be the caller’s own upload, for their own top-up, and is used once', async ({
    sql,
    db,
  }) => {
    const app = await topupApp(db);
    const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
    const [hers, his] = [await app.topup(ani.accountId), await app.topup(budi.accountId)];
    const upload = await slip(sql, ani, 'one');
    await expect(prove(app, ani, his, upload)).rejects.toEqual(
      new Refusal('not_found', { what: 'Isi saldo' }),
    );
    await expect(prove(app, budi, his, upload)).rejects.toEqual(new Refusal('upload_gone', {}));
    await prove(app, ani, hers, upload);
    const second = await app.topup(ani.accountId);
    await expect(prove(app, ani, second, upload)).rejects.toEqual(new Refusal('upload_gone', {}));
  });

  test('is part of its owner’s data export', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId);
    await prove(app, ani, topup, await slip(sql, ani, 'one'));
    const subjects = paymentsAccountData(app.deps).subjects?.(ani.accountId) ?? [];
    const rows = subjects.find(({ name }) => name === 'bukti-transfer')?.rows() ?? [];
    const read = [];
    for await (const one of rows) read.push(one);
    expect(read).toEqual([
      {
        topup: topup.id,
        file: expect.stringMatching(/^fil_/),
        name: 'slip.jpg',
        mime: 'image/jpeg',
        at: app.clock.now(),
      },
    ]);
  });

  test('is erased with its account', async ({ sql, db }) => {
    const app = await topupApp(db);
    const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
    for (const who of [ani, budi]) {
      const topup = await app.topup(who.accountId);
      await prove(app, who, topup, await slip(sql, who, 'one'));
      await sql`
        insert into topup_proposals (account_id, topup_id, operator_id, reference, reason, at)
        values (${who.accountId}, ${idOf(topup)}, ${newId()}, 'TRX', 'Slip', ${app.clock.now()})`;
    }
    await changeAccounts(db.owner, ani, { status: 'closed', closedAt: 'now' });
    await paymentsAccountData(app.deps).erase?.({ accountId: ani.accountId, phones: [] });
    expect(await sql`select account_id from topup_proofs`).toEqual([
      { account_id: budi.accountId },
    ]);
    expect(await sql`select account_id from topup_proposals`).toEqual([
      { account_id: budi.accountId },
    ]);
  });
});
