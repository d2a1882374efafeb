import { useState } from 'react';
import { isolated } from '#contract/base/names.ts';
import { addPasskey, beginPasskey } from '#contract/second-factor.ts';
import { fieldsOf, isAbort } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import styles from '#web/features/operator/operator.module.css';
import { classes } from '#web/ui/classes.ts';
import {
  FactorRow,
  isLast,
  type PartProps,
  useRefresh,
  type WithFactor,
} from '#web/features/operator/security/factors.tsx';
import { makePasskey, passkeySentence } from '#web/features/secondfactor/secondfactor.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { FormModal } from '#web/ui/form/FormModal.tsx';
import { Panel, Stack } from '#web/ui/panel/Panel.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

export function PasskeysPart({ factors, withFactor, onCodes }: PartProps) {
  const [adding, setAdding] = useState(false);
  const passkeys = factors.factors.filter(({ kind }) => kind === 'passkey');
  return (
    <Panel title="Passkey">
      <Stack>
        {passkeys.length > 0 ? (
          <ul className={classes('stack plain-list', styles['rows'])} aria-label="Passkey Anda">
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
          <p className="muted">
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

type Props = {
  withFactor: WithFactor;
  onClose: () => void;
  onAdded: (codes: readonly string[] | null) => void;
};

function useNewPasskey({ withFactor, onAdded }: Pick<Props, 'withFactor' | 'onAdded'>) {
  const begin = useAct(beginPasskey);
  const add = useAct(addPasskey);
  const refresh = useRefresh();
  const [name, setName] = useState('');
  const [wrong, setWrong] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const make = async () => {
    const { challenge, options } = await withFactor(() => begin.perform({}));
    const passkey = await makePasskey(options);
    return add.perform({ challenge, name, passkey });
  };
  const send = async () => {
    if (busy) return;
    setError(undefined);
    if (name.trim() === '') return setWrong('Tulis nama passkey ini.');
    setBusy(true);
    try {
      const { recovery_codes: codes } = await make();
      // The recovery codes serve as confirmation.
      if (!codes) toast('Passkey terpasang.', { tone: 'success' });
      refresh();
      onAdded(codes);
    } catch (no) {
      if (isAbort(no)) return;
      setWrong(fieldsOf(no)['name']);
      setError(no);
    } finally {
      setBusy(false);
    }
  };
  const type = (typed: string) => {
    setName(typed);
    setWrong(undefined);
  };
  return { name, wrong, error, busy, type, send };
}

function PasskeyDialog({ onClose, ...rest }: Props) {
  const { name, wrong, error, busy, type, send } = useNewPasskey(rest);
  const sentence = passkeySentence(error);
  return (
    <FormModal
      onClose={onClose}
      title="Tambah passkey"
      size="sm"
      shape="sheet"
      submit="Lanjutkan"
      busy={busy}
      onSubmit={() => void send()}
    >
      {sentence === undefined ? (
        <RefusalAlert error={error} fields={['name']} />
      ) : (
        <Alert visible state="warning" label={sentence} />
      )}
      <TextField
        label="Nama passkey"
        help="Supaya Anda mengenalinya nanti, misalnya “Laptop kantor”."
        required
        name="name"
        maxLength={60}
        autoComplete="off"
        value={name}
        error={wrong}
        onChange={(event) => type(event.target.value)}
      />
      <PasswordQuestion of={beginPasskey} />
    </FormModal>
  );
}
