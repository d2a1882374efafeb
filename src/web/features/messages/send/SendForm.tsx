import { isolated } from '#contract/base/names.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useEffect } from 'react';
import { sendMessage, TEXT_MAX } from '#contract/messages.ts';
import { formatPhone } from '#contract/base/phone.ts';
import type { ChannelName, Token } from '#contract/tokens.ts';
import { checkWith } from '#web/ui/form/formRules.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';
import { useAct } from '#web/api/query.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { MessagePrice } from '#web/features/messages/send/MessagePrice.tsx';
import { useMessagePrice } from '#web/features/messages/send/useMessagePrice.ts';
import { SendRefusal } from '#web/features/messages/send/SendRefusal.tsx';
import { saldoQuery } from '#web/features/saldo/saldo.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Row, Stack } from '#web/ui/panel/Panel.tsx';
import { SelectOne } from '#web/ui/select/SelectOne.tsx';
import { realNumber } from '#web/ui/phone/telephoneReal.ts';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { HomeTelephoneField } from '#web/ui/phone/TelephoneField.tsx';
import { TextArea } from '#web/ui/text/TextField.tsx';

const LAST = 'last-token';
/** An unsent text, restored when the dialog opens again; its recipient is not. */
const DRAFT = 'draft-text';

type Values = { token_id: string; to: string; text: string };

const check = checkWith<Values>(
  { to: { required: 'Tulis nomor tujuan.' }, text: { required: 'Tulis isi pesan.' } },
  (values) => fieldErrors(sendMessage, { ...values, to: `+${values.to}` }),
);

const writeDraft = (text: string): void => storageSet('tab', DRAFT, text === '' ? undefined : text);

export type SendFormProps = {
  tokens: readonly Token[];
  onClose: () => void;
  onBusy: (busy: boolean) => void;
};

const optionOf = ({ id, name, phone }: Token) => ({
  value: id,
  label: phone ? `${isolated(name)} (${formatPhone(phone)})` : name,
});

function useSendDraft(tokens: readonly Token[]) {
  const last = tokens.find(({ id }) => id === storageGet('browser', LAST)) ?? tokens[0];
  const form = useForm(
    { token_id: last?.id ?? '', to: '', text: storageGet('tab', DRAFT) ?? '' },
    check,
  );
  const write = (text: string) => {
    form.set('text', text);
    writeDraft(text);
  };
  return { form, write };
}

export function SendForm({ tokens, onClose, onBusy }: SendFormProps) {
  const { form, write } = useSendDraft(tokens);
  const send = useAct(sendMessage);
  const { values, errors } = form;
  const token = tokens.find(({ id }) => id === values.token_id);
  const cost = useCost(token?.channel);
  // The fields mount after loading, too late for the dialog's initial focus.
  useEffect(() => form.ref.current?.querySelector('input')?.focus(), [form.ref]);

  const submit = form.submit(async ({ token_id, to, text }) => {
    onBusy(true);
    try {
      const sent = await send.perform({ token_id, to: `+${to}`, text });
      storageSet('browser', LAST, token_id);
      writeDraft('');
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
        <SaldoShort isShown={cost.isShort} />
        <SendRefusal error={send.error} />
        <ToMany />
        <SelectOne
          label="Dari nomor"
          required
          options={tokens.map(optionOf)}
          value={values.token_id}
          error={errors.token_id}
          onChange={(id) => form.set('token_id', id)}
        />
        <WindowHint channel={token?.channel} />
        <HomeTelephoneField
          label="Nomor tujuan"
          required
          verify={realNumber}
          autoComplete="off"
          {...form.field('to')}
        />
        <TextArea
          label="Isi pesan"
          required
          rows={5}
          maxLength={TEXT_MAX}
          counter
          value={values.text}
          error={errors.text}
          onChange={({ target }) => write(target.value)}
        />
        <Price {...cost} />
        <Actions busy={send.busy} isShort={cost.isShort} onClose={onClose} />
      </Stack>
    </form>
  );
}

/** By the Cloud API a free text only reaches people who have just written. */
const WindowHint = ({ channel }: { channel: ChannelName | undefined }) => (
  <Alert
    state="info"
    visible={channel === 'cloud'}
    label="Lewat WhatsApp Cloud API, teks bebas hanya sampai kepada orang yang menulis ke nomor ini dalam 24 jam terakhir."
  >
    <p>
      Untuk orang lain, kirim templat yang sudah disetujui.{' '}
      <Link to="/token/templat">Lihat templat</Link>
    </p>
  </Alert>
);

const ToMany = () => (
  <p className="small faint">
    Banyak penerima, berkas, templat, atau terjadwal?{' '}
    <Link to="/message-history/kiriman" search={{ view: 'new' }}>
      Kirim ke banyak nomor
    </Link>
  </p>
);

type ActionsProps = { busy: boolean; isShort: boolean; onClose: () => void };

const Actions = ({ busy, isShort, onClose }: ActionsProps) => (
  <Row end>
    <Button variant="outline" onClick={() => busy || onClose()}>
      Batal
    </Button>
    <Button
      type="submit"
      busy={busy}
      disabled={isShort}
      aria-describedby={isShort ? SHORT : undefined}
    >
      Kirim
    </Button>
  </Row>
);

const SHORT = 'saldo-kurang';

const SaldoShort = ({ isShown }: { isShown: boolean }) => (
  <Alert
    id={SHORT}
    state="warning"
    visible={isShown}
    label={
      <>
        Saldo tidak cukup untuk satu pesan.{' '}
        <Link to="/saldo" search={{ new: '1' }}>
          Isi saldo
        </Link>
      </>
    }
  />
);

/** Refetched on opening: messages within the quota change no saldo, so no event reports them. */
function useCost(channel: ChannelName | undefined) {
  const { data: saldo } = useQuery({ ...saldoQuery, refetchOnMount: 'always' });
  const price = useMessagePrice(channel, saldo);
  const isShort =
    saldo !== undefined && price !== undefined && price !== 'quota' && saldo.available < price;
  return { saldo, price, isShort };
}

function Price({ saldo, price }: ReturnType<typeof useCost>) {
  return (
    <dl className="flex wrap gap-4 gap-x-24 note-box">
      <div className="flex gap-8">
        <dt className="muted">Biaya</dt>
        <dd className="strong">
          {saldo && price !== undefined ? (
            <MessagePrice price={price} left={saldo.quota_left} />
          ) : (
            <Skeleton width={56} />
          )}
        </dd>
      </div>
      <div className="flex gap-8">
        <dt className="muted">Saldo tersedia</dt>
        <dd className="strong">
          {saldo ? <Money amount={saldo.available} /> : <Skeleton width={88} />}
        </dd>
      </div>
    </dl>
  );
}
