import type { OperatorCustomerDetail } from '#contract/operator/customers.ts';
import type { Adjustment } from '#contract/operator/books.ts';

export type CustomerForm = { customer: OperatorCustomerDetail; onDone: () => void };

export const proposalResult = ({ status }: Adjustment): string =>
  status === 'pending'
    ? 'Usulan dicatat. Operator lain harus menyetujuinya sebelum dibukukan.'
    : 'Sudah dibukukan.';
