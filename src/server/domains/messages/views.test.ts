import { expect } from 'vitest';
import type { Act, InputOf } from '#contract/base/act.ts';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { VIEWS_MAX, deleteView, listViews, saveView } from '#contract/messages/history.ts';
import { actsOf } from '#tests/support/acts-of.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { customerWith, makeUser } from '#tests/support/people/people.ts';
import { viewActs } from './messages.ts';

function viewsFor(db: TestDatabase, accountId: string, userId: string) {
  const handlers = viewActs({ sql: db.tenantSql, onStored: () => undefined });
  const ask = actsOf(handlers, accountId, userId);
  return <A extends Act>(act: A, input: InputOf<A>) =>
    ask(act, act.input.parse(input) as InputOf<A>);
}

const idOf = (view: { id: string }) => view.id as never;

test('saves, renames and deletes a view, and notifies other tabs', async ({ db, sql }) => {
  const ani = await customerWith(sql);
  const ask = viewsFor(db, ani.accountId, ani.userId);
  const token_id = publicId('token', ani.tokenId);
  const filters = {
    status: ['failed' as const, 'expired' as const],
    type: 'image' as const,
    q: 'Budi',
    sort_type: 'asc' as const,
  };
  const view = await ask(saveView, {
    name: '  Gambar gagal ',
    ...filters,
    token_id,
    days: '7' as never,
    from: '2026-11-01',
    to: '2026-11-07',
  });
  expect(view).toMatchObject({ name: 'Gambar gagal', filters: { ...filters, token_id, days: 7 } });
  expect(view.filters).not.toHaveProperty('from');
  const fixed = await ask(saveView, { name: 'November', from: '2026-11-01', to: '2026-11-30' });
  expect(await ask(listViews, {})).toEqual({ views: [view, fixed] });

  await ask(saveView, { view_id: idOf(view), name: 'Gagal saja', status: 'failed' as never });
  expect((await ask(listViews, {})).views[0]).toEqual({
    id: view.id,
    name: 'Gagal saja',
    filters: { status: ['failed'] },
  });
  await ask(deleteView, { view_id: idOf(view) });
  expect(await ask(listViews, {})).toEqual({ views: [fixed] });
  const told = await sql`select data from outbox where kind = 'view.changed'`;
  expect(told).toEqual(
    Array.from({ length: 4 }, () => ({ data: { user_id: publicId('user', ani.userId) } })),
  );
});

test('hides a view from other users of the account, and from other accounts', async ({
  db,
  sql,
}) => {
  const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
  const colleague = await makeUser(sql, ani.accountId);
  const view = await viewsFor(db, ani.accountId, ani.userId)(saveView, { name: 'Gagal' });
  for (const other of [
    viewsFor(db, ani.accountId, colleague),
    viewsFor(db, budi.accountId, budi.userId),
  ]) {
    expect(await other(listViews, {})).toEqual({ views: [] });
    const gone = new Refusal('not_found', { what: 'Tampilan' });
    await expect(other(deleteView, { view_id: idOf(view) })).rejects.toEqual(gone);
    await expect(other(saveView, { view_id: idOf(view), name: 'X' })).rejects.toEqual(gone);
    // Another user can use the same name.
    expect(await other(saveView, { name: 'Gagal' })).toMatchObject({ name: 'Gagal' });
  }
  expect(
    await sql`select name from message_views where view_id = ${uuidOf('view', view.id)!}`,
  ).toEqual([{ name: 'Gagal' }]);
});

test('compares names case-insensitively, and limits a user to thirty views', async ({
  db,
  sql,
}) => {
  const ani = await customerWith(sql);
  const ask = viewsFor(db, ani.accountId, ani.userId);
  const first = await ask(saveView, { name: 'Promo' });
  await expect(ask(saveView, { name: 'PROMO' })).rejects.toEqual(
    new Refusal('view_name_taken', { name: 'PROMO' }),
  );
  // A view may change the case of its own name.
  expect(await ask(saveView, { view_id: idOf(first), name: 'PROMO' })).toMatchObject({
    name: 'PROMO',
  });
  const saved = await Promise.allSettled(
    Array.from({ length: VIEWS_MAX }, (_, at) => ask(saveView, { name: `Tampilan ${at}` })),
  );
  const refused = saved.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(refused).toEqual([new Refusal('views_full', { limit: VIEWS_MAX })]);
  expect((await ask(listViews, {})).views).toHaveLength(VIEWS_MAX);
});
