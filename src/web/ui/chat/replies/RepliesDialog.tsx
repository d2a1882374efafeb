import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { type QuickReply, REPLY_MAX } from '#contract/messages/sending.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import styles from '#web/ui/chat/composer/composer.module.css';
import { classes } from '#web/ui/classes.ts';
import { ReplyForm } from '#web/ui/chat/replies/ReplyForm.tsx';
import { repliesQuery, type Replies } from '#web/ui/chat/replies/stored.ts';
import { useGuardedClose } from '#web/ui/overlay/useGuardedClose.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { LimitedButton } from '#web/ui/button/LimitedButton.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { useSkeleton } from '#web/ui/skeleton/useSkeleton.ts';
import { toast } from '#web/ui/toast/toasts.ts';

type Writing = { reply: QuickReply | undefined };

type Props = {
  of: Replies;
  /** Open because the address says so. */
  addressed?: boolean;
  onClose: () => void;
};

/** Manages quick replies: create, change, delete. */
export function RepliesDialog({ of, addressed = false, onClose }: Props) {
  const [writing, setWriting] = useState<Writing>();
  const [hasWritten, setHasWritten] = useState(false);
  const [isDirty, setDirty] = useState(false);
  const close = useGuardedClose(isDirty, onClose);
  const toList = () => {
    setDirty(false);
    setWriting(undefined);
  };
  const leave = useGuardedClose(isDirty, toList);
  const title = !writing
    ? of.words.title
    : writing.reply
      ? `Ubah /${writing.reply.name}`
      : `Tambah ${of.words.one}`;
  return (
    <Modal addressed={addressed} open size="lg" onClose={close} title={title}>
      {writing ? (
        <ReplyForm
          of={of}
          reply={writing.reply}
          onDirty={setDirty}
          onDone={toList}
          onLeave={leave}
        />
      ) : (
        <All
          of={of}
          returns={hasWritten}
          onWrite={(reply) => {
            setHasWritten(true);
            setWriting({ reply });
          }}
        />
      )}
    </Modal>
  );
}

type AllProps = {
  of: Replies;
  returns: boolean;
  onWrite: (reply: QuickReply | undefined) => void;
};

const takeFocus = (button: HTMLButtonElement | null) => button?.focus();

function All({ of, returns, onWrite }: AllProps) {
  const { words } = of;
  const { data: all, error, refetch } = useQuery({ ...repliesQuery(of), staleTime: 0 });
  const waiting = useSkeleton(all === undefined && !error);
  const icon = <Plus size={18} aria-hidden="true" />;
  const add = (
    <Button {...(returns && { ref: takeFocus })} icon={icon} onClick={() => onWrite(undefined)}>
      Tambah {words.one}
    </Button>
  );
  if (error && !all) {
    return <WentWrong message={sentenceOf(error)} onRetry={() => void refetch()} />;
  }
  if (!all || waiting) {
    return <div aria-busy="true">{waiting && <Skeleton lines={6} height="1.4em" />}</div>;
  }
  if (all.length === 0) {
    return (
      <EmptyState title={`Belum ada ${words.title.toLowerCase()}`} action={add}>
        Tulis sekali {words.one} yang sering dipakai, lalu panggil dengan mengetik / di kotak pesan.
      </EmptyState>
    );
  }
  return (
    <div className="stack gap-16">
      <div className="row wrap justify-between gap-12">
        <p className={styles['note']}>
          Ketik / di kotak pesan untuk memakainya. {'{nama}'} diganti {words.person}.
        </p>
        {all.length < REPLY_MAX.all ? (
          add
        ) : (
          <LimitedButton
            icon={icon}
            reason={`Sudah ada ${REPLY_MAX.all} ${words.title.toLowerCase()}. Hapus yang tidak dipakai lagi.`}
          >
            Tambah {words.one}
          </LimitedButton>
        )}
      </div>
      <ul className="stack" aria-label={words.title}>
        {all.map((reply) => (
          <Line key={reply.name} of={of} reply={reply} onEdit={() => onWrite(reply)} />
        ))}
      </ul>
    </div>
  );
}

type LineProps = { of: Replies; reply: QuickReply; onEdit: () => void };

function Line({ of, reply, onEdit }: LineProps) {
  const client = useQueryClient();
  const drop = useAct(of.remove);
  const ask = () =>
    void confirm({
      title: `Hapus /${reply.name}?`,
      children: of.words.others,
      cancelText: 'Batal',
      confirmText: 'Hapus',
      sentenceOf,
      onConfirm: async () => {
        await drop.perform({ name: reply.name });
        client.setQueryData(repliesQuery(of).queryKey, (all) =>
          all?.filter(({ name }) => name !== reply.name),
        );
        toast(`/${reply.name} dihapus.`, { tone: 'success' });
      },
    });
  return (
    <li className="flex align-start gap-12 py-12 border-t">
      <div className="fill">
        <span className="text-accent strong">/{reply.name}</span>
        <p className={classes('muted break-anywhere clamp-3', styles['text'])}>{reply.text}</p>
      </div>
      <div className="flex gap-8">
        <Button
          square
          size="sm"
          variant="outline"
          tone="neutral"
          aria-label={`Ubah /${reply.name}`}
          onClick={onEdit}
        >
          <Pencil size={16} aria-hidden="true" />
        </Button>
        <Button
          square
          size="sm"
          variant="outline"
          tone="danger"
          aria-label={`Hapus /${reply.name}`}
          onClick={ask}
        >
          <Trash2 size={16} aria-hidden="true" />
        </Button>
      </div>
    </li>
  );
}
