import { isolated } from '#contract/base/names.ts';
import { formatPeer } from '#contract/messages/peer.ts';
import { type IdKind, uuidOf } from '#contract/base/ids.ts';
import { formatRupiah } from '#contract/base/money.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { WIB, formatDateTimeZone } from '#contract/base/time.ts';
import { invoiceStatusLabel } from '#contract/billing.ts';
import { messageStatusLabel } from '#contract/messages.ts';
import { failures } from '#contract/messages/failures.ts';
import { topupMethodLabel, topupStatusLabel } from '#contract/saldo.ts';
import type { SupportSide } from '#contract/events.ts';
import type { SupportCard, SupportSubject } from '#contract/support.ts';
import { tokenStatusLabel } from '#contract/tokens.ts';
import { maskedPeer } from '#server/domains/accounts/accounts.ts';
import { readInvoice } from '#server/domains/billing/billing.ts';
import { readMessageRow } from '#server/domains/messages/messages.ts';
import { findTopup } from '#server/domains/payments/payments.ts';
import { readToken } from '#server/domains/tokens/tokens.ts';
import type { Tx } from '#server/infra/postgres/database.ts';

export type Subject = {
  accountId: string;
  type: SupportSubject;
  id: string;
  now: Date;
  /** The side that shows it: for operators the recipient of a message is masked and has no name. */
  by: SupportSide;
};

const when = (at: Date): string => formatDateTimeZone(at, WIB);

const names: Record<SupportSubject, string> = {
  message: 'Pesan',
  token: 'Token',
  topup: 'Isi saldo',
  invoice: 'Tagihan',
};

/**
 * Reads the present facts of a record from the account's own rows.
 *
 * @throws Refusal `not_found`, also for another account's record.
 */
export function readCard(tx: Tx, subject: Subject): Promise<SupportCard> {
  const { type } = subject;
  const uuid = uuidOf(type satisfies IdKind, subject.id);
  if (uuid === undefined) throw new Refusal('not_found', { what: names[type] });
  switch (type) {
    case 'message':
      return messageCard(tx, subject, uuid);
    case 'token':
      return tokenCard(tx, subject, uuid);
    case 'topup':
      return topupCard(tx, subject, uuid);
    case 'invoice':
      return invoiceCard(tx, subject, uuid);
  }
}

async function messageCard(
  tx: Tx,
  { accountId, by }: Subject,
  messageId: string,
): Promise<SupportCard> {
  const message = await readMessageRow(tx, { accountId, messageId });
  const { id, direction, peer, peer_name, status, failure, price, token, created_at } = message;
  const shown = by === 'customer' ? formatPeer(peer) : maskedPeer(peer);
  const who = by === 'customer' && peer_name !== null ? `${isolated(peer_name)} (${shown})` : shown;
  return {
    type: 'message',
    id,
    title: `${direction === 'out' ? 'Pesan ke' : 'Pesan dari'} ${who}`,
    status: messageStatusLabel[status],
    lines: [
      ...(failure === null ? [] : [failures[failure]]),
      `Nomor ${isolated(token.name)}`,
      `Biaya ${formatRupiah(price)}`,
      when(created_at),
    ],
  };
}

async function tokenCard(tx: Tx, { accountId }: Subject, tokenId: string): Promise<SupportCard> {
  const { id, name, status, phone, sent_today, daily_limit } = await readToken(
    tx,
    accountId,
    tokenId,
  );
  const [sent, limit] = [sent_today, daily_limit].map((n) => n.toLocaleString('id-ID'));
  return {
    type: 'token',
    id,
    title: `Nomor ${isolated(name)}`,
    status: tokenStatusLabel[status],
    lines: [
      phone === null ? 'Belum ada nomor' : formatPhone(phone),
      `Pesan hari ini ${sent} dari ${limit}`,
    ],
  };
}

async function topupCard(
  tx: Tx,
  { accountId, now }: Subject,
  topupId: string,
): Promise<SupportCard> {
  const topup = await findTopup(tx, { accountId, topupId, now });
  return {
    type: 'topup',
    id: topup.id,
    title: `Isi saldo ${formatRupiah(topup.total)}`,
    status: topupStatusLabel[topup.status],
    lines: [`Lewat ${topupMethodLabel[topup.method]}`, when(topup.created_at)],
  };
}

async function invoiceCard(
  tx: Tx,
  { accountId }: Subject,
  invoiceId: string,
): Promise<SupportCard> {
  const invoice = await readInvoice(tx, { accountId, invoiceId });
  return {
    type: 'invoice',
    id: invoice.id,
    title: `Tagihan ${invoice.number ?? invoice.title}`,
    status: invoiceStatusLabel[invoice.status],
    lines: [
      ...(invoice.number === null ? [] : [invoice.title]),
      formatRupiah(invoice.total),
      when(invoice.created_at),
    ],
  };
}
