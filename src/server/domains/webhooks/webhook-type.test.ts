import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { MessageStatus } from '#contract/messages.ts';
import { type EventType, eventTypes } from '#contract/webhooks.ts';
import type { LiveEvent } from '#contract/events.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { test } from '#tests/support/database/database.ts';

/** The outbox's kinds: those of open tabs, and those for programs alone (`events/outbox.ts`). */
type Kind = LiveEvent['kind'] | 'saldo.low' | `token.${'connected' | 'disconnected' | 'linked'}`;
type Happened = { kind: Kind; status?: string; data?: object };

async function typeOf(sql: Sql, { kind, status, data = {} }: Happened): Promise<string | null> {
  const [row] = await sql<{ type: string | null }[]>`
    select webhook_type(${kind}, ${status ?? null}, ${json(data)}) as type`;
  return row?.type ?? null;
}

const byStatus: Record<MessageStatus, EventType | null> = {
  scheduled: null,
  accepted: null,
  queued: null,
  sending: null,
  received: null,
  sent: 'message.sent',
  delivered: 'message.delivered',
  read: 'message.read',
  failed: 'message.failed',
  cancelled: 'message.failed',
  expired: 'message.failed',
};

const topup = { topup_id: publicId('topup', newId()), amount: 50_000, total: 50_123 };
const invoice = { invoice_id: publicId('invoice', newId()), number: null, kind: 'plan', total: 1 };

const cases: readonly (Happened & { type: EventType | null })[] = [
  { kind: 'message.accepted', status: 'accepted', type: 'message.accepted' },
  { kind: 'message.accepted', status: 'scheduled', type: 'message.accepted' },
  { kind: 'message.received', status: 'received', type: 'message.received' },
  { kind: 'message.edited', status: 'received', type: 'message.edited' },
  { kind: 'message.revoked', status: 'received', type: 'message.revoked' },
  ...MessageStatus().options.map((status) => ({
    kind: 'message.changed' as const,
    status,
    type: byStatus[status],
  })),
  { kind: 'token.connected', type: 'token.connected' },
  { kind: 'token.disconnected', type: 'token.disconnected' },
  { kind: 'token.linked', type: 'token.linked' },
  { kind: 'token.changed', type: null },
  { kind: 'saldo.low', type: 'saldo.low' },
  { kind: 'saldo.changed', type: null },
  { kind: 'topup.changed', data: { ...topup, status: 'paid' }, type: 'topup.paid' },
  { kind: 'topup.changed', data: { ...topup, status: 'expired' }, type: null },
  // An event from before amounts were stored, and a change of a proof's state.
  { kind: 'topup.changed', data: { topup_id: topup.topup_id, status: 'paid' }, type: null },
  { kind: 'invoice.changed', data: { ...invoice, status: 'open' }, type: 'invoice.issued' },
  { kind: 'invoice.changed', data: { ...invoice, status: 'paid' }, type: 'invoice.paid' },
  { kind: 'invoice.changed', data: { ...invoice, status: 'void' }, type: null },
  { kind: 'optout.added', type: 'optout.added' },
  { kind: 'webhook.changed', type: null },
];

test('every event type is produced by the listed outbox events, and by no others', async ({
  sql,
}) => {
  const told = await Promise.all(cases.map((one) => typeOf(sql, one)));
  expect(cases.map((one, n) => ({ ...one, type: told[n] }))).toEqual(cases);
  const types = new Set(told.filter((type) => type !== null));
  expect([...types].toSorted()).toEqual([...eventTypes].toSorted());
});
