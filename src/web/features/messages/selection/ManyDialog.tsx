import { useState, type ReactNode } from 'react';
import type { MessageRow } from '#contract/messages.ts';
import type { Refused } from '#contract/messages/history.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { RefusedList } from '#web/features/messages/selection/RefusedList.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Result = { done: number; refused: readonly Refused[] };

type Props = {
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

export function ManyDialog({ title, confirmText, tone = 'primary', count, ...props }: Props) {
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
          <Button variant="outline" tone="neutral" onClick={() => onClose(false)}>
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
