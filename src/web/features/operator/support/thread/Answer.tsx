import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { OperatorThread } from '#contract/operator/support.ts';
import { goInbox } from '#web/features/operator/support/address.ts';
import { cannedReplies } from '#web/features/operator/support/queries.ts';
import { inboxPort } from '#web/features/operator/support/thread/inboxPort.ts';
import { OthersHere } from '#web/features/operator/support/thread/OthersHere.tsx';
import styles from '#web/features/operator/support/thread/Thread.module.css';
import { useCollision } from '#web/features/operator/support/thread/useCollision.ts';
import { SupportChat } from '#web/features/support/support.ts';
import { repliesQuery } from '#web/ui/chat/replies/stored.ts';
import { useReplies } from '#web/ui/chat/replies/useReplies.tsx';

type Props = { accountId: string; thread: OperatorThread | undefined };

export function Answer({ accountId, thread }: Props) {
  const client = useQueryClient();
  const [internal, setInternal] = useState(false);
  const port = useMemo(
    () => inboxPort(accountId, { client, thread, internal }),
    [accountId, client, thread, internal],
  );
  const name = thread?.account_name ?? 'pelanggan';
  const { data: replies } = useQuery(repliesQuery(cannedReplies));
  const offer = useReplies({
    replies,
    person: name,
    words: cannedReplies.words,
    onManage: () => goInbox({ replies: '1' }),
  });
  const collision = useCollision(accountId);
  const ended = thread?.customer.status === 'closed';
  return (
    <SupportChat
      port={port}
      name={name}
      blocked={ended && 'Akun ini sudah ditutup. Percakapannya tetap dapat dibaca.'}
      empty={<p className={styles['empty']}>Pelanggan ini belum pernah menulis.</p>}
      above={
        <>
          <OthersHere accountId={accountId} />
          {!ended && <Audience internal={internal} onChange={setInternal} />}
        </>
      }
      composer={{
        internal,
        placeholder: internal ? 'Tulis catatan' : 'Tulis jawaban atau /',
        offer,
        onWrite: collision.onWrite,
        // A note is not an answer, so it cannot collide.
        ...(!internal && { maySend: collision.maySend }),
      }}
    />
  );
}

type AudienceProps = { internal: boolean; onChange: (internal: boolean) => void };

const Audience = ({ internal, onChange }: AudienceProps) => (
  <div
    className={styles['audience']}
    role="group"
    aria-label="Untuk siapa"
    data-internal={internal || undefined}
  >
    <button type="button" aria-pressed={!internal} onClick={() => onChange(false)}>
      Balas pelanggan
    </button>
    <button type="button" aria-pressed={internal} onClick={() => onChange(true)}>
      Catatan internal
    </button>
    {internal && <span className={styles['only']}>Hanya operator yang melihatnya</span>}
  </div>
);
