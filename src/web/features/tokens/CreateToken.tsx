import { useState } from 'react';
import { ChannelName, createToken, type Token } from '#contract/tokens.ts';
import { useAct } from '#web/api/query.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { KeyDialog } from '#web/features/tokens/keys/KeyDialog.tsx';
import { useTokenChanged } from '#web/features/tokens/queries.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { channelLabel } from '#web/features/tokens/labels.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

type Props = {
  onClose: () => void;
  /** Goes on to the phone that the new token is to be linked with. */
  onLink: (id: string) => void;
};

const FORM = 'token-baru';
const channels = ChannelName().options.map((value) => ({ value, label: channelLabel[value] }));

// React does not render autoFocus as an attribute, and `<dialog>` looks for the attribute.
const startHere = (input: HTMLInputElement | null) => input?.setAttribute('autofocus', '');

/** Asks for a name and a channel, makes the token, then shows its key once. */
export function CreateToken({ onClose, onLink }: Props) {
  const [made, setMade] = useState<{ token: Token; key: string }>();
  const changed = useTokenChanged();
  const create = useAct(createToken, {
    onSuccess: (answer) => {
      setMade(answer);
      changed(answer.token);
    },
  });
  const form = useForm({ name: '', channel: channels[0]?.value ?? 'simulator' }, (values) =>
    fieldErrors(createToken, values),
  );
  const send = async (values: typeof form.values) => {
    if (create.busy) return;
    await create.perform(values).catch((no: unknown) => form.refuse(no));
  };

  if (made) {
    const { token, key } = made;
    return (
      <KeyDialog
        title={`Kunci untuk ${token.name}`}
        secret={key}
        onClose={onClose}
        next={{ label: 'Lanjut: sambungkan ponsel', go: () => onLink(token.id) }}
      />
    );
  }
  return (
    <Modal
      addressed
      open
      onClose={() => create.busy || onClose()}
      title="Tambah token"
      footer={<Foot busy={create.busy} onClose={onClose} />}
    >
      <form
        id={FORM}
        ref={form.ref}
        noValidate
        className={styles['parts']}
        onSubmit={form.submit(send)}
      >
        <RefusalAlert error={create.error} fields={['name', 'channel']} />
        <TextField
          ref={startHere}
          label="Nama"
          required
          name="name"
          autoComplete="off"
          help="Untuk Anda sendiri, misalnya nama cabang atau nama sistem."
          value={form.values.name}
          error={form.errors.name}
          onChange={(event) => form.set('name', event.target.value)}
          onBlur={() => form.leave('name')}
        />
        <Select
          label="Kanal"
          required
          name="channel"
          options={channels}
          help="Simulator adalah jaringan ponsel tiruan di server ini: semua langkahnya sama, tanpa ponsel sungguhan."
          value={form.values.channel}
          error={form.errors.channel}
          onChange={(event) => form.set('channel', event.target.value)}
        />
      </form>
    </Modal>
  );
}

const Foot = ({ busy, onClose }: { busy: boolean; onClose: () => void }) => (
  <>
    <Button variant="outline" tone="neutral" onClick={onClose}>
      Batal
    </Button>
    <Button type="submit" form={FORM} busy={busy}>
      Tambah
    </Button>
  </>
);
