import { useQuery } from '@tanstack/react-query';
import {
  BookOpen,
  KeyRound,
  FlaskConical,
  Pencil,
  Power,
  EllipsisVertical,
  PowerOff,
  RotateCcwKey,
  Trash2,
} from 'lucide-react';
import { useState, type ReactNode } from 'react';
import {
  type SavedWebhook,
  type WebhookFormat,
  eventTypeLabel,
  switchWebhook,
  testWebhook,
  type Webhook,
  type WebhookTest,
  deleteWebhook,
  rotateWebhookSecret,
  type WebhookOffReason,
} from '#contract/webhooks.ts';
import { allTokensQuery, tokenQuery } from '#web/api/allTokens.ts';
import { isNotFound } from '#web/api/errors.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { DeliveriesPart } from '#web/features/webhooks/deliveries/DeliveriesPart.tsx';
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
import { Panel, Facts, type Fact } from '#web/ui/panel/Panel.tsx';
import { signatureSamples } from '#web/features/webhooks/samples/samples.ts';
import { CodeBlock } from '#web/ui/copy/CodeBlock.tsx';
import { Tabs } from '#web/ui/tabs/Tabs.tsx';
import { formatNumber } from '#contract/base/money.ts';
import { formatDateTime } from '#contract/base/time.ts';
import { useAct } from '#web/api/query.ts';
import { useUser } from '#web/api/user.ts';
import {
  formatLabel,
  webhookStatus,
  webhookStatusWord,
  formatDaySecond,
  switchedOffAt,
} from '#web/features/webhooks/labels.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { CopyButton } from '#web/ui/copy/CopyField.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { toast } from '#web/ui/toast/toasts.ts';
import { FormActions } from '#web/ui/form/FormActions.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { rotationNote } from '#web/features/webhooks/manage/rotation.ts';
import { Dropdown, MenuButton, MenuSeparator } from '#web/ui/menu/Dropdown.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import type { Question } from '#web/ui/overlay/ConfirmDialog.tsx';
import { Alert, type AlertState } from '#web/ui/alert/Alert.tsx';

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

function useManaging(token_id: string) {
  const [editing, setEditing] = useState(false);
  const [test, setTest] = useState<WebhookTest>();
  const changed = useWebhookChanged(token_id);
  const trial = useAct(testWebhook, {
    onSuccess: (answer) => {
      setTest(answer);
      changed();
    },
  });
  const power = useAct(switchWebhook, {
    onSuccess: (next) => {
      setTest(undefined);
      changed(next);
      toast(next.state === 'on' ? 'Webhook menyala.' : 'Webhook dimatikan.', { tone: 'success' });
    },
  });
  const saved = (next: SavedWebhook) => {
    changed(next.webhook);
    setEditing(false);
    setTest(next.test ?? undefined);
    toast('Webhook disimpan.', { tone: 'success' });
  };
  return { editing, setEditing, test, setTest, trial, power, saved };
}

function WebhookSummary({ webhook }: { webhook: Webhook }) {
  const { token_id } = webhook;
  const { timezone } = useUser();
  const { editing, setEditing, test, setTest, trial, power, saved } = useManaging(token_id);
  const off = webhook.state === 'off';
  return (
    <Panel
      title={<bdi className="break-anywhere">{webhook.url}</bdi>}
      look="card"
      tools={
        <StatusChip tone={webhookStatus(webhook, timezone).tone}>
          {webhookStatusWord(webhook)}
        </StatusChip>
      }
    >
      <div className="stack gap-12">
        <WebhookStatusNotice webhook={webhook} />
        <RefusalAlert error={power.error ?? trial.error} />
        {test && <TestResult test={test} onClose={() => setTest(undefined)} />}
        <Facts facts={factsOf(webhook, timezone)} />
        <div className="row wrap gap-8">
          {off && (
            <Button
              icon={<Power size={18} />}
              busy={power.busy}
              onClick={() => power.mutate({ token_id, state: 'on' })}
            >
              Nyalakan
            </Button>
          )}
          <Button
            variant="subtle"
            icon={<FlaskConical size={18} />}
            busy={trial.busy}
            onClick={() => trial.mutate({ token_id })}
          >
            Kirim uji coba
          </Button>
          <Button variant="outline" icon={<Pencil size={18} />} onClick={() => setEditing(true)}>
            Ubah
          </Button>
          <WebhookMenu webhook={webhook} onOff={() => power.mutate({ token_id, state: 'off' })} />
        </div>
      </div>
      {editing && (
        <EditDialog webhook={webhook} onClose={() => setEditing(false)} onSaved={saved} />
      )}
    </Panel>
  );
}

function factsOf({ format, kinds, secret_hint, ...webhook }: Webhook, zone: string): Fact[] {
  const { previous_secret_until: until, verify_token: verifyToken } = webhook;
  return [
    { term: 'Format', is: formatLabel[format] },
    {
      term: 'Peristiwa',
      is:
        kinds === null
          ? 'Semua, juga yang baru nanti'
          : kinds.map((one) => eventTypeLabel[one]).join(', '),
    },
    {
      term: 'Kunci',
      is: (
        <>
          <code aria-label={`Berakhir dengan ${secret_hint}`}>••••{secret_hint}</code>
          {until && (
            <span className="small faint">
              {' '}
              kunci lama berlaku sampai {formatDateTime(until, zone)}
            </span>
          )}
        </>
      ),
    },
    ...(format !== 'cloud'
      ? []
      : [
          {
            term: <span id="verify-token">Verify token</span>,
            is: (
              <span className="row wrap gap-4 gap-x-8">
                <code className="break-anywhere">{verifyToken}</code>
                <CopyButton value={verifyToken} describes="verify-token" />
              </span>
            ),
          },
        ]),
    { term: 'Menunggu dikirim', is: <span className="num">{pendingWords(webhook.pending)}</span> },
  ];
}

/** The server's count ends here. */
const PENDING_MAX = 10_000;

const pendingWords = (pending: number): string =>
  pending >= PENDING_MAX ? `${formatNumber(PENDING_MAX)} atau lebih` : formatNumber(pending);

type SummaryProps = {
  webhook: Webhook;
  onClose: () => void;
  onSaved: (saved: SavedWebhook) => void;
};

const FORM = 'webhook';

/** Edits the address, format or events. If the new address does not answer, the old one stays. */
function EditDialog({ webhook, onClose, onSaved }: SummaryProps) {
  const saving = useWebhookForm(webhook.token_id, webhook, onSaved);
  return (
    <Modal
      open
      onClose={() => saving.busy || onClose()}
      title="Ubah webhook"
      size="lg"
      footer={
        <FormActions form={FORM} busy={saving.busy} onCancel={onClose}>
          Simpan perubahan
        </FormActions>
      }
    >
      <WebhookForm id={FORM} {...saving} />
    </Modal>
  );
}

type WebhookMenuProps = { webhook: Webhook; onOff: () => void };

type Rotated = { webhook: Webhook; secret: string };

function WebhookMenu({ webhook, onOff }: WebhookMenuProps) {
  const { token_id, state, format } = webhook;
  const { timezone } = useUser();
  const [rotated, setRotated] = useState<Rotated>();
  const changed = useWebhookChanged(token_id);
  const rotate = useAct(rotateWebhookSecret);
  const remove = useAct(deleteWebhook);
  const ask = (words: Question, onConfirm: () => void | Promise<void>) =>
    confirm({ ...words, onConfirm });
  const askRotate = () =>
    ask(rotateWords(format), async () => setRotated(await rotate.perform({ token_id })));
  const askRemove = async () => {
    const gone = await ask(removeWords, async () => {
      await remove.perform({ token_id });
    });
    if (!gone) return;
    changed(null);
    toast('Webhook dihapus.', { tone: 'success' });
  };
  const until = rotated?.webhook.previous_secret_until;
  return (
    <>
      <Dropdown
        label="Tindakan webhook"
        align="end"
        trigger={(trigger) => (
          <Button {...trigger} variant="outline" square aria-label="Tindakan lain">
            <EllipsisVertical size={18} />
          </Button>
        )}
      >
        <MenuButton icon={<RotateCcwKey size={18} />} onClick={() => void askRotate()}>
          Ganti kunci
        </MenuButton>
        {state === 'on' && (
          <MenuButton icon={<PowerOff size={18} />} onClick={() => void ask(offWords, onOff)}>
            Matikan
          </MenuButton>
        )}
        <MenuSeparator />
        <MenuButton icon={<Trash2 size={18} />} tone="danger" onClick={() => void askRemove()}>
          Hapus webhook
        </MenuButton>
      </Dropdown>
      {rotated && (
        <SecretDialog
          title="Kunci webhook baru"
          secret={rotated.secret}
          onClose={() => {
            changed(rotated.webhook);
            setRotated(undefined);
          }}
        >
          {until && (
            <p className="measure muted">
              Kunci lama berlaku sampai {formatDateTime(until, timezone)}. {rotationNote(format)}
            </p>
          )}
        </SecretDialog>
      )}
    </>
  );
}

const rotateWords = (format: WebhookFormat): Question => ({
  title: 'Ganti kunci webhook?',
  children: (
    <>
      <p>Kunci baru ditampilkan sekali. {rotationNote(format)}</p>
      <PasswordQuestion of={rotateWebhookSecret} />
    </>
  ),
  confirmText: 'Ganti kunci',
  tone: 'primary',
});

const offWords: Question = {
  title: 'Matikan webhook?',
  children: (
    <p>
      Tidak ada peristiwa yang dikirim sampai dinyalakan lagi. Peristiwa yang terjadi selama mati
      tidak dikirim kemudian.
    </p>
  ),
  confirmText: 'Matikan',
  tone: 'primary',
};

const removeWords: Question = {
  title: 'Hapus webhook?',
  children: (
    <p>
      Alamat, kunci, dan catatan pengirimannya dihapus, dan yang menunggu tidak dikirim. Ini tidak
      dapat dibatalkan. Bila hanya ingin berhenti sebentar, matikan saja.
    </p>
  ),
  confirmText: 'Hapus',
};

type Notice = { state: AlertState; label: string; does: ReactNode };

const offNotice: Record<WebhookOffReason, Notice> = {
  unconfirmed: {
    state: 'warning',
    label: 'Webhook belum aktif: alamatnya belum menjawab uji coba dengan 2xx.',
    does: (
      <>
        Pasang kuncinya di server Anda, jawab peristiwa <code>webhook.test</code> dengan status 2xx,
        lalu tekan Nyalakan.
      </>
    ),
  },
  owner: {
    state: 'gray',
    label: 'Webhook dimatikan dari akun ini.',
    does: 'Peristiwa selama mati tidak dikirim. Yang sudah menunggu dilanjutkan setelah dinyalakan.',
  },
  gone: {
    state: 'danger',
    label: 'Webhook berhenti karena alamatnya menjawab 410 (Gone).',
    does: 'Balasan itu berarti “jangan kirim lagi”. Bila bukan itu maksudnya, perbaiki server atau ubah alamatnya, lalu tekan Nyalakan.',
  },
  failing: {
    state: 'danger',
    label: 'Webhook dimatikan: tiga hari tidak ada satu pun pengiriman yang berhasil.',
    does: 'Perbaiki server Anda, tekan Nyalakan, lalu kirim ulang peristiwa yang terlewat dari daftar di bawah.',
  },
};

function noticeOf(webhook: Webhook, zone: string): Notice | undefined {
  const { state, off_reason, failing_since, paused_until } = webhook;
  if (state === 'off') return offNotice[off_reason ?? 'owner'];
  if (failing_since === null) return undefined;
  const last = formatDateTime(switchedOffAt(failing_since), zone);
  return {
    state: 'warning',
    label:
      paused_until === null
        ? `Pengiriman gagal sejak ${formatDateTime(failing_since, zone)}.`
        : `Gagal beberapa kali berturut-turut: dijeda sampai ${formatDaySecond(paused_until, zone)}.`,
    does: `Periksa server Anda, lalu kirim uji coba: bila berhasil, semua yang menunggu langsung dilanjutkan. Bila tetap gagal sampai ${last}, webhook dimatikan.`,
  };
}

function WebhookStatusNotice({ webhook }: { webhook: Webhook }) {
  const notice = noticeOf(webhook, useUser().timezone);
  if (!notice) return null;
  return (
    <Alert visible state={notice.state} label={notice.label}>
      <p>{notice.does}</p>
    </Alert>
  );
}
