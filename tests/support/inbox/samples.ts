import { rupiah } from '#contract/base/money.ts';
import type { SupportMessage } from '#contract/support.ts';
import { fakeId, lineOf, type FakeThread, type InboxWorld } from './fake-inbox.ts';

const rina = { id: fakeId('user'), name: 'Rina Kusuma' };
const me = { id: fakeId('user'), name: 'Dimas Prasetyo' };
export const others = { rina };

type Given = {
  name: string;
  /** Minutes of waiting, in total and in opening hours; omitted if nothing waits. */
  waits?: number;
  opening?: number;
  says?: string;
} & Partial<Pick<FakeThread['row'], 'status' | 'assignee' | 'snoozed_until'>>;

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

export const textLine = (
  seq: number,
  text: string,
  given: Partial<SupportMessage> = {},
): SupportMessage =>
  lineOf(seq, { ...given, content: { caption: text } as SupportMessage['content'] });

export function fakeThread({ name, waits, opening, says, ...row }: Given): FakeThread {
  const at = minutesAgo(waits ?? 200);
  const lines = [
    textLine(1, 'Selamat pagi, saya mau tanya.', { at: minutesAgo((waits ?? 200) + 8) }),
    textLine(2, `Selamat pagi, ${name}. Silakan.`, {
      at: minutesAgo((waits ?? 200) + 5),
      side: 'operator',
      author: rina.name,
    }),
    textLine(4, says ?? 'Pesan saya ke pelanggan gagal terus, padahal kemarin masih bisa.', { at }),
  ];
  if (waits === undefined) {
    lines.push(textLine(5, 'Sudah kami perbaiki.', { side: 'operator', author: rina.name }));
  }
  return {
    row: {
      account_id: fakeId('account'),
      account_name: name,
      status: 'open',
      waiting_since: waits === undefined ? null : at,
      waited_minutes: waits === undefined ? null : (opening ?? waits),
      snoozed_until: null,
      assignee: null,
      ...row,
    },
    phone: '+62 812-3456-7890',
    customer: {
      since: new Date('2025-03-04T00:00:00Z'),
      status: 'active',
      available: rupiah(182_500),
      plan: 'Usaha',
      tokens: [
        { id: fakeId('token'), name: 'Kasir', status: 'linked' },
        { id: fakeId('token'), name: 'Gudang Timur', status: 'disconnected' },
      ],
      failed: 12,
    },
    lines,
    customer_read: 2,
    operator_read: waits === undefined ? 5 : 2,
  };
}

export function inboxWorld(given: Partial<InboxWorld> = {}): InboxWorld {
  return {
    threads: [
      fakeThread({
        name: 'Bengkel Jaya Abadi',
        waits: 132,
        says: 'Token saya terputus sejak tadi.',
      }),
      fakeThread({ name: 'Klinik Sehat Sentosa', waits: 27, assignee: rina }),
      fakeThread({ name: 'Toko Sari', waits: 900, opening: 4, assignee: me }),
      fakeThread({ name: 'Kopi Senja' }),
      fakeThread({
        name: 'Apotek Melati',
        status: 'snoozed',
        snoozed_until: new Date(Date.now() + 20 * 3_600_000),
      }),
      fakeThread({ name: 'Warung Bu Tini', status: 'closed' }),
    ],
    canned: [
      { name: 'isi-saldo', text: 'Saldo masuk beberapa menit setelah transfer sampai.' },
      { name: 'salam', text: 'Selamat datang, {nama}. Ada yang bisa kami bantu?' },
      { name: 'terputus', text: 'Silakan pindai ulang QR di halaman Nomor, {nama}.' },
    ].map((one) => ({ ...one, updated_at: new Date() })),
    me,
    operators: [me, rina],
    asked: [],
    events: [],
    failing: undefined,
    waiting: undefined,
    ...given,
  };
}
