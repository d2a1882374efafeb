import { isolated } from '#contract/base/names.ts';
import { useQueryClient } from '@tanstack/react-query';
import { type OperatorCustomerDetail, endCustomerSessions } from '#contract/operator/customers.ts';
import { formatAgo } from '#contract/base/time.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { useUser } from '#web/api/user.ts';
import { isOperatorQuery } from '#web/features/operator/form/useOperatorForm.tsx';
import desk from '#web/features/operator/form/form.module.css';
import { maySee } from '#web/features/operator/operator.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

/** The sessions of a customer's people; support operators may end them. */
export function Sessions({ customer }: { customer: OperatorCustomerDetail }) {
  const { timezone, operator_roles: roles } = useUser();
  const client = useQueryClient();
  const act = useAct(endCustomerSessions);
  const { sessions, account_id, name } = customer;
  const mayEnd = maySee({ roles: ['support'] }, roles);
  const end = (session?: { id: string; device: string }) =>
    void confirm({
      title: session ? `Akhiri sesi ${session.device}?` : 'Akhiri semua sesi?',
      children: `${isolated(name)} harus masuk lagi dengan kata sandi dan kode.`,
      cancelText: 'Batal',
      confirmText: 'Akhiri',
      sentenceOf,
      onConfirm: async () => {
        await act.perform({ account_id, ...(session && { session_id: session.id }) });
        toast('Sesi diakhiri.', { tone: 'success' });
        void client.invalidateQueries({ predicate: isOperatorQuery });
      },
    });
  return (
    <Panel
      title="Sesi"
      tools={
        mayEnd &&
        sessions.length > 1 && (
          <Button size="sm" variant="subtle" tone="danger" onClick={() => end()}>
            Akhiri semua
          </Button>
        )
      }
    >
      {sessions.length === 0 && <p className={desk['note']}>Tidak sedang masuk di mana pun.</p>}
      <ul className={desk['rows']}>
        {sessions.map((session) => (
          <li key={session.id}>
            <span className={desk['what']}>
              {session.device}
              <span className={desk['small']}>
                {formatAgo(session.last_used_at, undefined, timezone)} dari{' '}
                <span className="num">{session.ip}</span>
              </span>
            </span>
            {mayEnd && (
              <Button
                size="sm"
                variant="outline"
                tone="neutral"
                aria-label={`Akhiri sesi ${session.device} dari ${session.ip}`}
                onClick={() => end(session)}
              >
                Akhiri
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
