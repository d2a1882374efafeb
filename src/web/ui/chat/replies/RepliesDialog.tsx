import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState, useEffect } from 'react';
import { type QuickReply, REPLY_MAX } from '#contract/messages/sending.ts';
import { useAct } from '#web/api/query.ts';
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
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { useActForm } from '#web/ui/form/useActForm.ts';
import type { Form } from '#web/ui/form/useForm.ts';
import { TextArea, TextField } from '#web/ui/text/TextField.tsx';
import styles from '#web/ui/chat/composer/composer.module.css';
import { classes } from '#web/ui/classes.ts';

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
  const icon = <Plus size={18} />;
  const add = (
    <Button {...(returns && { ref: takeFocus })} icon={icon} onClick={() => onWrite(undefined)}>
      Tambah {words.one}
    </Button>
  );
  if (error && !all) return <WentWrong query={{ error, refetch }} />;
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
        <p className={classes('muted', styles['note'])}>
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
      confirmText: 'Hapus',
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
        <p className="muted break-anywhere clamp-3 pre-line">{reply.text}</p>
      </div>
      <div className="flex gap-8">
        <Button
          square
          size="sm"
          variant="outline"
          aria-label={`Ubah /${reply.name}`}
          onClick={onEdit}
        >
          <Pencil size={16} />
        </Button>
        <Button
          square
          size="sm"
          variant="outline"
          tone="danger"
          aria-label={`Hapus /${reply.name}`}
          onClick={ask}
        >
          <Trash2 size={16} />
        </Button>
      </div>
    </li>
  );
}

type FormProps = {
  of: Replies;
  reply: QuickReply | undefined;
  /** True while there are unsaved changes. */
  onDirty: (isDirty: boolean) => void;
  onDone: () => void;
  onLeave: () => void;
};

/** The form of a reply; an existing reply keeps its name, by which people know it. */
function ReplyForm({ of, reply, onDirty, onDone, onLeave }: FormProps) {
  const client = useQueryClient();
  const { form, onSubmit, busy, error } = useActForm(of.save, {
    initial: { name: reply?.name ?? '', text: reply?.text ?? '' },
    inputOf: (values) => values,
    onDone: (saved) => {
      client.setQueryData(
        repliesQuery(of).queryKey,
        (all) =>
          all &&
          [...all.filter(({ name }) => name !== saved.name), saved].toSorted((a, b) =>
            a.name < b.name ? -1 : 1,
          ),
      );
      toast(`/${saved.name} tersimpan.`, { tone: 'success' });
      onDone();
    },
  });
  useBegun(form, reply, onDirty);
  return (
    <form ref={form.ref} noValidate className="stack gap-16" onSubmit={onSubmit}>
      <RefusalAlert error={error} fields={['name', 'text']} />
      <TextField
        label="Nama"
        required
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        prefix="/"
        maxLength={REPLY_MAX.name}
        readOnly={reply !== undefined}
        help={
          reply
            ? 'Nama tetap; hapus dan buat baru untuk menggantinya.'
            : 'Yang diketik setelah garis miring, misalnya salam.'
        }
        {...form.field('name')}
      />
      <TextArea
        label="Isi"
        required
        rows={6}
        counter
        maxLength={REPLY_MAX.text}
        help={`{nama} diganti ${of.words.person}.`}
        {...form.field('text')}
      />
      <div className="flex wrap justify-end gap-8">
        <Button variant="outline" onClick={onLeave}>
          Batal
        </Button>
        <Button type="submit" busy={busy}>
          Simpan
        </Button>
      </div>
    </form>
  );
}

type Values = { name: string; text: string };

/** Focuses the first field, because the button that opened the form is gone; reports unsaved changes. */
function useBegun(
  { ref, values: { name, text } }: Form<Values>,
  reply: QuickReply | undefined,
  onDirty: (isDirty: boolean) => void,
): void {
  const first = reply ? 'textarea' : 'input';
  useEffect(() => ref.current?.querySelector<HTMLElement>(first)?.focus(), [ref, first]);
  const isDirty = name !== (reply?.name ?? '') || text !== (reply?.text ?? '');
  useEffect(() => onDirty(isDirty), [onDirty, isDirty]);
}
