import { formatRupiah } from '#contract/base/money.ts';
import { type OperatorTopup, OperatorTopupFilter } from '#contract/operator/payments.ts';

export type Candidate = OperatorTopup['candidates'][number];

/** The word in the address for all top-ups; without one, those that wait for somebody. */
const ALL = 'semua';

/** The filter for what the address says; `undefined` asks for all. */
export function filterOf(status: string | undefined): OperatorTopupFilter | undefined {
  if (status === ALL) return undefined;
  const read = OperatorTopupFilter().safeParse(status);
  return read.success ? read.data : 'open';
}

/** What the address says for a filter; nothing for the usual one. */
export function wordOf(filter: OperatorTopupFilter | undefined): string | undefined {
  if (filter === undefined) return ALL;
  return filter === 'open' ? undefined : filter;
}

/** How a bank line's amount stands to what was asked for: `sama persis`, `kurang Rp 3`. */
export function differenceOf(amount: number, total: number): { exact: boolean; words: string } {
  const off = amount - total;
  if (off === 0) return { exact: true, words: 'sama persis' };
  return { exact: false, words: `${off < 0 ? 'kurang' : 'lebih'} ${formatRupiah(Math.abs(off))}` };
}

/** What the bank's statement offers for a top-up, in a few words; `undefined` when it has nothing. */
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

/** Whether somebody may still decide: confirm it, and reject it. */
export const mayConfirm = ({ status }: OperatorTopup): boolean =>
  status !== 'paid' && status !== 'rejected';
export const mayReject = ({ status }: OperatorTopup): boolean =>
  status === 'pending' || status === 'review';

/**
 * Whether a confirmation with this line takes two operators: above the limit, unless it is exact and somebody
 * else imported it.
 */
export const takesTwo = ({ needs_two, candidates, total }: OperatorTopup, line: string): boolean =>
  needs_two && !candidates.some((one) => one.line === line && one.amount === total && !one.mine);
