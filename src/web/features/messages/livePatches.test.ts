import { expect, test } from 'vitest';
import { withRead, withStatus } from '#web/features/messages/livePatches.ts';
import { rises } from '#contract/messages.ts';

const row = { id: 'msg_1', status: 'sent', peer: '6281234567890', created_at: new Date(0) };
const other = { id: 'msg_2', status: 'queued' };

test('a delivered message shows so in a list, a thread and a summary alike', () => {
  const news = { id: 'msg_1', status: 'delivered' } as const;
  const after = { ...row, status: 'delivered' };
  expect(withStatus({ rows: [row, other], totalPages: 3 }, news)).toEqual({
    rows: [after, other],
    totalPages: 3,
  });
  expect(withStatus({ pages: [{ rows: [other] }, { rows: [row] }] }, news)).toEqual({
    pages: [{ rows: [other] }, { rows: [after] }],
  });
  expect(withStatus({ saldo: { available: 1 }, newest: [row] }, news)).toEqual({
    saldo: { available: 1 },
    newest: [after],
  });
});

test('a late receipt does not lower a status', () => {
  const list = { rows: [{ ...row, status: 'read' }] };
  expect(withStatus(list, { id: 'msg_1', status: 'delivered' })).toBe(list);
  expect(rises('failed', 'delivered')).toBe(true);
  expect(rises('delivered', 'failed')).toBe(false);
  expect(rises('read', 'read')).toBe(false);
});

test('a message that arrived after all has not failed', () => {
  const list = { rows: [{ ...row, status: 'failed', failure: 'no_answer' }] };
  expect(withStatus(list, { id: 'msg_1', status: 'delivered' })).toEqual({
    rows: [{ ...row, status: 'delivered', failure: null }],
  });
  const waiting = { rows: [{ ...row, status: 'queued', failure: null }] };
  expect(withStatus(waiting, { id: 'msg_1', status: 'failed' })).toEqual({
    rows: [{ ...row, status: 'failed', failure: null }],
  });
});

test('an unrelated event keeps the identity of the list and of the other rows', () => {
  const list = { rows: [row, other] };
  expect(withStatus(list, { id: 'msg_9', status: 'read' })).toBe(list);
  expect(withStatus(list, { id: 'msg_1', status: 'read' }).rows[1]).toBe(other);
});

test('a conversation that was read elsewhere has nothing unread here either', () => {
  const budi = { token: { id: 'tok_1', name: 'Toko' }, peer: '62811', unread: 2 };
  const same = { ...budi, token: { id: 'tok_2', name: 'Cabang' } };
  const read = withRead({ rows: [budi, same] }, { token_id: 'tok_1', peer: '62811' });
  expect(read).toEqual({ rows: [{ ...budi, unread: 0 }, same] });
  expect(read.rows[1]).toBe(same);
  expect(withRead(read, { token_id: 'tok_1', peer: '62811' })).toBe(read);
});
