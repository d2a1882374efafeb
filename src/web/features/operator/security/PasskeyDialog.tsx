import { useId, useState } from 'react';
import { addPasskey, beginPasskey } from '#contract/second-factor.ts';
import { fieldsOf, isAbort } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import styles from '#web/features/operator/security/security.module.css';
import { useRefresh, type WithFactor } from '#web/features/operator/security/useFactors.tsx';
import { makePasskey, passkeySentence } from '#web/features/secondfactor/secondfactor.ts';
import { FormActions } from '#web/ui/form/FormActions.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

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

export function PasskeyDialog({ onClose, ...rest }: Props) {
  const form = useId();
  const { name, wrong, error, busy, type, send } = useNewPasskey(rest);
  const sentence = passkeySentence(error);
  return (
    <Modal
      open
      onClose={onClose}
      title="Tambah passkey"
      size="sm"
      shape="sheet"
      footer={
        <FormActions form={form} busy={busy} onCancel={onClose}>
          Lanjutkan
        </FormActions>
      }
    >
      <form
        id={form}
        noValidate
        className={styles['setup']}
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
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
      </form>
    </Modal>
  );
}
