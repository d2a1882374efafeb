import { useState } from 'react';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import type { Question } from '#web/ui/overlay/question.ts';
import styles from '#web/ui/overlay/ConfirmDialog.module.css';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { classes } from '#web/ui/classes.ts';

type Props = Question & {
  open: boolean;
  /** Called with true after the confirmed action, false otherwise. */
  onClose: (confirmed: boolean) => void;
};

const plainSentence = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Asks for confirmation. The focus starts on the cancel button. */
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
        aria-disabled={busy || undefined}
        onClick={() => busy || close(false)}
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
      shape="sheet"
      role="alertdialog"
      footer={foot}
    >
      {children}
      <div className={classes(failure !== undefined && styles['failed'])}>
        <Alert state="danger" visible={failure !== undefined} label={failure ?? ''} />
      </div>
    </Modal>
  );
}
