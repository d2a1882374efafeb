import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import type { Plan } from '#contract/billing/plans.ts';
import { ChannelName, createToken, type Token } from '#contract/tokens.ts';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { subscriptionQuery } from '#web/features/billing/billing.ts';
import { KeyDialog } from '#web/features/tokens/keys/KeyDialog.tsx';
import { useTokenChanged } from '#web/features/tokens/queries.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { channelLabel } from '#web/features/tokens/labels.ts';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
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

/**
 * Asks for a name and a channel, makes the token, then shows its key once. Where the plan has room for no
 * more, it says so before anything is asked.
 */
export function CreateToken({ onClose, onLink }: Props) {
  const [made, setMade] = useState<{ token: Token; key: string }>();
  const changed = useTokenChanged();
  const { data: subscription } = useQuery(subscriptionQuery);
  const { form, onSubmit, busy, error } = useActForm(createToken, {
    initial: { name: '', channel: channels[0]?.value ?? 'simulator' },
    inputOf: (values) => values,
    onDone: (answer) => {
      setMade(answer);
      changed(answer.token);
    },
  });

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
  if (subscription && subscription.tokens_used >= subscription.plan.tokens)
    return <Full plan={subscription.plan} onClose={onClose} />;
  return (
    <Modal
      addressed
      open
      onClose={() => busy || onClose()}
      title="Tambah token"
      footer={<Foot busy={busy} onClose={onClose} />}
    >
      <form id={FORM} ref={form.ref} noValidate className={styles['parts']} onSubmit={onSubmit}>
        <RefusalAlert error={error} fields={['name', 'channel']} />
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

type FullProps = { plan: Plan; onClose: () => void };

const Full = ({ plan: { name, tokens }, onClose }: FullProps) => (
  <Modal
    addressed
    open
    onClose={onClose}
    title="Tambah token"
    footer={
      <>
        <Button variant="outline" tone="neutral" onClick={onClose}>
          Tutup
        </Button>
        <LinkButton to="/billing">Lihat paket di Tagihan</LinkButton>
      </>
    }
  >
    <p>
      Jatah {formatNumber(tokens)} token pada paket {name} sudah terpakai. Untuk menambah token,
      pilih paket yang lebih besar atau hapus token yang tidak dipakai lagi.
    </p>
  </Modal>
);

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
