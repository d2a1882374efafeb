import { expect, test } from 'vitest';
import type { SimulatedMessage } from '#contract/simulator.ts';
import {
  conversationsOf,
  excerptOf,
  unreadIn,
} from '#web/features/simulator/phone/conversations.ts';

let made = 0;
function line(
  peer: string,
  minute: number,
  more: Partial<SimulatedMessage> = {},
): SimulatedMessage {
  made += 1;
  return {
    id: `line-${made}`,
    direction: 'in',
    peer,
    content: {
      type: 'text',
      caption: 'Halo',
      url: null,
      external: false,
      filename: null,
      name: null,
      phone: null,
    },
    at: new Date(Date.UTC(2026, 10, 21, 2, minute)),
    possible_duplicate: false,
    ...more,
  };
}

const [kasir, klinik] = ['6281200000001', '6281200000002'];

test('lines are grouped by the other number, the newest conversation first', () => {
  const lines = [line(kasir, 1), line(klinik, 2), line(kasir, 3)];
  const [first, second] = conversationsOf(lines);
  expect(first).toEqual({ peer: kasir, lines: [lines[0], lines[2]], newest: lines[2] });
  expect(second?.peer).toBe(klinik);
});

test('only incoming lines after the last one seen are unread', () => {
  const lines = [
    line(kasir, 1),
    line(kasir, 2),
    line(kasir, 3, { direction: 'out' }),
    line(kasir, 4),
  ];
  const [conversation] = conversationsOf(lines);
  expect(conversation && unreadIn(conversation, lines[0]?.id)).toBe(2);
  expect(conversation && unreadIn(conversation, lines[3]?.id)).toBe(0);
  expect(conversation && unreadIn(conversation, undefined)).toBe(3);
});

test('a picture is named in the list, with its caption if it has one', () => {
  const picture = (caption: string) =>
    line(kasir, 1, { content: { ...line(kasir, 1).content, type: 'png', caption } });
  expect(excerptOf(picture(''))).toBe('Gambar');
  expect(excerptOf(picture('Menu hari ini\nNasi box'))).toBe('Gambar: Menu hari ini Nasi box');
});

test('the list shows the text of a message, never its markup', () => {
  const caption = 'Pagi,<br class="x"><a href="https://toko.example/">menu</a>';
  const marked = line(kasir, 1, { content: { ...line(kasir, 1).content, caption } });
  expect(excerptOf(marked)).toBe('Pagi, menu');
});
