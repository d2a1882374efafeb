import { type IdKind, publicId } from '#contract/base/ids.ts';
import { newId } from '#server/infra/ids.ts';

/** What the application holds of the person who asks. */
export type Held = { tokenId: string; messageId: string; topupId: string; vapidKey: string };

type Fields = Readonly<Record<string, string | readonly string[]>>;

const anId = (kind: IdKind) => publicId(kind, newId());
const KEY =
  'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM';
const PHONE = '0812-3456-7890';
const PASSWORD = 'perahu-kertas-di-kali-code';
/** Of the three ways one is taken; each is looked at. */
const factorAnswer = (): Fields => ({
  challenge: anId('challenge'),
  code: '123456',
  passkey: '{}',
  recovery_code: 'abcde-fghjk',
});
const LIST: Fields = { page: '0', start: '0', sort_type: 'desc' };

/**
 * A call of every act that has fields, with all of them, such as its schema takes: hostile texts are put in
 * the place of each field, and into it. What would end the session or take the token away names another's.
 */
export const samplesOf = (held: Held): Readonly<Record<string, Fields>> => ({
  user_register: { name: 'Toko Ani', phone: PHONE, password: PASSWORD, agree: '1', captcha: 'x' },
  user_verify_otp: { challenge: anId('challenge'), code: '123456' },
  user_resend_otp: { challenge: anId('challenge') },
  user_login: { phone: PHONE, password: PASSWORD, captcha: 'x' },
  captcha_challenge: { for: 'user_login' },
  user_forgot_password: { phone: PHONE, captcha: 'x' },
  user_forgot_verify: { challenge: anId('challenge'), code: '123456' },
  user_forgot_change: { grant: 'x', password: PASSWORD },
  user_reauth: { password: PASSWORD },
  user_second_factor: factorAnswer(),
  second_factor_totp_add: { challenge: anId('challenge'), code: '123456' },
  second_factor_passkey_add: { challenge: anId('challenge'), name: 'Laptop', passkey: '{}' },
  second_factor_remove: { factor_id: anId('factor') },
  second_factor_confirm: factorAnswer(),
  user_update: {
    name: 'Toko Ani',
    email: 'ani@toko.id',
    avatar: '',
    timezone: 'Asia/Jakarta',
    theme: 'dark',
    sound_on: '1',
    sound: 'pesan',
    push_on: '1',
    push_text: '0',
    keys_on: '1',
  },
  user_change_password: { current: PASSWORD, password: PASSWORD },
  user_change_phone: { phone: '0813-9999-0001' },
  user_change_phone_confirm: {
    old_challenge: anId('challenge'),
    old_code: '123456',
    new_challenge: anId('challenge'),
    new_code: '123456',
  },
  user_session_revoke: { session_id: anId('session'), others: '1' },
  user_delete: { password: PASSWORD, challenge: anId('challenge'), code: '123456' },
  push_register: {
    endpoint: 'https://fcm.googleapis.com/fcm/send/abc',
    p256dh: KEY,
    auth: 'tBHItJI5svbpez7KI4CCXg',
    vapid_key: held.vapidKey,
    old: `psh_${'a'.repeat(43)}`,
  },
  push_renew: {
    old: `psh_${'a'.repeat(43)}`,
    endpoint: 'https://fcm.googleapis.com/fcm/send/abc',
    p256dh: KEY,
    auth: 'tBHItJI5svbpez7KI4CCXg',
    vapid_key: held.vapidKey,
  },
  push_unregister: { push_token: `psh_${'a'.repeat(43)}` },
  push_test: { push_token: `psh_${'a'.repeat(43)}` },
  token_list: { ...LIST, sort_by: 'name' },
  token_get: { token_id: held.tokenId },
  token_create: { name: 'Kasir', channel: 'simulator' },
  token_update: { token_id: held.tokenId, name: 'Kasir', daily_limit: '1000000' },
  token_access_update: {
    token_id: publicId('token', newId()),
    scopes: ['messages.send', 'messages.read'],
    addresses: '203.0.113.0/24',
    expires_on: '2027-11-30',
  },
  rejected_call_list: {
    ...LIST,
    sort_by: 'last_at',
    token_id: held.tokenId,
    code: 'input_invalid',
  },
  token_rotate: { token_id: held.tokenId },
  token_delete: { token_id: publicId('token', newId()) },
  token_confirm: { token_id: held.tokenId },
  token_link: { token_id: held.tokenId },
  token_unlink: { token_id: publicId('token', newId()) },
  scan_get: { data: 'abc', nonce: 'abc' },
  scan_consent: { data: 'abc' },
  message_list: {
    ...LIST,
    sort_by: 'created_at',
    from: '2026-11-01',
    to: '2026-11-30',
    status: 'sent',
    direction: 'out',
    token_id: held.tokenId,
    type: 'text',
    q: '0812',
  },
  message_get: { message_id: held.messageId },
  message_send: {
    token_id: held.tokenId,
    to: '62800000001',
    text: 'Halo',
    reply_to: held.messageId,
  },
  message_cancel: { message_id: held.messageId },
  conversation_list: { ...LIST, sort_by: 'last_at', q: 'Ani' },
  conversation_messages: {
    ...LIST,
    sort_by: 'created_at',
    token_id: held.tokenId,
    peer: '62800000001',
  },
  conversation_read: { token_id: held.tokenId, peer: '62800000001' },
  optout_list: { ...LIST, sort_by: 'created_at', token_id: held.tokenId, peer: PHONE },
  optout_add: { token_id: held.tokenId, peer: PHONE, reason: 'Diminta lewat telepon' },
  optout_remove: { token_id: held.tokenId, peer: PHONE },
  saldo_mutation_list: {
    ...LIST,
    sort_by: 'created_at',
    from: '2026-11-01',
    to: '2026-11-30',
    kind: 'hold',
    seq: '1',
  },
  saldo_alert_save: { threshold: '50000' },
  saldo_mutation_messages: { ...LIST, sort_by: 'created_at', seq: '2' },
  saldo_export: { from: '2026-11-01', to: '2026-11-30', kind: 'topup', format: 'csv' },
  invoice_list: { ...LIST, sort_by: 'created_at', status: 'paid', kind: 'topup' },
  invoice_get: { invoice_id: held.topupId.replace('TU-', 'inv_') },
  invoice_pdf: { invoice_id: held.topupId.replace('TU-', 'inv_') },
  invoice_pay: { invoice_id: held.topupId.replace('TU-', 'inv_'), method: 'bank' },
  billing_profile_save: {
    name: 'CV Ani',
    npwp: '01.234.567.8-901.000',
    address: 'Jl. Mawar 1',
    email: 'ani@toko.id',
  },
  topup_create: { amount: '20000', method: 'bank' },
  topup_list: { ...LIST, sort_by: 'created_at', status: 'pending' },
  topup_get: { topup_id: held.topupId },
  topup_cancel: { topup_id: held.topupId },
  topup_check: { topup_id: held.topupId },
  simulator_phone: { phone: PHONE },
  simulator_reply: { phone: PHONE, to: '628550000001', text: 'Halo' },
  simulator_switch: { phone: PHONE, offline: '0', slow: '0', blocked: '0' },
  simulator_scan: { phone: PHONE, text: 'kabari:abc' },
  simulator_transfer: { amount: '20000', sender: 'ANI' },
  simulator_pay: { topup_id: held.topupId, outcome: 'pay' },
  operator_topup_list: { ...LIST, sort_by: 'created_at', status: 'open' },
  operator_topup_confirm: { topup_id: held.topupId, reference: 'REF-1', reason: 'Cocok' },
  topup_proof: { topup_id: held.topupId, upload: anId('upload') },
  operator_bank_line_list: { ...LIST, sort_by: 'at', filter: 'all', amount: '50123' },
  operator_bank_line_dismiss: { line: 'a'.repeat(64), reason: 'Bukan isi saldo' },
  operator_statement_preview: { upload: anId('upload') },
  operator_statement_import: { upload: anId('upload'), sha256: 'b'.repeat(64) },
  operator_topup_check: { topup_id: anId('topup') },
  operator_topup_reject: { topup_id: anId('topup'), reason: 'Tidak cocok' },
  subscription_preview: { plan: 'usaha' },
  subscription_change: { plan: 'usaha', quote: 'a'.repeat(43) },
  simulator_clock: { advance_seconds: '60', to: '2026-12-01T00:00:00Z' },
  ...supportSamples(held),
  ...deskSamples(),
  ...settingSamples(),
  events: { since: 'x' },
});

const REASON = 'Diminta pelanggan';
const BANK = { reference: 'TRX 123456', payee: 'ANI SUSANTI' };

/** Calls of the money desk. */
const deskSamples = (): Readonly<Record<string, Fields>> => ({
  operator_customer_list: {
    ...LIST,
    sort_by: 'created_at',
    q: 'Toko',
    state: 'active',
    plan: 'gratis',
    saldo: 'low',
  },
  operator_customer_suspend: { account_id: anId('account'), becomes: 'active', reason: REASON },
  operator_customer_session_end: { account_id: anId('account'), session_id: anId('session') },
  operator_plan_end: { account_id: anId('account'), refund: 'yes', reason: REASON },
  operator_message_get: { account_id: anId('account'), message_id: publicId('message', newId()) },
  operator_message_text: {
    account_id: anId('account'),
    message_id: publicId('message', newId()),
    reason: REASON,
  },
  operator_customer_topup_get: { account_id: anId('account'), topup_id: anId('topup') },
  operator_customer_invoice_get: {
    account_id: anId('account'),
    invoice_id: publicId('invoice', newId()),
  },
  operator_token_get: { account_id: anId('account'), token_id: publicId('token', newId()) },
  operator_customer_get: { account_id: anId('account') },
  operator_adjust: {
    account_id: anId('account'),
    direction: 'add',
    amount: '5000',
    cause: 'goodwill',
    reason: REASON,
  },
  operator_refund: {
    account_id: anId('account'),
    message_id: publicId('message', newId()),
    amount: '100',
    reason: REASON,
  },
  operator_payout: { account_id: anId('account'), amount: '5000', ...BANK, reason: REASON },
  operator_adjustment_list: {
    ...LIST,
    sort_by: 'created_at',
    status: 'pending',
    account_id: anId('account'),
  },
  operator_adjustment_decide: {
    adjustment_id: anId('adjustment'),
    decision: 'approve',
    reason: REASON,
  },
  operator_wallet_freeze: { account_id: anId('account'), becomes: 'frozen', reason: REASON },
  operator_suspense_list: { ...LIST, sort_by: 'created_at' },
  operator_suspense_credit: { provider: 'bank', txn: 'bank:1', reason: REASON },
  operator_suspense_return: { provider: 'bank', txn: 'bank:1', ...BANK, reason: REASON },
  operator_suspense_keep: { provider: 'bank', txn: 'bank:1', reason: REASON },
  operator_payment_refund: { topup_id: anId('topup'), reason: REASON },
  operator_refund_list: { ...LIST, sort_by: 'created_at' },
  operator_refund_finish: { refund_id: anId('adjustment'), reference: BANK.reference },
  operator_payment_flag_list: { ...LIST, sort_by: 'created_at' },
  operator_payment_flag_settle: {
    topup_id: anId('topup'),
    flagged_at: '2026-11-21T02:00:00Z',
    reason: REASON,
  },
  operator_bonus_approve: { account_id: anId('account'), reason: REASON },
  operator_seal_list: { ...LIST, sort_by: 'created_at' },
  operator_list: { ...LIST, sort_by: 'created_at' },
  operator_invite: { name: 'Ria', phone: '0812-3456-7890', roles: ['money'] },
  operator_roles_set: { user_id: anId('user'), roles: ['money'] },
  operator_remove: { user_id: anId('user') },
  operator_sessions_end: { user_id: anId('user') },
  operator_second_factor_reset: { user_id: anId('user') },
  operator_audit_list: { ...LIST, sort_by: 'at', ...auditFilter() },
  operator_audit_export: auditFilter(),
  operator_price_set: {
    category: 'message',
    price: '150',
    valid_from: '2027-01-01T00:00:00Z',
    reason: REASON,
  },
  operator_ppn_set: {
    num: '12',
    den: '100',
    dpp_num: '11',
    dpp_den: '12',
    valid_from: '2027-01-01T00:00:00Z',
    reason: REASON,
  },
  operator_plan_save: {
    code: 'usaha',
    name: 'Usaha',
    description: 'Untuk toko',
    price: '99000',
    tokens: '3',
    quota: '5000',
    overage: '75',
    offered: 'yes',
    reason: REASON,
  },
});

const auditFilter = (): Fields => ({
  from: '2026-11-01',
  to: '2026-11-30',
  act_name: 'token_create',
  user_id: anId('user'),
  account_id: anId('account'),
  outcome: 'refused',
});
/** Of customer service: customers' and operators' acts. */
const supportSamples = (held: Held): Readonly<Record<string, Fields>> => {
  const line = {
    message_id: crypto.randomUUID(),
    text: 'Halo',
    upload: anId('upload'),
    contact_name: 'Budi',
    contact_phone: PHONE,
    about_type: 'message',
    about_id: held.messageId,
  };
  const account_id = anId('account');
  return {
    support_messages: { ...LIST, sort_by: 'at' },
    support_card: { about_type: line.about_type, about_id: line.about_id },
    support_send: line,
    support_read: { seq: '1' },
    support_rate: { score: '5', comment: 'Cepat' },
    operator_support_list: { ...LIST, sort_by: 'last_at', filter: 'waiting', q: 'Toko' },
    operator_support_get: { account_id },
    operator_support_messages: { ...LIST, sort_by: 'at', account_id },
    operator_support_send: { ...line, account_id, internal: '1' },
    operator_support_read: { account_id, seq: '1' },
    operator_support_typing: { account_id, doing: 'note' },
    operator_support_assign: { account_id, operator_id: publicId('user', newId()) },
    operator_support_snooze: { account_id, until: '2027-01-01T00:00:00Z' },
    operator_support_close: { account_id },
    operator_support_reopen: { account_id },
    operator_support_transcript: { account_id },
    operator_canned_save: { name: 'salam', text: 'Halo {nama}' },
    operator_canned_delete: { name: 'salam' },
  };
};
const BROADCAST: Fields = {
  title: 'Libur Natal',
  text: 'Kami tutup pada 25 Desember.',
  tone: 'info',
  audience: 'plan',
  plan: 'usaha',
  from: '2027-01-01T00:00:00Z',
  until: '2027-01-02T00:00:00Z',
  by_push: 'no',
  by_message: 'no',
};

/** Calls of what runs an installation: settings, broadcasts, its own token. */
const settingSamples = (): Readonly<Record<string, Fields>> => ({
  operator_setting_save: {
    setting_id: 'SUPPORT_CLOSE_DAYS',
    value: '9',
    version: '0',
    reason: REASON,
  },
  operator_setting_reset: { setting_id: 'SUPPORT_CLOSE_DAYS', version: '0', reason: REASON },
  broadcast_close: { broadcast_id: anId('broadcast') },
  operator_broadcast_list: { ...LIST, sort_by: 'created_at', state: 'shown' },
  operator_broadcast_create: BROADCAST,
  operator_broadcast_change: { broadcast_id: anId('broadcast'), ...BROADCAST },
  operator_broadcast_stop: { broadcast_id: anId('broadcast') },
});
