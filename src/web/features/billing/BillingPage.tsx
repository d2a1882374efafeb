import { useQuery } from '@tanstack/react-query';
import { useSearch } from '#web/browser/router/Router.tsx';
import styles from '#web/features/billing/BillingPage.module.css';
import { BuyerForm } from '#web/features/billing/buyer/BuyerForm.tsx';
import { InvoiceDrawer } from '#web/features/billing/invoices/InvoiceDrawer.tsx';
import { Invoices } from '#web/features/billing/invoices/Invoices.tsx';
import { PlanNow } from '#web/features/billing/plan/PlanNow.tsx';
import { RequiredAction } from '#web/features/billing/plan/RequiredAction.tsx';
import { UsagePanel } from '#web/features/billing/plan/UsagePanel.tsx';
import { useResult } from '#web/features/billing/plan/useResult.ts';
import { ChangeDialog } from '#web/features/billing/plans/ChangeDialog.tsx';
import { Plans } from '#web/features/billing/plans/Plans.tsx';
import { subscriptionQuery } from '#web/features/billing/queries.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { useWide } from '#web/ui/layout/useMedia.ts';
import { PageHead } from '#web/ui/layout/PageHead.tsx';

/** Route `/billing`: the plan, its usage, the other plans, and the invoices, which are first on phones. */
export function BillingPage() {
  const { open, change } = useSearch('/billing');
  const subscription = useQuery(subscriptionQuery);
  const { result, place, show, forget } = useResult();
  const { data, error } = subscription;
  const failed = data ? null : error;
  const wide = useWide();
  const retry = () => void subscription.refetch();
  return (
    <>
      <PageHead title="Tagihan" context={wide && 'Paket, pemakaian, dan tagihan akun Anda.'} />
      <div className={styles['page']}>
        <div ref={place} tabIndex={-1} className={styles['notices']}>
          <Alert
            state="success"
            visible={result !== undefined}
            label={result ?? ''}
            onClose={forget}
          />
          {data && <RequiredAction subscription={data} onDone={show} />}
        </div>
        {!wide && <Invoices />}
        <div className={styles['top']}>
          <PlanNow subscription={data} error={failed} onRetry={retry} onDone={show} />
          <UsagePanel subscription={data} error={failed} onRetry={retry} />
        </div>
        <Plans subscription={data} />
        {wide && <Invoices />}
        <BuyerForm />
      </div>
      {change && <ChangeDialog key={change} plan={change} onDone={show} />}
      {open && <InvoiceDrawer key={open} id={open} />}
    </>
  );
}
