import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { sendMessage, TEXT_MAX } from '#contract/messages.ts';
import { formatPhone } from '#contract/phone.ts';
import type { Token } from '#contract/tokens.ts';
import { refusalCode, sentenceOf } from '#web/client/errors.ts';
import { keep, kept } from '#web/client/kept.ts';
import { useAct } from '#web/client/query.ts';
import { useForm } from '#web/client/useForm.ts';
import { checkWith } from '#web/client/checkWith.ts';
import { wrongFields } from '#web/client/wrongFields.ts';
import { allTokensQuery, canSend } from '#web/features/messages/queries.ts';
import styles from '#web/features/messages/SendDialog.module.css';
import { saldoQuery } from '#web/features/saldo/queries.ts';
import { Alert } from '#web/ui/Alert.tsx';
import { Button, LinkButton } from '#web/ui/Button.tsx';
import { EmptyState, WentWrong } from '#web/ui/EmptyState.tsx';
import { Modal } from '#web/ui/Modal.tsx';
import { Money } from '#web/ui/Money.tsx';
import { Stack } from '#web/ui/Panel.tsx';
import { SelectOne } from '#web/ui/SelectOne.tsx';
import { realNumber } from '#web/ui/rules/telephoneReal.ts';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { HomeTelephoneField } from '#web/ui/TelephoneField.tsx';
import { TextArea } from '#web/ui/TextField.tsx';

type Props = { open: boolean; onClose: () => void };

/** Sends one text to one number, then opens their conversation. */
export function SendDialog({ open, onClose }: Props) {
  const [busy, setBusy] = useState(false);
  return (
    <Modal open={open} onClose={() => busy || onClose()} title="Kirim pesan">
      {open && <Content onClose={onClose} onBusy={setBusy} />}
    </Modal>
  );
}

type ContentProps = { onClose: () => void; onBusy: (busy: boolean) => void };

function Content({ onClose, onBusy }: ContentProps) {
  const { data: tokens, error, refetch } = useQuery(allTokensQuery);
  if (!tokens && error) {
    return <WentWrong message={sentenceOf(error)} onRetry={() => void refetch()} />;
  }
  if (!tokens) {
    return (
      <div aria-busy="true">
        <Stack>
          <Skeleton height={62} />
          <Skeleton height={62} />
          <Skeleton height={128} />
        </Stack>
      </div>
    );
  }
  const able = tokens.filter(canSend);
  if (able.length === 0) return <NoToken has={tokens.length > 0} />;
  return <SendForm tokens={able} onClose={onClose} onBusy={onBusy} />;
}

const NoToken = ({ has }: { has: boolean }) => (
  <EmptyState
    icon={<KeyRound size={24} />}
    title={has ? 'Belum ada token yang tersambung' : 'Anda belum memiliki token'}
    action={
      has ? (
        <LinkButton to="/token">Sambungkan token</LinkButton>
      ) : (
        <LinkButton to="/token" search={{ view: 'new' }}>
          Tambah token
        </LinkButton>
      )
    }
  >
    Pesan dikirim dari nomor WhatsApp yang tersambung ke sebuah token.
  </EmptyState>
);

/** The token chosen last, offered first. */
const LAST = 'last-token';

type Values = { token_id: string; to: string; text: string };

const check = checkWith<Values>(
  { to: { required: 'Tulis nomor tujuan.' }, text: { required: 'Tulis isi pesan.' } },
  (values) => wrongFields(sendMessage, { ...values, to: `+${values.to}` }),
);

type FormProps = ContentProps & { tokens: readonly Token[] };

function SendForm({ tokens, onClose, onBusy }: FormProps) {
  const navigate = useNavigate();
  const last = tokens.find(({ id }) => id === kept('browser', LAST)) ?? tokens[0];
  const form = useForm({ token_id: last?.id ?? '', to: '', text: '' }, check);
  const send = useAct(sendMessage);
  const { values, errors } = form;
  // What comes after the first wait is not what the dialog put the focus on.
  useEffect(() => form.ref.current?.querySelector('input')?.focus(), [form.ref]);

  const submit = form.submit(async ({ token_id, to, text }) => {
    onBusy(true);
    try {
      const sent = await send.perform({ token_id, to: `+${to}`, text });
      keep('browser', LAST, token_id);
      await navigate({
        to: '/message-history',
        search: { view: 'percakapan', open: token_id, peer: sent.peer },
      });
    } catch (error) {
      form.refuse(error);
    } finally {
      onBusy(false);
    }
  });
  return (
    <form ref={form.ref} onSubmit={submit} noValidate>
      <Stack>
        <Refused error={send.error} />
        <SelectOne
          label="Dari token"
          required
          options={tokens.map(({ id, name, phone }) => ({
            value: id,
            label: phone ? `${name} (${formatPhone(phone)})` : name,
          }))}
          value={values.token_id}
          error={errors.token_id}
          onChange={(token) => form.set('token_id', token)}
        />
        <HomeTelephoneField
          label="Nomor tujuan"
          required
          verify={realNumber}
          autoComplete="off"
          value={values.to}
          error={errors.to}
          onChange={(digits) => form.set('to', digits)}
          onBlur={() => form.leave('to')}
        />
        <TextArea
          label="Isi pesan"
          required
          rows={5}
          maxLength={TEXT_MAX}
          counter
          value={values.text}
          error={errors.text}
          onChange={({ target }) => form.set('text', target.value)}
        />
        <Price />
        <Actions busy={send.busy} onClose={onClose} />
      </Stack>
    </form>
  );
}

const Actions = ({ busy, onClose }: { busy: boolean; onClose: () => void }) => (
  <div className={styles['actions']}>
    <Button variant="outline" tone="neutral" onClick={() => busy || onClose()}>
      Batal
    </Button>
    <Button type="submit" busy={busy}>
      Kirim
    </Button>
  </div>
);

/** Above the form, what is not about one field; fields say theirs themselves. */
function Refused({ error }: { error: Error | null }) {
  const code = refusalCode(error);
  if (!error || code === 'input_invalid') return null;
  return (
    <Alert state="danger" visible label={sentenceOf(error)}>
      {code === 'saldo_short' && (
        <p>
          <Link to="/saldo" search={{ new: '1' }}>
            Isi saldo
          </Link>
        </p>
      )}
      {code === 'token_not_linked' && (
        <p>
          <Link to="/token">Buka halaman Token</Link>
        </p>
      )}
    </Alert>
  );
}

function Price() {
  const { data } = useQuery(saldoQuery);
  return (
    <dl className={styles['price']}>
      <div>
        <dt>Biaya</dt>
        <dd>{data ? <Money amount={data.message_price} /> : <Skeleton width={56} />}</dd>
      </div>
      <div>
        <dt>Saldo tersedia</dt>
        <dd>{data ? <Money amount={data.available} /> : <Skeleton width={88} />}</dd>
      </div>
    </dl>
  );
}
