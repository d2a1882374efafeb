import { publicId } from '#contract/base/ids.ts';
import { newId } from '#server/infra/ids.ts';
import { type Fields, LIST, anId } from './hostile-fields.ts';

export const supportSamples = ({
  messageId,
}: {
  messageId: string;
}): Readonly<Record<string, Fields>> => {
  const line = {
    message_id: crypto.randomUUID(),
    text: 'Halo',
    upload: anId('upload'),
    contact_name: 'Budi',
    contact_phone: '0812-3456-7890',
    about_type: 'message',
    about_id: messageId,
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
