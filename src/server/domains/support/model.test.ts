import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import * as inbox from '#contract/operator/support.ts';
import * as support from '#contract/support.ts';
import { test } from '#tests/support/database/database.ts';
import { supportApp, text } from '#tests/support/people/support-app.ts';

type Line = {
  seq: number;
  message_id: string;
  side: string;
  internal: boolean;
  event: string | null;
  at: Date;
};

const action = fc.record({
  kind: fc.constantFrom('ask', 'ask', 'answer', 'answer', 'note', 'again', 'read', 'seen', 'close'),
  pick: fc.nat(),
});

test('keeps positions, ids, notes, waits and read marks consistent under concurrent acts of both sides', async ({
  db,
  sql,
}) => {
  const app = await supportApp(db);
  const sari = await app.operator('Sari');
  const run = async (actions: { kind: string; pick: number }[]) => {
    const ani = await app.customer();
    const account_id = publicId('account', ani.accountId);
    const ids: string[] = [];
    const perform = async ({ kind, pick }: { kind: string; pick: number }) => {
      const id = randomUUID();
      switch (kind) {
        case 'ask':
          ids.push(id);
          return ani.ask(support.sendSupport, text('Halo', id));
        case 'answer':
          return sari.ask(inbox.sendInbox, { account_id, ...text('Baik', id) });
        case 'note':
          return sari.ask(inbox.sendInbox, { account_id, ...text('Catatan', id), internal: '1' });
        case 'again': {
          const known = ids[pick % Math.max(1, ids.length)];
          return known && ani.ask(support.sendSupport, text('Lain', known));
        }
        case 'read':
          return ani.ask(support.readSupport, { seq: pick % 20 });
        case 'seen':
          return sari.ask(inbox.readInbox, { account_id, seq: pick % 20 });
        default:
          return sari.ask(inbox.closeInbox, { account_id }).catch(() => undefined);
      }
    };
    // Four at a time, to run concurrently.
    for (let n = 0; n < actions.length; n += 4) {
      await Promise.all(actions.slice(n, n + 4).map(perform));
    }
    const lines = await sql<Line[]>`
      select seq, message_id, side, internal, event, at from support_messages
      where account_id = ${ani.accountId} order by seq`;
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, n) => n + 1));
    expect(new Set(lines.map(({ message_id }) => message_id)).size).toBe(lines.length);
    expect(ids.filter((id) => !lines.some(({ message_id }) => message_id === id))).toEqual([]);
    const shown = lines.filter(({ internal }) => !internal);
    const seen: number[] = [];
    for (let start = 0; ;) {
      const { rows } = await ani.ask(support.supportMessages, { start });
      if (rows.length === 0) break;
      seen.push(...rows.map(({ seq }) => seq));
      start += rows.length;
    }
    expect(seen.toReversed()).toEqual(shown.map(({ seq }) => seq));
    const thread = await ani.ask(support.supportThread, {});
    const theirs = await sari.ask(inbox.getInboxThread, { account_id });
    const after = (side: string, mark: number) =>
      shown.filter((line) => line.side === side && line.seq > mark).length;
    expect(thread.unread).toBe(after('operator', thread.customer_read));
    expect(theirs.unread).toBe(after('customer', theirs.operator_read));
    let isWaiting = false;
    for (const { side, internal, event } of lines) {
      if (side === 'customer') isWaiting = true;
      if ((side === 'operator' && !internal) || event === 'closed') isWaiting = false;
    }
    expect(theirs.waiting_since !== null).toBe(isWaiting);
    // Each message was announced once, to each side that may see it.
    const told = await sql<{ shown: number; all: number }[]>`
      select count(*) filter (where account_id = ${ani.accountId}) as shown,
        count(*) filter (where account_id = ${app.deps.systemAccountId}) as all
      from outbox where kind = 'support.message' and data ->> 'account_id' = ${account_id}`;
    expect(told).toEqual([{ shown: shown.length, all: lines.length }]);
  };
  await fc.assert(fc.asyncProperty(fc.array(action, { minLength: 8, maxLength: 20 }), run), {
    numRuns: 6,
  });
});
