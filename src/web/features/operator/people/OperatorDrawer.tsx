import { isolated } from '#contract/base/names.ts';
import { useQueryClient } from '@tanstack/react-query';
import { type Act, type InputFor, type OperatorRole, operatorRoles } from '#contract/base/act.ts';
import { formatNumber } from '#contract/base/money.ts';
import { formatPhone } from '#contract/base/phone.ts';
import {
  type Operator,
  endOperatorSessions,
  removeOperator,
  resetOperatorFactor,
  setOperatorRoles,
} from '#contract/operator/operators.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import desk from '#web/features/operator/form/form.module.css';
import { isOperatorQuery } from '#web/features/operator/form/useOperatorForm.tsx';
import { RolesField } from '#web/features/operator/people/RolesField.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { EmptyState } from '#web/ui/panel/EmptyState.tsx';
import { Facts, Panel, Row } from '#web/ui/panel/Panel.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Props = {
  /** `undefined` while it loads, and when it is on no loaded page. */
  operator: Operator | undefined;
  loading: boolean;
  onClose: () => void;
};

export function OperatorDrawer({ operator, loading, onClose }: Props) {
  return (
    <Drawer addressed open onClose={onClose} title={operator?.name ?? 'Operator'}>
      {operator ? (
        <Details operator={operator} onClose={onClose} />
      ) : loading ? (
        <div aria-busy="true">
          <Skeleton lines={6} height="1.4em" />
        </div>
      ) : (
        <EmptyState title="Operator ini tidak ada lagi." />
      )}
    </Drawer>
  );
}

function Details({ operator, onClose }: { operator: Operator; onClose: () => void }) {
  const { phone, sessions, second_factor, signed_in_at, invited_until, user_id } = operator;
  return (
    <div className={desk['drawer']}>
      <Facts
        facts={[
          { term: 'Nomor', is: <span className="num">{formatPhone(phone)}</span> },
          { term: 'Verifikasi dua langkah', is: second_factor ? 'Terpasang' : 'Belum ada' },
          {
            term: 'Terakhir masuk',
            is: signed_in_at ? <DateTime at={signed_in_at} /> : 'Belum pernah',
          },
          ...(invited_until
            ? [{ term: 'Undangan berlaku sampai', is: <DateTime at={invited_until} /> }]
            : []),
          { term: 'Sesi', is: formatNumber(sessions) },
          { term: 'ID', is: <span className={desk['hash']}>{user_id}</span> },
        ]}
      />
      <Row>
        <LinkButton
          to="/operator/audit"
          search={{ user: user_id }}
          size="sm"
          variant="outline"
          tone="neutral"
        >
          Lihat catatan auditnya
        </LinkButton>
      </Row>
      <Roles operator={operator} />
      <Ends operator={operator} onRemoved={onClose} />
    </div>
  );
}

function Roles({ operator: { user_id, name, roles, you } }: { operator: Operator }) {
  const change = useOperatorAct(setOperatorRoles, {
    title: `Ubah peran ${isolated(name)}?`,
    text: you
      ? 'Ini peran Anda sendiri. Yang tidak lagi termasuk langsung tidak dapat Anda buka.'
      : 'Berlaku dalam satu detik, juga di halaman yang sedang terbuka.',
    button: 'Ubah peran',
    said: 'Peran sudah diubah.',
    tone: 'primary',
  });
  const initial: { roles: readonly OperatorRole[] } = {
    roles: operatorRoles.filter((role) => roles.includes(role)),
  };
  const inputOf = (values: typeof initial) => ({ user_id, roles: [...values.roles] });
  const form = useForm(initial, (values) => fieldErrors(setOperatorRoles, inputOf(values)));
  const isSame = form.values.roles.join() === initial.roles.join();
  const onSubmit = form.submit((values) => change(inputOf(values)));
  return (
    <Panel>
      <form ref={form.ref} noValidate className={desk['form']} onSubmit={onSubmit}>
        <RolesField
          value={form.values.roles}
          error={form.errors.roles}
          onChange={(chosen) => form.set('roles', chosen)}
        />
        <div className={desk['actions']}>
          <Button type="submit" disabled={isSame}>
            Simpan peran
          </Button>
        </div>
      </form>
    </Panel>
  );
}

type Question = {
  title: string;
  text: string;
  button: string;
  said: string;
  tone?: 'danger' | 'primary';
};

/** A change of an operator with a confirmation; a refusal shows in its dialog. */
function useOperatorAct<A extends Act>(act: A, question: Question) {
  const { title, text, button, said, tone = 'danger' } = question;
  const change = useAct(act);
  const client = useQueryClient();
  return (input: InputFor<A>, onDone?: () => void) =>
    void confirm({
      title,
      children: (
        <>
          <p>{text}</p>
          <PasswordQuestion of={act} />
        </>
      ),
      cancelText: 'Batal',
      confirmText: button,
      tone,
      sentenceOf,
      onConfirm: async () => {
        await change.perform(input);
        toast(said, { tone: 'success' });
        onDone?.();
        void client.invalidateQueries({ predicate: isOperatorQuery });
      },
    });
}

function Ends({ operator, onRemoved }: { operator: Operator; onRemoved: () => void }) {
  const { user_id, name, you, sessions, second_factor, last_admin } = operator;
  const end = useOperatorAct(endOperatorSessions, {
    title: you ? 'Akhiri sesi Anda yang lain?' : `Akhiri semua sesi ${isolated(name)}?`,
    text: you
      ? 'Browser ini tetap masuk. Di semua browser lain Anda harus masuk kembali.'
      : `${isolated(name)} harus masuk kembali, dengan kode verifikasi.`,
    button: 'Akhiri sesi',
    said: 'Sesi sudah diakhiri.',
  });
  const reset = useOperatorAct(resetOperatorFactor, {
    title: `Hapus verifikasi dua langkah ${isolated(name)}?`,
    text: 'Untuk yang kehilangan ponsel atau kuncinya. Semua sesinya berakhir; setelah masuk kembali ia memasang yang baru.',
    button: 'Hapus verifikasi dua langkah',
    said: 'Verifikasi dua langkah sudah dihapus.',
  });
  const remove = useOperatorAct(removeOperator, {
    title: you ? 'Keluarkan diri Anda?' : `Keluarkan ${isolated(name)}?`,
    text: 'Semua sesinya berakhir saat ini juga dan nomornya bebas dipakai lagi. Namanya tetap ada pada semua yang pernah ia lakukan.',
    button: 'Keluarkan',
    said: `${isolated(name)} sudah dikeluarkan.`,
  });
  return (
    <Panel title="Akses">
      {last_admin && (
        <p className={desk['note']}>
          {you ? 'Anda' : name} admin terakhir: perannya tidak dapat dicabut dan ia tidak dapat
          dikeluarkan. Jadikan operator lain admin lebih dulu.
        </p>
      )}
      <Row>
        <Button
          variant="outline"
          tone="neutral"
          disabled={sessions === 0}
          onClick={() => end({ user_id })}
        >
          Akhiri sesi
        </Button>
        {second_factor && !you && (
          <Button variant="outline" tone="neutral" onClick={() => reset({ user_id })}>
            Hapus verifikasi dua langkah
          </Button>
        )}
        {!last_admin && (
          <Button variant="outline" tone="danger" onClick={() => remove({ user_id }, onRemoved)}>
            Keluarkan
          </Button>
        )}
      </Row>
    </Panel>
  );
}
