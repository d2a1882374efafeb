import { useQuery, useQueryClient } from '@tanstack/react-query';
import { failureHelp } from '#contract/messages/failures.ts';
import { type HomeSummary, type MessageRow, TEXT_MAX, sendMessage } from '#contract/messages.ts';
import type { Token } from '#contract/tokens.ts';
import { allTokensQuery } from '#web/api/allTokens.ts';
import { useAct } from '#web/api/query.ts';
import { useUser } from '#web/api/user.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { OpenConversation } from '#web/features/home/FirstSent.tsx';
import { homeQuery } from '#web/features/home/queries.ts';
import { isOnItsWay, lastSentIn } from '#web/features/home/steps.ts';
import {
  MessagePrice,
  SendRefusal,
  StatusMark,
  canSend,
  useMessagePrice,
} from '#web/features/messages/messages.ts';
import { saldoQuery } from '#web/features/saldo/saldo.ts';
import { FIRST_TEXT, UnverifiedNote, WindowNote } from '#web/features/tokens/tokens.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { checkWith } from '#web/ui/form/formRules.ts';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { realNumber } from '#web/ui/phone/telephoneReal.ts';
import { HomeTelephoneField } from '#web/ui/phone/TelephoneField.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { TextArea } from '#web/ui/text/TextField.tsx';

type Props = { home: HomeSummary; onSent: () => void };

/** The second step: a first message, to the person's own number unless another is typed. */
export function FirstMessage({ home, onSent }: Props) {
  const { data: tokens, error, refetch } = useQuery(allTokensQuery);
  const last = lastSentIn(home);
  if (last && isOnItsWay(last)) return <OnItsWay message={last} />;
  if (!tokens && error) return <WentWrong query={{ error, refetch }} />;
  if (!tokens) return <Skeleton lines={6} height={18} />;
  const token = tokens.find(canSend);
  if (!token) {
    return (
      <>
        <p>
          Belum ada nomor yang tersambung. Sambungkan nomor WhatsApp Anda, lalu kirim pesannya dari
          sini.
        </p>
        <LinkButton to="/token">Sambungkan nomor</LinkButton>
      </>
    );
  }
  return <SendFirst home={home} token={token} failed={last} onSent={onSent} />;
}

const OnItsWay = ({ message }: { message: MessageRow }) => (
  <>
    <p role="status">
      Pesan pertama Anda sedang dikirim. <StatusMark status={message.status} />
    </p>
    <OpenConversation message={message} />
  </>
);

type Values = { to: string; text: string };
type SendProps = Props & { token: Token; failed: MessageRow | undefined };

function SendFirst({ home, token, failed, onSent }: SendProps) {
  const { phone } = useUser();
  const client = useQueryClient();
  const send = useAct(sendMessage);
  const input = ({ to, text }: Values) => ({ token_id: token.id, to: `+${to}`, text });
  const form = useForm<Values>(
    { to: phone, text: FIRST_TEXT },
    checkWith<Values>(
      { to: { required: 'Tulis nomor tujuan.' }, text: { required: 'Tulis isi pesan.' } },
      (values) => fieldErrors(sendMessage, input(values)),
    ),
  );
  const { values, errors } = form;
  const submit = form.submit(async (typed) => {
    try {
      await send.perform(input(typed));
      onSent();
      await client.invalidateQueries({ queryKey: homeQuery.queryKey });
    } catch (no) {
      form.refuse(no);
    }
  });
  const isToSelf = values.to === phone;
  return (
    <form ref={form.ref} noValidate className="stack gap-16" onSubmit={submit}>
      {token.channel === 'cloud' && (
        <>
          <WindowNote />
          <UnverifiedNote />
        </>
      )}
      <SendRefusal error={send.error} />
      <Failed message={failed} />
      <HomeTelephoneField
        label="Nomor tujuan"
        required
        verify={realNumber}
        autoComplete="off"
        help={isToSelf ? 'Nomor Anda sendiri, untuk mencoba.' : undefined}
        {...form.field('to')}
      />
      <TextArea
        label="Isi pesan"
        required
        rows={3}
        maxLength={TEXT_MAX}
        value={values.text}
        error={errors.text}
        onChange={({ target }) => form.set('text', target.value)}
      />
      <Price token={token} home={home} />
      <div>
        <Button type="submit" busy={send.busy}>
          Kirim pesan
        </Button>
      </div>
    </form>
  );
}

const TopUp = () => (
  <p>
    <Link to="/saldo" search={{ new: '1' }}>
      Isi saldo
    </Link>
  </p>
);

function Failed({ message }: { message: MessageRow | undefined }) {
  if (message?.status !== 'failed' || !message.failure) return null;
  const { what, todo } = failureHelp[message.failure];
  return (
    <Alert state="danger" visible label={`Pesan tadi tidak terkirim. ${what}`}>
      <p>{todo}</p>
    </Alert>
  );
}

/** Says what pays for the message; asks for a top-up only if nothing does. */
function Price({ token: { channel }, home }: Pick<SendProps, 'token' | 'home'>) {
  const { data: saldo } = useQuery({ ...saldoQuery, refetchOnMount: 'always' });
  const price = useMessagePrice(channel, saldo);
  const isBonus = home.welcome_bonus > 0 && !home.checklist.topped_up;
  if (!saldo || price === undefined) return <Skeleton width={220} />;
  if (price !== 'quota' && price > saldo.available) {
    return (
      <Alert
        state="warning"
        visible
        label={
          <>
            Saldo Anda <Money amount={saldo.available} />, sedangkan biaya satu pesan{' '}
            <Money amount={price} />.
          </>
        }
      >
        <TopUp />
      </Alert>
    );
  }
  return (
    <p>
      Biaya: <MessagePrice price={price} left={saldo.quota_left} />
      {price !== 'quota' && (
        <>
          {' '}
          dari saldo <Money amount={saldo.available} />
          {isBonus && ', bonus selamat datang dari kami'}
        </>
      )}
      .
    </p>
  );
}
