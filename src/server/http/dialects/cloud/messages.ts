import { isHiddenPeer, storedPeer } from '#contract/messages/peer.ts';
import { wamidOf } from '#contract/dialects/cloud.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type ApiReader, idempotencyKey } from '#server/http/v1/call.ts';
import type { ApiSender } from '#server/http/access.ts';
import type { SendMessages } from '#server/http/v1/send.ts';
import type { CloudCall, CloudRoute } from './route.ts';
import { CloudRefusal } from './errors.ts';
import { phrases } from './read/phrases.ts';
import { namedTemplateIn, readCloudRequest } from './read/request.ts';
import { at } from '#server/infra/net/json-values.ts';

/** What these calls need of messages. */
export type MessageDeps = {
  messages: {
    send: SendMessages;
    one: (
      sender: ApiSender,
      id: string,
      reader: ApiReader,
    ) => Promise<{ direction: 'in' | 'out'; peer: string }>;
    /** Marks the conversation with a number as read. */
    markRead: (sender: ApiSender, peer: string) => Promise<unknown>;
  };
  templates: {
    /** The variables of a template, in the order of their values; undefined where no one template is meant. */
    variablesOf: (
      sender: ApiSender,
      named: { name: string; language: string | undefined },
    ) => Promise<readonly string[] | undefined>;
  };
};

/** `POST /{phone-number-id}/messages`: sends, or marks as read. */
export const messageRoutes = (deps: MessageDeps): readonly CloudRoute[] => [
  {
    method: 'POST',
    path: '/messages',
    scope: ({ request }) =>
      at(request.body, 'status') === 'read' ? 'messages.read' : 'messages.send',
    handler: async (call) => {
      if (call.id !== call.numberId) throw new Refusal('not_found', { what: 'Nomor telepon' });
      const read = await readBody(deps, call);
      if (read instanceof Refusal) throw read;
      return read.kind === 'read' ? markRead(deps, call, read.messageId) : send(deps, call, read);
    },
  },
];

async function readBody({ templates }: MessageDeps, { request, sender, reader }: CloudCall) {
  const { body } = request;
  const template = namedTemplateIn(body);
  const variableNames = template && (await templates.variablesOf(sender, template));
  const { language } = reader;
  return readCloudRequest(body, { language, ...(variableNames && { variableNames }) });
}

type Message = Extract<Exclude<ReturnType<typeof readCloudRequest>, Refusal>, { kind: 'message' }>;

async function send({ messages }: MessageDeps, call: CloudCall, { message, input }: Message) {
  const { sender, reader, request, reply } = call;
  const { results, replayed } = await messages.send({
    sender,
    messages: [message],
    key: idempotencyKey(request),
    answer: { language: reader.language, shape: 'cloud' },
  });
  const [result] = results;
  if (!result) throw new Error('nothing was answered for one message');
  if (result instanceof Refusal) throw result;
  if (replayed) void reply.header('Idempotent-Replayed', 'true');
  return {
    messaging_product: 'whatsapp',
    contacts: [
      { input, ...(isHiddenPeer(message.to) ? { user_id: message.to } : { wa_id: message.to }) },
    ],
    messages: [{ id: wamidOf(result.id), message_status: 'accepted' }],
  };
}

/** A receipt of reading, as the portal gives it: for the whole conversation with that number. */
async function markRead({ messages }: MessageDeps, call: CloudCall, messageId: string) {
  const { sender, reader } = call;
  const message = await messages.one(sender, messageId, reader);
  if (message.direction !== 'in') {
    throw new CloudRefusal(131009, { message_id: phrases.notReceived[reader.language] });
  }
  await messages.markRead(sender, storedPeer(message.peer));
  return { success: true };
}
