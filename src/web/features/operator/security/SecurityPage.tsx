import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useUser, userQuery } from '#web/api/user.ts';
import { Loaded, OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { AppPart } from '#web/features/operator/security/AppPart.tsx';
import { CodesDialog, CodesPart } from '#web/features/operator/security/CodesPart.tsx';
import { PasskeysPart } from '#web/features/operator/security/PasskeysPart.tsx';
import styles from '#web/features/operator/operator.module.css';
import { classes } from '#web/ui/classes.ts';
import { factorsQuery, useWithFactor } from '#web/features/operator/security/factors.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';

/** Route `/operator/keamanan`: the operator's second factors. */
export function SecurityPage() {
  const factors = useQuery(factorsQuery);
  const { withFactor, dialog } = useWithFactor();
  const [codes, setCodes] = useState<readonly string[]>();
  const settled = useSettled();
  const needed = useUser().needs_second_factor === true;
  const close = () => {
    setCodes(undefined);
    settled();
  };
  return (
    <OperatorFrame
      title="Keamanan"
      context="Verifikasi dua langkah menjaga akun Anda, juga bila kata sandinya diketahui orang lain."
    >
      <div className={classes('stack gap-32', styles['page'])}>
        <Alert
          state="warning"
          visible={needed}
          label="Pasang aplikasi autentikator atau passkey untuk mulai bekerja. Instalasi ini mewajibkannya bagi setiap operator."
        />
        <Loaded query={factors} lines={8}>
          {(data) => {
            const part = {
              factors: data,
              withFactor,
              onCodes: (fresh: readonly string[] | null) => (fresh ? setCodes(fresh) : settled()),
            };
            return (
              <>
                <AppPart {...part} />
                <PasskeysPart {...part} />
                {data.factors.length > 0 && <CodesPart {...part} />}
              </>
            );
          }}
        </Loaded>
      </div>
      {codes && <CodesDialog codes={codes} onClose={close} />}
      {dialog}
    </OperatorFrame>
  );
}

/** Unlocks the other pages after a required setup; not before the recovery codes were shown. */
function useSettled(): () => void {
  const client = useQueryClient();
  return () =>
    client.setQueryData(userQuery.queryKey, (user) => {
      if (!user) return user;
      const { needs_second_factor: _, ...rest } = user;
      return rest;
    });
}
