import { formatNumber } from '#contract/base/money.ts';
import type { ReactNode } from 'react';
import type { OperatorCustomerDetail } from '#contract/operator/customers.ts';
import { failures as failureSentences } from '#contract/messages/failures.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { tokenStatusLabel } from '#contract/tokens.ts';
import styles from '#web/features/operator/customers/customers.module.css';
import { go } from '#web/features/operator/customers/go.ts';
import { Sessions } from '#web/features/operator/customers/Sessions.tsx';
import { Steps } from '#web/features/operator/customers/Steps.tsx';
import desk from '#web/features/operator/form/form.module.css';
import { statusTone } from '#web/features/tokens/tokens.ts';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

type Props = { customer: OperatorCustomerDetail };

export const Sending = ({ customer }: Props) => (
  <div className={styles['column']}>
    <Failures customer={customer} />
    <Tokens customer={customer} />
    <Sessions customer={customer} />
    <Steps customer={customer} />
  </div>
);

export const Open = ({ onClick, children }: { onClick: () => void; children: ReactNode }) => (
  <button type="button" className={styles['plain']} onClick={onClick}>
    {children}
  </button>
);

const Failures = ({ customer: { failures } }: Props) => (
  <Panel title="Gagal terakhir">
    {failures.length === 0 && <p className={desk['note']}>Tidak ada pesan yang gagal.</p>}
    <ul className={desk['rows']}>
      {failures.map(({ message_id, token, peer, failure, at }) => (
        <li key={message_id}>
          <span className={desk['what']}>
            <Open onClick={() => go({ message: message_id })}>{failureSentences[failure]}</Open>
            <span className={desk['small']}>
              Ke <span className="num">{peer}</span> dari {token}
            </span>
          </span>
          <span className={desk['small']}>
            <DateTime at={at} />
          </span>
        </li>
      ))}
    </ul>
  </Panel>
);

const Tokens = ({ customer: { tokens } }: Props) => (
  <Panel title="Token">
    {tokens.length === 0 && <p className={desk['note']}>Belum ada token.</p>}
    <ul className={desk['rows']}>
      {tokens.map(({ id, name, status, phone, sent_today, daily_limit, key_hint }) => (
        <li key={id}>
          <span className={desk['what']}>
            <Open onClick={() => go({ token: id })}>{name}</Open>
            <span className={desk['small']}>
              {phone && <span className="num">{formatPhone(phone)} · </span>}
              {formatNumber(sent_today)} dari {formatNumber(daily_limit)} hari ini ·{' '}
              {key_hint ? `kunci …${key_hint}` : 'belum ada kunci'}
            </span>
          </span>
          <StatusChip tone={statusTone[status]}>{tokenStatusLabel[status]}</StatusChip>
        </li>
      ))}
    </ul>
  </Panel>
);
