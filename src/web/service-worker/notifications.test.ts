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

test('a push becomes a notice with the sender, our icon and one place per message', () => {
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

test('a push that cannot be read is shown all the same, and says nothing', () => {
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

test('without a message there is no tag: such notices never take each other’s place', () => {
  const { data: _, ...rest } = payload;
  expect(noticeFor(read(rest), { silent: true })).not.toHaveProperty('tag');
});

test('a notice of no message has the tag it came with, and no message of it', () => {
  const low = { ...payload, data: { url: '/saldo', id: '', tag: 'saldo-rendah' } };
  const pushed = read({ ...low, fcmOptions: { link: '/saldo' } });
  expect(pushed).toMatchObject({ id: '', url: '/saldo' });
  expect(noticeFor(pushed, { silent: true })).toMatchObject({ tag: 'saldo-rendah' });
  const odd = read({ ...low, data: { ...low.data, tag: '<b>' } });
  expect(noticeFor(odd, { silent: true })).not.toHaveProperty('tag');
});

test('pictures come from our own origin only', () => {
  const withImage = (image: string) =>
    read({ ...payload, notification: { ...payload.notification, image } }).image;
  expect(withImage('/files/fil_1?sig=2')).toBe('/files/fil_1?sig=2');
  expect(withImage(`${origin}/files/fil_1`)).toBe('/files/fil_1');
  for (const image of ['https://evil.example/a.png', '//evil.example/a', 'data:image/png;base64,'])
    expect(withImage(image)).toBeUndefined();
});

test('the link of the options goes before the one of the data; a strange one leads to the inbox', () => {
  const linked = (fcm: unknown, url: unknown) =>
    read({ ...payload, fcmOptions: { link: fcm }, data: { url, id: 'msg_1' } }).url;
  expect(linked('/saldo', '/token')).toBe('/saldo');
  expect(linked(undefined, '/token')).toBe('/token');
  expect(linked('https://evil.example/', '/token')).toBe('/message-history');
});

test('no link whatever leads off our pages', () => {
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

test('texts are cut, and only whole numbers are a count', () => {
  const long = read({
    ...payload,
    notification: { ...payload.notification, title: 'x'.repeat(9_000), app_badge: '-1' },
  });
  expect(long.title).toHaveLength(200);
  expect(long.unread).toBeUndefined();
});
