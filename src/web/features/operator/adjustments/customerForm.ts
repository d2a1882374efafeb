import type { Adjustment, DeskCustomerDetail } from '#contract/operator/desk.ts';

/** What every form about a customer is given. */
export type CustomerForm = { customer: DeskCustomerDetail; onDone: () => void };

/** What is said of a proposal once it is made: booked, or waiting for somebody. */
export const saidOf = ({ status }: Adjustment): string =>
  status === 'pending'
    ? 'Usulan dicatat. Operator lain harus menyetujuinya sebelum dibukukan.'
    : 'Sudah dibukukan.';

/** A field's amount as a number; `undefined` while it is empty. */
export const amountOf = (typed: string): number | undefined =>
  typed === '' ? undefined : Number(typed);
