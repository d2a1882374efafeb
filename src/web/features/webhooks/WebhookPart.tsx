import { useQuery } from '@tanstack/react-query';
import { Webhook as Icon } from 'lucide-react';
import { useId } from 'react';
import { useUser } from '#web/api/user.ts';
import { webhookStatus } from '#web/features/webhooks/labels.ts';
import { webhookQuery } from '#web/features/webhooks/queries.ts';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

export function WebhookPart({ tokenId }: { tokenId: string }) {
  const title = useId();
  const { timezone } = useUser();
  const { data: webhook, error, refetch } = useQuery(webhookQuery(tokenId));
  const status = webhook === undefined ? undefined : webhookStatus(webhook, timezone);
  return (
    <section className="stack gap-12" aria-labelledby={title}>
      <h4 id={title}>Webhook</h4>
      {status ? (
        <>
          <p>
            <StatusChip tone={status.tone}>{status.words}</StatusChip>
          </p>
          {webhook ? (
            <bdi className="break-anywhere">{webhook.url}</bdi>
          ) : (
            <p className="small faint">
              Kabari memberi tahu server Anda setiap ada pesan masuk atau status yang berubah.
            </p>
          )}
          <div>
            <LinkButton
              to="/token/webhook"
              search={{ token: tokenId }}
              variant="outline"
              icon={<Icon size={18} />}
            >
              {webhook ? 'Buka webhook' : 'Pasang webhook'}
            </LinkButton>
          </div>
        </>
      ) : error ? (
        <WentWrong query={{ error, refetch }} />
      ) : (
        <div aria-busy="true">
          <Skeleton height={24} width={140} />
        </div>
      )}
    </section>
  );
}
