import type { InputOf } from '#contract/base/act.ts';
import type { listMessages } from '#contract/messages.ts';
import { daysAfter } from '#server/domains/messages/history/pages.ts';

export type Ask = InputOf<typeof listMessages>;

const places = ['first', 'deepest', 'any'] as const;

export type Case = { name: string; filter: Ask; place: (typeof places)[number] };

/**
 * Every filter of the history at every page position, on one account.
 *
 * @param peer a number of the account that begins with 62812, as one number in eighteen does.
 * @param today the civil day of the newest message.
 */
export function casesFor(tokenId: string, peer: string, today: string): readonly Case[] {
  const oldest = { sort_by: 'created_at', sort_type: 'asc' } as const;
  const beginning = (digits: number) => ({ q: peer.slice(0, digits) });
  const filters: [string, Ask][] = [
    ['all', {}],
    ['oldest first', oldest],
    ['read', { status: ['read'] }],
    ['failed', { status: ['failed'] }],
    ['cancelled', { status: ['cancelled'] }],
    ['waiting', { status: ['waiting'] }],
    ['in', { direction: 'in' }],
    ['out', { direction: 'out' }],
    ['text', { type: 'text' }],
    ['video', { type: 'video' }],
    ['one token', { token_id: tokenId }],
    ['one token, failed', { token_id: tokenId, status: ['failed'] }],
    ['two days', { from: daysAfter(today, -8), to: daysAfter(today, -7) }],
    ['one number', { q: peer }],
    ['beginning, 9 digits', beginning(9)],
    ['beginning, 7 digits', beginning(7)],
    ['beginning, 6 digits', beginning(6)],
    ['beginning, 5 digits', beginning(5)],
    ['beginning, 4 digits', beginning(4)],
    ['beginning, 3 digits', beginning(3)],
    ['beginning, 5 digits, oldest first', { ...beginning(5), ...oldest }],
    ['beginning, 4 digits, failed', { ...beginning(4), status: ['failed'] }],
    ['beginning, 4 digits, video', { ...beginning(4), type: 'video' }],
    ['name', { q: 'Pelanggan 12' }],
    ...combined(tokenId, today),
    ...worded(tokenId, today, oldest),
  ];
  return filters.flatMap(([name, filter]) =>
    places.map((place) => ({ name: `${name}: ${place}`, filter, place })),
  );
}

const combined = (token_id: string, today: string): [string, Ask][] => {
  const days = { from: daysAfter(today, -8), to: daysAfter(today, -3) };
  return [
    ['read, out', { status: ['read'], direction: 'out' }],
    ['failed, video', { status: ['failed'], type: 'video' }],
    ['in, one token', { direction: 'in', token_id }],
    ['in, video', { direction: 'in', type: 'video' }],
    ['one token, video', { token_id, type: 'video' }],
    ['six days, failed', { ...days, status: ['failed'] }],
    ['six days, in, one token', { ...days, direction: 'in', token_id }],
    ['read, out, text, one token', { status: ['read'], direction: 'out', type: 'text', token_id }],
    [
      'six days, failed, out, video, one token',
      { ...days, status: ['failed'], direction: 'out', type: 'video', token_id },
    ],
  ];
};

/** Words with the frequencies of `fillMessages`, alone, together and with other filters. */
const worded = (token_id: string, today: string, oldest: Ask): [string, Ask][] => {
  const days = { from: daysAfter(today, -8), to: daysAfter(today, -3) };
  const often = { q: 'pesanan' };
  const some = { q: 'garansi' };
  return [
    ['word in half', often],
    ['word in half, oldest first', { ...often, ...oldest }],
    ['word in 1 of 1,000', some],
    ['word in 1 of 1,000, oldest first', { ...some, ...oldest }],
    ['word in a handful', { q: 'keramik' }],
    ['two words in half', { q: 'Pesanan terima kasih' }],
    ['two words in half, never together', { q: 'pesanan tagihan' }],
    ['four words, never together', { q: 'pesanan tagihan terima kasih' }],
    ['words in half and in 1 of 1,000', { q: 'pesanan garansi' }],
    ['word in half, failed', { ...often, status: ['failed'] }],
    ['word in half, in', { ...often, direction: 'in' }],
    ['word in half, one token', { ...often, token_id }],
    ['word in half, text', { ...often, type: 'text' }],
    ['word in half, six days', { ...often, ...days }],
    ['word in 1 of 1,000, failed', { ...some, status: ['failed'] }],
    ['word in 1 of 1,000, six days', { ...some, ...days }],
    [
      'word in half, six days, failed, out, text, one token',
      { ...often, ...days, status: ['failed'], direction: 'out', type: 'text', token_id },
    ],
    ['word in half, failed, oldest first', { ...often, ...oldest, status: ['failed'] }],
  ];
};

export function askOf({ filter, place }: Case, total: number): Ask {
  const last = Math.max(0, Math.ceil(total / 10) - 1);
  if (place === 'first') return filter;
  return { ...filter, page: place === 'deepest' ? last : Math.floor(Math.random() * (last + 1)) };
}
