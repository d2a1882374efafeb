import { expect } from 'vitest';
import { command, help } from './commands.ts';
import { send, test, text } from '#tests/support/meta/meta-test.ts';

test('shows templates and decides on them by name', async ({ meta }) => {
  meta.control.templates.add({ name: 'pesanan_siap', status: 'PENDING' });
  expect(await command(meta, '/templates')).toBe(
    'hello_world en_US UTILITY APPROVED\npesanan_siap id UTILITY PENDING',
  );
  expect(await command(meta, '/reject pesanan_siap')).toContain('REJECTED');
  expect(await command(meta, '/approve pesanan_siap')).toContain('APPROVED');
  expect(await command(meta, '/approve lain')).toBe('There is no such template.');
});

test('revokes and restores the access token, and shows sent messages', async ({ meta }) => {
  expect(await command(meta, '/sent')).toBe('None.');
  await command(meta, '/revoke');
  expect((await send(meta, text)).status).toBe(401);
  await command(meta, '/restore');
  expect((await send(meta, text)).status).toBe(200);
  expect(await command(meta, '/sent')).toContain('text {"body":"Halo"}');
});

test('reports whether an address was confirmed', async ({ meta, receiver }) => {
  expect(await command(meta, '/webhook')).toBe('None.');
  expect(await command(meta, '/webhook kabari')).toContain('verify token');
  expect(await command(meta, '/webhook http://127.0.0.1:9/callbacks salah')).toBe(
    'Not confirmed: HTTP 0.',
  );
  receiver.handle(async ({ url }) => new Response(new URL(url).searchParams.get('hub.challenge')));
  expect(await command(meta, `/webhook ${receiver.url} sandi`)).toBe('Confirmed.');
  await command(meta, '6281234567890 Halo');
  await meta.control.settled();
  expect(await command(meta, '/webhook')).toBe(`messages: HTTP 200, try 1, ${receiver.url}`);
});

test('sends a number and a text as a customer’s message, and prints help for anything else', async ({
  meta,
}) => {
  expect(await command(meta, '6281234567890 Halo')).toBe('');
  expect(await command(meta, '6281234567890 /image')).toBe('');
  expect(await command(meta, '/apa')).toBe(help);
});

test('receives a message of a person whose number is hidden', async ({ meta, receiver }) => {
  receiver.handle(async ({ url }) => new Response(new URL(url).searchParams.get('hub.challenge')));
  await command(meta, `/webhook ${receiver.url} sandi`);
  expect(await command(meta, '/hidden 6281234567890 Halo')).toBe('');
  await meta.control.settled();
  const lastBody = receiver.posts.at(-1)?.body ?? '';
  expect(lastBody).toContain('Halo');
  expect(lastBody).not.toContain('6281234567890');
  expect(await command(meta, '/hidden Halo')).toBe(help);
});

test('adds a template with a picture and a button, and one of codes, once each', async ({
  meta,
}) => {
  await command(meta, '/samples');
  expect(await command(meta, '/samples')).toBe(
    'hello_world en_US UTILITY APPROVED\npromo_contoh id MARKETING APPROVED\nkode_contoh id AUTHENTICATION APPROVED',
  );
});

test('uses another number than the first operator’s sign-in', ({ meta }) => {
  expect(meta.numbers[0]?.phone).not.toBe('6281100000000');
});
