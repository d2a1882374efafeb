import { publicId } from '#contract/base/ids.ts';
import { newId } from '#server/infra/ids.ts';

/** What the application holds of the person who asks. */
export type Held = { tokenId: string; messageId: string; topupId: string; vapidKey: string };

type Fields = Readonly<Record<string, string>>;

const anId = (kind: 'challenge' | 'session' | 'topup') => publicId(kind, newId());
const KEY =
  'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM';
const PHONE = '0812-3456-7890';
const PASSWORD = 'perahu-kertas-di-kali-code';
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
  message_send: { token_id: held.tokenId, to: '62800000001', text: 'Halo' },
  message_cancel: { message_id: held.messageId },
  conversation_list: { ...LIST, sort_by: 'last_at', q: 'Ani' },
  conversation_messages: {
    ...LIST,
    sort_by: 'created_at',
    token_id: held.tokenId,
    peer: '62800000001',
  },
  conversation_read: { token_id: held.tokenId, peer: '62800000001' },
  saldo_mutation_list: {
    ...LIST,
    sort_by: 'created_at',
    from: '2026-11-01',
    to: '2026-11-30',
    kind: 'hold',
  },
  saldo_mutation_messages: { ...LIST, sort_by: 'created_at', seq: '2' },
  topup_create: { amount: '20000' },
  topup_list: { ...LIST, sort_by: 'created_at', status: 'pending' },
  topup_get: { topup_id: held.topupId },
  topup_cancel: { topup_id: held.topupId },
  simulator_phone: { phone: PHONE },
  simulator_reply: { phone: PHONE, to: '628550000001', text: 'Halo' },
  simulator_switch: { phone: PHONE, offline: '0', slow: '0', blocked: '0' },
  simulator_scan: { phone: PHONE, text: 'kabari:abc' },
  simulator_transfer: { amount: '20000', sender: 'ANI' },
  operator_topup_list: { ...LIST, sort_by: 'created_at', status: 'open' },
  operator_topup_confirm: { topup_id: held.topupId, reference: 'REF-1', reason: 'Cocok' },
  operator_topup_reject: { topup_id: anId('topup'), reason: 'Tidak cocok' },
  events: { since: 'x' },
});
