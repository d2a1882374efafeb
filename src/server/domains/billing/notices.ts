import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { type Rupiah, formatRupiah } from '#contract/base/money.ts';
import { formatDate } from '#contract/base/time.ts';
import type { Plan } from '#contract/billing.ts';

/** A step that people are told of, once. */
export type BillingNotice = NoticeText & {
  accountId: string;
  /** Names the step: the same one is told once. */
  subject: string;
  dueAt: Date;
};

/** Writes a notice in the transaction of what it tells; a second one of the same subject is none. */
export async function queueBillingNotice(tx: Tx, notice: BillingNotice): Promise<void> {
  const { accountId, subject, title, body, dueAt } = notice;
  await tx`
    insert into billing_notices (account_id, notice_id, subject, title, body, due_at)
    values (${accountId}, ${newId()}, ${subject}, ${title}, ${body}, ${dueAt})
    on conflict (account_id, subject) do nothing`;
}

/** What has not been told yet of a payment that is missing is not true any more. */
export async function dropPending(tx: Tx, accountId: string): Promise<void> {
  await tx`
    delete from billing_notices where account_id = ${accountId} and sent_at is null
      and pushed_at is null and subject ~ '^(h3|h1|past_due|still_due):'`;
}

/** A notice that is ours to tell for some minutes. */
export type DueNotice = {
  account_id: string;
  notice_id: string;
  title: string;
  body: string;
  pushed_at: Date | null;
  /** Whom the message goes to; null when nobody of the account is left. */
  phone: string | null;
};

/** A message that could not be sent is tried again after so many minutes, and so many times. */
const RETRY_MINUTES = 5;
const TRIES_MAX = 50;

/** Claims notices whose time has come; whoever does not tell them leaves them for later. */
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

type Which = Pick<DueNotice, 'account_id' | 'notice_id'>;

/** Browsers will be told. @returns false when they have been queued for already. */
export async function markPushed(
  tx: Tx,
  { account_id, notice_id }: Which,
  at: Date,
): Promise<boolean> {
  const { count } = await tx`
    update billing_notices set pushed_at = ${at}
    where account_id = ${account_id} and notice_id = ${notice_id} and pushed_at is null`;
  return count === 1;
}

/** The message was sent. */
export async function markSent(
  sql: Sql,
  { account_id, notice_id }: Which,
  at: Date,
): Promise<void> {
  await sql`
    update billing_notices set sent_at = ${at}
    where account_id = ${account_id} and notice_id = ${notice_id}`;
}

/** Notices stay for so long, so that no step is told twice. */
const KEPT_DAYS = 100;

/** Deletes what was told long ago; for the hourly clean-up. */
export async function pruneNotices(allAccountsSql: Sql, at: Date): Promise<void> {
  await allAccountsSql`
    delete from billing_notices
    where sent_at < ${at}::timestamptz - make_interval(days => ${KEPT_DAYS})`;
}

/** What people read: the title on a notice, the body on it and in the message. */
export type NoticeText = { title: string; body: string };

type Paid = {
  plan: Plan;
  period: { start: Date; end: Date };
  /** What is left of the saldo. */
  available: Rupiah;
};

type Due = { plan: Plan; graceUntil: Date; available: Rupiah };

/** A renewal is near. */
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

/** A renewal was charged. */
export const charged = ({ plan, period, available }: Paid): NoticeText => ({
  title: `Paket ${plan.name} diperpanjang`,
  body:
    `Paket ${plan.name} Anda diperpanjang sampai ${formatDate(period.end)}. ` +
    `${formatRupiah(plan.price)} dipotong dari saldo; sisa saldo ${formatRupiah(available)}.`,
});

/** The saldo did not reach for a renewal. */
export const pastDue = ({ plan, graceUntil, available }: Due): NoticeText => ({
  title: `Paket ${plan.name} belum terbayar`,
  body:
    `Paket ${plan.name} seharga ${formatRupiah(plan.price)} belum dapat diperpanjang: saldo Anda ` +
    `${formatRupiah(available)}. Isi saldo sebelum ${formatDate(graceUntil)}; begitu saldo cukup, ` +
    'paket diperpanjang sendiri. Sampai saat itu paket Anda tetap berjalan.',
});

/** The day after: it is still not paid. */
export const stillDue = ({ plan, graceUntil, available }: Due): NoticeText => ({
  title: `Paket ${plan.name} masih menunggu pembayaran`,
  body:
    `Paket ${plan.name} Anda masih menunggu ${formatRupiah(plan.price)}, kurang ` +
    `${formatRupiah(Math.max(0, plan.price - available))}. Pada ${formatDate(graceUntil)} paket ` +
    'ditangguhkan bila belum terbayar. Isi saldo agar paket tetap berjalan.',
});

/** The grace is over. */
export const suspended = ({ plan, endsAt }: { plan: Plan; endsAt: Date }): NoticeText => ({
  title: `Paket ${plan.name} ditangguhkan`,
  body:
    `Paket ${plan.name} Anda ditangguhkan karena belum terbayar. Pesan tetap dapat dikirim dari saldo ` +
    `dengan harga biasa. Lanjutkan paket seharga ${formatRupiah(plan.price)} di halaman Tagihan ` +
    `sebelum ${formatDate(endsAt)}; setelah itu akun Anda memakai paket Gratis.`,
});

/** What was due is paid. */
export const recovered = ({ plan, period, available }: Paid): NoticeText => ({
  title: `Paket ${plan.name} berjalan lagi`,
  body:
    `Terima kasih. Paket ${plan.name} Anda sudah terbayar dan berlaku sampai ` +
    `${formatDate(period.end)}. ${formatRupiah(plan.price)} dipotong dari saldo; sisa saldo ` +
    `${formatRupiah(available)}.`,
});

/** A plan has ended. */
export const cancelled = ({ ended, free }: { ended: Plan; free: Plan }): NoticeText => ({
  title: `Paket ${ended.name} berakhir`,
  body:
    `Paket ${ended.name} Anda sudah berakhir. Akun Anda sekarang memakai paket ${free.name}: ` +
    `${free.quota} pesan sebulan, lalu ${formatRupiah(free.overage)} per pesan dari saldo. ` +
    'Pilih paket lagi kapan saja di halaman Tagihan.',
});

/** Told in one go. */
const AT_ONCE = 50;

/** How people are told. */
export type DeliverDeps = {
  allAccountsSql: Sql;
  /** Queues a notice for the browsers of an account. */
  queueNotice: (
    tx: Tx,
    notice: { accountId: string; title: string; body: string; url: string; tag: string },
  ) => Promise<void>;
  sendSystemText: (phone: string, text: string) => Promise<void>;
  report: (trouble: unknown) => void;
};

/**
 * Tells what is due: a notice to browsers once, a message at least once. One that cannot be told holds up
 * no other, and is tried again.
 */
export async function deliverNotices(deps: DeliverDeps, at: Date): Promise<void> {
  for (;;) {
    const due = await claimNotices(deps.allAccountsSql, at, AT_ONCE);
    for (const notice of due) await deliver(deps, notice, at).catch(deps.report);
    if (due.length < AT_ONCE) return;
  }
}

async function deliver(
  { allAccountsSql, queueNotice, sendSystemText }: DeliverDeps,
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
