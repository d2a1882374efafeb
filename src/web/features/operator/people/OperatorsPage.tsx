import { UserRoundPlus } from 'lucide-react';
import { useState } from 'react';
import { type OperatorRole, operatorRoles } from '#contract/base/act.ts';
import { formatNumber } from '#contract/base/money.ts';
import { isolated } from '#contract/base/names.ts';
import { formatPhone } from '#contract/base/phone.ts';
import {
  endOperatorSessions,
  listOperators,
  type Operator,
  operatorRoleLabel,
  removeOperator,
  resetOperatorFactor,
  setOperatorRoles,
  inviteOperator,
} from '#contract/operator/operators.ts';
import styles from '#web/features/operator/operator.module.css';
import { useConfirmedAct } from '#web/features/operator/OperatorForm.tsx';
import { Hash, OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { OperatorList } from '#web/features/operator/OperatorList.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { Facts, Panel, Row } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { useQueryClient } from '@tanstack/react-query';
import { formatDateTime } from '#contract/base/time.ts';
import type { AnswerOf } from '#web/api/answer.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { isOperatorQuery } from '#web/features/operator/operatorQuery.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { CheckboxGroup } from '#web/ui/form/CheckboxGroup.tsx';
import { FormModal } from '#web/ui/form/FormModal.tsx';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { PhoneField } from '#web/ui/phone/PhoneField.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

const columns: readonly Column<Operator>[] = [
  {
    id: 'name',
    title: 'Nama',
    width: 220,
    phone: 'title',
    cell: ({ name, you }) => (
      <>
        {name}
        {you && <span className="small faint regular"> (Anda)</span>}
      </>
    ),
  },
  {
    id: 'phone',
    title: 'Nomor',
    width: 180,
    whole: true,
    phone: 'line',
    cell: ({ phone }) => <span className="num">{formatPhone(phone)}</span>,
  },
  {
    id: 'roles',
    title: 'Peran',
    width: 220,
    phone: 'note',
    cell: ({ roles }) => (
      <Row>
        {roles.map((role) => (
          <StatusChip key={role} tone={role === 'admin' ? 'primary' : 'neutral'}>
            {operatorRoleLabel[role]}
          </StatusChip>
        ))}
      </Row>
    ),
  },
  {
    id: 'second_factor',
    title: 'Verifikasi dua langkah',
    width: 190,
    phone: 'fact',
    cell: ({ second_factor }) =>
      second_factor ? (
        <StatusChip tone="success">Terpasang</StatusChip>
      ) : (
        <StatusChip tone="warning">Belum ada</StatusChip>
      ),
  },
  {
    id: 'signed_in_at',
    title: 'Terakhir masuk',
    width: 190,
    phone: 'fact',
    cell: ({ signed_in_at, invited_until }) =>
      signed_in_at ? (
        <DateTime at={signed_in_at} />
      ) : (
        <StatusChip tone="info">{invitationWord(invited_until)}</StatusChip>
      ),
  },
  {
    id: 'sessions',
    title: 'Sesi',
    align: 'end',
    width: 90,
    phone: 'fact',
    cell: ({ sessions }) => formatNumber(sessions),
  },
];

const invitationWord = (until: Date | null): string => {
  if (until === null) return 'Belum pernah masuk';
  return until.getTime() > Date.now() ? 'Diundang' : 'Undangan kedaluwarsa';
};

/** Route `/operator/operator`: the operators and their roles. */
export function OperatorsPage() {
  const [isInviting, setInviting] = useState(false);
  return (
    <OperatorFrame
      title="Operator"
      context="Siapa yang menjalankan Kabari di sini, dan apa yang boleh mereka lakukan."
      action={
        <Button icon={<UserRoundPlus size={18} />} onClick={() => setInviting(true)}>
          Undang operator
        </Button>
      }
    >
      <OperatorList
        to="/operator/operator"
        act={listOperators}
        caption="Operator"
        columns={columns}
        rowKey={({ user_id }) => user_id}
        drawer={{
          name: 'Operator',
          title: ({ name }) => name,
          missing: 'Operator ini tidak ada lagi.',
          children: (operator, { close }) => <Details operator={operator} onClose={close} />,
        }}
      />
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </OperatorFrame>
  );
}

function Details({ operator, onClose }: { operator: Operator; onClose: () => void }) {
  const { phone, sessions, second_factor, signed_in_at, invited_until, user_id } = operator;
  return (
    <>
      <Facts
        facts={[
          { term: 'Nomor', is: <span className="num">{formatPhone(phone)}</span> },
          { term: 'Verifikasi dua langkah', is: second_factor ? 'Terpasang' : 'Belum ada' },
          {
            term: 'Terakhir masuk',
            is: signed_in_at ? <DateTime at={signed_in_at} /> : 'Belum pernah',
          },
          invited_until && { term: 'Undangan berlaku sampai', is: <DateTime at={invited_until} /> },
          { term: 'Sesi', is: formatNumber(sessions) },
          { term: 'ID', is: <Hash>{user_id}</Hash> },
        ]}
      />
      <Row>
        <LinkButton to="/operator/audit" search={{ user: user_id }} size="sm" variant="outline">
          Lihat catatan auditnya
        </LinkButton>
      </Row>
      <Roles operator={operator} />
      <Ends operator={operator} onRemoved={onClose} />
    </>
  );
}

function Roles({ operator: { user_id, name, roles, you } }: { operator: Operator }) {
  const change = useConfirmedAct(setOperatorRoles);
  const initial: { roles: readonly OperatorRole[] } = {
    roles: operatorRoles.filter((role) => roles.includes(role)),
  };
  const inputOf = (values: typeof initial) => ({ user_id, roles: [...values.roles] });
  const form = useForm(initial, (values) => fieldErrors(setOperatorRoles, inputOf(values)));
  const isSame = form.values.roles.join() === initial.roles.join();
  const onSubmit = form.submit((values) =>
    change(inputOf(values), {
      title: `Ubah peran ${isolated(name)}?`,
      text: you
        ? 'Ini peran Anda sendiri. Yang tidak lagi termasuk langsung tidak dapat Anda buka.'
        : 'Berlaku dalam satu detik, juga di halaman yang sedang terbuka.',
      button: 'Ubah peran',
      said: 'Peran sudah diubah.',
    }),
  );
  return (
    <Panel>
      <form ref={form.ref} noValidate className={styles['form']} onSubmit={onSubmit}>
        <RolesField
          value={form.values.roles}
          error={form.errors.roles}
          onChange={(chosen) => form.set('roles', chosen)}
        />
        <div className="flex wrap justify-end gap-8">
          <Button type="submit" disabled={isSame}>
            Simpan peran
          </Button>
        </div>
      </form>
    </Panel>
  );
}

function Ends({ operator, onRemoved }: { operator: Operator; onRemoved: () => void }) {
  const { user_id, name, you, sessions, second_factor, last_admin } = operator;
  const endSessions = useConfirmedAct(endOperatorSessions);
  const resetFactor = useConfirmedAct(resetOperatorFactor);
  const removeOne = useConfirmedAct(removeOperator);
  const whom = isolated(name);
  const end = () =>
    endSessions(
      { user_id },
      {
        title: you ? 'Akhiri sesi Anda yang lain?' : `Akhiri semua sesi ${whom}?`,
        text: you
          ? 'Browser ini tetap masuk. Di semua browser lain Anda harus masuk kembali.'
          : `${whom} harus masuk kembali, dengan kode verifikasi.`,
        button: 'Akhiri sesi',
        tone: 'danger',
        said: 'Sesi sudah diakhiri.',
      },
    );
  const reset = () =>
    resetFactor(
      { user_id },
      {
        title: `Hapus verifikasi dua langkah ${whom}?`,
        text: 'Untuk yang kehilangan ponsel atau kuncinya. Semua sesinya berakhir; setelah masuk kembali ia memasang yang baru.',
        button: 'Hapus verifikasi dua langkah',
        tone: 'danger',
        said: 'Verifikasi dua langkah sudah dihapus.',
      },
    );
  const remove = () =>
    removeOne(
      { user_id },
      {
        title: you ? 'Keluarkan diri Anda?' : `Keluarkan ${whom}?`,
        text: 'Semua sesinya berakhir saat ini juga dan nomornya bebas dipakai lagi. Namanya tetap ada pada semua yang pernah ia lakukan.',
        button: 'Keluarkan',
        tone: 'danger',
        said: `${whom} sudah dikeluarkan.`,
        onDone: onRemoved,
      },
    );
  return (
    <Panel title="Akses">
      {last_admin && (
        <p className="muted">
          {you ? 'Anda' : name} admin terakhir: perannya tidak dapat dicabut dan ia tidak dapat
          dikeluarkan. Jadikan operator lain admin lebih dulu.
        </p>
      )}
      <Row>
        <Button variant="outline" disabled={sessions === 0} onClick={end}>
          Akhiri sesi
        </Button>
        {second_factor && !you && (
          <Button variant="outline" onClick={reset}>
            Hapus verifikasi dua langkah
          </Button>
        )}
        {!last_admin && (
          <Button variant="outline" tone="danger" onClick={remove}>
            Keluarkan
          </Button>
        )}
      </Row>
    </Panel>
  );
}

type Invited = AnswerOf<typeof inviteOperator>;

/** Invites an operator; their initial password is shown once, here. */
function InviteDialog({ onClose }: { onClose: () => void }) {
  const [invited, setInvited] = useState<Invited & { name: string }>();
  if (invited) return <HandOver invited={invited} onClose={onClose} />;
  return <Ask onClose={onClose} onInvited={setInvited} />;
}

type AskProps = { onClose: () => void; onInvited: (invited: Invited & { name: string }) => void };

function Ask({ onClose, onInvited }: AskProps) {
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
  return (
    <FormModal
      formRef={form.ref}
      onClose={onClose}
      title="Undang operator"
      submit="Undang"
      {...{ busy, onSubmit }}
    >
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
        required
        autoComplete="off"
        help="Untuk masuk, dan untuk kode verifikasi di browser baru."
        {...form.field('phone')}
      />
      <RolesField
        value={form.values.roles}
        error={form.errors.roles}
        onChange={(roles) => form.set('roles', roles)}
      />
      <PasswordQuestion of={inviteOperator} />
    </FormModal>
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

const RolesField = ({ value, error, onChange }: RolesProps) => (
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
