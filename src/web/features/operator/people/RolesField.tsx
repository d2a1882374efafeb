import { type OperatorRole, operatorRoles } from '#contract/base/act.ts';
import { operatorRoleLabel } from '#contract/operator/operators.ts';
import { CheckboxGroup } from '#web/ui/form/CheckboxGroup.tsx';

type Props = {
  value: readonly OperatorRole[];
  error: string | undefined;
  onChange: (roles: readonly OperatorRole[]) => void;
};

const helps: Record<OperatorRole, string> = {
  support: 'Melihat pelanggan dan menjawab layanan pelanggan.',
  money: 'Isi saldo, mutasi bank, penyesuaian, dan pembukuan.',
  admin: 'Semuanya, termasuk harga, operator, dan catatan audit.',
};

export const RolesField = ({ value, error, onChange }: Props) => (
  <CheckboxGroup
    legend="Peran"
    name="roles"
    required
    options={operatorRoles.map((role) => ({
      value: role,
      label: operatorRoleLabel[role],
      help: helps[role],
    }))}
    value={value}
    error={error}
    onChange={(chosen) => onChange(operatorRoles.filter((role) => chosen.includes(role)))}
  />
);
