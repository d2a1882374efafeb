import { Ban, Download, RotateCw } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { MessageRow } from '#contract/messages.ts';
import { manyActions, canCancel } from '#web/features/messages/labels.ts';
import { Button } from '#web/ui/button/Button.tsx';
import {
  cancelMessages,
  checkResend,
  resendMessages,
  type Refused,
} from '#contract/messages/history.ts';
import { useAct } from '#web/api/query.ts';
import { ExportDialog } from '#web/features/exports/exports.ts';
import { useQuery } from '@tanstack/react-query';
import { perform } from '#web/api/act.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { toast } from '#web/ui/toast/toasts.ts';
import { nameAndNumberOf } from '#contract/messages/peer.ts';

type Props = { messages: readonly MessageRow[]; onDone: () => void };

export function SelectionActions({ messages, onDone }: Props) {
  const [name, setName] = useState<string>();
  const offered = manyActions(messages);
  const Asking = actions.find((one) => one.name === name)?.Dialog;
  const close = (isDone: boolean) => {
    setName(undefined);
    if (isDone) onDone();
  };
  return (
    <>
      {actions
        .filter(({ kind }) => offered.includes(kind))
        .map((one) => (
          <Button
            key={one.name}
            size="sm"
            variant="subtle"
            tone={one.tone}
            icon={<one.icon size={16} />}
            onClick={() => setName(one.name)}
          >
            {one.name}
          </Button>
        ))}
      {Asking && <Asking messages={messages} onClose={close} />}
    </>
  );
}

const titleOf = (count: number | undefined): string => {
  if (count === undefined) return 'Kirim ulang pesan?';
  return count === 0 ? 'Tidak ada yang dapat dikirim ulang' : `Kirim ulang ${count} pesan?`;
};

function ResendMany({ messages, onClose }: SelectionProps) {
  const message_ids = messages.map(({ id }) => id);
  const check = useQuery({
    queryKey: ['resend_check', message_ids],
    queryFn: ({ signal }) => perform(checkResend, { message_ids }, { signal }),
    gcTime: 0,
    staleTime: 0,
  });
  const resend = useAct(resendMessages);
  const { data: cost, error } = check;
  const count = cost?.count ?? 0;
  return (
    <ManyDialog
      title={titleOf(cost?.count)}
      confirmText={`Kirim ulang ${count} pesan`}
      count={count}
      messages={messages}
      doneWords={(done) => `${done} pesan dikirim ulang sebagai pesan baru.`}
      refusedTitle="Tidak dikirim ulang"
      onConfirm={async () => {
        const { sent, refused } = await resend.perform({ message_ids });
        return { done: sent.length, refused };
      }}
      onClose={onClose}
    >
      {error ? (
        <WentWrong query={{ error, refetch: check.refetch }} />
      ) : cost ? (
        <>
          <p>
            {count === 0 && 'Tidak ada pesan terpilih yang dapat dikirim ulang.'}
            {count > 0 && (
              <>
                Isi yang sama dikirim sebagai pesan baru ke nomor yang sama.{' '}
                {cost.by_quota === count ? (
                  'Semuanya termasuk kuota paket.'
                ) : (
                  <>
                    Biayanya <Money amount={cost.price} />
                    {cost.by_quota > 0 && `; ${cost.by_quota} pesan termasuk kuota paket`}.
                  </>
                )}
              </>
            )}
          </p>
          <RefusedList title="Tidak ikut" refused={cost.refused} messages={messages} />
        </>
      ) : (
        <div aria-busy="true">
          <Skeleton lines={2} />
        </div>
      )}
    </ManyDialog>
  );
}

const ExportMany = ({ messages, onClose }: SelectionProps) => (
  <ExportDialog
    what={{ kind: 'messages', input: { message_ids: messages.map(({ id }) => id) } }}
    onClose={() => onClose(false)}
  />
);

function CancelMany({ messages, onClose }: SelectionProps) {
  const cancel = useAct(cancelMessages);
  const count = messages.filter(canCancel).length;
  const left = messages.length - count;
  return (
    <ManyDialog
      title={count === 0 ? 'Tidak ada yang dapat dibatalkan' : `Batalkan ${count} pesan?`}
      confirmText={`Batalkan ${count} pesan`}
      tone="danger"
      count={count}
      messages={messages}
      doneWords={(done) => `${done} pesan dibatalkan.`}
      refusedTitle="Tidak dibatalkan"
      onConfirm={async () => {
        const message_ids = messages.filter(canCancel).map(({ id }) => id);
        const { cancelled, refused } = await cancel.perform({ message_ids });
        return { done: cancelled.length, refused };
      }}
      onClose={onClose}
    >
      <p>
        {count === 0
          ? 'Tidak ada pesan terpilih yang masih menunggu: hanya yang terjadwal atau antre dapat dibatalkan.'
          : 'Pesan-pesan ini tidak akan dikirim, dan biaya yang ditahan kembali ke saldo Anda.'}
      </p>
      {count > 0 && left > 0 && (
        <p>{left} pesan lain sudah dikirim atau sudah selesai, jadi tidak berubah.</p>
      )}
    </ManyDialog>
  );
}

const actions = [
  { name: 'Kirim ulang', kind: 'resend', icon: RotateCw, tone: 'primary', Dialog: ResendMany },
  { name: 'Batalkan', kind: 'cancel', icon: Ban, tone: 'danger', Dialog: CancelMany },
  { name: 'Ekspor', kind: 'export', icon: Download, tone: 'neutral', Dialog: ExportMany },
] as const;

type Result = { done: number; refused: readonly Refused[] };

type ManyDialogProps = {
  title: string;
  confirmText: string;
  tone?: 'primary' | 'danger';
  /** The number of eligible messages; with none there is nothing to confirm. */
  count: number;
  messages: readonly MessageRow[];
  doneWords: (done: number) => string;
  refusedTitle: string;
  /** Runs the action; its error is shown inside, and the dialog stays open. */
  onConfirm: () => Promise<Result>;
  onClose: (isDone: boolean) => void;
  children: ReactNode;
};

function ManyDialog({ title, confirmText, tone = 'primary', count, ...props }: ManyDialogProps) {
  const { messages, doneWords, refusedTitle, onConfirm, onClose, children } = props;
  const [result, setResult] = useState<Result>();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState('');
  const confirm = async () => {
    if (busy) return;
    setBusy(true);
    setFailure('');
    try {
      const made = await onConfirm();
      if (made.refused.length > 0) return setResult(made);
      toast(doneWords(made.done), { tone: 'success' });
      onClose(true);
    } catch (error) {
      setFailure(sentenceOf(error));
    } finally {
      setBusy(false);
    }
  };
  if (result) {
    return (
      <Modal
        open
        shape="sheet"
        onClose={() => onClose(true)}
        title={doneWords(result.done)}
        footer={<Button onClick={() => onClose(true)}>Selesai</Button>}
      >
        <RefusedList title={refusedTitle} refused={result.refused} messages={messages} />
      </Modal>
    );
  }
  return (
    <Modal
      open
      shape="sheet"
      role="alertdialog"
      onClose={() => onClose(false)}
      title={title}
      footer={
        <>
          <Button variant="outline" onClick={() => onClose(false)}>
            {count === 0 ? 'Tutup' : 'Kembali'}
          </Button>
          {count > 0 && (
            <Button tone={tone} busy={busy} onClick={() => void confirm()}>
              {confirmText}
            </Button>
          )}
        </>
      }
    >
      <Alert state="danger" visible={failure !== ''} label={failure} />
      {children}
    </Modal>
  );
}

type RefusedListProps = {
  title: string;
  refused: readonly Refused[];
  messages: readonly MessageRow[];
};

const NAMED_MAX = 5;

function RefusedList({ title, refused, messages }: RefusedListProps) {
  if (refused.length === 0) return null;
  const names = new Map(messages.map((message) => [message.id, nameAndNumberOf(message)]));
  const byReason = Map.groupBy(refused, ({ error }) => error.msg);
  return (
    <div className="mt-16 small py-12 px-16 rounded sunken">
      <p className="mb-8 strong">{title}</p>
      <ul className="grid gap-8">
        {[...byReason].map(([reason, some]) => (
          <li key={reason}>
            <p>{reason}</p>
            <p className="muted num break-anywhere">
              <bdi>
                {some
                  .slice(0, NAMED_MAX)
                  .map(({ message_id: id }) => names.get(id) ?? id)
                  .join(', ')}
              </bdi>
              {some.length > NAMED_MAX && `, dan ${some.length - NAMED_MAX} lagi`}
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The props of an action on selected messages; it calls `onClose` when it is done with them. */
type SelectionProps = {
  messages: readonly MessageRow[];
  onClose: (isDone: boolean) => void;
};
