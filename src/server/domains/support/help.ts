import { readSubscription } from '#server/domains/billing/billing.ts';
import { walletOf, type Wallet } from '#server/domains/ledger/ledger.ts';
import { newestFailed } from '#server/domains/messages/messages.ts';
import { recentTopups } from '#server/domains/payments/payments.ts';
import type { SupportDeps } from '#server/domains/support/deps.ts';
import { tokensOf } from '#server/domains/tokens/tokens.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import { isolated } from '#contract/base/names.ts';
import type { OutputOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { type Rupiah, formatRupiah } from '#contract/base/money.ts';
import type { SubscriptionStatus } from '#contract/billing.ts';
import type { Failure, MessageRow } from '#contract/messages.ts';
import type { SupportCause, supportHelp } from '#contract/support.ts';
import type { Token, TokenStatus } from '#contract/tokens.ts';

/** The period, and the largest number, of failed messages that are considered. */
const FAILED_DAYS = 7;
const FAILED_MAX = 50;
const TOKENS_MAX = 100;

export async function readHelp(
  { sql, now, messagePrice }: SupportDeps,
  accountId: string,
): Promise<Cause[]> {
  const at = now();
  const since = new Date(at.getTime() - FAILED_DAYS * 86_400_000);
  const [account, failed] = await Promise.all([
    asAccount(sql, accountId, async (tx) => {
      const [wallet, tokens, topups, subscription] = await Promise.all([
        walletOf(tx, accountId),
        tokensOf(tx, accountId, TOKENS_MAX),
        recentTopups(tx, accountId, at),
        readSubscription(tx, accountId),
      ]);
      return { wallet, tokens, topups, subscription };
    }),
    newestFailed(sql, accountId, { since, limit: FAILED_MAX }),
  ]);
  return causesOf({ ...account, failed, price: messagePrice() });
}

type Cause = OutputOf<typeof supportHelp>['causes'][number];

export type Facts = {
  wallet: Pick<Wallet, 'available' | 'status' | 'planPrice' | 'isBonusOnly'>;
  tokens: readonly Token[];
  topups: Awaited<ReturnType<typeof recentTopups>>;
  failed: readonly Pick<MessageRow, 'id' | 'failure'>[];
  subscription: { status: SubscriptionStatus } | undefined;
  price: Rupiah;
};

const CAUSES_MAX = 10;

/** The applicable causes, the most pressing first: blocking ones, then partial ones, then single messages. */
export const causesOf = (facts: Facts): Cause[] =>
  [
    frozen(facts),
    disconnected(facts),
    saldoShort(facts),
    notLinked(facts),
    tokenLimit(facts),
    pastDue(facts),
    bonusOnly(facts),
    topupWaiting(facts),
    ...failedBy(facts),
  ]
    .filter((cause) => cause !== undefined)
    .slice(0, CAUSES_MAX);

const cause = (
  of: SupportCause,
  given: Pick<Cause, 'title' | 'answer' | 'href' | 'action'> & Partial<Cause>,
): Cause => ({ about: null, ...given, cause: of });

const frozen = ({ wallet }: Facts): Cause | undefined =>
  wallet.status === 'frozen'
    ? cause('wallet_frozen', {
        title: 'Saldo Anda sedang dibekukan',
        answer:
          'Pengiriman berhenti sementara saldo diperiksa. Tulis kepada kami agar kami dapat menjelaskan dan membukanya.',
        href: '/saldo',
        action: 'Lihat saldo',
      })
    : undefined;

/** Several tokens of a status form one cause, represented by the newest. */
function ofTokens(
  { tokens }: Facts,
  isMeant: (token: Token) => boolean,
): { first: Token; count: number; several: boolean } | undefined {
  const meant = tokens.filter(isMeant);
  const [first] = meant;
  return first && { first, count: meant.length, several: meant.length > 1 };
}

const withStatus =
  (...statuses: TokenStatus[]) =>
  ({ status }: Token): boolean =>
    statuses.includes(status);

const aboutToken = ({ id }: Token, count: number) =>
  ({
    about: { type: 'token', id },
    href: count > 1 ? '/token' : `/token?open=${id}`,
  }) as const;

function disconnected(facts: Facts): Cause | undefined {
  const found = ofTokens(facts, withStatus('disconnected'));
  if (!found) return undefined;
  const { first, count, several } = found;
  return cause('token_disconnected', {
    title: several ? `${count} nomor terputus` : `Nomor ${isolated(first.name)} terputus`,
    answer:
      'Pesannya tidak terkirim sampai tersambung lagi. Buka nomornya: di sana tertulis sebabnya dan cara menyambungkannya lagi.',
    ...aboutToken(first, count),
    action: 'Sambungkan lagi',
  });
}

function notLinked(facts: Facts): Cause | undefined {
  const found = ofTokens(facts, withStatus('unlinked', 'linking'));
  if (!found) return undefined;
  const { first, count, several } = found;
  return cause('token_not_linked', {
    title: several
      ? `${count} nomor belum tersambung`
      : `Nomor ${isolated(first.name)} belum tersambung`,
    answer:
      'Pesan baru dapat dikirim setelah nomornya tersambung. Buka nomornya: di sana ada langkah-langkahnya.',
    ...aboutToken(first, count),
    action: 'Sambungkan',
  });
}

function tokenLimit(facts: Facts): Cause | undefined {
  const found = ofTokens(facts, ({ sent_today, daily_limit }) => sent_today >= daily_limit);
  if (!found) return undefined;
  const { first, count, several } = found;
  return cause('token_limit', {
    title: several
      ? `${count} nomor mencapai batas hariannya`
      : `Nomor ${isolated(first.name)} mencapai batas hariannya`,
    answer:
      'Pesan berikutnya dapat dikirim lagi mulai pukul 00.00 WIB. Bila perlu sekarang, naikkan batas harian di pengaturan nomornya.',
    ...aboutToken(first, count),
    action: 'Atur batas',
  });
}

function saldoShort({ wallet, price }: Facts): Cause | undefined {
  const next = wallet.planPrice ?? price;
  if (wallet.status !== 'active' || wallet.available >= next) return undefined;
  return cause('saldo_short', {
    title: `Saldo Anda tinggal ${formatRupiah(wallet.available)}`,
    answer: `Biaya satu pesan ${formatRupiah(next)}, jadi pesan berikutnya ditolak. Isi saldo, lalu kirim lagi.`,
    href: '/saldo?new=1',
    action: 'Isi saldo',
  });
}

const bonusOnly = ({ wallet }: Facts): Cause | undefined =>
  wallet.isBonusOnly && wallet.available > 0
    ? cause('bonus_only', {
        title: 'Saldo Anda masih berupa bonus',
        answer:
          'Bonus berlaku untuk simulator dan nomor Anda sendiri. Setelah isi saldo pertama, Anda dapat mengirim ke semua nomor.',
        href: '/saldo?new=1',
        action: 'Isi saldo',
      })
    : undefined;

function pastDue({ subscription }: Facts): Cause | undefined {
  const status = subscription?.status;
  if (status !== 'past_due' && status !== 'suspended') return undefined;
  return cause('plan_past_due', {
    title: status === 'past_due' ? 'Tagihan paket belum terbayar' : 'Paket Anda ditangguhkan',
    answer:
      status === 'past_due'
        ? 'Saldo tidak cukup saat paket diperpanjang. Isi saldo, dan paket dibayar otomatis.'
        : 'Paketnya tidak terbayar sampai batas waktu. Pengiriman tetap berjalan dengan harga satuan; lanjutkan paket di halaman Tagihan.',
    href: '/billing',
    action: 'Buka tagihan',
  });
}

function topupWaiting({ topups }: Facts): Cause | undefined {
  const waiting = topups.filter(({ status }) => status === 'pending' || status === 'review');
  const [first] = waiting;
  if (!first) return undefined;
  const id = publicId('topup', first.topup_id);
  const several = waiting.length > 1;
  return cause('topup_waiting', {
    title: several
      ? `${waiting.length} isi saldo belum masuk`
      : `Isi saldo ${formatRupiah(first.total)} belum masuk`,
    answer:
      first.status === 'review'
        ? 'Pembayarannya sedang kami periksa. Anda tidak perlu membayar lagi.'
        : 'Kami menunggu pembayaran dengan jumlah yang persis sama. Sudah membayar? Unggah buktinya di rincian isi saldo.',
    about: { type: 'topup', id },
    href: several ? '/saldo' : `/saldo?open=${id}`,
    action: 'Lihat isi saldo',
  });
}

type FailureCause = Extract<SupportCause, Failure>;

/** Failures of single messages, in order of urgency. */
const byFailure: Record<FailureCause, { title: string; answer: string }> = {
  rate_limited: {
    title: 'ditolak jaringan karena dikirim terlalu cepat',
    answer:
      'Jaringan membatasi kecepatan kiriman. Tunggu beberapa menit, lalu kirim ulang dengan jeda lebih panjang.',
  },
  not_on_whatsapp: {
    title: 'nomornya tidak terdaftar di WhatsApp',
    answer:
      'Nomornya salah tulis atau tidak memakai WhatsApp. Periksa nomornya, lalu kirim ke nomor yang benar.',
  },
  blocked: {
    title: 'penerima memblokir nomor Anda',
    answer: 'Pesan Anda tidak akan sampai selama diblokir. Hubungi penerimanya lewat jalur lain.',
  },
  opted_out: {
    title: 'penerima sudah berhenti langganan',
    answer:
      'Penerima pernah membalas STOP atau BERHENTI. Anda dapat mengirim lagi setelah penerima membalas MULAI.',
  },
};

function failedBy({ failed }: Facts): (Cause | undefined)[] {
  return Object.entries(byFailure).map(([name, { title, answer }]) => {
    const of = name as FailureCause;
    const some = failed.filter(({ failure }) => failure === of);
    const [first] = some;
    if (!first) return undefined;
    const several = some.length > 1;
    return cause(of, {
      title: `${several ? `${some.length} pesan` : 'Pesan'} gagal: ${title}`,
      answer,
      about: { type: 'message', id: first.id },
      href: several ? '/message-history?status[]=failed' : `/message-history?open=${first.id}`,
      action: several ? 'Lihat pesannya' : 'Lihat pesan',
    });
  });
}
