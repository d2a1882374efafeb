import { type FormEvent, useId, useState, type ReactNode } from 'react';
import { sentenceOf } from '#web/api/errors.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { classes } from '#web/ui/classes.ts';
import { createRoot } from 'react-dom/client';
import { createStore, useStore } from '#web/browser/store.ts';

export type Question = {
  title: ReactNode;
  children?: ReactNode;
  /** Default 'Cancel'; of `confirm` 'Batal'. */
  cancelText?: string;
  /** Default 'Delete'; screens use 'Hapus', 'Keluar' and so on. */
  confirmText?: string;
  /** `danger` unless it can be undone. */
  tone?: 'danger' | 'primary';
  /** Runs while the dialog waits; an error is shown inside, and the dialog stays open. */
  onConfirm?: () => unknown;
};

type Props = Question & {
  open: boolean;
  /** Called with true after the confirmed action, false otherwise. */
  onClose: (confirmed: boolean) => void;
};

function useConfirmation(onConfirm: Props['onConfirm'], onClose: Props['onClose']) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const close = (confirmed: boolean) => {
    setFailure(undefined);
    onClose(confirmed);
  };
  const confirm = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await onConfirm?.();
      close(true);
    } catch (error) {
      setFailure(sentenceOf(error) || undefined);
    } finally {
      setBusy(false);
    }
  };
  return { busy, failure, close, confirm };
}

/** Asks for confirmation, in a form: the question may hold fields. The focus starts on the cancel button. */
export function ConfirmDialog({
  open,
  onClose,
  title,
  children,
  cancelText = 'Cancel',
  confirmText = 'Delete',
  tone = 'danger',
  onConfirm,
}: Props) {
  const form = useId();
  const { busy, failure, close, confirm } = useConfirmation(onConfirm, onClose);
  const foot = (
    <>
      {/* React does not render autoFocus as an attribute, and `<dialog>` looks for the attribute. */}
      <Button
        variant="outline"
        ref={(button) => button?.setAttribute('autofocus', '')}
        aria-disabled={busy || undefined}
        onClick={() => busy || close(false)}
      >
        {cancelText}
      </Button>
      <Button type="submit" form={form} tone={tone} busy={busy}>
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
      <form id={form} noValidate className="stack gap-16" onSubmit={(event) => void confirm(event)}>
        {children}
      </form>
      <div className={classes(failure !== undefined && 'mt-16')}>
        <Alert state="danger" visible={failure !== undefined} label={failure ?? ''} />
      </div>
    </Modal>
  );
}

type OpenQuestion = { turn: number; question: Question; answer: (confirmed: boolean) => void };

const openQuestion = createStore<OpenQuestion | undefined>(() => undefined);
let turns = 0;
let mounted = false;

function answer(confirmed: boolean): void {
  openQuestion.get()?.answer(confirmed);
  openQuestion.set(undefined);
}

/** Asks a question; an open one is answered with no. */
export function ask(question: Question): Promise<boolean> {
  mount();
  answer(false);
  turns += 1;
  const turn = turns;
  return new Promise((resolve) => openQuestion.set({ turn, question, answer: resolve }));
}

/** A separate React root, so that any code may ask on any page. */
function mount(): void {
  if (mounted) return;
  mounted = true;
  const container = document.body.appendChild(document.createElement('div'));
  createRoot(container).render(<Host />);
}

function Host() {
  const now = useStore(openQuestion);
  if (!now) return null;
  return <ConfirmDialog key={now.turn} {...now.question} open onClose={answer} />;
}
