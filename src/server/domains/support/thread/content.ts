import { inAccountIn } from '#server/infra/postgres/distribution/scope.ts';
import type { MessageType } from '#contract/messages.ts';
import { uuidOf } from '#contract/base/ids.ts';
import { TypedPhone, formatPhone } from '#contract/base/phone.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { SupportSubject } from '#contract/support.ts';
import { claimUpload, describeFile, handOverFile } from '#server/domains/media/media.ts';
import { readCard } from '#server/domains/support/cards/cards.ts';
import type { SupportDeps, Viewer } from '#server/domains/support/deps.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import type { Content } from './line.ts';

/** What a line shall bring, as `supportContent` has read it. */
export type Given = {
  message_id: string;
  text?: string | undefined;
  upload?: string | undefined;
  contact_name?: string | undefined;
  contact_phone?: string | undefined;
  about_type?: SupportSubject | undefined;
  about_id?: string | undefined;
};

/** Whose line it will be. */
export type Writer = { accountId: string; viewer: Viewer; internal: boolean };

/** @throws Refusal `support_empty`, and `input_invalid` for what cannot go in one line. */
export function checkGiven(given: Given): void {
  const { text = '', upload, contact_name, contact_phone, about_type, about_id } = given;
  const hasContact = Boolean(contact_name || contact_phone);
  if (!text.trim() && !upload && !hasContact && !about_id) throw new Refusal('support_empty', {});
  const fields = {
    ...(hasContact && upload && { upload: 'Kirim kontak dan berkas sebagai dua pesan.' }),
    ...(hasContact && text.trim() && { text: 'Kirim kontak dan teks sebagai dua pesan.' }),
    ...(hasContact &&
      !TypedPhone().safeParse(contact_phone).success && {
        contact_phone: 'Tulis nomor kontaknya, misalnya 0812-3456-7890.',
      }),
    ...((about_type === undefined) !== (about_id === undefined) && {
      about_id: 'Sebutkan jenis dan id dari yang ditanyakan.',
    }),
  };
  if (Object.keys(fields).length > 0) throw new Refusal('input_invalid', { fields });
}

/**
 * What a line brings, in the transaction that writes it: the upload is claimed, and the card written down as
 * things are now.
 *
 * @throws Refusal `upload_gone`; `not_found` for what it is about and is not the account's.
 */
export async function readContent(
  tx: Tx,
  deps: SupportDeps,
  given: Given,
  writer: Writer,
): Promise<Content> {
  const { about_type: type, about_id: id } = given;
  const { side } = writer.viewer;
  const card =
    type === undefined || id === undefined
      ? null
      : await readCard(tx, { accountId: writer.accountId, type, id, now: deps.now(), by: side });
  if (given.upload !== undefined) return { ...(await readFile(tx, deps, given, writer)), card };
  if (given.contact_phone) {
    const phone = TypedPhone().parse(given.contact_phone);
    const body = { name: given.contact_name || formatPhone(phone), phone };
    return { type: 'contact', body, size_bytes: null, card };
  }
  return { type: 'text', body: { text: given.text ?? '' }, size_bytes: null, card };
}

/** A finished upload of who writes; an operator's for a customer becomes the customer's account's. */
async function readFile(
  tx: Tx,
  { allAccountsSql: sql, systemAccountId }: SupportDeps,
  { upload = '', text = '' }: Given,
  { accountId, viewer: { side, userId }, internal }: Writer,
): Promise<Omit<Content, 'card'>> {
  const uploadId = uuidOf('upload', upload);
  if (uploadId === undefined) throw new Refusal('upload_gone', {});
  const from = side === 'customer' ? accountId : systemAccountId;
  const purpose = 'chat';
  const claim = async (own: Tx) => {
    const fileId = await claimUpload(own, { accountId: from, userId, uploadId, purpose });
    return { fileId, ...(await describeFile(own, { accountId: from, fileId })) };
  };
  const claimed = side === 'customer' ? claim(tx) : inAccountIn({ sql, tx }, from, claim);
  const { fileId, name, mime, sizeBytes } = await claimed;
  if (side === 'operator' && !internal) {
    await handOverFile({ sql, tx }, { from, to: accountId, fileId });
  }
  const type = typeOf(mime);
  const caption = text.trim() && { caption: text };
  const body = { file: fileId, mime, filename: name, upload, ...caption };
  return { type, body, size_bytes: sizeBytes };
}

/** How a file is shown: pictures, sound and film in their place, all else to be saved. */
function typeOf(mime: string): MessageType {
  const family = mime.split('/')[0];
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}
