import { isolated } from '#contract/base/names.ts';
import { useState } from 'react';
import styles from '#web/features/operator/form/form.module.css';
import { FactorRow } from '#web/features/operator/security/FactorRow.tsx';
import { PasskeyDialog } from '#web/features/operator/security/PasskeyDialog.tsx';
import { isLast, type PartProps } from '#web/features/operator/security/useFactors.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Panel, Stack } from '#web/ui/panel/Panel.tsx';

export function PasskeysPart({ factors, withFactor, onCodes }: PartProps) {
  const [adding, setAdding] = useState(false);
  const passkeys = factors.factors.filter(({ kind }) => kind === 'passkey');
  return (
    <Panel title="Passkey">
      <Stack>
        {passkeys.length > 0 ? (
          <ul className={styles['rows']} aria-label="Passkey Anda">
            {passkeys.map((passkey) => (
              <FactorRow
                key={passkey.id}
                factor={passkey}
                name={`passkey ${isolated(passkey.name)}`}
                kept={isLast(factors)}
                withFactor={withFactor}
              >
                {passkey.name}
              </FactorRow>
            ))}
          </ul>
        ) : (
          <p className={styles['note']}>
            Masuk dengan sidik jari, wajah, PIN perangkat, atau kunci keamanan. Passkey tidak dapat
            dipakai di situs tiruan.
          </p>
        )}
        <div>
          <Button
            variant={factors.factors.length > 0 ? 'outline' : 'subtle'}
            tone={factors.factors.length > 0 ? 'neutral' : 'primary'}
            onClick={() => setAdding(true)}
          >
            Tambah passkey
          </Button>
        </div>
      </Stack>
      {adding && (
        <PasskeyDialog
          withFactor={withFactor}
          onClose={() => setAdding(false)}
          onAdded={(codes) => {
            setAdding(false);
            onCodes(codes);
          }}
        />
      )}
    </Panel>
  );
}
