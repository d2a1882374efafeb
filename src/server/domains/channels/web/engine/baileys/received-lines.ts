import type { proto } from 'baileys';
import { formatRupiah } from '#contract/base/money.ts';
import { formatDateTimeZone } from '#contract/base/time.ts';
import type { OtherKind } from '#contract/messages/captions.ts';
import type { ReceivedContent } from '#server/domains/channels/web/engine/engine.ts';

type Line = {
  kind: OtherKind;
  details?: string | null | undefined;
  quotes?: string | null | undefined;
};
type Read = { contents: readonly ReceivedContent[]; quotes?: string | null | undefined };

const silent: ReadonlySet<string> = new Set([
  'senderKeyDistributionMessage',
  'fastRatchetKeySenderKeyDistributionMessage',
  'messageContextInfo',
  'deviceSentMessage',
  'stickerSyncRmrMessage',
  'messageHistoryBundle',
  'messageHistoryNotice',
  'keepInChatMessage',
]);

/** Describes a message without a type of its own as a line; undefined if nothing was sent. */
export function lineOf(content: proto.IMessage): Read | undefined {
  const line = pollOf(content) ?? tradeOf(content) ?? invitationOf(content) ?? restOf(content);
  if (!line) return undefined;
  const { kind, details, quotes } = line;
  return { contents: [{ kind: 'other', other: kind, ...(details && { details }) }], quotes };
}

/** The last second that our dates can be written with, in the year 9999. */
const SECONDS_MAX = 253_402_200_000;

/** An instant in milliseconds, from seconds of a sender or the network; undefined if invalid. */
export function instantIn(seconds: unknown): number | undefined {
  const count = Number(seconds ?? 0);
  return count > 0 && count <= SECONDS_MAX ? count * 1_000 : undefined;
}

const lines = (...parts: readonly (string | null | undefined | false)[]): string =>
  parts.filter(Boolean).join('\n');

function pollOf(content: proto.IMessage): Line | undefined {
  const poll =
    content.pollCreationMessage ??
    content.pollCreationMessageV2 ??
    content.pollCreationMessageV3 ??
    content.pollCreationMessageV5 ??
    content.pollCreationMessageV4?.message?.pollCreationMessage;
  if (poll) {
    const options = (poll.options ?? []).map(({ optionName }) => `• ${optionName ?? ''}`);
    const quotes = poll.contextInfo?.stanzaId;
    return { kind: 'poll', details: lines(poll.name, ...options), quotes };
  }
  const { pollUpdateMessage: vote } = content;
  const results = content.pollResultSnapshotMessage ?? content.pollResultSnapshotMessageV3;
  if (results) return { kind: 'poll', details: lines('Hasil', results.name) };
  // The vote is encrypted with a secret of the poll, which is not stored.
  return vote ? { kind: 'poll_vote', quotes: vote.pollCreationMessageKey?.id } : undefined;
}

/** An amount in thousandths, as the network writes it. */
const amountOf = (thousandths: unknown, currency: string | null | undefined): string | false => {
  const amount = Math.round(Number(thousandths ?? 0) / 1_000);
  if (!Number.isSafeInteger(amount) || amount <= 0) return false;
  return currency === 'IDR' || !currency ? formatRupiah(amount) : `${currency} ${amount}`;
};

function tradeOf(content: proto.IMessage): Line | undefined {
  const { orderMessage: order, productMessage: product, invoiceMessage: invoice } = content;
  if (order) {
    const total = amountOf(order.totalAmount1000, order.totalCurrencyCode);
    const items = order.itemCount ? `${order.itemCount} barang` : '';
    return {
      kind: 'order',
      details: lines(order.orderTitle, items, total, order.message),
      quotes: order.contextInfo?.stanzaId,
    };
  }
  if (product) {
    const { title, description, currencyCode, priceAmount1000 } = product.product ?? {};
    const price = amountOf(priceAmount1000, currencyCode);
    return {
      kind: 'product',
      details: lines(title, price, product.body ?? description),
      quotes: product.contextInfo?.stanzaId,
    };
  }
  if (invoice) return { kind: 'invoice', details: invoice.note };
  const { requestPaymentMessage: request, sendPaymentMessage: payment } = content;
  if (request) {
    const amount = amountOf(request.amount1000, request.currencyCodeIso4217);
    return { kind: 'payment_request', details: lines(amount, noteIn(request.noteMessage)) };
  }
  if (payment) return { kind: 'payment', details: noteIn(payment.noteMessage) };
  if (content.declinePaymentRequestMessage) return { kind: 'payment_request', details: 'Ditolak' };
  if (content.cancelPaymentRequestMessage) {
    return { kind: 'payment_request', details: 'Dibatalkan' };
  }
  return content.paymentInviteMessage ? { kind: 'payment' } : undefined;
}

const noteIn = (note: proto.IMessage | null | undefined) =>
  note?.extendedTextMessage?.text ?? note?.conversation;

function invitationOf(content: proto.IMessage): Line | undefined {
  const { eventMessage: event, groupInviteMessage: group, albumMessage: album } = content;
  if (event) {
    const startMs = instantIn(event.startTime);
    const start = startMs !== undefined && formatDateTimeZone(new Date(startMs));
    return {
      kind: 'event',
      details: lines(
        event.isCanceled ? `${event.name ?? ''} (dibatalkan)` : event.name,
        start,
        event.location?.name,
        event.description,
      ),
    };
  }
  const { encEventResponseMessage: answer } = content;
  if (answer) {
    return {
      kind: 'event',
      details: 'Jawaban atas undangan',
      quotes: answer.eventCreationMessageKey?.id,
    };
  }
  if (group) return { kind: 'group_invite', details: lines(group.groupName, group.caption) };
  if (album) {
    const { expectedImageCount: images, expectedVideoCount: videos } = album;
    const parts = [images && `${images} foto`, videos && `${videos} video`].filter(Boolean);
    return { kind: 'album', details: parts.join(', ') };
  }
  const { newsletterAdminInviteMessage, newsletterFollowerInviteMessageV2 } = content;
  const channel = newsletterAdminInviteMessage ?? newsletterFollowerInviteMessageV2;
  if (!channel) return undefined;
  const name = lines(channel.newsletterName, channel.caption);
  return { kind: 'system', details: `Undangan saluran ${name}` };
}

function interactiveIn(content: proto.IMessage): string | undefined {
  const { templateMessage: template, buttonsMessage: buttons, listMessage: list } = content;
  const { interactiveMessage: interactive, highlyStructuredMessage: structured } = content;
  const hydrated =
    template?.hydratedTemplate ??
    template?.hydratedFourRowTemplate ??
    structured?.hydratedHsm?.hydratedTemplate;
  if (hydrated) return lines(hydrated.hydratedTitleText, hydrated.hydratedContentText);
  if (buttons) return lines(buttons.text, buttons.contentText);
  if (list) return lines(list.title, list.description);
  const words = interactive ?? template?.interactiveMessageTemplate;
  if (words) return lines(words.header?.title, words.body?.text);
  return template || structured ? '' : undefined;
}

function restOf(content: proto.IMessage): Line | undefined {
  const words = interactiveIn(content);
  if (words !== undefined) return { kind: 'interactive', details: words };
  const { interactiveResponseMessage: form, scheduledCallCreationMessage: planned } = content;
  if (form) return { kind: 'form', details: form.nativeFlowResponseMessage?.name };
  if (planned) return { kind: 'call', details: planned.title };
  if (content.call || content.bcallMessage || content.callLogMesssage) return { kind: 'call' };
  if (content.pinInChatMessage) {
    return { kind: 'pinned', quotes: content.pinInChatMessage.key?.id };
  }
  if (content.requestPhoneNumberMessage) {
    return { kind: 'system', details: 'Pengirim meminta nomor telepon Anda' };
  }
  // An edit that is encrypted with a secret of the message, which is not stored.
  const { secretEncryptedMessage: sealed } = content;
  if (sealed) return { kind: 'edited', quotes: sealed.targetMessageKey?.id };
  const sent = Object.entries(content).filter(([field, value]) => value && !silent.has(field));
  if (sent.length === 0) return undefined;
  return { kind: 'unsupported', details: content.stickerPackMessage?.name };
}
