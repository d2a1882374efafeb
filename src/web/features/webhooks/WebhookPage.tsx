import { useQuery } from '@tanstack/react-query';
import { BookOpen, KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { SavedWebhook, WebhookFormat } from '#contract/webhooks.ts';
import { allTokensQuery, tokenQuery } from '#web/api/allTokens.ts';
import { isNotFound } from '#web/api/errors.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { DeliveriesPart } from '#web/features/webhooks/deliveries/DeliveriesPart.tsx';
import { WebhookSummary } from '#web/features/webhooks/manage/WebhookSummary.tsx';
import { LOOK_MS, useWebhookChanged, webhookQuery } from '#web/features/webhooks/queries.ts';
import styles from '#web/features/webhooks/webhooks.module.css';
import { LinkButton, Button } from '#web/ui/button/Button.tsx';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { SelectOne } from '#web/ui/select/SelectOne.tsx';
import { ListSkeleton, Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { SecretDialog } from '#web/features/webhooks/manage/SecretDialog.tsx';
import { TestResult } from '#web/features/webhooks/manage/TestResult.tsx';
import { useWebhookForm, WebhookForm } from '#web/features/webhooks/manage/WebhookForm.tsx';
import { classes } from '#web/ui/classes.ts';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { signatureSamples } from '#web/features/webhooks/samples/samples.ts';
import { CodeBlock } from '#web/ui/copy/CodeBlock.tsx';
import { Tabs } from '#web/ui/tabs/Tabs.tsx';

/**
 * Route `/token/webhook`: a token's webhook and its deliveries; without `token`, the first one's.
 */
export function WebhookPage() {
  const { token } = useSearch('/token/webhook');
  const names = useQuery(allTokensQuery);
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
            icon={<BookOpen size={18} />}
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
        <WentWrong query={names} />
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
  const { data: tokens = [] } = useQuery(allTokensQuery);
  if (tokens.length < 2) return null;
  return (
    <div className={styles['choice']}>
      <SelectOne
        label="Token"
        options={tokens.map(({ id, name }) => ({ value: id, label: name }))}
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
      <WentWrong query={{ error, refetch }} />
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

type Props = { saved: SavedWebhook; secret: string; onClose: () => void };

const CreatedDialog = ({ saved: { test, webhook }, secret, onClose }: Props) => (
  <SecretDialog title="Kunci webhook" secret={secret} onClose={onClose}>
    {test && <TestResult test={test} />}
    <p className="measure muted">
      {webhook.state === 'on' ? (
        'Webhook aktif: peristiwa mulai dikirim sekarang.'
      ) : (
        <>
          Webhook sudah disimpan, tetapi masih mati. Pasang kunci ini di server Anda, jawab
          peristiwa <code>webhook.test</code> dengan status 2xx, lalu tekan Nyalakan.
        </>
      )}
    </p>
  </SecretDialog>
);

type WebhookSetupProps = { tokenId: string; onSaved: (saved: SavedWebhook) => void };

function WebhookSetup({ tokenId, onSaved }: WebhookSetupProps) {
  const saving = useWebhookForm(tokenId, undefined, onSaved);
  return (
    <>
      <Panel title="Pasang webhook" look="card">
        <div className={classes('stack gap-16', styles['form'])}>
          <p className="measure muted">
            Isi alamat di server Anda. Setiap peristiwa dikirim ke sana sebagai POST dengan tanda
            tangan, berurutan per percakapan, dan dicoba lagi sampai tiga hari bila gagal.
          </p>
          <WebhookForm {...saving}>
            <div>
              <Button type="submit" busy={saving.busy}>
                Simpan dan uji alamat
              </Button>
            </div>
          </WebhookForm>
        </div>
      </Panel>
      <SignatureSamples format="kabari" />
    </>
  );
}

/** Code that verifies signatures; renders nothing for a format with other signatures. */
function SignatureSamples({ format }: { format: WebhookFormat }) {
  const [language, setLanguage] = useState('node');
  if (format !== 'kabari') return null;
  return (
    <Panel title="Memeriksa tanda tangan">
      <div className="stack gap-12">
        <p className="measure muted">
          Periksa setiap peristiwa sebelum dipercaya: tanda tangannya dihitung dari isi mentah, jadi
          baca sebelum JSON diurai. Yang sama dapat datang dua kali; kenali dari{' '}
          <code>webhook-id</code>.
        </p>
        <Tabs
          label="Bahasa pemrograman"
          value={language}
          onChange={setLanguage}
          tabs={signatureSamples.map(({ language: value, title, code }) => ({
            value,
            label: title,
            content: <CodeBlock title={title} code={code} />,
          }))}
        />
        <p className="small faint">
          Pustaka <code>standardwebhooks</code> memeriksanya juga, di semua bahasa ini. Selengkapnya
          di{' '}
          <Link to="/docs" search={{ page: 'webhooks' }}>
            dokumentasi webhook
          </Link>
          .
        </p>
      </div>
    </Panel>
  );
}
