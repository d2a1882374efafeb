import { expect, test } from 'vitest';
import { hostileTexts } from './support/hostile/hostile.ts';
import { captionNodes } from '#contract/messages/captions.ts';
import { mediaUrl, phoneHref } from '#web/ui/chat/chat.ts';
import { vcardOf } from '#web/ui/chat/cards/vcard.ts';

const { texts } = await hostileTexts();

test('renders a hostile caption as text, line breaks and links to http or https', () => {
  expect(texts.length).toBeGreaterThan(500);
  for (const caption of texts) {
    for (const node of captionNodes(caption)) {
      if (node.kind === 'link') expect(node.href).toMatch(/^https?:\/\//);
      else expect(['text', 'break']).toContain(node.kind);
    }
  }
});

test('follows only http, https and blob addresses of files', () => {
  const base = 'https://kabari.example/';
  for (const text of texts) {
    const url = mediaUrl(text, base);
    if (url !== undefined) expect(new URL(url, base).protocol).toMatch(/^(?:https?|blob):$/);
  }
});

test('reduces a hostile contact to digits, and escapes lines in its card', () => {
  for (const text of texts) {
    expect(phoneHref(text) ?? 'tel:+1').toMatch(/^tel:\+\d{1,15}$/);
    const lines = vcardOf({ name: text, phone: text }).replaceAll('\r\n ', '').split('\r\n');
    expect(lines.filter((line) => !/^(?:BEGIN|VERSION|N|FN|TEL|END)[:;]/.test(line))).toEqual(['']);
  }
});
