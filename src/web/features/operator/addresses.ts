import {
  date,
  listFields,
  oneOf,
  text,
  whole,
  type Readers,
} from '#web/browser/router/searchFields.ts';

export const operatorAddresses = {
  '/operator': {},
  '/operator/layanan': {
    page: whole,
    /** Left out: waiting threads. */
    filter: oneOf(['mine', 'open', 'snoozed', 'closed']),
    q: text,
    open: text,
    replies: oneOf(['1']),
  },
  '/operator/isi-saldo': { ...listFields, status: text, open: text },
  '/operator/mutasi-bank': { ...listFields, filter: oneOf(['semua']), amount: whole, open: text },
  '/operator/mutasi-bank/impor': {},
  '/operator/pelanggan': {
    ...listFields,
    q: text,
    state: oneOf(['active', 'suspended', 'frozen', 'closing', 'closed']),
    plan: text,
    saldo: oneOf(['empty', 'low', 'ample']),
    /** The customer, and the record open over their page; all by public ids. */
    open: text,
    message: text,
    token: text,
    topup: text,
    invoice: text,
  },
  '/operator/penyesuaian': {
    ...listFields,
    status: oneOf(['pending', 'done', 'refused', 'withdrawn', 'expired']),
    open: text,
  },
  '/operator/suspense': {
    ...listFields,
    open: text,
    /** The tables below: refunds to payers, and chargebacks of gateways. */
    refund: text,
    refund_page: whole,
    flag: text,
    flag_page: whole,
  },
  '/operator/pembukuan': {},
  '/operator/harga': {},
  '/operator/keamanan': {},
  '/operator/operator': { page: whole, open: text },
  '/operator/audit': {
    ...listFields,
    from: date,
    to: date,
    act: text,
    user: text,
    account: text,
    outcome: oneOf(['ok', 'refused']),
    open: text,
  },
  '/operator/pengumuman': { ...listFields, open: text },
  '/operator/kanal': {
    ...listFields,
    channel: oneOf(['cloud', 'web']),
    state: oneOf(['connected', 'parted', 'restricted', 'paused']),
    /** The number of days for the networks' responses; left out: one. */
    days: oneOf(['7']),
    open: text,
  },
  '/operator/token': {},
  '/operator/pengaturan': {},
} as const satisfies Readonly<Record<string, Readers>>;
