import type { OperatorRole } from '#contract/base/act.ts';
import type { OperatorCustomerDetail } from '#contract/operator/customers.ts';
import { maySee } from '#web/features/operator/operator.ts';

export type Action = 'adjust' | 'refund' | 'payout' | 'freeze' | 'bonus' | 'plan' | 'suspend';

export function actionLabel(action: Action, { status, state }: OperatorCustomerDetail): string {
  switch (action) {
    case 'adjust':
      return 'Sesuaikan saldo';
    case 'refund':
      return 'Kembalikan biaya pesan';
    case 'payout':
      return 'Cairkan saldo';
    case 'freeze':
      return status === 'frozen' ? 'Buka pembekuan saldo' : 'Bekukan saldo';
    case 'bonus':
      return 'Izinkan saldo bonus';
    case 'plan':
      return 'Akhiri paket';
    case 'suspend':
      return state === 'suspended' ? 'Aktifkan kembali' : 'Tangguhkan akun';
  }
}

const money: readonly Action[] = ['adjust', 'refund', 'payout', 'freeze', 'bonus', 'plan'];

/** The actions an operator of these roles may take on this customer now: money first. */
export function actionsFor(
  customer: OperatorCustomerDetail,
  roles: readonly OperatorRole[],
): { money: readonly Action[]; account: readonly Action[] } {
  const { state, bonus_only, subscription } = customer;
  if (state === 'closed') return { money: [], account: [] };
  const hasPlan = subscription !== null && !subscription.is_free;
  return {
    money: maySee({ roles: ['money'] }, roles)
      ? money.filter((one) => (one === 'bonus' ? bonus_only : one === 'plan' ? hasPlan : true))
      : [],
    account: maySee({ roles: ['support'] }, roles) ? ['suspend'] : [],
  };
}
