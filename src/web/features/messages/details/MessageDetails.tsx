import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { Ban, MessageCircle, CalendarClock, RotateCw } from 'lucide-react';
import { messageTypeLabel, cancelMessage, type MessageDetail } from '#contract/messages.ts';
import { formatRupiah } from '#contract/base/money.ts';
import { PeerName } from '#web/features/messages/PeerName.tsx';
import {
  civilDate,
  formatDateTime,
  formatDateTimeZone,
  formatTime,
  clockTime,
  instantIn,
} from '#contract/base/time.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { useUser } from '#web/api/user.ts';
import styles from '#web/features/messages/messages.module.css';
import { messageQuery } from '#web/features/messages/queries.ts';
import { StatusMark } from '#web/features/messages/StatusMark.tsx';
import { timelineEntries } from '#web/features/messages/details/timeline.ts';
import { canCancel, canResend, nameOf } from '#web/features/messages/labels.ts';
import { AskSupport } from '#web/features/support/support.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { useLinkedImage } from '#web/features/messages/useLinkedImage.ts';
import { ChatBubble, ChatList } from '#web/ui/chat/ChatBubble.tsx';
import { CodeBlock } from '#web/ui/copy/CodeBlock.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { CopyButton } from '#web/ui/copy/CopyField.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Facts, Panel, Row, Stack, type Fact, type FactList } from '#web/ui/panel/Panel.tsx';
import { Timeline } from '#web/ui/status/Timeline.tsx';
import { toast } from '#web/ui/toast/toasts.ts';
import {
  failureCause,
  failureHelp,
  faultOf,
  type FailureHelp,
  type HelpPlace,
} from '#contract/messages/failures.ts';
import { DeletedNumber } from '#web/features/messages/DisconnectedNumber.tsx';
import { useHasToken } from '#web/api/allTokens.ts';
import { useState } from 'react';
import { rescheduleMessage, checkResend, resendMessage } from '#contract/messages/history.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { dateWords } from '#web/ui/date/dates.ts';
import { FormModal } from '#web/ui/form/FormModal.tsx';
import { TimeSelect } from '#web/ui/time/TimeSelect.tsx';
import { perform } from '#web/api/act.ts';
import { nameAndNumberOf } from '#contract/messages/peer.ts';

export function MessageDetails({ message }: { message: MessageDetail }) {
  const zone = useUser().timezone;
  const ours = message.direction === 'out';
  const { content, loading } = useLinkedImage(message);
  const writeTo = (peer: string) =>
    void navigate({
      to: '/message-history',
      search: { view: 'percakapan', open: message.token.id, peer },
    });
  return (
    <Stack gap={24}>
      <div className="border rounded-lg paper">
        <ChatList label="Isi pesan">
          <ChatBubble
            message={content}
            loading={loading}
            side={message.direction}
            sender={ours ? 'Anda' : nameOf(message)}
            time={formatTime(message.created_at, zone)}
            at={message.created_at}
            ticks={ours && <StatusMark status={message.status} iconOnly />}
            onMessage={writeTo}
          />
        </ChatList>
      </div>
      <Alert
        state="warning"
        visible={message.possible_duplicate}
        label="Pesan ini mungkin sampai dua kali: jaringan tidak menjawab saat pengiriman pertama."
      />
      <RetryNotice message={message} />
      <FailurePanel message={message} />
      <Actions message={message} />
      <Panel title="Perjalanan">
        <Timeline entries={timelineEntries(message, zone)} />
      </Panel>
      <Panel title="Rincian">
        <Facts facts={factsOf(message, zone)} />
      </Panel>
      {ours && (
        <Panel title="Biaya">
          <Facts facts={costOf(message, zone)} />
        </Panel>
      )}
      <details className={styles['raw']}>
        <summary>Data mentah (JSON)</summary>
        <CodeBlock title="Seperti di API" code={JSON.stringify(message.raw, null, 2)} />
      </details>
    </Stack>
  );
}

function Actions({ message }: { message: MessageDetail }) {
  const { refetch } = useQuery(messageQuery(message.id));
  const cancel = useAct(cancelMessage);
  const ask = async () => {
    const done = await confirm({
      title: 'Batalkan pengiriman?',
      children: <p>Pesan tidak akan dikirim, dan biaya yang ditahan kembali ke saldo Anda.</p>,
      cancelText: 'Tidak',
      confirmText: 'Batalkan pengiriman',
      onConfirm: () => cancel.perform({ message_id: message.id }),
    });
    if (done) toast('Pengiriman dibatalkan.', { tone: 'success' });
    await refetch();
  };
  return (
    <Row>
      <LinkButton
        to="/message-history"
        search={{
          view: 'percakapan',
          open: message.token.id,
          peer: message.peer,
          // A reaction shows at the message that it refers to.
          at: message.type === 'reaction' ? undefined : message.id,
        }}
        variant="outline"
        icon={<MessageCircle size={18} />}
      >
        Buka percakapan
      </LinkButton>
      <RescheduleButton message={message} onMoved={() => void refetch()} />
      {canCancel(message) && !mayHaveLeft(message) && (
        <Button variant="subtle" tone="danger" icon={<Ban size={18} />} onClick={() => void ask()}>
          Batalkan pengiriman
        </Button>
      )}
      {canResend(message) && <ResendButton message={message} />}
      <AskSupport about="message" id={message.id} />
    </Row>
  );
}

/** A message cannot be cancelled after an attempt without a response. */
const mayHaveLeft = ({ timeline }: MessageDetail): boolean =>
  timeline.some(({ kind }) => kind === 'unknown');

function factsOf(message: MessageDetail, zone: string): FactList {
  const peer = <PeerName peer={message.peer} name={message.peer_name} />;
  return [
    { term: 'Status', is: <StatusMark status={message.status} /> },
    { term: message.direction === 'out' ? 'Kepada' : 'Dari', is: peer },
    { term: 'Token', is: <bdi>{message.token.name}</bdi> },
    { term: 'Jenis', is: messageTypeLabel[message.type] },
    { term: 'Waktu', is: formatDateTime(message.created_at, zone) },
    message.status === 'scheduled' &&
      message.scheduled_at && {
        term: 'Akan dikirim',
        is: formatDateTimeZone(message.scheduled_at, zone),
      },
    {
      term: <span id="message-id">ID pesan</span>,
      is: (
        <span className="row wrap gap-4 gap-x-8">
          <code className="break-anywhere">{message.id}</code>
          <CopyButton value={message.id} describes="message-id" />
        </span>
      ),
    },
    message.ref !== null && { term: 'Ref', is: <code>{message.ref}</code> },
  ];
}

const chargeWords = {
  held: () => 'Ditahan sampai pesan terkirim',
  captured: () => 'Dipotong dari saldo',
  late: () => 'Dipotong dari saldo: WhatsApp sudah menerima pesan ini sebelum gagal',
  released: (held) => `Dana tertahan ${held} dikembalikan ke saldo`,
  waived: (held) => `${held} ditanggung Kabari: saldo sudah tidak cukup saat laporannya datang`,
} as const satisfies Record<string, (held: string) => string>;

function costOf(
  { price, charge, by_quota, created_at, status }: MessageDetail,
  zone: string,
): readonly Fact[] {
  const cost = { term: 'Biaya', is: <Money amount={price} /> };
  if (by_quota) return [{ term: 'Biaya', is: 'Termasuk kuota paket' }];
  if (!charge) return [{ term: 'Biaya', is: 'Pesan ini tidak memakai saldo.' }];
  const day = civilDate(created_at, zone);
  const how = status === 'failed' && charge.state === 'captured' ? 'late' : charge.state;
  const { hold_seq, settle_seq, correct_seq } = charge;
  const line = correct_seq ?? hold_seq;
  const seqs = [hold_seq, settle_seq, correct_seq].filter((seq) => seq !== null);
  return [
    cost,
    { term: 'Saldo', is: chargeWords[how](formatRupiah(charge.amount)) },
    {
      term: 'Mutasi saldo',
      is: (
        <Link to="/saldo" search={line === null ? { from: day, to: day } : { line }}>
          {seqs.map((seq) => `#${seq}`).join(' lalu ') || 'Lihat mutasi'}
        </Link>
      ),
    },
  ];
}

type Props = { message: MessageDetail };

function FailurePanel({ message }: Props) {
  const { failure, status } = message;
  if (status !== 'failed' || failure === null) return null;
  const help: FailureHelp = failureHelp[failure];
  return (
    <Panel title="Mengapa gagal" look="attention">
      <Facts
        facts={[
          { term: 'Apa yang terjadi', is: help.what },
          { term: 'Di pihak siapa', is: <strong>{faultOf[help.whose]}</strong> },
          { term: 'Apakah dicoba lagi', is: help.again },
          {
            term: 'Yang dapat Anda lakukan',
            is: (
              <>
                {help.todo} <Way where={help.where} message={message} />
              </>
            ),
          },
        ]}
      />
    </Panel>
  );
}

function Way({ where, message }: Props & { where: HelpPlace }) {
  switch (where) {
    case 'token':
      return <TokenWay token={message.token} />;
    case 'templates':
      return <Link to="/token/templat">Buka templat</Link>;
    case 'conversation':
    case 'resend':
    case 'outside':
      return null;
  }
}

function TokenWay({ token: { id, name } }: Pick<MessageDetail, 'token'>) {
  if (!useHasToken(id)) return <DeletedNumber name={name} />;
  return (
    <Link to="/token" search={{ open: id }}>
      Buka token <bdi>{name}</bdi>
    </Link>
  );
}

function RetryNotice({ message: { retrying } }: Props) {
  const zone = useUser().timezone;
  if (!retrying) return null;
  const { failure, unanswered, tries, next_at: next } = retrying;
  const cause = unanswered
    ? 'Jaringan belum menjawab; kami menunggu laporannya sebelum mencoba lagi.'
    : `${failureCause(failure)}.`;
  return (
    <Alert
      state="warning"
      visible
      label={
        <>
          {tries > 0 && `Sudah dicoba ${tries} kali. `}
          {cause}{' '}
          {next === null
            ? 'Sedang dicoba lagi.'
            : `${unanswered ? 'Ditunggu sampai' : 'Dicoba lagi'} ${formatDateTime(next, zone)}, otomatis.`}
        </>
      }
    />
  );
}

type RescheduleButtonProps = { message: MessageDetail; onMoved: () => void };

function RescheduleButton({ message, onMoved }: RescheduleButtonProps) {
  const [open, setOpen] = useState(false);
  const { scheduled_at: at } = message;
  if (message.status !== 'scheduled' || at === null) return null;
  return (
    <>
      <Button variant="subtle" icon={<CalendarClock size={18} />} onClick={() => setOpen(true)}>
        Ubah jadwal
      </Button>
      {open && (
        <RescheduleDialog
          id={message.id}
          at={at}
          onClose={() => setOpen(false)}
          onMoved={onMoved}
        />
      )}
    </>
  );
}

type DialogProps = { id: string; at: Date; onClose: () => void; onMoved: () => void };

function RescheduleDialog({ id, at, onClose, onMoved }: DialogProps) {
  const zone = useUser().timezone;
  const [now] = useState(() => new Date());
  const today = civilDate(now, zone);
  const [day, setDay] = useState<string | null>(civilDate(at, zone));
  const [time, setTime] = useState(`${clockTime(at, zone)}:00`);
  const [fault, setFault] = useState<string>();
  const move = useAct(rescheduleMessage);
  const zoneName = formatDateTimeZone(at, zone).split(' ').at(-1);
  const send = async () => {
    const next = instantIn(day ?? today, time, zone);
    const isPast = next <= new Date();
    setFault(isPast ? 'Pilih waktu yang belum lewat.' : undefined);
    if (isPast || move.busy) return;
    try {
      await move.perform({ message_id: id, send_at: next.toISOString() });
    } catch {
      return;
    }
    toast(`Jadwal diubah: ${formatDateTimeZone(next, zone)}.`, { tone: 'success' });
    onClose();
    onMoved();
  };
  return (
    <FormModal
      onClose={onClose}
      title="Ubah jadwal"
      size="sm"
      shape="sheet"
      submit="Simpan jadwal"
      busy={move.busy}
      onSubmit={() => void send()}
    >
      <RefusalAlert error={move.error} />
      <DatePicker
        single
        autoApply
        required
        label="Tanggal"
        labels={dateWords}
        today={today}
        min={today}
        value={day}
        onChange={setDay}
      />
      <TimeSelect half label={`Jam (${zoneName})`} value={time} onChange={setTime} error={fault} />
    </FormModal>
  );
}

function ResendButton({ message }: { message: MessageDetail }) {
  const send = useAct(resendMessage);
  const [busy, setBusy] = useState(false);
  const ask = async () => {
    setBusy(true);
    const cost = await perform(checkResend, { message_ids: [message.id] })
      .catch((error: unknown) => toast(sentenceOf(error), { tone: 'danger' }))
      .finally(() => setBusy(false));
    if (!cost) return;
    const [refused] = cost.refused;
    if (refused) {
      toast(refused.error.msg, { tone: 'danger' });
      return;
    }
    const done = await confirm({
      title: 'Kirim ulang pesan ini?',
      children: (
        <p>
          Pesan yang sama dikirim sebagai pesan baru ke {nameAndNumberOf(message)}
          {cost.by_quota > 0 ? (
            ', termasuk kuota paket'
          ) : (
            <>
              {' '}
              dengan biaya <Money amount={cost.price} />
            </>
          )}
          .
        </p>
      ),
      tone: 'primary',
      confirmText: 'Kirim ulang',
      onConfirm: async () => void (await send.perform({ message_id: message.id })),
    });
    if (!done) return;
    await navigate({
      to: '/message-history',
      search: { view: 'percakapan', open: message.token.id, peer: message.peer },
    });
  };
  return (
    <Button variant="subtle" icon={<RotateCw size={18} />} busy={busy} onClick={() => void ask()}>
      Kirim ulang
    </Button>
  );
}
