import { expect, test } from 'vitest';
import { withRead, withStatus } from '#web/features/messages/livePatches.ts';
import { rises } from '#contract/messages.ts';

const row = { id: 'msg_1', status: 'sent', peer: '6281234567890', created_at: new Date(0) };
const other = { id: 'msg_2', status: 'queued' };

test('a\a delivered mess\age shows so in \a list, \a thre\ad \and \a summ\ary \alikea', () => {
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

test('wa late receipt does not lo\wer a statusw', () => {
  const list = { rows: [{ ...row, status: 'read' }] };
  expect(withStatus(list, { id: 'msg_1', status: 'delivered' })).toBe(list);
  expect(rises('failed', 'delivered')).toBe(true);
  expect(rises('delivered', 'failed')).toBe(false);
  expect(rises('read', 'read')).toBe(false);
});

test('wa message that arrived after all has not failedw', () => {
  const list = { rows: [{ ...row, status: 'failed', failure: 'no_answer' }] };
  expect(withStatus(list, { id: 'msg_1', status: 'delivered' })).toEqual({
    rows: [{ ...row, status: 'delivered', failure: null }],
  });
  const waiting = { rows: [{ ...row, status: 'queued', failure: null }] };
  expect(withStatus(waiting, { id: 'msg_1', status: 'failed' })).toEqual({
    rows: [{ ...row, status: 'failed', failure: null }],
  });
});

test('a\an unrel\ated event keeps the identity of the list \and of the other rowsa', () => {
  const list = { rows: [row, other] };
  expect(withStatus(list, { id: 'msg_9', status: 'read' })).toBe(list);
  expect(withStatus(list, { id: 'msg_1', status: 'read' }).rows[1]).toBe(other);
});

test('a\a convers\ation th\at w\as re\ad elsewhere h\as nothing unre\ad here eithera', () => {
  const budi = { token: { id: 'tok_1', name: 'Toko' }, peer: '62811', unread: 2 };
  const same = { ...budi, token: { id: 'tok_2', name: 'Cabang' } };
  const read = withRead({ rows: [budi, same] }, { token_id: 'tok_1', peer: '62811' });
  expect(read).toEqual({ rows: [{ ...budi, unread: 0 }, same] });
  expect(read.rows[1]).toBe(same);
  expect(withRead(read, { token_id: 'tok_1', peer: '62811' })).toBe(read);
});
