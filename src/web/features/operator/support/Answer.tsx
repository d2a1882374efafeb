import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Eye, PencilLine } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { OperatorThread } from '#contract/operator/support.ts';
import { useCollision } from '#web/features/operator/support/collision.ts';
import { cannedReplies, goInbox, inboxPort } from '#web/features/operator/support/inbox.ts';
import { presenceSentence, usePresence } from '#web/features/operator/support/presence.ts';
import styles from '#web/features/operator/support/support.module.css';
import { classes } from '#web/ui/classes.ts';
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
      empty={
        <p className={classes('muted text-center', styles['empty'])}>
          Pelanggan ini belum pernah menulis.
        </p>
      }
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
    className={classes('row wrap gap-4 gap-x-6 flex-none border-t surface', styles['audience'])}
    role="group"
    aria-label="Untuk siapa"
    data-internal={internal || undefined}
  >
    <button
      type="button"
      className="min-h-28 px-10 rounded-full muted small strong hover touch"
      aria-pressed={!internal}
      onClick={() => onChange(false)}
    >
      Balas pelanggan
    </button>
    <button
      type="button"
      className="min-h-28 px-10 rounded-full muted small strong hover touch"
      aria-pressed={internal}
      onClick={() => onChange(true)}
    >
      Catatan internal
    </button>
    {internal && <span className="small text-warning">Hanya operator yang melihatnya</span>}
  </div>
);

function OthersHere({ accountId }: { accountId: string }) {
  const others = usePresence().filter((one) => one.accountId === accountId);
  const writes = others[0] !== undefined && others[0].doing !== 'look';
  const Icon = writes ? PencilLine : Eye;
  return (
    <div role="status">
      {others.length > 0 && (
        <p
          className={classes('row gap-8 small muted py-8 px-16 border-t surface', styles['others'])}
          data-writes={writes || undefined}
        >
          <Icon size={16} aria-hidden="true" />
          <span>{presenceSentence(others)}</span>
        </p>
      )}
    </div>
  );
}
