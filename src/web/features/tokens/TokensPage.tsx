import { later } from '#web/browser/lazyComponent.ts';
import { TimeAgo } from '#web/ui/time/DateTime.tsx';
import { useQuery } from '@tanstack/react-query';
import { BookOpen, KeyRound, Unplug, ArrowRightLeft, Trash2, RotateCcwKey } from 'lucide-react';
import { Suspense, useId, useRef, type ReactNode, useEffect, useState } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import { formatPhone } from '#contract/base/phone.ts';
import {
  listTokens,
  tokenStatusLabel,
  type Token,
  unlinkToken,
  rotateToken,
  updateToken,
} from '#contract/tokens.ts';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useList } from '#web/ui/table/list/useList.ts';
import { subscriptionQuery } from '#web/features/billing/billing.ts';
import { AddToken, FullReason, fullTokens } from '#web/features/tokens/AddToken.tsx';
import { ExpiryChip } from '#web/features/tokens/access/ExpiryChip.tsx';
import { ReviewChip, TokenReview } from '#web/features/tokens/drawer/TokenReview.tsx';
import styles from '#web/features/tokens/tokens.module.css';
import { classes } from '#web/ui/classes.ts';
import { TokenTabs } from '#web/features/tokens/TokenTabs.tsx';
import { channelLabel, statusTone } from '#web/features/tokens/labels.ts';
import { LinkButton, Button } from '#web/ui/button/Button.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { useWide } from '#web/ui/layout/useMedia.ts';
import { ListSkeleton, Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { navigate, address } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { formatAgo, formatDateTime, civilDate } from '#contract/base/time.ts';
import { isNotFound } from '#web/api/errors.ts';
import { useUser } from '#web/api/user.ts';
import { LinkPart } from '#web/features/tokens/links/LinkPart.tsx';
import { useTokenChanged } from '#web/features/tokens/queries.ts';
import { tokenQuery } from '#web/api/allTokens.ts';
import { SupportLink, AskSupport } from '#web/features/support/support.ts';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { Facts } from '#web/ui/panel/Panel.tsx';
import { useStore } from '#web/browser/store.ts';
import { expiryOf } from '#web/features/tokens/access/labels.ts';
import { Samples } from '#web/features/tokens/keys/KeyShown.tsx';
import { WebhookPart } from '#web/features/webhooks/webhooks.ts';
import { Accordion, AccordionPart } from '#web/ui/disclosure/Accordion.tsx';
import { businessIdOf, numberIdOf } from '#contract/dialects.ts';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { useAct } from '#web/api/query.ts';
import { useRemoveToken } from '#web/features/tokens/drawer/useRemoveToken.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import type { Question } from '#web/ui/overlay/ConfirmDialog.tsx';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { KeyDialog } from '#web/features/tokens/keys/KeyDialog.tsx';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

const CreateToken = later(() => import('#web/features/tokens/CreateToken.tsx'));
const RejectedCalls = later(() => import('#web/features/tokens/rejected/RejectedCalls.tsx'));

const columns: readonly Column<Token>[] = [
  {
    id: 'name',
    title: 'Nama',
    sortable: true,
    width: 200,
    cell: (token) => <bdi className="block strong clip">{token.name}</bdi>,
    phone: 'title',
  },
  {
    id: 'phone',
    title: 'Nomor',
    width: 170,
    whole: true,
    cell: (token) =>
      token.phone ? (
        <span className="num">{formatPhone(token.phone)}</span>
      ) : (
        <span className="faint">Belum ada nomor</span>
      ),
    phone: 'line',
  },
  {
    id: 'channel',
    title: 'Kanal',
    width: 150,
    cell: ({ channel }) => channelLabel[channel],
    phone: 'fact',
  },
  {
    id: 'status',
    title: 'Status',
    width: 250,
    cell: (token) => (
      <span className={classes('inline-flex wrap gap-4 gap-x-6', styles['states'])}>
        <StatusChip tone={statusTone[token.status]}>{tokenStatusLabel[token.status]}</StatusChip>
        <Chips token={token} />
      </span>
    ),
    phone: 'aside',
  },
  {
    id: 'sent_today',
    title: 'Hari ini',
    align: 'end',
    width: 130,
    cell: (token) => (
      <span className="num">
        {formatNumber(token.sent_today)}
        <span className="faint"> / {formatNumber(token.daily_limit)}</span>
      </span>
    ),
    phone: 'note',
  },
  {
    id: 'last_used_at',
    title: 'Kunci API dipakai',
    sortable: true,
    width: 160,
    cell: ({ last_used_at: at }) =>
      at ? <TimeAgo at={at} /> : <span className="faint">Belum pernah</span>,
    phone: 'hidden',
  },
];

const Chips = ({ token }: { token: Token }) => (
  <>
    <DisconnectedChip token={token} />
    <ReviewChip token={token} />
    <ExpiryChip token={token} />
  </>
);

/** A disconnected number: only its owner can bring it back. */
const DisconnectedChip = ({ token: { status, channel } }: { token: Token }) =>
  status === 'disconnected' &&
  channel !== 'simulator' && (
    <StatusChip tone="warning" icon={<Unplug size={14} />}>
      Sambungkan lagi
    </StatusChip>
  );

/** Route `/token`: the account's tokens, with dialogs to create and edit one. */
export function TokensPage() {
  const address = useTokenAddress();
  const wide = useWide();
  const full = fullTokens(useQuery(subscriptionQuery).data);
  return (
    <>
      <PageHead
        title="Nomor"
        context={wide && 'Nomor pengirim Anda dan kunci API-nya.'}
        action={<AddToken isMain full={full} onAdd={address.make} />}
        tools={
          <LinkButton to="/docs" variant="outline" icon={<BookOpen size={18} />}>
            Dokumentasi API
          </LinkButton>
        }
      />
      {full !== undefined && <FullReason full={full} />}
      <TokenTabs current={address.rejected ? 'rejected' : 'list'} />
      {address.rejected ? (
        <Suspense fallback={<ListSkeleton rows={6} />}>
          <RejectedCalls />
        </Suspense>
      ) : (
        <TokenTable address={address} full={full} />
      )}
      {address.making && (
        <Suspense>
          <CreateToken onClose={address.close} onLink={(id) => address.show(id, true)} />
        </Suspense>
      )}
      {address.open !== undefined && (
        <TokenDrawer
          key={address.open}
          id={address.open}
          linking={address.linking}
          onClose={address.close}
        />
      )}
    </>
  );
}

type TableProps = { address: ReturnType<typeof useTokenAddress>; full: number | undefined };

function TokenTable({ address, full }: TableProps) {
  const tokens = useList(listTokens, {}, address.view);
  return (
    <DataTable
      {...tokens.table}
      caption="Token"
      columns={columns}
      rowKey={(token) => token.id}
      onView={address.onView}
      onOpen={(token) => address.show(token.id)}
      openKey={address.open}
      empty={
        <NoRows list={tokens}>
          <EmptyState
            icon={<KeyRound size={24} />}
            title="Satu token untuk setiap nomor pengirim"
            action={<AddToken isMain={false} full={full} onAdd={address.make} />}
          >
            Token menghubungkan nomor Anda dengan sistem Anda lewat kunci API.
          </EmptyState>
        </NoRows>
      }
    />
  );
}

function useTokenAddress() {
  const search = useSearch('/token');
  const list = useAddressView('/token', {
    sorts: ['name', 'last_used_at'],
    order: 'asc',
    top: true,
  });
  // Above the list, which stays where it is.
  const above = (change: Pick<typeof search, 'open' | 'view'>, replace = false) =>
    void navigate({ to: '/token', change, replace, resetScroll: false });
  return {
    ...list,
    open: search.open,
    making: search.view === 'new',
    linking: search.view === 'link',
    rejected: search.view === 'ditolak',
    make: () => above({ view: 'new', open: undefined }),
    show: (id: string, linking = false) => above({ open: id, view: linking ? 'link' : undefined }),
    close: () => above({ open: undefined, view: undefined }, true),
  };
}

/** Most tokens of a trial never use a real network. */
const ConnectionPart = later(() => import('#web/features/tokens/channels/ConnectionPart.tsx'));

type Props = {
  id: string;
  linking: boolean;
  onClose: () => void;
};

function TokenDrawer({ id, linking, onClose }: Props) {
  const { data: token, isError, error, refetch } = useQuery(tokenQuery(id));
  return (
    <Drawer addressed open onClose={onClose} title={token?.name ?? 'Token'}>
      {token ? (
        <Details token={token} linking={linking} onGone={onClose} />
      ) : isError ? (
        isNotFound(error) ? (
          <EmptyState title="Token ini tidak ditemukan">
            Alamatnya mungkin salah tulis, atau token ini sudah dihapus.
          </EmptyState>
        ) : (
          <WentWrong query={{ error, refetch }} />
        )
      ) : (
        <div aria-busy="true" className="stack gap-24">
          <Skeleton height={24} width={120} />
          <Skeleton height={18} lines={6} />
        </div>
      )}
    </Drawer>
  );
}

type DetailsProps = { token: Token; linking: boolean; onGone: () => void };

function Details({ token, linking, onGone }: DetailsProps) {
  const title = useId();
  const states = useRef<HTMLDivElement>(null);
  const { review } = token;
  return (
    <div className="stack gap-24">
      <div ref={states} tabIndex={-1}>
        <span className={classes('inline-flex wrap gap-4 gap-x-6', styles['states'])}>
          <StatusChip tone={statusTone[token.status]}>{tokenStatusLabel[token.status]}</StatusChip>
          <ReviewChip token={token} />
          <ExpiryChip token={token} />
        </span>
        {token.status === 'suspended' && (
          <p className="small faint">
            Token ini ditangguhkan pengelola layanan.{' '}
            <SupportLink>Hubungi layanan pelanggan</SupportLink>.
          </p>
        )}
      </div>
      {review && (
        <TokenReview
          token={{ ...token, review }}
          onKept={() => states.current?.focus()}
          onGone={onGone}
        />
      )}
      <section className="stack gap-24" aria-labelledby={title}>
        <h3 id={title} className="larger">
          Nomor
        </h3>
        {token.channel === 'simulator' ? (
          <LinkPart token={token} linking={linking} />
        ) : (
          <Suspense fallback={<Skeleton height={18} lines={6} />}>
            <ConnectionPart key={token.channel} token={token} linking={linking} />
          </Suspense>
        )}
        <TokenFacts token={token} />
        <TokenSettings key={token.id} token={token} />
        <TokenActions token={token} onGone={onGone} />
      </section>
      <Developers token={token} />
    </div>
  );
}

function TokenFacts({ token }: { token: Token }) {
  const { timezone } = useUser();
  return (
    <section className={styles['part']}>
      <h4>Rincian</h4>
      <Facts
        facts={[
          {
            term: 'Nomor',
            is: token.phone ? formatPhone(token.phone) : 'Belum ada nomor yang tersambung',
          },
          { term: 'Kanal', is: channelLabel[token.channel] },
          {
            term: 'Pesan hari ini',
            is: `${formatNumber(token.sent_today)} dari ${formatNumber(token.daily_limit)}`,
          },
          {
            term: 'Kunci API terakhir dipakai',
            is: token.last_used_at
              ? formatAgo(token.last_used_at, undefined, timezone)
              : 'Belum pernah',
          },
          { term: 'Dibuat', is: formatDateTime(token.created_at, timezone) },
        ]}
      />
    </section>
  );
}

/** Contains the date picker, which the list of tokens does not need. */
const TokenAccessPart = later(() => import('#web/features/tokens/access/TokenAccessPart.tsx'));

/** Fragments of the address that open the fold. */
const parts = ['kunci', 'id', 'webhook', 'akses', 'contoh'] as const;
type PartId = (typeof parts)[number];

/**
 * The part for programs, folded. It opens if the fragment of the address names one of its parts, which then has the
 * focus, or if the key expires soon.
 */
function Developers({ token }: { token: Token }) {
  const { hash } = useStore(address);
  const named = parts.find((part) => hash === `#${part}`);
  const expiry = expiryOf(token, civilDate(new Date()));
  useEffect(() => {
    const target = named && document.getElementById(named);
    if (!target) return;
    // `<dialog>` looks for the attribute when it opens; an open one is left to `focus`.
    target.setAttribute('autofocus', '');
    target.scrollIntoView();
    target.focus({ preventScroll: true });
  }, [named]);
  return (
    <Accordion>
      <AccordionPart
        title={<h3 className="larger">Untuk pengembang</h3>}
        open={named !== undefined || expiry === 'soon' || expiry === 'over'}
      >
        <div className="stack gap-24">
          <p className="muted">
            Untuk menghubungkan sistem Anda lewat API. Mengirim dari Kabari tidak memerlukannya.
          </p>
          <Part id="kunci">
            <TokenKey token={token} />
          </Part>
          <Part id="id">
            <CloudIds token={token} />
          </Part>
          <Part id="webhook">
            <WebhookPart tokenId={token.id} />
          </Part>
          <Part id="akses">
            <Suspense fallback={<ListSkeleton rows={5} />}>
              <TokenAccessPart key={token.id} token={token} />
            </Suspense>
          </Part>
          <Part id="contoh">
            <section className={styles['part']}>
              <h4>Contoh kode</h4>
              <Samples channel={token.channel} />
            </section>
          </Part>
        </div>
      </AccordionPart>
    </Accordion>
  );
}

const Part = ({ id, children }: { id: PartId; children: ReactNode }) => (
  <div id={id} tabIndex={-1} className={styles['target']}>
    {children}
  </div>
);

/** Values besides the key for code written for the WhatsApp Cloud API. */
function CloudIds({ token }: { token: Token }) {
  const { account_id } = useUser();
  return (
    <section className={styles['part']}>
      <h4>ID untuk kode WhatsApp Cloud API</h4>
      <CopyField
        look="code"
        label="ID nomor telepon"
        value={numberIdOf(token.id)}
        help="Untuk kode yang ditulis bagi WhatsApp Cloud API: ganti alamatnya dengan alamat Kabari, kedua ID dari Meta dengan yang ini, dan pakai kunci token ini."
      />
      <CopyField look="code" label="ID akun WhatsApp Business" value={businessIdOf(account_id)} />
    </section>
  );
}

const MoveToken = later(() => import('#web/features/tokens/channels/MoveToken.tsx'));

type TokenActionsProps = { token: Token; onGone: () => void };

function TokenActions({ token, onGone }: TokenActionsProps) {
  const changed = useTokenChanged();
  const unlink = useAct(unlinkToken);
  const askRemove = useRemoveToken(token, onGone);
  const askUnlink = () =>
    confirm({
      ...unlinkWords(token),
      onConfirm: async () => changed(await unlink.perform({ token_id: token.id })),
    });

  const outline = { variant: 'outline' } as const;
  return (
    <section className={styles['part']}>
      <h4>Tindakan</h4>
      <div className="flex wrap gap-8">
        {token.phone && (
          <Button {...outline} icon={<Unplug size={18} />} onClick={() => void askUnlink()}>
            {token.channel === 'cloud' ? 'Putuskan nomor' : 'Putuskan ponsel'}
          </Button>
        )}
        <Move token={token} />
        <Button
          {...outline}
          tone="danger"
          icon={<Trash2 size={18} />}
          onClick={() => void askRemove()}
        >
          Hapus token
        </Button>
        <AskSupport about="token" id={token.id} />
      </div>
    </section>
  );
}

function Move({ token }: { token: Token }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="outline" icon={<ArrowRightLeft size={18} />} onClick={() => setOpen(true)}>
        Pindah kanal
      </Button>
      {isOpen && (
        <Suspense>
          <MoveToken token={token} onClose={close} onMoved={close} />
        </Suspense>
      )}
    </>
  );
}

const unlinkWords = ({ phone, channel }: Token): Question => ({
  title: channel === 'cloud' ? 'Putuskan nomor?' : 'Putuskan ponsel?',
  children: (
    <p>
      Token ini tidak dapat mengirim lagi lewat {phone ? formatPhone(phone) : 'ponselnya'} sampai{' '}
      {channel === 'cloud'
        ? 'nomornya disambungkan kembali. Access token dan app secret-nya dihapus.'
        : 'QR dipindai kembali.'}{' '}
      Riwayat pesan tetap ada.
    </p>
  ),
  confirmText: 'Putuskan',
});

/** The last characters of the API key, and its replacement; the first token of an account begins without a key. */
function TokenKey({ token }: { token: Token }) {
  const [made, setMade] = useState<{ key: string; isFirst: boolean }>();
  const changed = useTokenChanged();
  const rotate = useAct(rotateToken);
  const hasKey = token.key_hint !== '';
  const askKey = () =>
    confirm({
      ...(hasKey ? rotateWords : makeWords),
      onConfirm: async () => {
        const { token: renewed, key } = await rotate.perform({ token_id: token.id });
        changed(renewed);
        setMade({ key, isFirst: !hasKey });
      },
    });
  return (
    <section className={styles['part']}>
      <h4>Kunci API</h4>
      <p className="muted">
        {hasKey ? (
          <>
            Kunci yang berlaku berakhir dengan{' '}
            <code aria-label={token.key_hint}>••••{token.key_hint}</code>.
          </>
        ) : (
          'Belum ada. Buat bila sistem Anda akan mengirim pesan.'
        )}
      </p>
      <div>
        <Button variant="outline" icon={<RotateCcwKey size={18} />} onClick={() => void askKey()}>
          {hasKey ? 'Ganti kunci' : 'Buat kunci'}
        </Button>
      </div>
      {made && (
        <KeyDialog
          title="Kunci baru"
          secret={made.key}
          channel={token.channel}
          {...(!made.isFirst && { note: 'Kunci lama masih berlaku 24 jam.' })}
          onClose={() => setMade(undefined)}
        />
      )}
    </section>
  );
}

const rotateWords: Question = {
  title: 'Ganti kunci API?',
  children: (
    <>
      <p>Kunci baru ditampilkan sekali. Kunci lama masih berlaku 24 jam, lalu ditolak.</p>
      <PasswordQuestion of={rotateToken} />
    </>
  ),
  confirmText: 'Ganti kunci',
  tone: 'primary',
};

const makeWords: Question = {
  title: 'Buat kunci API?',
  children: (
    <>
      <p>Sistem Anda mengirim pesan lewat token ini dengan kuncinya. Kunci ditampilkan sekali.</p>
      <PasswordQuestion of={rotateToken} />
    </>
  ),
  confirmText: 'Buat kunci',
  tone: 'primary',
};

function TokenSettings({ token }: { token: Token }) {
  const changed = useTokenChanged();
  const { form, onSubmit, busy, error } = useActForm(updateToken, {
    initial: { name: token.name, daily_limit: String(token.daily_limit) },
    // An unchanged name is not validated again: it may be older than the rules for names.
    inputOf: ({ name, ...values }) => ({
      token_id: token.id,
      ...(name !== token.name && { name }),
      ...values,
    }),
    onDone: (saved) => {
      changed(saved);
      toast('Perubahan disimpan.', { tone: 'success' });
    },
  });
  return (
    <section className={styles['part']}>
      <h4>Pengaturan</h4>
      <form ref={form.ref} noValidate className="stack gap-16" onSubmit={onSubmit}>
        <RefusalAlert error={error} fields={['name', 'daily_limit']} />
        <TextField label="Nama" required autoComplete="off" {...form.field('name')} />
        <TextField
          label="Batas harian"
          required
          inputMode="numeric"
          autoComplete="off"
          suffix="pesan"
          help="Pesan di atas batas ini ditolak sampai hari berganti."
          {...form.field('daily_limit')}
          onChange={(event) => form.set('daily_limit', event.target.value.replace(/\D/g, ''))}
        />
        <div>
          <Button type="submit" variant="subtle" busy={busy}>
            Simpan
          </Button>
        </div>
      </form>
    </section>
  );
}
