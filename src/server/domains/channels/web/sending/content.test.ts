import { expect, test } from 'vitest';
import type { Outgoing } from '#server/domains/channels/channels.ts';
import { newId } from '#server/infra/ids.ts';
import { type ReadFile, engineMessageOf } from './content.ts';
import { wireIdOf } from './wire-id.ts';

const bytes = Buffer.from('picture');
const readFile: ReadFile = async (_accountId, fileId) =>
  fileId === 'here' ? { bytes, mime: 'image/png', name: 'foto.png' } : undefined;

const messageOf = (type: Outgoing['type'], body: Outgoing['body'], text?: string): Outgoing => ({
  accountId: newId(),
  tokenId: newId(),
  messageId: newId(),
  from: '6281200000001',
  to: '6281299999999',
  type,
  body,
  ...(text !== undefined && { text }),
  possibleDuplicate: false,
  attempt: 1,
});

const contentOf = async (type: Outgoing['type'], body: Outgoing['body'], text?: string) =>
  (await engineMessageOf(messageOf(type, body, text), readFile))?.content;

test('sends texts and templates as text, and a masked code unmasked', async () => {
  expect(await contentOf('text', { text: 'Halo' })).toEqual({ kind: 'text', text: 'Halo' });
  expect(await contentOf('text', { text: 'Kode ••' }, 'Kode 12')).toEqual({
    kind: 'text',
    text: 'Kode 12',
  });
  const template = { template: 'x', header: 'Pesanan', text: 'Siap.\n1. Ya', footer: 'Toko' };
  expect(await contentOf('template', template)).toEqual({
    kind: 'text',
    text: 'Pesanan\n\nSiap.\n1. Ya\n\nToko',
  });
});

test('sends media with bytes and caption, and a document with its name', async () => {
  expect(await contentOf('image', { file: 'here', caption: 'Bukti' })).toEqual({
    kind: 'media',
    media: 'image',
    bytes,
    mime: 'image/png',
    caption: 'Bukti',
  });
  expect(await contentOf('document', { file: 'here' })).toMatchObject({ filename: 'foto.png' });
  expect(await contentOf('audio', { file: 'here', voice: true, seconds: 3 })).toMatchObject({
    voice: true,
    seconds: 3,
  });
  expect(await contentOf('sticker', { file: 'here' })).toMatchObject({ media: 'sticker' });
  expect(await contentOf('video', { file: 'gone' })).toBeUndefined();
  const template = { template: 'x', header_file: 'image', text: 'Siap.', footer: 'Toko' };
  expect(await contentOf('template', { ...template, file: 'here' })).toMatchObject({
    media: 'image',
    caption: 'Siap.\n\nToko',
  });
});

test('sends locations and contacts', async () => {
  const place = { latitude: -6.1, longitude: 106.8, name: 'Monas', address: 'Jakarta' };
  expect(await contentOf('location', place)).toEqual({ kind: 'location', ...place });
  const sari = { name: 'Sari', phone: '62812' };
  expect(await contentOf('contact', sari)).toEqual({ kind: 'contact', ...sari });
  const atWork = { ...sari, organization: 'CV Batik' };
  expect(await contentOf('contact', atWork)).toEqual({ kind: 'contact', ...atWork });
});

test('names an inbound message by the network’s id, and an outgoing one by the id derived from ours', async () => {
  const theirs = { direction: 'in', type: 'text', text: 'Berapa?' };
  const id = newId();
  // `#2`: the third card of a message.
  for (const provider_id of ['ABC', 'ABC#2']) {
    const quoted = { ...theirs, provider_id };
    const message = messageOf('text', { text: 'Lima', reply_to: id, quoted });
    const answer = await engineMessageOf(message, readFile);
    expect(answer?.quoted).toEqual({ wireId: 'ABC', fromMe: false, text: 'Berapa?' });
  }
  const own = { direction: 'out', type: 'text', text: 'Halo' };
  expect(await contentOf('reaction', { emoji: '👍', message_id: id, quoted: own })).toEqual({
    kind: 'reaction',
    emoji: '👍',
    to: { wireId: wireIdOf(id), fromMe: true, text: 'Halo' },
  });
});

test('derives a constant id in the shape of the network’s own client', () => {
  const id = '019ab5f0-0000-7000-8000-000000000001';
  expect(wireIdOf(id)).toBe(wireIdOf(id));
  expect(wireIdOf(id)).toMatch(/^3EB0[0-9A-F]{18}$/);
  expect(wireIdOf(newId())).not.toBe(wireIdOf(newId()));
});
