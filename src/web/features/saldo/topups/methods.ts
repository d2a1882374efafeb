import { formatRupiah } from '#contract/base/money.ts';
import type { OutputOf } from '#contract/base/act.ts';
import type { listTopupMethods, TopupMethod } from '#contract/saldo.ts';

export type Method = OutputOf<typeof listTopupMethods>['methods'][number];

export type MethodGroup = { title: string; methods: readonly Method[] };

const groups: readonly { title: string; of: readonly TopupMethod[] }[] = [
  { title: 'Transfer bank', of: ['bank'] },
  { title: 'QRIS', of: ['qris'] },
  { title: 'Virtual account', of: ['va_bca', 'va_bni', 'va_bri', 'va_cimb', 'va_permata'] },
  { title: 'Lainnya', of: ['snap', 'xendit'] },
];

/** The payment methods by kind, the default on top; empty kinds are left out. */
export const grouped = (methods: readonly Method[]): readonly MethodGroup[] =>
  groups
    .map(({ title, of }) => ({
      title,
      methods: of.flatMap((name) => methods.filter(({ method }) => method === name)),
    }))
    .filter((group) => group.methods.length > 0);

/** Why a method does not accept an amount; undefined if it does, or without an amount. */
export function unfitFor(
  { minimum, maximum }: Pick<Method, 'minimum' | 'maximum'>,
  amount: number | undefined,
): string | undefined {
  if (amount === undefined) return undefined;
  if (amount < minimum) return `Mulai ${formatRupiah(minimum)}`;
  return amount > maximum ? `Sampai ${formatRupiah(maximum)}` : undefined;
}

export const waitsFor = (minutes: number): string =>
  minutes % 60 === 0 ? `${minutes / 60} jam` : `${minutes} menit`;

/** The default method: the bank transfer, which every installation has, else the first. */
export const firstChoice = (methods: readonly Method[]): TopupMethod | undefined =>
  (methods.find(({ method }) => method === 'bank') ?? methods[0])?.method;
