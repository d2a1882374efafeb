import { createWhatsAppAdapter } from '@chat-adapter/whatsapp';
import { Client } from '@great-detail/whatsapp';
import { normalizeWebhook, verifySignature } from '@kapso/whatsapp-cloud-api/server';
import { WhatsAppAPI } from 'whatsapp-api-js/middleware/web-standard';
import type { Known } from './format-app.ts';
import type { Handle } from './receiver.ts';

export type Understood = {
  /** Ids of messages with each of their statuses, as `wamid… read`. */
  statuses: string[];
  messages: { type: string; from: string | undefined }[];
  /** Selections as each program understood them: `button_reply ya Ya`. */
  answers: string[];
};

type Answer = {
  interactive?: {
    type: string;
    button_reply?: { id: string; title: string };
    list_reply?: { id: string; title: string };
  };
  button?: { payload: string; text: string };
};

function answerIn({ interactive, button }: Answer): string[] {
  const reply = interactive?.button_reply ?? interactive?.list_reply;
  if (interactive && reply) return [`${interactive.type} ${reply.id} ${reply.title}`];
  return button ? [`button ${button.payload} ${button.text}`] : [];
}

/** A program that uses an unmodified third-party library. */
export type Program = (known: Known, heard: Understood) => Handle;

const no = (status: number) => new Response(null, { status });
const yes = (text = '') => new Response(text, { status: 200 });

const kapso: Program =
  ({ secret, verifyToken }, heard) =>
  async (request) => {
    const query = new URL(request.url).searchParams;
    if (request.method === 'GET') {
      const isOurs = query.get('hub.verify_token') === verifyToken;
      return isOurs ? yes(query.get('hub.challenge') ?? '') : no(403);
    }
    const rawBody = await request.text();
    const signatureHeader = request.headers.get('x-hub-signature-256') ?? '';
    if (!verifySignature({ appSecret: secret, rawBody, signatureHeader })) return no(401);
    const { statuses, messages } = normalizeWebhook(JSON.parse(rawBody));
    heard.statuses.push(...statuses.map(({ id, status }) => `${id} ${status}`));
    heard.messages.push(...messages.map(({ type, from }) => ({ type, from })));
    for (const { interactive, button } of messages as unknown as Camel[]) {
      const reply = interactive?.buttonReply ?? interactive?.listReply;
      if (interactive && reply)
        heard.answers.push(`${interactive.type} ${reply.id} ${reply.title}`);
      if (button) heard.answers.push(`button ${button.payload} ${button.text}`);
    }
    return yes();
  };

/** This library renames fields. */
type Camel = {
  interactive?: Record<'buttonReply' | 'listReply', { id: string; title: string } | undefined> & {
    type: string;
  };
  button?: { payload: string; text: string };
};

type Notification = {
  entry: {
    changes: {
      value: {
        statuses?: { id: string; status: string }[];
        messages?: ({ type: string; from?: string } & Answer)[];
      };
    }[];
  }[];
};

const greatDetail: Program = ({ secret, verifyToken }, heard) => {
  const { webhook } = new Client();
  return async (request) => {
    const { method, headers, url } = request;
    const given = {
      method,
      headers: Object.fromEntries(headers),
      query: Object.fromEntries(new URL(url).searchParams),
    };
    if (method === 'GET') {
      const verified = await webhook.register(given);
      return verified.verifyToken === verifyToken ? yes(verified.accept()) : no(403);
    }
    const notification = await webhook.eventNotification({ ...given, body: await request.text() });
    if (!(await notification.checkSignature(secret))) return no(401);
    const { entry } = notification.eventNotification as unknown as Notification;
    for (const { value } of entry.flatMap(({ changes }) => changes)) {
      heard.statuses.push(...(value.statuses ?? []).map(({ id, status }) => `${id} ${status}`));
      heard.messages.push(...(value.messages ?? []).map(({ type, from }) => ({ type, from })));
      heard.answers.push(...(value.messages ?? []).flatMap(answerIn));
    }
    return yes();
  };
};

const apiJs: Program = ({ secret, verifyToken }, heard) => {
  const api = new WhatsAppAPI({
    token: 'KEY',
    appSecret: secret,
    webhookVerifyToken: verifyToken,
    v: 'v23.0',
  });
  api.on.message = ({ message, from }) => {
    heard.messages.push({ type: message.type, from });
    heard.answers.push(...answerIn(message as Answer));
  };
  api.on.status = ({ id, status }) => {
    heard.statuses.push(`${id} ${status}`);
  };
  return async (request) => {
    if (request.method === 'POST') return no(await api.handle_post(request));
    try {
      return yes(api.handle_get(request));
    } catch (status) {
      return no(Number(status));
    }
  };
};

type Action = {
  actionId: string;
  value: string;
  raw: { type: string; from: string } & Answer;
};

const quiet = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet };

const chatAdapter: Program = ({ secret, verifyToken }, heard) => {
  const adapter = createWhatsAppAdapter({
    accessToken: 'KEY',
    phoneNumberId: 'PHONE_NUMBER_ID',
    appSecret: secret,
    verifyToken,
    logger: quiet,
  });
  const state = new Map<string, unknown>();
  const chat = {
    getState: () => ({
      get: async (key: string) => state.get(key),
      set: async (key: string, value: unknown) => void state.set(key, value),
    }),
    processMessage: (
      _: unknown,
      __: string,
      { raw }: { raw: { message: { type: string; from: string } } },
    ) => void heard.messages.push({ type: raw.message.type, from: raw.message.from }),
    processAction: ({ actionId, value, raw }: Action) => {
      heard.messages.push({ type: raw.type, from: raw.from });
      // For a button it passes on the payload and the text, for a reply only the id.
      if (raw.type === 'button') heard.answers.push(`button ${actionId} ${value}`);
      else heard.answers.push(...answerIn(raw));
    },
    processReaction: ({ raw }: { raw: { type: string; from: string } }) =>
      void heard.messages.push({ type: raw.type, from: raw.from }),
  };
  const ready = adapter.initialize(chat as never);
  return async (request) => {
    await ready;
    return adapter.handleWebhook(request);
  };
};

export const programs = {
  '@kapso/whatsapp-cloud-api': { program: kapso, hearsStatuses: true },
  '@great-detail/whatsapp': { program: greatDetail, hearsStatuses: true },
  'whatsapp-api-js': { program: apiJs, hearsStatuses: true },
  '@chat-adapter/whatsapp': { program: chatAdapter, hearsStatuses: false },
} as const;
