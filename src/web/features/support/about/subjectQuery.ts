import { queryOptions } from '@tanstack/react-query';
import { getInvoice, invoiceKindLabel, invoiceStatusLabel } from '#contract/billing/invoices.ts';
import { formatRupiah } from '#contract/base/money.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { getMessage, messageStatusLabel } from '#contract/messages.ts';
import { getTopup, topupStatusLabel } from '#contract/saldo.ts';
import type { SupportCard, SupportSubject } from '#contract/support.ts';
import { getToken, tokenStatusLabel } from '#contract/tokens.ts';
import { perform } from '#web/api/act.ts';

type Facts = Pick<SupportCard, 'title' | 'status' | 'lines'>;

/** What each kind is shown as before it is sent: the server writes the card anew, as things are then. */
const read: Record<SupportSubject, (id: string) => Promise<Facts>> = {
  async message(id) {
    const { direction, peer, status } = await perform(getMessage, { message_id: id });
    const way = direction === 'out' ? 'Pesan ke' : 'Pesan dari';
    return { title: `${way} ${formatPhone(peer)}`, status: messageStatusLabel[status], lines: [] };
  },
  async token(id) {
    const { name, status } = await perform(getToken, { token_id: id });
    return { title: `Token ${name}`, status: tokenStatusLabel[status], lines: [] };
  },
  async topup(id) {
    const { total, status } = await perform(getTopup, { topup_id: id });
    const title = `Isi saldo ${formatRupiah(total)}`;
    return { title, status: topupStatusLabel[status], lines: [] };
  },
  async invoice(id) {
    const { kind, number, title, status } = await perform(getInvoice, { invoice_id: id });
    const named = `${invoiceKindLabel[kind]} ${number ?? title}`;
    return { title: named, status: invoiceStatusLabel[status], lines: [] };
  },
};

/** What a question is about, read from the account. */
export const subjectQuery = (type: SupportSubject, id: string) =>
  queryOptions({
    queryKey: ['support', 'about', type, id],
    queryFn: async (): Promise<SupportCard> => ({ type, id, ...(await read[type](id)) }),
  });
