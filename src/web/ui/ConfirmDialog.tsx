import { useRef, useState, type ReactNode } from 'react';
import { Alert } from '#web/ui/Alert.tsx';
import { Button } from '#web/ui/Button.tsx';
import { Modal } from '#web/ui/Modal.tsx';

export type Question = {
  title: ReactNode;
  children?: ReactNode;
  /** Default 'Cancel'; screens say 'Batal'. */
  cancelText?: string;
  /** Default 'Delete'; screens say 'Hapus', 'Keluar' and so on. */
  confirmText?: string;
  /** `danger` unless it can be undone. */
  tone?: 'danger' | 'primary';
  /** Done while the dialog waits; what it throws is shown inside, and the dialog stays. */
  onConfirm?: () => void | Promise<void>;
  /** The sentence for what `onConfirm` threw. */
  sentenceOf?: (error: unknown) => string;
};

type Props = Question & {
  open: boolean;
  /** Called with true after it was confirmed (and done), false when it was not. */
  onClose: (confirmed: boolean) => void;
};

const plainSentence = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Asks before something that matters. The focus starts on the way out, never on the deed. */
export function ConfirmDialog({
  open,
  onClose,
  title,
  children,
  cancelText = 'Cancel',
  confirmText = 'Delete',
  tone = 'danger',
  onConfirm,
  sentenceOf = plainSentence,
}: Props) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const close = (confirmed: boolean) => {
    setFailure(undefined);
    onClose(confirmed);
  };
  const confirm = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await onConfirm?.();
      close(true);
    } catch (error) {
      setFailure(sentenceOf(error));
    } finally {
      setBusy(false);
    }
  };
  const foot = (
    <>
      {/* React does not render autoFocus as an attribute, and `<dialog>` looks for the attribute. */}
      <Button
        variant="outline"
        tone="neutral"
        ref={(button) => button?.setAttribute('autofocus', '')}
        onClick={() => close(false)}
      >
        {cancelText}
      </Button>
      <Button tone={tone} busy={busy} onClick={() => void confirm()}>
        {confirmText}
      </Button>
    </>
  );
  return (
    <Modal
      open={open}
      onClose={() => busy || close(false)}
      title={title}
      size="sm"
      role="alertdialog"
      footer={foot}
    >
      {children}
      <Alert state="danger" visible={failure !== undefined} label={failure ?? ''} />
    </Modal>
  );
}

/**
 * Confirming as a promise: `const [confirm, dialog] = useConfirm()`, put `{dialog}` in the page, then
 * `if (await confirm({ title: 'Hapus token?', confirmText: 'Hapus', cancelText: 'Batal' })) …`.
 */
export function useConfirm(): [(question: Question) => Promise<boolean>, ReactNode] {
  const [question, setQuestion] = useState<Question>();
  const answer = useRef<(confirmed: boolean) => void>(undefined);
  const confirm = (asked: Question) =>
    new Promise<boolean>((resolve) => {
      answer.current?.(false);
      answer.current = resolve;
      setQuestion(asked);
    });
  const close = (confirmed: boolean) => {
    answer.current?.(confirmed);
    answer.current = undefined;
    setQuestion(undefined);
  };
  return [confirm, question && <ConfirmDialog {...question} open onClose={close} />];
}
