import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noticeFor, ownLink, readPush } from '#web/service-worker/notifications.ts';

const origin = 'https://kabari.example';
const link = '/message-history?view=percakapan&open=tok_1&peer=628111222333';
const payload = {
  web_push: 8030,
  notification: {
    title: 'Budi',
    body: 'Pesan baru',
    icon: '/favicon-192.png',
    navigate: `${origin}${link}`,
    app_badge: '3',
  },
  data: { url: link, id: 'msg_1' },
  fcmOptions: { link, analyticsLabel: 'inbox' },
};
const read = (what: unknown) => readPush(JSON.stringify(what), origin);

test('turns a push into a notification with the sender, our icon and one tag per message', () => {
  const pushed = read(payload);
  expect(pushed).toMatchObject({ id: 'msg_1', url: link, unread: 3 });
  expect(pushed.title).toBe('Budi');
  expect(noticeFor(pushed, { silent: false })).toEqual({
    body: 'Pesan baru',
    icon: '/favicon-192.png',
    badge: '/badge-96.png',
    lang: 'id',
    silent: false,
    tag: 'msg_1',
    data: { url: link },
  });
});

test('shows an unreadable push with a generic text', () => {
  for (const raw of [undefined, '', 'halo', '[]', 'null', '{"web_push":8030}', '{"title":"X"}']) {
    expect(readPush(raw, origin)).toEqual({
      id: '',
      title: 'Kabari',
      body: 'Pesan baru',
      url: '/message-history',
      image: undefined,
      unread: undefined,
    });
  }
});

test('sets no tag without a message, so that such notifications do not replace each other', () => {
  const { data: _, ...rest } = payload;
  expect(noticeFor(read(rest), { silent: true })).not.toHaveProperty('tag');
});

test('keeps the tag of a notification without a message', () => {
  const low = { ...payload, data: { url: '/saldo', id: '', tag: 'saldo-rendah' } };
  const pushed = read({ ...low, fcmOptions: { link: '/saldo' } });
  expect(pushed).toMatchObject({ id: '', url: '/saldo' });
  expect(noticeFor(pushed, { silent: true })).toMatchObject({ tag: 'saldo-rendah' });
  const odd = read({ ...low, data: { ...low.data, tag: '<b>' } });
  expect(noticeFor(odd, { silent: true })).not.toHaveProperty('tag');
});

test('accepts pictures of our own origin only', () => {
  const withImage = (image: string) =>
    read({ ...payload, notification: { ...payload.notification, image } }).image;
  expect(withImage('/files/fil_1?sig=2')).toBe('/files/fil_1?sig=2');
  expect(withImage(`${origin}/files/fil_1`)).toBe('/files/fil_1');
  for (const image of ['https://evil.example/a.png', '//evil.example/a', 'data:image/png;base64,'])
    expect(withImage(image)).toBeUndefined();
});

test('prefers the link of the options over the one of the data; a foreign one opens the inbox', () => {
  const linked = (fcm: unknown, url: unknown) =>
    read({ ...payload, fcmOptions: { link: fcm }, data: { url, id: 'msg_1' } }).url;
  expect(linked('/saldo', '/token')).toBe('/saldo');
  expect(linked(undefined, '/token')).toBe('/token');
  expect(linked('https://evil.example/', '/token')).toBe('/message-history');
});

test('accepts no link that leads off our pages', () => {
  const near = fc.constantFrom(
    '//',
    '\\',
    'https:',
    'javascript:',
    '@',
    'evil.example',
    origin,
    '/auth',
    '\t',
    '%2f',
    '/',
  );
  const hostile = fc.array(fc.oneof(near, fc.string()), { maxLength: 6 });
  fc.assert(
    fc.property(hostile, (parts) => {
      const path = ownLink(parts.join(''), origin);
      if (path === undefined) return;
      expect(path.startsWith('/')).toBe(true);
      expect(new URL(path, origin).origin).toBe(origin);
    }),
  );
});

test('cuts texts, and accepts only whole numbers as a count', () => {
  const long = read({
    ...payload,
    notification: { ...payload.notification, title: 'x'.repeat(9_000), app_badge: '-1' },
  });
  expect(long.title).toHaveLength(200);
  expect(long.unread).toBeUndefined();
});
