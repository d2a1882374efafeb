import { expect } from 'vitest';
import { callerOf, test } from '#tests/support/app/api-caller.ts';

const path = '/v1/templates';
const template = { name: 'pesanan_siap', body: 'Halo {{nama}}, {{pesanan}} siap. Salam, {{nama}}' };

test('creates a template, has the simulated network approve it, sends it, and deletes it', async ({
  ani,
}) => {
  const added = await ani.call(path, { body: { ...template, buttons: ['Ya', 'Tidak'] } });
  expect(added).toMatchObject({
    status: 201,
    body: { language: 'id', status: 'approved', variables: ['nama', 'pesanan'] },
  });
  const message = {
    to: '62800000001',
    type: 'template',
    template: { name: 'pesanan_siap', variables: ['Budi', 'kue'] },
  };
  const sent = await ani.call('/v1/messages', { body: message });
  const shown = await ani.call(`/v1/messages/${sent.body.id}`);
  expect(shown.body.content).toMatchObject({
    text: 'Halo Budi, kue siap. Salam, Budi',
    buttons: ['Ya', 'Tidak'],
  });
  expect(await ani.call(`${path}/pesanan_siap`, { method: 'DELETE' })).toMatchObject({
    status: 204,
  });
  const gone = { status: 404, body: { code: 'template_not_found' } };
  expect(await ani.call(`${path}/pesanan_siap`, { method: 'DELETE' })).toMatchObject(gone);
  expect(await ani.call(`${path}/pesanan_siap`)).toMatchObject(gone);
  expect(await ani.call(`${path}/%00`)).toMatchObject(gone);
});

test('keeps one template per name and language, also under concurrency', async ({ ani }) => {
  const [one, two] = await Promise.all([
    ani.call(path, { body: template }),
    ani.call(path, { body: template }),
  ]);
  expect([one.status, two.status].toSorted((a, b) => a - b)).toEqual([201, 409]);
  const refused = one.status === 409 ? one : two;
  expect(refused.body.code).toBe('template_exists');
  const english = await ani.call(path, { body: { ...template, language: 'en' } });
  expect(english.status).toBe(201);
  const both = await ani.call(`${path}/pesanan_siap`);
  expect(both.body.data.map((each: { language: string }) => each.language)).toEqual(['en', 'id']);
  await ani.call(`${path}/pesanan_siap?language=en`, { method: 'DELETE' });
  expect((await ani.call(path)).body.data).toHaveLength(1);
});

test('hides templates of other accounts', async ({ ani, running, db }) => {
  const budi = await callerOf(running, db);
  await ani.call(path, { body: template });
  expect((await budi.call(path)).body.data).toEqual([]);
  expect((await budi.call(`${path}/pesanan_siap`)).status).toBe(404);
  const other = await budi.call(`${path}/pesanan_siap`, { method: 'DELETE' });
  expect(other.status).toBe(404);
  expect((await ani.call(path)).body.data).toHaveLength(1);
});

test('limits an account to 250 templates', async ({ ani, db }) => {
  await db.allAccountsSql`
    insert into message_templates (account_id, template_id, name, language, category, body, status)
    select ${ani.accountId}, gen_random_uuid(), 'a' || n, 'id', 'utility', 'Halo', 'approved'
    from generate_series(1, 250) n`;
  expect(await ani.call(path, { body: template })).toMatchObject({
    status: 409,
    body: { code: 'templates_full' },
  });
});
