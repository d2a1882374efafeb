import { publicId } from '#contract/base/ids.ts';
import { newId } from '#server/infra/ids.ts';
import { type Fields, LIST, REASON, anId } from './hostile-fields.ts';

const BANK = { reference: 'TRX 123456', payee: 'ANI SUSANTI' };

/** Calls of the money desk. */
export const deskSamples = (): Readonly<Record<string, Fields>> => ({
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
  operator_number_list: { ...LIST, sort_by: 'since', channel: 'cloud', state: 'parted' },
  operator_answer_list: { days: '7' },
  operator_system_token_move: { channel: 'simulator' },
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
