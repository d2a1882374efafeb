import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type AuditCheck, type auditState, verifyAudit } from '#contract/operator/audit.ts';
import { formatNumber } from '#contract/base/money.ts';
import { formatDateTime } from '#contract/base/time.ts';
import type { AnswerOf } from '#web/api/answer.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { checkSentence, findingSentence } from '#web/features/operator/audit/audit.ts';
import styles from '#web/features/operator/audit/AuditPage.module.css';
import desk from '#web/features/operator/form/form.module.css';
import { Loaded } from '#web/features/operator/form/Loaded.tsx';
import { isOperatorQuery } from '#web/features/operator/form/useOperatorForm.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Panel, Stack } from '#web/ui/panel/Panel.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

const LOOK_MS = 5_000;

export function Chain({ state }: { state: UseQueryResult<AnswerOf<typeof auditState>> }) {
  const client = useQueryClient();
  const [waitsSince, setWaitsSince] = useState<number>();
  const { refetch, data } = state;
  const isWaiting = waitsSince !== undefined && (data?.check?.at.getTime() ?? 0) < waitsSince;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => void refetch(), LOOK_MS);
    return () => clearInterval(timer);
  }, [isWaiting, refetch]);
  const { busy, mutate } = useAct(verifyAudit, {
    onSuccess: ({ check }) => {
      if (!check) toast('Catatannya banyak: hasilnya tampil di sini setelah selesai.');
      setWaitsSince(check ? undefined : Date.now());
      void client.invalidateQueries({ predicate: isOperatorQuery });
    },
    onError: (no) => toast(sentenceOf(no), { tone: 'danger' }),
  });
  return (
    <Panel
      title="Rantai"
      tools={
        <Button variant="outline" size="sm" busy={busy || isWaiting} onClick={() => mutate({})}>
          Periksa sekarang
        </Button>
      }
    >
      <Loaded query={state} lines={2}>
        {({ check }) =>
          check ? (
            <Checked check={check} />
          ) : (
            <p className={desk['note']}>
              Belum pernah diperiksa. Pemeriksaan berjalan setiap hari pukul 00.10 WIB.
            </p>
          )
        }
      </Loaded>
    </Panel>
  );
}

const Checked = ({ check }: { check: AuditCheck }) => (
  <Stack gap={12}>
    <Alert
      state={check.ok ? 'success' : 'danger'}
      visible
      label={
        check.ok ? `Rantai utuh sampai ${formatDateTime(check.at)} WIB.` : checkSentence(check)
      }
    >
      {check.findings.length > 0 && (
        <ul className={styles['findings']}>
          {check.findings.map((finding) => (
            <li key={JSON.stringify(finding)}>{findingSentence(finding)}</li>
          ))}
        </ul>
      )}
    </Alert>
    <p className={desk['small']}>
      {formatNumber(check.lines)} catatan dalam {formatNumber(check.chains)} rantai dihitung ulang,
      selama {formatNumber(check.millis)} milidetik. Diperiksa juga setiap malam, dan dengan{' '}
      <code>npm run ledger:check</code>.
    </p>
  </Stack>
);
