import { formatRupiah } from '#contract/base/money.ts';
import type { OutputOf } from '#contract/base/act.ts';
import { type listTopupMethods, TOPUP_MIN, type Topup, type TopupMethod } from '#contract/saldo.ts';

export type Method = OutputOf<typeof listTopupMethods>['methods'][number];

export type MethodGroup = { title: string; methods: readonly Method[] };

const groups: readonly { title: string; of: readonly TopupMethod[]; isFolded?: true }[] = [
  { title: 'QRIS', of: ['qris'] },
  { title: 'Virtual account', of: ['va_bca', 'va_bni', 'va_bri', 'va_cimb', 'va_permata'] },
  { title: 'Transfer bank', of: ['bank'] },
  { title: 'Midtrans', of: ['snap'], isFolded: true },
  { title: 'Xendit', of: ['xendit'], isFolded: true },
];

type Arranged = { shown: readonly MethodGroup[]; folded: readonly MethodGroup[] };

/** The payment methods by kind, the one of `last` on top; rare ones are folded. Empty kinds are left out. */
export function arranged(methods: readonly Method[], last: TopupMethod | undefined): Arranged {
  const offered = groups
    .map((group) => ({
      ...group,
      methods: group.of.flatMap((name) => methods.filter(({ method }) => method === name)),
    }))
    .filter((group) => group.methods.length > 0);
  const isLast = (group: MethodGroup) => group.methods.some(({ method }) => method === last);
  const others = offered.filter((group) => !isLast(group));
  return {
    shown: [...offered.filter(isLast), ...others.filter(({ isFolded }) => !isFolded)],
    folded: others.filter(({ isFolded }) => isFolded),
  };
}

const used: ReadonlySet<Topup['status']> = new Set(['paid', 'pending', 'review', 'creating']);

/** The method of the newest top-up that was paid or may still be. */
export const lastMethodOf = (
  topups: readonly Pick<Topup, 'status' | 'method' | 'created_at'>[],
): TopupMethod | undefined =>
  topups
    .filter(({ status }) => used.has(status))
    .toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime())[0]?.method;

/** Why a method does not accept an amount; undefined if it does, or without an amount. */
export function unfitFor(
  { minimum, maximum }: Pick<Method, 'minimum' | 'maximum'>,
  amount: number | undefined,
): string | undefined {
  if (amount === undefined) return undefined;
  if (amount < minimum) return `Mulai ${formatRupiah(minimum)}`;
  return amount > maximum ? `Sampai ${formatRupiah(maximum)}` : undefined;
}

/** The lowest amount that a method accepts; of the product without methods. */
export const leastOf = (methods: readonly Method[] = []): number =>
  methods.length > 0 ? Math.min(...methods.map(({ minimum }) => minimum)) : TOPUP_MIN;

/** Why no method accepts an amount; undefined if one does, or without methods. */
export function unfitForAll(methods: readonly Method[], amount: number): string | undefined {
  if (methods.length === 0) return undefined;
  if (methods.some((one) => unfitFor(one, amount) === undefined)) return undefined;
  const least = leastOf(methods);
  if (amount < least) return `Isi saldo minimal ${formatRupiah(least)}.`;
  const most = Math.max(...methods.map(({ maximum }) => maximum));
  return `Isi saldo paling banyak ${formatRupiah(most)}.`;
}

export const waitsFor = (minutes: number): string =>
  minutes % 60 === 0 ? `${minutes / 60} jam` : `${minutes} menit`;

type Choice = {
  amount: number | undefined;
  picked: TopupMethod | undefined;
  last: TopupMethod | undefined;
};

/** The selected method: the picked one, the last used one, or the first; one that accepts the amount if any does. */
export function selectedOf(
  methods: readonly Method[],
  { amount, picked, last }: Choice,
): TopupMethod | undefined {
  const { shown, folded } = arranged(methods, last);
  const groupsInOrder = [...shown, ...folded];
  const names = [picked, last, ...groupsInOrder.flatMap((group) => group.methods.map(nameOf))];
  const order = names.flatMap((name) => methods.filter(({ method }) => method === name));
  return (order.find((one) => unfitFor(one, amount) === undefined) ?? order[0])?.method;
}

const nameOf = ({ method }: Method): TopupMethod => method;
