import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { type OperatorRole, operatorRoles } from '#contract/base/act.ts';
import { isolated } from '#contract/base/names.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { formatDateTime } from '#contract/base/time.ts';
import { inviteOperator, operatorRoleLabel } from '#contract/operator/operators.ts';
import type { AnswerOf } from '#web/api/answer.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import styles from '#web/features/operator/operator.module.css';
import { isOperatorQuery } from '#web/features/operator/operatorQuery.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { CheckboxGroup } from '#web/ui/form/CheckboxGroup.tsx';
import { FormActions } from '#web/ui/form/FormActions.tsx';
import { useActForm } from '#web/ui/form/useActForm.ts';
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
  const initial: { name: string; phone: string; roles: readonly OperatorRole[] } = {
    name: '',
    phone: '',
    roles: ['support'],
  };
  const { form, onSubmit, busy, error } = useActForm(inviteOperator, {
    initial,
    inputOf: ({ roles, ...rest }) => ({ ...rest, roles: [...roles] }),
    fieldOf: { phone_in_use: 'phone' },
    onDone: (answer, { values }) => {
      onInvited({ ...answer, name: values.name.trim() });
      void client.invalidateQueries({ predicate: isOperatorQuery });
    },
  });
  const foot = (
    <FormActions form={id} busy={busy} onCancel={onClose}>
      Undang
    </FormActions>
  );
  return (
    <Modal open onClose={onClose} title="Undang operator" footer={foot}>
      <form id={id} ref={form.ref} noValidate className={styles['form']} onSubmit={onSubmit}>
        <RefusalAlert error={error} />
        <TextField
          label="Nama"
          required
          autoComplete="off"
          maxLength={100}
          help="Tampil di samping semua yang ia lakukan."
          {...form.field('name')}
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
      <div className={styles['form']}>
        <Alert
          state="warning"
          visible
          label="Kata sandi ini hanya ditampilkan sekali. Sampaikan langsung kepada orangnya."
        />
        <CopyField label="Nomor" value={phone} shown={formatPhone(phone)} />
        <CopyField label="Kata sandi sekali pakai" value={password} look="code" />
        <p className="muted">
          Masuk pertama kali dengan kode ke nomor itu, paling lambat {formatDateTime(valid_until)}{' '}
          WIB. Setelah itu undangan gugur: keluarkan, lalu undang lagi.
        </p>
      </div>
    </Modal>
  );
}

type RolesProps = {
  value: readonly OperatorRole[];
  error: string | undefined;
  onChange: (roles: readonly OperatorRole[]) => void;
};

const helps: Record<OperatorRole, string> = {
  support: 'Melihat pelanggan dan menjawab layanan pelanggan.',
  money: 'Isi saldo, mutasi bank, penyesuaian, dan pembukuan.',
  admin: 'Semuanya, termasuk harga, operator, dan catatan audit.',
};

export const RolesField = ({ value, error, onChange }: RolesProps) => (
  <CheckboxGroup
    legend="Peran"
    name="roles"
    required
    options={operatorRoles.map((role) => ({
      value: role,
      label: operatorRoleLabel[role],
      help: helps[role],
    }))}
    value={value}
    error={error}
    onChange={(chosen) => onChange(operatorRoles.filter((role) => chosen.includes(role)))}
  />
);
