import type { ComponentType } from 'react';
import type { OperatorCustomerDetail } from '#contract/operator/customers.ts';
import { AdjustForm } from '#web/features/operator/adjustments/AdjustForm.tsx';
import { BonusForm } from '#web/features/operator/adjustments/BonusForm.tsx';
import type { CustomerForm } from '#web/features/operator/adjustments/customerForm.ts';
import { FreezeForm } from '#web/features/operator/adjustments/FreezeForm.tsx';
import { PayoutForm } from '#web/features/operator/adjustments/PayoutForm.tsx';
import { RefundForm } from '#web/features/operator/adjustments/RefundForm.tsx';
import { type Action, actionLabel } from '#web/features/operator/customers/actions/actions.ts';
import { EndPlanForm } from '#web/features/operator/customers/actions/EndPlanForm.tsx';
import { SuspendForm } from '#web/features/operator/customers/actions/SuspendForm.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';

const forms: Record<Action, ComponentType<CustomerForm>> = {
  adjust: AdjustForm,
  refund: RefundForm,
  payout: PayoutForm,
  freeze: FreezeForm,
  bonus: BonusForm,
  plan: EndPlanForm,
  suspend: SuspendForm,
};

type Props = { action: Action; customer: OperatorCustomerDetail; onClose: () => void };

export function ActionDrawer({ action, customer, onClose }: Props) {
  const Form = forms[action];
  return (
    <Drawer open onClose={onClose} title={actionLabel(action, customer)}>
      <Form customer={customer} onDone={onClose} />
    </Drawer>
  );
}
