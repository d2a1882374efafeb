import { isolated } from '#contract/base/names.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { OperatorRole } from '#contract/base/act.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { formatDateTime } from '#contract/base/time.ts';
import { inviteOperator } from '#contract/operator/operators.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import type { AnswerOf } from '#web/api/answer.ts';
import { isAbort, sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import desk from '#web/features/operator/form/form.module.css';
import { isOperatorQuery } from '#web/features/operator/form/useOperatorForm.tsx';
import { RolesField } from '#web/features/operator/people/RolesField.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { FormActions } from '#web/ui/form/FormActions.tsx';
import { useForm } from '#web/ui/form/useForm.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { PhoneField } from '#web/ui/phone/PhoneField.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

type Invited = AnswerOf<typeof inviteOperator>;

/** Invites an operator; their initial password is shown once, here. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [invited, setInvited] = useState<Invited & { name: string }>();
  if (invited) return <HandOver invited={invited} onClose={onClose} />;
  return <Ask onClose={onClose} onInvited={setInvited} />;
}

type AskProps = { onClose: () => void; onInvited: (invited: Invited & { name: string }) => void };

function Ask({ onClose, onInvited }: AskProps) {
  const id = useId();
  const client = useQueryClient();
  const invite = useAct(inviteOperator);
  const [wrong, setWrong] = useState<Error>();
  const initial: { name: string; phone: string; roles: readonly OperatorRole[] } = {
    name: '',
    phone: '',
    roles: ['support'],
  };
  const inputOf = ({ roles, ...rest }: typeof initial) => ({ ...rest, roles: [...roles] });
  const form = useForm(initial, (values) => fieldErrors(inviteOperator, inputOf(values)));
  const onSubmit = form.submit(async (values) => {
    setWrong(undefined);
    try {
      onInvited({ ...(await invite.perform(inputOf(values))), name: values.name.trim() });
      void client.invalidateQueries({ predicate: isOperatorQuery });
    } catch (no) {
      if (isAbort(no) || form.refuse(no, { phone_in_use: 'phone' })) return;
      setWrong(no instanceof Error ? no : new Error(String(no)));
    }
  });
  const foot = (
    <FormActions form={id} busy={invite.busy} onCancel={onClose}>
      Undang
    </FormActions>
  );
  return (
    <Modal open onClose={onClose} title="Undang operator" footer={foot}>
      <form id={id} ref={form.ref} noValidate className={desk['form']} onSubmit={onSubmit}>
        <Alert
          state="danger"
          visible={wrong !== undefined}
          label={wrong ? sentenceOf(wrong) : ''}
        />
        <TextField
          label="Nama"
          name="name"
          required
          autoComplete="off"
          maxLength={100}
          help="Tampil di samping semua yang ia lakukan."
          value={form.values.name}
          error={form.errors.name}
          onChange={({ target }) => form.set('name', target.value)}
          onBlur={() => form.leave('name')}
        />
        <PhoneField
          label="Nomor ponsel"
          name="phone"
          required
          autoComplete="off"
          help="Untuk masuk, dan untuk kode verifikasi di browser baru."
          value={form.values.phone}
          error={form.errors.phone}
          onChange={(digits) => form.set('phone', digits)}
          onBlur={() => form.leave('phone')}
        />
        <RolesField
          value={form.values.roles}
          error={form.errors.roles}
          onChange={(roles) => form.set('roles', roles)}
        />
        <PasswordQuestion of={inviteOperator} />
      </form>
    </Modal>
  );
}

type HandOverProps = { invited: Invited & { name: string }; onClose: () => void };

function HandOver({ invited: { name, phone, password, valid_until }, onClose }: HandOverProps) {
  return (
    <Modal
      open
      onClose={onClose}
      title={`Undangan untuk ${isolated(name)}`}
      footer={<Button onClick={onClose}>Selesai</Button>}
    >
      <div className={desk['form']}>
        <Alert
          state="warning"
          visible
          label="Kata sandi ini hanya ditampilkan sekali. Sampaikan langsung kepada orangnya."
        />
        <CopyField label="Nomor" value={phone} shown={formatPhone(phone)} />
        <CopyField label="Kata sandi sekali pakai" value={password} look="code" />
        <p className={desk['note']}>
          Masuk pertama kali dengan kode ke nomor itu, paling lambat {formatDateTime(valid_until)}{' '}
          WIB. Setelah itu undangan gugur: keluarkan, lalu undang lagi.
        </p>
      </div>
    </Modal>
  );
}
