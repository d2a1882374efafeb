import { renewRecoveryCodes } from '#contract/second-factor.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import styles from '#web/features/operator/form/form.module.css';
import { useRefresh, type PartProps } from '#web/features/operator/security/useFactors.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Panel, Stack } from '#web/ui/panel/Panel.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

/** At this number or below, new ones should be made. */
const FEW = 3;

export function CodesPart({ factors: { recovery }, withFactor, onCodes }: PartProps) {
  const renew = useAct(renewRecoveryCodes);
  const refresh = useRefresh();
  const ask = async () => {
    let codes: readonly string[] | null = null;
    const agreed = await confirm({
      title: 'Buat kode cadangan baru?',
      children: (
        <>
          <p>Semua kode cadangan yang lama tidak berlaku lagi.</p>
          <PasswordQuestion of={renewRecoveryCodes} />
        </>
      ),
      cancelText: 'Batal',
      confirmText: 'Buat kode baru',
      tone: 'primary',
      sentenceOf,
      onConfirm: async () => {
        codes = (await withFactor(() => renew.perform({}))).recovery_codes;
      },
    });
    if (!agreed) return;
    refresh();
    onCodes(codes);
  };
  const left = recovery?.left ?? 0;
  return (
    <Panel title="Kode cadangan">
      <Stack>
        <Alert
          state="warning"
          visible={left <= FEW}
          label={
            left === 0
              ? 'Kode cadangan Anda habis. Buat yang baru supaya tetap dapat masuk bila ponsel hilang.'
              : `Tinggal ${left} kode cadangan. Buat yang baru sebelum habis.`
          }
        />
        <p className={styles['note']}>
          Untuk masuk bila ponsel atau perangkat Anda tidak ada. Tersisa <strong>{left}</strong>{' '}
          dari 10 kode
          {recovery && (
            <>
              , dibuat <DateTime at={new Date(recovery.made_at)} />
            </>
          )}
          .
        </p>
        <div>
          <Button variant="outline" tone="neutral" onClick={() => void ask()}>
            Buat kode baru
          </Button>
        </div>
      </Stack>
    </Panel>
  );
}
