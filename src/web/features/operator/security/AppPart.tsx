import { useState } from 'react';
import type { OutputOf } from '#contract/base/act.ts';
import { beginTotp } from '#contract/second-factor.ts';
import { useAct } from '#web/api/query.ts';
import styles from '#web/features/operator/form/form.module.css';
import { AppDialog } from '#web/features/operator/security/AppDialog.tsx';
import { FactorRow } from '#web/features/operator/security/FactorRow.tsx';
import { isLast, type PartProps } from '#web/features/operator/security/useFactors.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Panel, Stack } from '#web/ui/panel/Panel.tsx';

/** The authenticator app: one per person; any number of devices may hold its secret. */
export function AppPart({ factors, withFactor, onCodes }: PartProps) {
  const begin = useAct(beginTotp);
  const [begun, setBegun] = useState<OutputOf<typeof beginTotp>>();
  const [error, setError] = useState<unknown>();
  const app = factors.factors.find(({ kind }) => kind === 'totp');
  const start = async () => {
    setError(undefined);
    try {
      setBegun(await withFactor(() => begin.perform({})));
    } catch (no) {
      setError(no);
    }
  };
  return (
    <Panel title="Aplikasi autentikator">
      {app ? (
        <ul className={styles['rows']} aria-label="Aplikasi autentikator Anda">
          <FactorRow
            factor={app}
            name="aplikasi autentikator"
            kept={isLast(factors)}
            withFactor={withFactor}
          >
            Kode enam angka dari aplikasi di ponsel Anda
          </FactorRow>
        </ul>
      ) : (
        <Stack>
          <p className={styles['note']}>
            Aplikasi seperti Google Authenticator, Microsoft Authenticator, atau Aegis menunjukkan
            enam angka yang berganti setiap 30 detik, juga tanpa jaringan.
          </p>
          <RefusalAlert error={error} />
          <div>
            <Button busy={begin.busy} onClick={() => void start()}>
              Pasang aplikasi autentikator
            </Button>
          </div>
        </Stack>
      )}
      {begun && (
        <AppDialog
          begun={begun}
          onClose={() => setBegun(undefined)}
          onAdded={(codes) => {
            setBegun(undefined);
            onCodes(codes);
          }}
        />
      )}
    </Panel>
  );
}
