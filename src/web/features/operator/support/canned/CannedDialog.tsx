import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { deleteCanned, type CannedReply } from '#contract/operator/support.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import styles from '#web/features/operator/support/canned/CannedDialog.module.css';
import { CannedForm } from '#web/features/operator/support/canned/CannedForm.tsx';
import { useGuardedClose } from '#web/features/operator/desk/useGuardedClose.ts';
import { Loaded } from '#web/features/operator/desk/Loaded.tsx';
import { cannedQuery } from '#web/features/operator/support/queries.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

/** The reply that is written: one that stands, or a new one. */
type Writing = { reply: CannedReply | undefined };

/** The canned replies: all of them, and each to be written, changed and deleted. */
export function CannedDialog({ onClose }: { onClose: () => void }) {
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
    ? 'Jawaban siap pakai'
    : writing.reply
      ? `Ubah /${writing.reply.name}`
      : 'Jawaban baru';
  return (
    <Modal addressed open size="lg" onClose={close} title={title}>
      {writing ? (
        <CannedForm reply={writing.reply} onDirty={setDirty} onDone={toList} onLeave={leave} />
      ) : (
        <All
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
  /** Somebody comes back from the form: the focus goes on with them. */
  returns: boolean;
  onWrite: (reply: CannedReply | undefined) => void;
};

const takeFocus = (button: HTMLButtonElement | null) => button?.focus();

function All({ returns, onWrite }: AllProps) {
  const replies = useQuery({ ...cannedQuery, staleTime: 0 });
  const add = (
    <Button
      {...(returns && { ref: takeFocus })}
      icon={<Plus size={18} aria-hidden="true" />}
      onClick={() => onWrite(undefined)}
    >
      Tambah jawaban
    </Button>
  );
  return (
    <Loaded query={replies}>
      {(all) =>
        all.length === 0 ? (
          <EmptyState title="Belum ada jawaban siap pakai" action={add}>
            Tulis sekali jawaban yang sering dipakai, lalu panggil dengan mengetik / di kotak
            jawaban.
          </EmptyState>
        ) : (
          <div className={styles['all']}>
            <div className={styles['head']}>
              <p className={styles['note']}>
                Ketik / di kotak jawaban untuk memakainya. {'{nama}'} diganti nama pelanggan.
              </p>
              {add}
            </div>
            <ul className={styles['rows']} aria-label="Jawaban siap pakai">
              {all.map((reply) => (
                <Line key={reply.name} reply={reply} onEdit={() => onWrite(reply)} />
              ))}
            </ul>
          </div>
        )
      }
    </Loaded>
  );
}

function Line({ reply, onEdit }: { reply: CannedReply; onEdit: () => void }) {
  const client = useQueryClient();
  const drop = useAct(deleteCanned);
  const ask = () =>
    void confirm({
      title: `Hapus /${reply.name}?`,
      children: 'Operator lain tidak dapat memakainya lagi.',
      cancelText: 'Batal',
      confirmText: 'Hapus',
      sentenceOf,
      onConfirm: async () => {
        await drop.perform({ name: reply.name });
        client.setQueryData(cannedQuery.queryKey, (all) =>
          all?.filter(({ name }) => name !== reply.name),
        );
        toast(`/${reply.name} dihapus.`, { tone: 'success' });
      },
    });
  return (
    <li className={styles['row']}>
      <div className={styles['words']}>
        <span className={styles['name']}>/{reply.name}</span>
        <p className={styles['text']}>{reply.text}</p>
      </div>
      <div className={styles['actions']}>
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
