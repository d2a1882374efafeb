import { useQuery } from '@tanstack/react-query';
import { BookOpen, KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { SavedWebhook } from '#contract/webhooks.ts';
import { isNotFound, sentenceOf } from '#web/api/errors.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { DeliveriesPart } from '#web/features/webhooks/deliveries/DeliveriesPart.tsx';
import { CreatedDialog } from '#web/features/webhooks/manage/CreatedDialog.tsx';
import { WebhookSetup } from '#web/features/webhooks/manage/WebhookSetup.tsx';
import { WebhookSummary } from '#web/features/webhooks/manage/WebhookSummary.tsx';
import {
  LOOK_MS,
  tokenNamesQuery,
  tokenQuery,
  useWebhookChanged,
  webhookQuery,
} from '#web/features/webhooks/queries.ts';
import { SignatureSamples } from '#web/features/webhooks/samples/SignatureSamples.tsx';
import styles from '#web/features/webhooks/webhooks.module.css';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { SelectOne } from '#web/ui/select/SelectOne.tsx';
import { ListSkeleton, Skeleton } from '#web/ui/skeleton/Skeleton.tsx';

/**
 * Route `/token/webhook`: a token's webhook and its deliveries; without `token`, the first one's.
 */
export function WebhookPage() {
  const { token } = useSearch('/token/webhook');
  const names = useQuery(tokenNamesQuery);
  const tokenId = token ?? names.data?.[0]?.id;
  return (
    <>
      <PageHead
        title="Webhook"
        context={tokenId === undefined ? undefined : <Owner tokenId={tokenId} />}
        tools={
          <LinkButton
            to="/docs"
            search={{ page: 'webhooks' }}
            variant="outline"
            tone="neutral"
            icon={<BookOpen size={18} aria-hidden="true" />}
          >
            Dokumentasi webhook
          </LinkButton>
        }
      />
      {tokenId !== undefined ? (
        <div className="stack gap-24" key={tokenId}>
          <TokenChoice tokenId={tokenId} />
          <OfToken tokenId={tokenId} />
        </div>
      ) : names.isError ? (
        <WentWrong message={sentenceOf(names.error)} onRetry={() => void names.refetch()} />
      ) : names.data ? (
        <EmptyState
          icon={<KeyRound size={24} />}
          title="Webhook dipasang pada token"
          action={
            <LinkButton to="/token" search={{ view: 'new' }}>
              Tambah token
            </LinkButton>
          }
        >
          Buat token dahulu, lalu pasang alamat yang menerima peristiwanya.
        </EmptyState>
      ) : (
        <LoadingRows />
      )}
    </>
  );
}

function Owner({ tokenId }: { tokenId: string }) {
  const { data: token, error } = useQuery(tokenQuery(tokenId));
  if (error && !token) return 'Peristiwa token dan akun Anda, dikirim ke server Anda.';
  return (
    <>
      Peristiwa token{' '}
      <Link to="/token" search={{ open: tokenId }} hash="webhook">
        <bdi>{token?.name ?? '…'}</bdi>
      </Link>{' '}
      dan akun Anda, dikirim ke server Anda.
    </>
  );
}

function TokenChoice({ tokenId }: { tokenId: string }) {
  const { data: tokens = [] } = useQuery(tokenNamesQuery);
  const { data: token } = useQuery(tokenQuery(tokenId));
  const known = tokens.some(({ id }) => id === tokenId) || !token ? tokens : [token, ...tokens];
  if (known.length < 2) return null;
  return (
    <div className={styles['choice']}>
      <SelectOne
        label="Token"
        options={known.map(({ id, name }) => ({ value: id, label: name }))}
        value={tokenId}
        onChange={(id) => void navigate({ to: '/token/webhook', search: { token: id } })}
      />
    </div>
  );
}

/** A token's webhook, or its form. A new secret stays visible while events arrive. */
function OfToken({ tokenId }: { tokenId: string }) {
  const [created, setCreated] = useState<SavedWebhook>();
  const changed = useWebhookChanged(tokenId);
  const saved = (next: SavedWebhook) => {
    setCreated(next);
    changed(next.webhook);
  };
  return (
    <>
      <Overview tokenId={tokenId} onCreated={saved} />
      {created && created.secret !== null && (
        <CreatedDialog
          saved={created}
          secret={created.secret}
          onClose={() => setCreated(undefined)}
        />
      )}
    </>
  );
}

type OverviewProps = { tokenId: string; onCreated: (saved: SavedWebhook) => void };

function Overview({ tokenId, onCreated }: OverviewProps) {
  const { data, isPending, error, refetch } = useQuery({
    ...webhookQuery(tokenId),
    refetchInterval: LOOK_MS,
  });
  if (isPending) return <LoadingRows />;
  if (error && !data) {
    return isNotFound(error) ? (
      <EmptyState title="Token ini tidak ditemukan">
        Alamatnya mungkin salah tulis, atau token ini sudah dihapus.
      </EmptyState>
    ) : (
      <WentWrong message={sentenceOf(error)} onRetry={() => void refetch()} />
    );
  }
  if (!data) return <WebhookSetup tokenId={tokenId} onSaved={onCreated} />;
  return (
    <>
      <WebhookSummary webhook={data} />
      <DeliveriesPart webhook={data} />
      <SignatureSamples format={data.format} />
    </>
  );
}

const LoadingRows = () => (
  <div aria-busy="true" className="stack gap-24">
    <Skeleton lines={6} height="1.55em" />
    <Skeleton height={28} width={160} />
    <ListSkeleton rows={6} />
  </div>
);
