import type { ApiMessage, ApiMessageQuery } from '#contract/rest/messages.ts';
import type { KnownNumbers } from '#server/http/input.ts';
import type { ApiSender } from '#server/http/access.ts';
import { PROBLEM_TYPE } from '#server/http/v1/answers.ts';
import type { ApiReader, Handlers } from '#server/http/v1/call.ts';
import { type SendMessages, sendFrom } from '#server/http/v1/send.ts';

/** What these endpoints need of messages. */
export type MessageCalls = {
  send: SendMessages;
  list: (
    sender: ApiSender,
    query: ApiMessageQuery,
    reader: ApiReader,
  ) => Promise<{ messages: readonly ApiMessage[]; next: string | null }>;
  one: (sender: ApiSender, id: string, reader: ApiReader) => Promise<ApiMessage>;
  cancel: (sender: ApiSender, id: string, reader: ApiReader) => Promise<ApiMessage>;
};

export const messageHandlers = ({
  messages: { send, list, one, cancel },
  knownNumbers,
}: {
  messages: MessageCalls;
  knownNumbers: KnownNumbers;
}): Handlers<'sendMessage' | 'listMessages' | 'getMessage' | 'cancelMessage'> => ({
  sendMessage: async ({ sender, request, reply }) => {
    const sent = await sendFrom({ send, knownNumbers }, sender, request);
    if (sent.replayed) void reply.header('Idempotent-Replayed', 'true');
    request.apiRefusals = sent.refused;
    if (sent.status >= 400) void reply.type(PROBLEM_TYPE);
    return reply.code(sent.status).send(sent.body);
  },
  listMessages: async ({ sender, query, reader }) => {
    const { messages, next } = await list(sender, query, reader);
    return { data: [...messages], next_cursor: next };
  },
  getMessage: ({ sender, id, reader }) => one(sender, id, reader),
  cancelMessage: ({ sender, id, reader }) => cancel(sender, id, reader),
});
