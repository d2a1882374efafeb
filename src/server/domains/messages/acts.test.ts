import { expect } from 'vitest';
import type { InputOf } from '#contract/base/act.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { createTemplate, deleteTemplate, listTemplates } from '#contract/messages/templates.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { actsOf } from '#tests/support/acts-of.ts';
import { customerWith } from '#tests/support/people/people.ts';
import {
  addTemplate,
  noReview,
  templateActs,
  templatesOf,
} from '#server/domains/messages/templates.ts';

const templatesFor = (db: TestDatabase, accountId: string) =>
  actsOf(templateActs({ sql: db.tenantSql, review: noReview }), accountId);

const template = {
  name: 'pesanan_siap',
  language: 'id',
  category: 'utility',
  header: 'Pesanan siap',
  body: 'Halo {{1}}, pesanan {{2}} siap.',
  buttons: ['Ya', 'Tidak'],
} as const;
const given = { ...template, buttons: [...template.buttons] };

test('shares templates between the portal and the API, in both directions', async ({ db, sql }) => {
  const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
  const ask = templatesFor(db, ani.accountId);
  const made = await ask(createTemplate, given);
  expect(made).toMatchObject({ ...template, status: 'approved', variables: ['1', '2'] });
  expect(await templatesOf(db.tenantSql, ani.accountId)).toEqual([made]);
  const inEnglish = { name: 'pesanan_siap', language: 'en', body: 'Ready.' };
  await addTemplate({ sql: db.tenantSql, review: noReview }, ani.accountId, inEnglish);
  const both = await ask(listTemplates, {});
  expect(both).toMatchObject({ total: 2, rows: [{ language: 'en' }, { language: 'id' }] });
  const one = { name: 'pesanan_siap', language: 'id' };
  expect(await ask(listTemplates, one)).toEqual({ rows: [made], total: 1 });

  const other = templatesFor(db, budi.accountId);
  expect(await other(listTemplates, {})).toEqual({ rows: [], total: 0 });
  const gone = new Refusal('template_not_found', { name: 'pesanan_siap' });
  await expect(other(deleteTemplate, one)).rejects.toEqual(gone);
  await ask(deleteTemplate, one);
  await expect(ask(deleteTemplate, one)).rejects.toEqual(gone);
  expect(await ask(listTemplates, {})).toMatchObject({ total: 1, rows: [{ language: 'en' }] });
  const told = await sql`select account_id, data from outbox where kind = 'template.changed'`;
  expect(told).toEqual(Array.from({ length: 3 }, () => ({ account_id: ani.accountId, data: {} })));
});

test('finds templates by words of their name and body, and by status', async ({ db, sql }) => {
  const ani = await customerWith(sql);
  const ask = templatesFor(db, ani.accountId);
  await ask(createTemplate, given);
  await ask(createTemplate, { ...given, name: 'tagihan_baru', body: 'Tagihan {{1}} terbit.' });
  await sql`update message_templates set status = 'rejected' where name = 'tagihan_baru'`;
  const names = async (input: InputOf<typeof listTemplates>) =>
    (await ask(listTemplates, input)).rows.map(({ name }) => name);
  expect(await names({ q: 'Pesanan' })).toEqual(['pesanan_siap']);
  expect(await names({ q: 'TERBIT' })).toEqual(['tagihan_baru']);
  expect(await names({ status: 'approved' })).toEqual(['pesanan_siap']);
  expect(await names({ q: '%', status: 'approved' })).toEqual([]);
});

test('accepts a name once per language; pages and sorts by name or age', async ({ db, sql }) => {
  const ani = await customerWith(sql);
  const ask = templatesFor(db, ani.accountId);
  for (let n = 0; n < 12; n++) {
    await ask(createTemplate, { ...given, name: `templat_${String(n).padStart(2, '0')}` });
  }
  await expect(ask(createTemplate, { ...given, name: 'templat_03' })).rejects.toEqual(
    new Refusal('template_exists', { name: 'templat_03', language: 'id' }),
  );
  const names = async (input: InputOf<typeof listTemplates>) =>
    (await ask(listTemplates, input)).rows.map(({ name }) => name);
  expect(await names({ page: 1 })).toEqual(['templat_10', 'templat_11']);
  expect((await names({ sort_by: 'name', sort_type: 'desc' }))[0]).toBe('templat_11');
  expect((await names({ sort_by: 'created_at', sort_type: 'asc' }))[0]).toBe('templat_00');
});

test('reports each invalid field of a form', () => {
  const faults = (change: object) => {
    const read = createTemplate.input.safeParse({ ...given, ...change });
    return read.success
      ? {}
      : Object.fromEntries(read.error.issues.map((one) => [one.path[0], one.message]));
  };
  expect(faults({})).toEqual({});
  expect(faults({ name: 'Pesanan Siap' })).toEqual({
    name: 'Nama 1 sampai 100 karakter: huruf kecil, angka, atau _.',
  });
  expect(faults({ body: '  ' })).toEqual({ body: 'Tulis isi pesannya.' });
  expect(faults({ footer: 'a'.repeat(61) })).toEqual({
    footer: 'Catatan kaki paling panjang 60 karakter.',
  });
  expect(faults({ buttons: ['Ya', 'Ya'] })).toEqual({ buttons: 'Dua tombol tidak boleh sama.' });
  expect(faults({ buttons: ['a'.repeat(26)] })).toEqual({
    buttons: 'Setiap tombol paling panjang 25 karakter.',
  });
});
