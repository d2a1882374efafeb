import { type ComponentProps, type ReactNode, useId } from 'react';
import { FormActions } from '#web/ui/form/FormActions.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { Stack } from '#web/ui/panel/Panel.tsx';

type Props = Pick<ComponentProps<typeof Modal>, 'title' | 'size' | 'shape' | 'onClose'> & {
  /** The label of the button that submits. */
  submit: string;
  busy: boolean;
  onSubmit: () => void;
  children: ReactNode;
};

/** A dialog that is one form, with its actions at the foot. */
export function FormModal({ submit, busy, onSubmit, onClose, children, ...modal }: Props) {
  const form = useId();
  return (
    <Modal
      open
      {...modal}
      onClose={onClose}
      footer={
        <FormActions form={form} busy={busy} onCancel={onClose}>
          {submit}
        </FormActions>
      }
    >
      <form
        id={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        <Stack>{children}</Stack>
      </form>
    </Modal>
  );
}
