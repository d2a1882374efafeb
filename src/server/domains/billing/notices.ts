import type { BillingDeps } from './deps.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { type Rupiah, formatRupiah } from '#contract/base/money.ts';
import { formatDate } from '#contract/base/time.ts';
import type { Plan } from '#contract/billing.ts';

export type BillingNotice = NoticeText & {
  accountId: string;
  /** Identifies the step; a second notice of the same subject is ignored. */
  subject: string;
  dueAt: Date;
};

/** Queues a notice in the caller's transaction; a repeated subject is ignored. */
export async function queueBillingNotice(tx: Tx, notice: BillingNotice): Promise<void> {
  const { accountId, subject, title, body, dueAt } = notice;
  await tx`
    insert into billing_notices (account_id, notice_id, subject, title, body, due_at)
    values (${accountId}, ${newId()}, ${subject}, ${title}, ${body}, ${dueAt})
    on conflict (account_id, subject) do nothing`;
}

/** Drops unsent reminders and notices of a missing payment, which no longer apply. */
export async function dropPending(tx: Tx, accountId: string): Promise<void> {
  await tx`
    delete from billing_notices where account_id = ${accountId} and sent_at is null
      and pushed_at is null and subject ~ '^(h3|h1|past_due|still_due):'`;
}

export type DueNotice = {
  account_id: string;
  notice_id: string;
  title: string;
  body: string;
  pushed_at: Date | null;
  /** Null when the account has no people left. */
  phone: string | null;
};

const RETRY_MINUTES = 5;
const TRIES_MAX = 50;

export async function claimNotices(
  allAccountsSql: Sql,
  at: Date,
  limit: number,
): Promise<DueNotice[]> {
  const claimed = await allAccountsSql<Omit<DueNotice, 'phone'>[]>`
    with due as (
      select account_id, notice_id from billing_notices
      where sent_at is null and due_at <= ${at} and tries < ${TRIES_MAX}
      order by due_at limit ${limit} for update skip locked
    )
    update billing_notices n set tries = tries + 1,
      due_at = ${at}::timestamptz + make_interval(mins => ${RETRY_MINUTES})
    from due where n.account_id = due.account_id and n.notice_id = due.notice_id
    returning n.account_id, n.notice_id, n.title, n.body, n.pushed_at`;
  if (claimed.length === 0) return [];
  const people = await allAccountsSql<{ account_id: string; phone: string }[]>`
    select distinct on (account_id) account_id, phone from users
    where account_id = any(${claimed.map(({ account_id }) => account_id)}::uuid[])
      and role = 'customer'
    order by account_id, user_id`;
  const phones = new Map(people.map(({ account_id, phone }) => [account_id, phone]));
  return claimed.map((one) => ({ ...one, phone: phones.get(one.account_id) ?? null }));
}

type NoticeRef = Pick<DueNotice, 'account_id' | 'notice_id'>;

/** Marks the browser notice as queued. @returns false when it was queued before. */
export async function markPushed(
  tx: Tx,
  { account_id, notice_id }: NoticeRef,
  at: Date,
): Promise<boolean> {
  const { count } = await tx`
    update billing_notices set pushed_at = ${at}
    where account_id = ${account_id} and notice_id = ${notice_id} and pushed_at is null`;
  return count === 1;
}

export async function markSent(
  sql: Sql,
  { account_id, notice_id }: NoticeRef,
  at: Date,
): Promise<void> {
  await sql`
    update billing_notices set sent_at = ${at}
    where account_id = ${account_id} and notice_id = ${notice_id}`;
}

const RETENTION_DAYS = 100;

export async function pruneNotices(allAccountsSql: Sql, at: Date): Promise<void> {
  await allAccountsSql`
    delete from billing_notices
    where sent_at < ${at}::timestamptz - make_interval(days => ${RETENTION_DAYS})`;
}

export type NoticeText = { title: string; body: string };

type Paid = {
  plan: Plan;
  period: { start: Date; end: Date };
  available: Rupiah;
};

type Due = { plan: Plan; graceUntil: Date; available: Rupiah };

export function upcoming(
  { plan, next, at, isEnding }: { plan: Plan; next: Plan; at: Date; isEnding: boolean },
  available: Rupiah,
): NoticeText {
  const day = formatDate(at);
  if (isEnding) {
    return {
      title: `Paket ${plan.name} berakhir ${day}`,
      body:
        `Paket ${plan.name} Anda berakhir pada ${day} seperti yang Anda minta, lalu menjadi paket ` +
        'Gratis. Berubah pikiran? Lanjutkan paket di halaman Tagihan sebelum tanggal itu.',
    };
  }
  const price = formatRupiah(next.price);
  const isShort = available < next.price;
  const saldo = isShort
    ? `Saldo Anda ${formatRupiah(available)}, kurang ${formatRupiah(next.price - available)}. ` +
      'Isi saldo sebelum tanggal itu agar paket tidak terputus.'
    : `Saldo Anda ${formatRupiah(available)}, sudah cukup. Anda tidak perlu melakukan apa-apa.`;
  return {
    title: isShort
      ? `Saldo kurang untuk paket ${next.name}`
      : `Paket ${next.name} segera diperpanjang`,
    body: `Paket ${next.name} diperpanjang pada ${day} seharga ${price} dari saldo. ${saldo}`,
  };
}

export const charged = ({ plan, period, available }: Paid): NoticeText => ({
  title: `Paket ${plan.name} diperpanjang`,
  body:
    `Paket ${plan.name} Anda diperpanjang sampai ${formatDate(period.end)}. ` +
    `${formatRupiah(plan.price)} dipotong dari saldo; sisa saldo ${formatRupiah(available)}.`,
});

export const pastDue = ({ plan, graceUntil, available }: Due): NoticeText => ({
  title: `Paket ${plan.name} belum terbayar`,
  body:
    `Paket ${plan.name} seharga ${formatRupiah(plan.price)} belum dapat diperpanjang: saldo Anda ` +
    `${formatRupiah(available)}. Isi saldo sebelum ${formatDate(graceUntil)}; begitu saldo cukup, ` +
    'paket diperpanjang otomatis. Sampai saat itu paket Anda tetap berjalan.',
});

export const stillDue = ({ plan, graceUntil, available }: Due): NoticeText => ({
  title: `Paket ${plan.name} masih menunggu pembayaran`,
  body:
    `Paket ${plan.name} Anda masih menunggu ${formatRupiah(plan.price)}, kurang ` +
    `${formatRupiah(Math.max(0, plan.price - available))}. Pada ${formatDate(graceUntil)} paket ` +
    'ditangguhkan bila belum terbayar. Isi saldo agar paket tetap berjalan.',
});

export const suspended = ({ plan, endsAt }: { plan: Plan; endsAt: Date }): NoticeText => ({
  title: `Paket ${plan.name} ditangguhkan`,
  body:
    `Paket ${plan.name} Anda ditangguhkan karena belum terbayar. Pesan tetap dapat dikirim dari saldo ` +
    `dengan harga biasa. Lanjutkan paket seharga ${formatRupiah(plan.price)} di halaman Tagihan ` +
    `sebelum ${formatDate(endsAt)}; setelah itu akun Anda memakai paket Gratis.`,
});

export const recovered = ({ plan, period, available }: Paid): NoticeText => ({
  title: `Paket ${plan.name} berjalan lagi`,
  body:
    `Terima kasih. Paket ${plan.name} Anda sudah terbayar dan berlaku sampai ` +
    `${formatDate(period.end)}. ${formatRupiah(plan.price)} dipotong dari saldo; sisa saldo ` +
    `${formatRupiah(available)}.`,
});

export const cancelled = ({ ended, free }: { ended: Plan; free: Plan }): NoticeText => ({
  title: `Paket ${ended.name} berakhir`,
  body:
    `Paket ${ended.name} Anda sudah berakhir. Akun Anda sekarang memakai paket ${free.name}: ` +
    `${free.quota} pesan sebulan, lalu ${formatRupiah(free.overage)} per pesan dari saldo. ` +
    'Pilih paket lagi kapan saja di halaman Tagihan.',
});

const AT_ONCE = 50;

/** Browser notices are delivered once, messages at least once. A failed one is retried, and blocks no other. */
export async function deliverNotices(deps: BillingDeps, at: Date): Promise<void> {
  for (;;) {
    const due = await claimNotices(deps.allAccountsSql, at, AT_ONCE);
    for (const notice of due) await deliver(deps, notice, at).catch(deps.report);
    if (due.length < AT_ONCE) return;
  }
}

async function deliver(
  { allAccountsSql, queueNotice, sendSystemText }: BillingDeps,
  notice: DueNotice,
  at: Date,
): Promise<void> {
  const { account_id: accountId, title, body, phone } = notice;
  if (notice.pushed_at === null) {
    await allAccountsSql.begin(async (tx) => {
      if (!(await markPushed(tx, notice, at))) return;
      await queueNotice(tx, { accountId, title, body, url: '/billing', tag: 'billing' });
    });
  }
  if (phone !== null) await sendSystemText(phone, body);
  await markSent(allAccountsSql, notice, at);
}
