import { describe, expect } from 'vitest';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { test } from '#tests/support/database/database.ts';
import { lanesOver, network, phones, acceptTexts } from '#tests/support/app/fake-channel.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { expireMessages } from './withdraw.ts';
import { markPossibleDuplicates } from './lanes.ts';
import { changeDispatch } from '#tests/support/app/lanes.ts';
import { inFuture } from '#tests/support/database/changes.ts';

const sent = { outcome: 'sent' } as const;

describe('messages that waited when the backup was made', () => {
  test('are sent once more, marked where the channel could not tell them from new ones', async ({
    sql,
    db,
  }) => {
    const ani = await customerWith(sql, { saldo: 1_000 });
    await acceptTexts(sql, ani, { prices: [100, 100], peers: phones(2) });
    expect(await markPossibleDuplicates(db.owner)).toBe(2);
    const { seen, channels } = network(() => sent, { preallocates: false });
    const lanes = lanesOver(sql, channels);
    await waitFor(async () => {
      const rows = await sql`select status, possible_duplicate from messages`;
      expect(rows).toEqual(
        Array.from({ length: 2 }, () => ({ status: 'sent', possible_duplicate: true })),
      );
    });
    await lanes.close();
    expect(seen.map(({ possibleDuplicate }) => possibleDuplicate)).toEqual([true, true]);
    expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
  });

  test('go out unmarked under their own ids where the channel knows ids beforehand', async ({
    sql,
    db,
  }) => {
    const ani = await customerWith(sql, { saldo: 1_000 });
    await acceptTexts(sql, ani);
    await markPossibleDuplicates(db.owner);
    const { seen, channels } = network(() => sent);
    const lanes = lanesOver(sql, channels);
    await waitFor(async () =>
      expect(await sql`select status, possible_duplicate from messages`).toEqual([
        { status: 'sent', possible_duplicate: false },
      ]),
    );
    await lanes.close();
    expect(seen).toHaveLength(1);
  });

  test('do not expire when their time is over: they may have arrived', async ({ sql, db }) => {
    const ani = await customerWith(sql, { saldo: 1_000 });
    await acceptTexts(sql, ani, { expiresAt: new Date(Date.now() + 3_600_000) });
    await changeDispatch(db.owner, {}, { expiresAt: 'now' });
    await markPossibleDuplicates(db.owner);
    await expireMessages(sql);
    const { seen, channels } = network(() => sent, { preallocates: false });
    const lanes = lanesOver(sql, channels);
    await waitFor(async () =>
      expect(await sql`select status, failure from messages`).toEqual([
        { status: 'failed', failure: 'no_answer' },
      ]),
    );
    await lanes.close();
    expect(seen).toEqual([]);
  });

  test('stay unchanged when they are due later', async ({ sql, db }) => {
    const ani = await customerWith(sql, { saldo: 1_000 });
    await acceptTexts(sql, ani);
    await changeDispatch(db.owner, {}, { readyAt: inFuture('1 day') });
    expect(await markPossibleDuplicates(db.owner)).toBe(0);
    expect(await sql`select unknowns, unsure_until from dispatch`).toEqual([
      { unknowns: 0, unsure_until: null },
    ]);
  });
});
