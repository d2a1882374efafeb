import type { OperatorCustomerDetail } from '#contract/operator/customers.ts';
import type { Adjustment } from '#contract/operator/books.ts';

/** What every form about a customer is given. */
export type CustomerForm = { customer: OperatorCustomerDetail; onDone: () => void };

/** What is said of a proposal once it is made: booked, or waiting for somebody. */
export const saidOf = ({ status }: Adjustment): string =>
  status === 'pending'
    ? 'Usulan dicatat. Operator lain harus menyetujuinya sebelum dibukukan.'
    : 'Sudah dibukukan.';
