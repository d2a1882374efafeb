import type { FakeActs } from './fake-acts.ts';

const TAIL = '01KAVX5T3M8Q2R7W9Y4ZB6C0DE';
export const topupId = (letter: string): string => `TU-${TAIL.slice(0, 25)}${letter}`;

export const QRIS =
  '00020101021226620016ID.CO.KABARI.WWW01189360091538742103170215ABCDEFGHJKLMNPQ0303UMI51440014ID.CO.QRIS.WWW0215ID10200211817450303UMI5204481453033605406275000' +
  '5802ID5915KABARI SIMULASI6013JAKARTA PUSAT61051031062290525TOPUP01KAVX5T3M8Q2R7W9Y4Z63041B2C';

const method = (name: string, { minimum = 10_000, maximum = 10_000_000, minutes = 60 } = {}) => ({
  method: name,
  simulated: name !== 'bank',
  minimum,
  maximum,
  minutes,
});

export const methods = {
  methods: [
    method('qris', { minutes: 15 }),
    ...['bca', 'bni', 'bri', 'cimb', 'permata'].map((bank) =>
      method(`va_${bank}`, { maximum: 50_000_000, minutes: 1_440 }),
    ),
    method('snap', { minutes: 1_440 }),
    method('xendit', { minutes: 1_440 }),
    method('bank', { maximum: 100_000_000, minutes: 1_440 }),
  ],
  ppn: true,
};

const hence = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();

export const gatewayTopup = (more: Record<string, unknown> = {}) => ({
  id: topupId('A'),
  status: 'pending',
  base: 250_000,
  ppn: 27_500,
  unique_code: 0,
  total: 277_500,
  credited: 250_000,
  method: 'qris',
  simulated: true,
  bank: null,
  qr: null,
  va: null,
  page_url: null,
  proof: null,
  created_at: hence(-1),
  expires_at: hence(14),
  paid_at: null,
  note: null,
  ...more,
});

export const usage = (pace: object = { state: 'known', per_day: 14_250, days: 7 }) => ({
  days: Array.from({ length: 30 }, (_, index) => {
    const at = new Date(Date.now() - (29 - index) * 86_400_000 + 7 * 3_600_000);
    const some = index < 6 ? 0 : ((index * 37) % 23) * 1_050;
    return {
      date: at.toISOString().slice(0, 10),
      captured: some,
      held: index === 29 ? 2_400 : 0,
      plan: index === 20 ? 99_000 : 0,
    };
  }),
  pace,
});

export const fakePayments = (topup: object = gatewayTopup({ qr: QRIS })): FakeActs => ({
  topup_methods: () => methods,
  topup_create: () => topup,
  topup_get: () => topup,
  topup_check: () => topup,
});
