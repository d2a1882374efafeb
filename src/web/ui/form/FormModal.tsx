import { type ComponentProps, type FormEvent, type ReactNode, type Ref, useId } from 'react';
import { FormActions } from '#web/ui/form/FormActions.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { Stack } from '#web/ui/panel/Panel.tsx';

type Props = Pick<
  ComponentProps<typeof Modal>,
  'title' | 'size' | 'shape' | 'addressed' | 'onClose'
> & {
  formRef?: Ref<HTMLFormElement>;
  /** The label of the button that submits; without one there is nothing to submit. */
  submit: string | undefined;
  tone?: 'danger';
  busy: boolean;
  onSubmit: (event: FormEvent) => void;
  children: ReactNode;
};

/** A dialog that is one form, with its actions at the foot. */
export function FormModal({ formRef, submit, tone, busy, onSubmit, children, ...modal }: Props) {
  const form = useId();
  const { onClose } = modal;
  return (
    <Modal
      open
      {...modal}
      footer={
        <FormActions form={form} busy={busy} onCancel={onClose} {...(tone && { tone })}>
          {submit}
        </FormActions>
      }
    >
      <form
        id={form}
        ref={formRef}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit(event);
        }}
      >
        <Stack>{children}</Stack>
      </form>
    </Modal>
  );
}
