import { ChevronDown } from 'lucide-react';
import type { OperatorCustomerDetail } from '#contract/operator/customers.ts';
import { useUser } from '#web/api/user.ts';
import {
  type Action,
  actionLabel,
  actionsFor,
} from '#web/features/operator/customers/actions/actions.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Dropdown, MenuButton, MenuSeparator } from '#web/ui/menu/Dropdown.tsx';

type Props = { customer: OperatorCustomerDetail; onChoose: (action: Action) => void };

export function ActionMenu({ customer, onChoose }: Props) {
  const { money, account } = actionsFor(customer, useUser().operator_roles);
  if (money.length + account.length === 0) return null;
  const entry = (action: Action) => (
    <MenuButton key={action} onClick={() => onChoose(action)}>
      {actionLabel(action, customer)}
    </MenuButton>
  );
  return (
    <Dropdown
      label="Tindakan untuk pelanggan ini"
      align="end"
      trigger={(props) => (
        <Button {...props} variant="outline" tone="neutral">
          Tindakan <ChevronDown size={16} aria-hidden="true" />
        </Button>
      )}
    >
      {money.map(entry)}
      {money.length > 0 && account.length > 0 && <MenuSeparator />}
      {account.map(entry)}
    </Dropdown>
  );
}
