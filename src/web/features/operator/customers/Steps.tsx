import type { OperatorCustomerDetail } from '#contract/operator/customers.ts';
import desk from '#web/features/operator/form/form.module.css';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

export function Steps({ customer }: { customer: OperatorCustomerDetail }) {
  const { suspensions, freezes } = customer;
  const steps = [
    ...suspensions.map(({ becomes, ...step }) => ({
      ...step,
      what: becomes === 'suspended' ? 'Akun ditangguhkan' : 'Akun diaktifkan kembali',
    })),
    ...freezes.map(({ frozen, ...step }) => ({
      ...step,
      what: frozen ? 'Saldo dibekukan' : 'Pembekuan dibuka',
    })),
  ].toSorted((a, b) => b.at.getTime() - a.at.getTime());
  if (steps.length === 0) return null;
  return (
    <Panel title="Penangguhan dan pembekuan">
      <ul className={desk['rows']}>
        {steps.map(({ what, reason, operator, at }) => (
          <li key={`${what} ${at.toISOString()}`}>
            <span className={desk['what']}>
              {what} oleh {operator}
              <span className={desk['note']}>{reason}</span>
            </span>
            <span className={desk['small']}>
              <DateTime at={at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
