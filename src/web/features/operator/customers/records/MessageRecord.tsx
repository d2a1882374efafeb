import { useQuery } from '@tanstack/react-query';
import {
  type OperatorMessage,
  getCustomerMessage,
  readCustomerMessage,
} from '#contract/operator/customers.ts';
import { failures } from '#contract/messages/failures.ts';
import { useState } from 'react';
import { useUser } from '#web/api/user.ts';
import { messageTypeLabel } from '#contract/messages.ts';
import { StatusMark, timelineEntries } from '#web/features/messages/messages.ts';
import styles from '#web/features/operator/customers/customers.module.css';
import { go } from '#web/features/operator/customers/go.ts';
import { Open } from '#web/features/operator/customers/Sending.tsx';
import type { RecordProps } from '#web/features/operator/customers/records/record.ts';
import { actQuery } from '#web/features/operator/form/actQuery.ts';
import desk from '#web/features/operator/form/form.module.css';
import { OperatorForm } from '#web/features/operator/form/OperatorForm.tsx';
import { Loaded } from '#web/features/operator/form/Loaded.tsx';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { maySee } from '#web/features/operator/operator.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { type Fact, Facts, Panel } from '#web/ui/panel/Panel.tsx';
import { Timeline } from '#web/ui/status/Timeline.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

/** A customer's message: its timeline, and, after a reason is given, its content. */
export function MessageRecord({ accountId, id }: RecordProps) {
  const { operator_roles: roles, timezone } = useUser();
  const message = useQuery(actQuery(getCustomerMessage, { account_id: accountId, message_id: id }));
  return (
    <Loaded query={message} lines={10}>
      {(data) => (
        <div className={desk['drawer']}>
          <Alert
            state="danger"
            visible={data.failure !== null}
            label={data.failure ? failures[data.failure] : ''}
          />
          <Facts facts={factsOf(data)} />
          <Panel title="Perjalanan">
            <Timeline entries={timelineEntries(data, timezone)} />
          </Panel>
          {maySee({ roles: ['support'] }, roles) && <Disclosure accountId={accountId} id={id} />}
        </div>
      )}
    </Loaded>
  );
}

function factsOf(message: OperatorMessage): readonly Fact[] {
  const { direction, by_quota, price, token, type, peer, created_at, ref, id } = message;
  const isOurs = direction === 'out';
  return [
    { term: 'Status', is: <StatusMark status={message.status} /> },
    { term: isOurs ? 'Kepada' : 'Dari', is: <span className="num">{peer}</span> },
    {
      term: 'Token',
      is: <Open onClick={() => go({ message: undefined, token: token.id })}>{token.name}</Open>,
    },
    { term: 'Jenis', is: messageTypeLabel[type] },
    { term: 'Waktu', is: <DateTime at={created_at} /> },
    ...(isOurs
      ? [{ term: 'Biaya', is: by_quota ? 'Termasuk kuota paket' : <Money amount={price} /> }]
      : []),
    ...(message.possible_duplicate
      ? [
          {
            term: 'Catatan',
            is: 'Mungkin sampai dua kali: jaringan tidak menjawab percobaan pertama.',
          },
        ]
      : []),
    ...(ref === null
      ? []
      : [{ term: 'Ref pelanggan', is: <span className={desk['hash']}>{ref}</span> }]),
    { term: 'ID', is: <span className={desk['hash']}>{id}</span> },
  ];
}

/** Its content, shown for a reason; the reader and the reason are recorded. */
function Disclosure({ accountId, id }: RecordProps) {
  const [said, setSaid] = useState<string | null>();
  const { form, onSubmit } = useOperatorForm(readCustomerMessage, {
    initial: { reason: '' },
    inputOf: ({ reason }) => ({ account_id: accountId, message_id: id, reason }),
    question: () => ({
      title: 'Baca isi pesan ini?',
      text: 'Isi pesan adalah urusan pelanggan dengan penerimanya. Nama Anda dan alasannya tercatat.',
      button: 'Baca isi',
    }),
    said: () => 'Tercatat di catatan audit.',
    onDone: ({ text }) => setSaid(text),
  });
  if (said !== undefined) {
    return (
      <Panel title="Isi pesan">
        <p className={said === null ? desk['note'] : styles['said']}>
          {said ?? 'Pesan ini tidak berisi kata-kata.'}
        </p>
      </Panel>
    );
  }
  return (
    <Panel title="Isi pesan">
      <OperatorForm
        form={form}
        onSubmit={onSubmit}
        reasonHelp="Tercatat bersama nama Anda."
        actions={
          <Button type="submit" variant="outline" tone="neutral">
            Baca isi
          </Button>
        }
      />
    </Panel>
  );
}
