import { isolated } from '#contract/base/names.ts';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type RefObject, useEffect, useState } from 'react';
import { type ChannelName, createToken, type Token } from '#contract/tokens.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { FormModal } from '#web/ui/form/FormModal.tsx';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { subscriptionQuery } from '#web/features/billing/billing.ts';
import { fullSentence, fullTokens } from '#web/features/tokens/AddToken.tsx';
import { ChannelChoice } from '#web/features/tokens/channels/ChannelChoice.tsx';
import { channelsQuery } from '#web/features/tokens/channels/queries.ts';
import { KeyDialog } from '#web/features/tokens/keys/KeyDialog.tsx';
import { useTokenChanged } from '#web/features/tokens/queries.ts';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

type Props = {
  onClose: () => void;
  onLink: (id: string) => void;
};

const NEW: { name: string; channel: ChannelName | '' } = { name: '', channel: '' };

// React does not render autoFocus as an attribute, and `<dialog>` looks for the attribute.
const startHere = (input: HTMLInputElement | null) => input?.setAttribute('autofocus', '');

/**
 * Asks for a name and one of the offered channels, creates the token, then shows its key once. If the plan's limit is
 * reached, it says so first.
 */
export function CreateToken({ onClose, onLink }: Props) {
  const [made, setMade] = useState<{ token: Token; key: string }>();
  const changed = useTokenChanged();
  const { data: subscription } = useQuery(subscriptionQuery);
  const { data: channels, error: unloaded } = useQuery(channelsQuery);
  const selectedChannel = (channel: ChannelName | '') => channel || channels?.[0]?.channel;
  const { form, onSubmit, busy, error } = useActForm(createToken, {
    initial: NEW,
    // The first one by default; without any, the schema reports it as missing.
    inputOf: ({ name, channel }) => ({ name, channel: selectedChannel(channel) as ChannelName }),
    onDone: (answer) => {
      setMade(answer);
      changed(answer.token);
    },
  });
  const { submit, isAwaited } = useOnceLoaded(form.ref, {
    isLoaded: channels !== undefined,
    isFailed: unloaded !== null,
    onSubmit,
  });

  if (made) {
    const { token, key } = made;
    return (
      <KeyDialog
        title={`Kunci untuk ${isolated(token.name)}`}
        secret={key}
        channel={token.channel}
        onClose={onClose}
        next={{
          label: `Lanjut: sambungkan ${token.channel === 'cloud' ? 'nomor' : 'ponsel'}`,
          go: () => onLink(token.id),
        }}
      />
    );
  }
  const full = fullTokens(subscription);
  if (full !== undefined) return <Full full={full} onClose={onClose} />;
  return (
    <FormModal
      addressed
      formRef={form.ref}
      onClose={() => busy || onClose()}
      title="Tambah token"
      submit="Tambah"
      busy={busy || isAwaited}
      onSubmit={submit}
    >
      <RefusalAlert error={error} fields={['name', 'channel']} />
      <TextField
        ref={startHere}
        label="Nama"
        required
        autoComplete="off"
        help="Untuk Anda sendiri, misalnya nama cabang atau nama sistem."
        {...form.field('name')}
      />
      <ChannelChoice
        legend="Kanal"
        value={selectedChannel(form.values.channel)}
        error={form.errors.channel}
        onChange={(channel) => form.set('channel', channel)}
      />
      <PasswordQuestion of={createToken} quiet={!subscription?.tokens_used} />
    </FormModal>
  );
}

type Loading = { isLoaded: boolean; isFailed: boolean; onSubmit: (event: FormEvent) => void };

/** Submits a form that was sent before its data was loaded, once it is. */
function useOnceLoaded(
  form: RefObject<HTMLFormElement | null>,
  { isLoaded, isFailed, onSubmit }: Loading,
) {
  const [isAwaited, setAwaited] = useState(false);
  useEffect(() => {
    if (!isAwaited || (!isLoaded && !isFailed)) return;
    setAwaited(false);
    if (isLoaded) form.current?.requestSubmit();
  }, [isAwaited, isLoaded, isFailed, form]);
  const submit = (event: FormEvent) => {
    if (isLoaded || isFailed) return onSubmit(event);
    event.preventDefault();
    setAwaited(true);
  };
  return { submit, isAwaited };
}

type FullProps = { full: number; onClose: () => void };

const Full = ({ full, onClose }: FullProps) => (
  <Modal
    addressed
    open
    onClose={onClose}
    title="Tambah token"
    footer={
      <>
        <Button variant="outline" onClick={onClose}>
          Tutup
        </Button>
        <LinkButton to="/billing">Lihat paket di Tagihan</LinkButton>
      </>
    }
  >
    <p>
      {fullSentence(full)} Untuk menambah token, pilih paket yang lebih besar atau hapus token yang
      tidak dipakai lagi.
    </p>
  </Modal>
);
