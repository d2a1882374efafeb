import { formatRupiah } from '#contract/base/money.ts';
import { type OperatorTopup, OperatorTopupFilter } from '#contract/operator/payments.ts';

/** The address parameter for all top-ups; without one, only waiting ones. */
const ALL = 'semua';

export function filterOf(status: string | undefined): OperatorTopupFilter | undefined {
  if (status === ALL) return undefined;
  const read = OperatorTopupFilter().safeParse(status);
  return read.success ? read.data : 'open';
}

export function wordOf(filter: OperatorTopupFilter | undefined): string | undefined {
  if (filter === undefined) return ALL;
  return filter === 'open' ? undefined : filter;
}

/** The difference between a bank entry and the requested amount: `sama persis`, `kurang Rp 3`. */
export function differenceOf(amount: number, total: number): { exact: boolean; words: string } {
  const off = amount - total;
  if (off === 0) return { exact: true, words: 'sama persis' };
  return { exact: false, words: `${off < 0 ? 'kurang' : 'lebih'} ${formatRupiah(Math.abs(off))}` };
}

/** The statement's candidates for a top-up, in a few words; `undefined` without any. */
export function offerOf({
  candidates,
  total,
}: OperatorTopup): { exact: boolean; words: string } | undefined {
  const exact = candidates.filter(({ amount }) => amount === total).length;
  if (exact > 0)
    return { exact: true, words: exact === 1 ? 'Ada yang sama persis' : `${exact} sama persis` };
  return candidates.length > 0
    ? { exact: false, words: `${candidates.length} yang mirip` }
    : undefined;
}

export const mayConfirm = ({ status }: OperatorTopup): boolean =>
  status !== 'paid' && status !== 'rejected';
export const mayReject = ({ status }: OperatorTopup): boolean =>
  status === 'pending' || status === 'review';

/**
 * Whether confirming with this entry takes two operators: above the limit, unless the entry is exact and imported by
 * another operator.
 */
export const takesTwo = ({ needs_two, candidates, total }: OperatorTopup, line: string): boolean =>
  needs_two && !candidates.some((one) => one.line === line && one.amount === total && !one.mine);

export const paymentMethodLabels: Readonly<Record<string, string>> = {
  bank: 'Transfer bank',
  midtrans: 'Midtrans',
  xendit: 'Xendit',
};
