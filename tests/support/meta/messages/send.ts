import { type Answer, GraphError } from '#tests/support/meta/errors.ts';
import type { Failure } from '#tests/support/meta/failures.ts';
import type { MediaStore } from '#tests/support/meta/media.ts';
import type { Accepted, BusinessNumber, MetaState } from '#tests/support/meta/state.ts';
import type { TemplateBook } from '#tests/support/meta/templates.ts';
import { type StatusReporter, isUserId, userIdOf } from '#tests/support/meta/webhooks/statuses.ts';
import { checkMessage, recipientOf } from './check-message.ts';
import { checkTemplate } from './check-template.ts';
import { type Fields, isFields, textIn } from './fields.ts';

/** Limits of sending. May change at any time. */
export type SendMode = {
  /** One message to the same recipient within `pairMs`; more are refused with 131056. */
  isPairLimited: boolean;
  pairMs: number;
  /**
   * Reports 131047, for a message without template outside the 24 hours: `status` accepts and then fails it, as Meta
   * does; `answer` refuses it at once.
   */
  outsideWindow: 'status' | 'answer';
};

export type Sender = {
  mode: SendMode;
  /** POST /{pnid}/messages. @throws GraphError for an invalid message. */
  send(number: BusinessNumber, body: Fields, failure: Failure | undefined): Promise<Answer>;
};

type Services = {
  state: MetaState;
  store: MediaStore;
  templates: TemplateBook;
  statuses: StatusReporter;
};

export function openSender(services: Services, given: Partial<SendMode>): Sender {
  const { state, statuses } = services;
  const mode: SendMode = {
    isPairLimited: false,
    pairMs: 6_000,
    outsideWindow: 'status',
    ...given,
  };
  const lastByPair = new Map<string, number>();

  const limitPair = (pair: string): void => {
    const at = state.now().getTime();
    const last = lastByPair.get(pair);
    if (mode.isPairLimited && last !== undefined && at - last < mode.pairMs) {
      throw new GraphError(131_056);
    }
    lastByPair.set(pair, at);
  };
  return {
    mode,
    send: async (number, body, failure) => {
      if (body['messaging_product'] !== 'whatsapp') {
        throw new GraphError(100, { message: 'The parameter messaging_product is required.' });
      }
      if (body['status'] === 'read') return markRead(state, number, body);
      const to = recipientOf(body);
      const checked = checkedOf(body, services);
      if (to === number.phone) throw new GraphError(131_021);
      if (!number.isRegistered) throw new GraphError(133_010);
      const isFree = checked.type !== 'template';
      const isLate = isFree && body['recipient_type'] !== 'group' && !state.windows.isOpen(to);
      if (isLate && mode.outsideWindow === 'answer') throw new GraphError(131_047);
      limitPair(`${number.id} ${to}`);
      const ofStatus = failure?.kind === 'status' ? failure.code : undefined;
      const message: Accepted = {
        wamid: state.wamid(),
        phoneNumberId: number.id,
        to,
        type: checked.type,
        body,
        acceptedAt: state.now(),
        category: checked.category,
        isBillable: !isFree && !(checked.category === 'utility' && state.windows.isOpen(to)),
        callbackData: body['biz_opaque_callback_data'] as string | undefined,
        failure: ofStatus ?? checked.failure ?? (isLate ? 131_047 : undefined),
      };
      state.sent.push(message);
      await statuses.start(message);
      return { status: 200, body: acceptedBody(message) };
    },
  };
}

function checkedOf(body: Fields, { store, templates }: Services) {
  let category = 'service';
  const checked = checkMessage(body, {
    mimeTypeOf: (id) => store.get(id)?.mimeType,
    checkTemplate: (object, checkMedia) => {
      const { template, failure } = checkTemplate(templates, object, checkMedia);
      category = template.category.toLowerCase();
      return failure;
    },
  });
  return { ...checked, category };
}

function acceptedBody({ wamid, to, type, body }: Accepted) {
  const input = String(body['to'] ?? body['recipient']);
  return {
    messaging_product: 'whatsapp',
    contacts: [isUserId(to) ? { input, user_id: to } : { input, wa_id: to, user_id: userIdOf(to) }],
    messages: [{ id: wamid, ...(type === 'template' && { message_status: 'accepted' }) }],
  };
}

function markRead(state: MetaState, number: BusinessNumber, body: Fields): Answer {
  const messageId = textIn(body, 'message_id', 1024);
  if (!state.received.has(messageId)) {
    throw new GraphError(131_009, { details: "Param message_id is not a known message's id." });
  }
  const isTyping = isFields(body['typing_indicator']);
  state.read.push({ phoneNumberId: number.id, messageId, isTyping });
  return { status: 200, body: { success: true } };
}
