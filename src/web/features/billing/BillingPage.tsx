import { useQuery } from '@tanstack/react-query';
import { useSearch } from '#web/browser/router/Router.tsx';
import styles from '#web/features/billing/billing.module.css';
import { classes } from '#web/ui/classes.ts';
import { BuyerForm } from '#web/features/billing/buyer/BuyerForm.tsx';
import { InvoiceDrawer } from '#web/features/billing/invoices/InvoiceDrawer.tsx';
import { Invoices } from '#web/features/billing/invoices/Invoices.tsx';
import { PlanNow } from '#web/features/billing/plan/PlanNow.tsx';
import { RequiredAction } from '#web/features/billing/plan/RequiredAction.tsx';
import { UsagePanel } from '#web/features/billing/plan/UsagePanel.tsx';
import { ChangeDialog } from '#web/features/billing/plans/ChangeDialog.tsx';
import { Plans } from '#web/features/billing/plans/Plans.tsx';
import { subscriptionQuery } from '#web/features/billing/queries.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { useWide } from '#web/ui/layout/useMedia.ts';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { useEffect, useRef, useState } from 'react';

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
      <div className="stack gap-40 mt-8">
        <div ref={place} tabIndex={-1} className="stack gap-12 rounded hide-empty">
          <Alert
            state="success"
            visible={result !== undefined}
            label={result ?? ''}
            onClose={forget}
          />
          {data && <RequiredAction subscription={data} onDone={show} />}
        </div>
        {!wide && <Invoices />}
        <div className={classes('stack gap-32', styles['top'])}>
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

/**
 * Announces the result of the last change at the top of the page. Focus moves there once the dialog is closed, as the
 * element that opened it may be gone.
 */
function useResult() {
  const [result, setResult] = useState<{ sentence: string }>();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!result) return;
    let frame = 0;
    const go = () => {
      if (document.querySelector('dialog[open]')) frame = requestAnimationFrame(go);
      else place.current?.focus();
    };
    frame = requestAnimationFrame(go);
    return () => cancelAnimationFrame(frame);
  }, [result]);
  return {
    result: result?.sentence,
    place,
    show: (sentence: string) => setResult({ sentence }),
    forget: () => setResult(undefined),
  };
}
