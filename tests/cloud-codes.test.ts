import { expect } from 'vitest';
import { type RunningApp, signedIn } from '#tests/support/app/running-app.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { accessOf, test } from '#tests/support/meta/cloud-channel.ts';
import { codeComponents } from '#tests/support/meta/templates.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { makeOperators } from '#tests/support/people/people.ts';

async function asking(db: TestDatabase, { ask }: RunningApp, role?: 'admin') {
  const { token, accountId } = await signedIn(db);
  if (role) {
    await makeOperators(db.allAccountsSql, { accountId }, [role]);
  }
  return async (act: string, fields: object = {}) => {
    const { body } = await ask(act, { token, key: crypto.randomUUID(), ...fields });
    return body.code === 1 ? body.data : body.error.type;
  };
}

const CODES = {
  name: 'kode_masuk',
  language: 'id',
  category: 'AUTHENTICATION',
  components: codeComponents,
};

test('sends codes by the Cloud API as the template that Meta approved, and stores them nowhere', async ({
  db,
  running,
  meta,
}) => {
  const admin = await asking(db, running, 'admin');
  const ani = await asking(db, running);
  expect(await admin('app_config')).toMatchObject({ simulator: true, codes_in_simulator: true });
  expect(await admin('operator_system_token_get')).toMatchObject({ cloud: null });
  expect(await admin('operator_system_token_move', { channel: 'cloud' })).toMatchObject({
    channel: 'cloud',
    status: 'unlinked',
    phone: null,
  });
  expect(await admin('app_config')).toMatchObject({ simulator: true, codes_in_simulator: false });
  expect(await admin('operator_system_token_link')).toBe('channel_other');
  expect(await ani('user_delete_ask')).toBe('otp_unsendable');
  const connected = await admin('operator_system_token_connect', accessOf(meta));
  expect(connected).toMatchObject({ status: 'linked', code_template: null });
  expect(JSON.stringify(connected)).not.toContain(meta.token);
  expect(JSON.stringify(connected)).not.toContain(meta.appSecret);
  // Linked, but codes still reach no phone, so the API must not claim that one is on its way.
  expect(await ani('user_delete_ask')).toBe('otp_unsendable');
  expect((await admin('operator_overview')).codes_go_out).toBe(false);

  meta.control.templates.add({ ...CODES, name: 'kode_ditinjau', status: 'PENDING' });
  meta.control.templates.add({ ...CODES, name: 'kode_inggris', language: 'en' });
  meta.control.templates.add(CODES);
  await admin('operator_system_token_connect', accessOf(meta));
  await waitFor(async () =>
    expect(await admin('operator_system_token_get')).toMatchObject({
      code_template: { name: 'kode_masuk', language: 'id' },
    }),
  );
  expect(await ani('user_delete_ask')).toMatchObject({ challenge: expect.any(String) });
  const [sent] = await waitFor(() => {
    expect(meta.control.sent()).toHaveLength(1);
    return meta.control.sent();
  });
  const { template } = sent!.body as { template: { components: { parameters: unknown[] }[] } };
  const [{ text: code } = { text: '' }] = template.components[0]!.parameters as { text: string }[];
  expect(code).toMatch(/^\d{6}$/);
  const carried = [{ type: 'text', text: code }];
  expect(template).toEqual({
    name: 'kode_masuk',
    language: { code: 'id' },
    components: [
      { type: 'body', parameters: carried },
      { type: 'button', sub_type: 'url', index: '0', parameters: carried },
    ],
  });
  await waitFor(async () => expect(await db.allAccountsSql`select 1 from dispatch`).toEqual([]));
  const [stored] = await db.allAccountsSql<{ body: object }[]>`
    select body from messages where type = 'template'`;
  expect(JSON.stringify(stored)).not.toContain(code);
  expect(stored?.body).toMatchObject({ text: '*••••••* adalah kode verifikasi Anda.' });

  // A test is sent like a code: a text would reach only recent writers.
  expect(await admin('operator_system_token_test')).toMatchObject({ to: expect.any(String) });
  await waitFor(() => expect(meta.control.sent()).toHaveLength(2));
  expect(meta.control.sent()[1]?.body).toMatchObject({
    template: {
      name: 'kode_masuk',
      components: [{ parameters: [{ type: 'text', text: '000000' }] }, {}],
    },
  });
});

test('tells the operator what to do when Meta refuses the system token’s access', async ({
  db,
  running,
  meta,
}) => {
  const admin = await asking(db, running, 'admin');
  await admin('operator_system_token_move', { channel: 'cloud' });
  expect(await admin('operator_system_token_connect', accessOf(meta))).toMatchObject({
    status: 'linked',
    parted: null,
  });
  meta.control.tokens.revoke(meta.token);
  await admin('operator_system_token_test');
  await waitFor(async () =>
    expect(await admin('operator_system_token_get')).toMatchObject({
      status: 'disconnected',
      parted: { at: expect.any(String), reason: 'access' },
    }),
  );
});

test('submits a customer’s code template without a text, and sends it with its code', async ({
  ani,
  meta,
}) => {
  const template = { name: 'kode_toko', category: 'authentication', body: 'Kode Anda {{1}}' };
  const { status } = await ani.call('/v1/templates', { body: template });
  expect(status).toBe(201);
  const [handedIn] = meta.control.templates.list().filter(({ name }) => name === 'kode_toko');
  expect(handedIn).toMatchObject({ category: 'AUTHENTICATION', components: codeComponents });
  meta.control.templates.setStatus(handedIn!.id, 'APPROVED');
  await waitFor(async () => {
    const { body } = await ani.call('/v1/templates');
    expect(body.data).toContainEqual(
      expect.objectContaining({ name: 'kode_toko', status: 'approved', variables: ['1'] }),
    );
  });
  const message = { to: '6281234567890', type: 'template' };
  const sent = await ani.call('/v1/messages', {
    body: { ...message, template: { name: 'kode_toko', variables: ['481516'] } },
  });
  expect(sent.status).toBe(202);
  await ani.becomes(sent.body.id, 'read');
  const carried = [{ type: 'text', text: '481516' }];
  expect(meta.control.sent()[0]?.body).toMatchObject({
    template: {
      components: [
        { type: 'body', parameters: carried },
        { type: 'button', sub_type: 'url', index: '0', parameters: carried },
      ],
    },
  });
});
