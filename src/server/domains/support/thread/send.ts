import { Refusal } from '#contract/base/refusals.ts';
import type { SupportMessage, SupportSubject } from '#contract/support.ts';
import { operatorNames } from '#server/domains/accounts/accounts.ts';
import { findCustomer } from '#server/domains/support/inbox/list.ts';
import type { SupportDeps, Viewer } from '#server/domains/support/deps.ts';
import { hit } from '#server/infra/acts.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { lineOf, lineOfUpload, messageOf, type Content } from './line.ts';
import { openThread } from './row.ts';
import { reopened, withLine } from './rules.ts';
import { transactionOf, writeAll } from './transaction.ts';
import { inAccountIn } from '#server/infra/postgres/distribution/scope.ts';
import type { MessageType } from '#contract/messages.ts';
import { uuidOf } from '#contract/base/ids.ts';
import { TypedPhone, formatPhone } from '#contract/base/phone.ts';
import { claimUpload, describeFile, moveFile } from '#server/domains/media/media.ts';
import { readCard } from '#server/domains/support/cards.ts';

const LINES_A_MINUTE = 20;

type Sending = { accountId: string; viewer: Viewer; internal?: boolean };

/**
 * Writes a line, once: the same id or upload again from the same person is answered with the first line, also with another
 * text.
 *
 * @throws Refusal `support_empty`, `upload_gone`, `not_found`; of customers `support_too_many`, of operators
 *   `account_ended`; `idempotency_conflict` for the id of a line that is somebody else's, or a note instead of an answer.
 */
export async function sendLine(
  deps: SupportDeps,
  given: Given,
  { accountId, viewer, internal = false }: Sending,
): Promise<SupportMessage> {
  checkGiven(given);
  const { side, userId } = viewer;
  const line = await transactionOf(deps, { side, accountId }, async (tx) => {
    if (side === 'operator') await refuseEnded(tx, accountId);
    const at = deps.now();
    const before = await openThread(tx, accountId, at);
    const first =
      (await lineOf(tx, accountId, given.message_id)) ??
      (await lineOfUpload(tx, accountId, { upload: given.upload, userId }));
    if (first) {
      // Neither a colleague's line nor a note may pass for the answer that somebody believes they gave.
      if (first.user_id === userId && first.internal === internal) return first;
      throw new Refusal('idempotency_conflict', {});
    }
    if (side === 'customer') await countLine(tx, accountId);
    const content = await readContent(tx, deps, given, { accountId, viewer, internal });
    const author =
      side === 'operator' ? ((await operatorNames(tx, [userId])).get(userId) ?? '') : null;
    const unwritten = { thread: before, lines: [] };
    const hours = deps.hours();
    const open = internal ? unwritten : reopened(unwritten, at, hours);
    const written = withLine(
      open,
      {
        ...content,
        message_id: given.message_id,
        side,
        user_id: userId,
        author,
        internal,
        event: null,
        at,
      },
      hours,
    );
    await writeAll(tx, deps, { before, written });
    return written.lines.at(-1);
  });
  if (!line) throw new Error('a line was not written');
  deps.onNews();
  return messageOf(deps, line, { accountId, viewer });
}

/** @throws Refusal `support_too_many`; then nothing was counted. */
async function countLine(tx: Tx, accountId: string): Promise<void> {
  const limit = { scope: 'support', subject: accountId, max: LINES_A_MINUTE, windowSeconds: 60 };
  const full = await hit(tx, [limit]);
  if (full) throw new Refusal('support_too_many', { seconds: full.seconds });
}

/** @throws Refusal `not_found`, `account_ended`. */
async function refuseEnded(tx: Tx, accountId: string): Promise<void> {
  const { status } = await findCustomer(tx, accountId);
  if (status === 'closed') throw new Refusal('account_ended', {});
}

/** What a line shall bring, as `supportContent` has read it. */
type Given = {
  message_id: string;
  text?: string | undefined;
  upload?: string | undefined;
  contact_name?: string | undefined;
  contact_phone?: string | undefined;
  about_type?: SupportSubject | undefined;
  about_id?: string | undefined;
};

/** Whose line it will be. */
type Writer = { accountId: string; viewer: Viewer; internal: boolean };

/** @throws Refusal `support_empty`, and `input_invalid` for what cannot go in one line. */
function checkGiven(given: Given): void {
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
async function readContent(
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
    await moveFile({ sql, tx }, { from, to: accountId, fileId });
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
