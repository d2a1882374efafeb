import { publicId, uuidOf } from '#contract/base/ids.ts';
import { Refusal, type FactsOf } from '#contract/base/refusals.ts';
import { FILE_NAME_MAX } from '#contract/uploads.ts';
import type { ApiMedia } from '#contract/media.ts';
import type { ApiSender } from '#server/http/access.ts';
import { withinPace } from '#server/http/connections.ts';
import { refuseUnstorable, type KnownNumbers } from '#server/http/input.ts';
import {
  LARGEST,
  bytesIn,
  fileFormOf,
  FORM_BYTES,
  PACE,
  openBodyLimiter,
} from '#server/http/uploads.ts';
import { phrases, PROBLEM_TYPE } from '#server/http/v1/answers.ts';
import {
  type ApiReader,
  type Call,
  type Handlers,
  idempotencyKey,
  type RunIdempotent,
  answerIdempotent,
  type SendMessages,
  sendFrom,
} from './send.ts';
import { shownPeer } from '#contract/messages/peer.ts';
import { rupiah } from '#contract/base/money.ts';
import type { ApiLink, ApiMutation, Me } from '#contract/rest/account.ts';
import type { MutationKind, Mutation } from '#contract/saldo.ts';
import {
  type LATEST,
  type NewWebhook,
  type EventType,
  type WebhookEvent,
  addressRefused,
  type SavedWebhook,
  type Webhook,
  type WebhookTest,
  type Delivery,
  type DeliveryDetail,
  type DeliveryState,
} from '#contract/webhooks.ts';
import { API_LIMITS } from '#contract/rest/endpoint.ts';
import type { ApiMessage, ApiMessageQuery } from '#contract/rest/messages.ts';
import type { ApiOptout } from '#contract/messages/optouts.ts';
import type { Template, NewTemplate } from '#contract/messages/templates.ts';
import type { Language } from '#contract/language/language.ts';

export type StoredMedia = {
  fileId: string;
  name: string;
  mime: string;
  sizeBytes: number;
  sha256: Buffer;
  width: number | null;
  height: number | null;
  seconds: number | null;
  createdAt: Date;
  expiresAt: Date;
};

/** A file to upload; the fields after the file are known only once its bytes have come. */
export type NewMediaFile = {
  declared: () => { name: string; type: string };
  bytes: AsyncIterable<Uint8Array>;
};

export type MediaCalls = {
  /** `once` may find the file from an earlier call, by the hash of its bytes. */
  takeOnce: <T>(
    sender: ApiSender,
    file: NewMediaFile,
    once: (sha256: Buffer, take: () => Promise<StoredMedia>) => Promise<T>,
  ) => Promise<T>;
  find: (sender: ApiSender, fileId: string) => Promise<StoredMedia | undefined>;
  /** @throws Refusal `not_found` */
  remove: (sender: ApiSender, fileId: string) => Promise<void>;
  /** A link that works for anyone who has it, until `expiresAt`. */
  offer: (sender: ApiSender, fileId: string) => { link: string; expiresAt: Date };
};

type Deps = { media: MediaCalls; runIdempotent: RunIdempotent };

export function mediaHandlers({
  media,
  runIdempotent,
}: Deps): Handlers<'addMedia' | 'getMedia' | 'removeMedia'> {
  const turns = openBodyLimiter();
  return {
    addMedia: (call) =>
      turns(call.sender.tokenId, () =>
        withinPace(call.request, PACE, () => add({ media, runIdempotent }, call)),
      ),
    getMedia: async ({ sender, id, reader }) => {
      const file = await media.find(sender, uuidIn(id));
      if (!file) throw notFound();
      return mediaOf(file, media.offer(sender, file.fileId), reader);
    },
    removeMedia: async ({ sender, id, reply }) => {
      await media.remove(sender, uuidIn(id));
      return reply.code(204).send();
    },
  };
}

const notFound = () => new Refusal('not_found', { what: 'Media' });

function uuidIn(id: string): string {
  const uuid = uuidOf('media', id);
  if (uuid === undefined) throw notFound();
  return uuid;
}

async function add({ media, runIdempotent }: Deps, call: Call<'addMedia'>) {
  const { sender, reader, request, reply } = call;
  const key = idempotencyKey(request);
  const given = bytesIn(request, 'Content-Length');
  if (given !== undefined && given > LARGEST + FORM_BYTES) {
    throw new Refusal('upload_too_large', { bytesMax: LARGEST });
  }
  const form = await fileFormOf(request, {
    checkName: (name, isFile) => checkPart(name, isFile, reader),
    why: { broken: phrases.form[reader.language], manyFiles: phrases.manyFiles[reader.language] },
  });
  const declared = () => ({ name: form.text('name') ?? form.filename, type: form.mimetype });
  return media.takeOnce(sender, { declared, bytes: form.bytes }, async (sha256, take) => {
    checkNameField(form.text('name'), reader);
    const input = JSON.stringify([sha256.toString('hex'), declared()]);
    const idempotentCall = { tokenId: sender.tokenId, key, endpoint: 'POST /v1/media', input };
    const text = await answerIdempotent(runIdempotent, idempotentCall, reply, async () => {
      const file = await take();
      return mediaOf(file, media.offer(sender, file.fileId), reader);
    });
    return reply.code(201).type('application/json; charset=utf-8').send(text);
  });
}

/** @throws Refusal `input_invalid` for an unknown part */
function checkPart(name: string, isFile: boolean, { language }: ApiReader): void {
  if (isFile ? name === 'file' : name === 'name') return;
  const shown = name === 'file' ? name : name.slice(0, 100);
  const sentence = name === 'file' ? phrases.notAFile : phrases.unknownPart;
  throw (
    refuseUnstorable(shown, language, 'name') ??
    new Refusal('input_invalid', { fields: { [shown]: sentence[language] } })
  );
}

/** @throws Refusal `input_invalid` */
function checkNameField(name: string | undefined, { language }: ApiReader): void {
  if (name === undefined) return;
  const no = refuseUnstorable(name, language, 'name');
  if (no) throw no;
  const isName = name.trim() !== '' && [...name].length <= FILE_NAME_MAX;
  if (!isName) {
    throw new Refusal('input_invalid', { fields: { name: phrases.fileName[language] } });
  }
}

const mediaOf = (
  file: StoredMedia,
  { link, expiresAt }: ReturnType<MediaCalls['offer']>,
  { origin }: ApiReader,
): ApiMedia => ({
  id: publicId('media', file.fileId),
  name: file.name,
  mime_type: file.mime,
  size: file.sizeBytes,
  sha256: file.sha256.toString('hex'),
  width: file.width,
  height: file.height,
  duration: file.seconds,
  created_at: file.createdAt,
  expires_at: file.expiresAt,
  url: new URL(link, origin).href,
  url_expires_at: expiresAt,
});

export type AccountCalls = {
  me: (sender: ApiSender) => Promise<Me>;
  balance: (sender: ApiSender) => Promise<{ available: number; held: number }>;
  /** Rows of the statement before a number, the newest first. */
  mutations: (
    sender: ApiSender,
    query: { before: number | undefined; kind?: MutationKind; limit: number },
  ) => Promise<readonly Mutation[]>;
  /** @param agent the caller's own name for itself */
  link: (sender: ApiSender, agent: string) => Promise<ApiLink>;
};

const PAGE = 50;

export const accountHandlers = ({
  me,
  balance,
  mutations,
  link,
}: AccountCalls): Handlers<'getMe' | 'getBalance' | 'listMutations' | 'startLink'> => ({
  getMe: ({ sender }) => me(sender),
  getBalance: async ({ sender }) => {
    const { available, held } = await balance(sender);
    return { available: rupiah(available), held: rupiah(held) };
  },
  listMutations: async ({ sender, query: { cursor: before, kind, limit = PAGE } }) => {
    const page = { before, limit: limit + 1, ...(kind && { kind }) };
    const found = await mutations(sender, page);
    const data = found.slice(0, limit).map(mutationOf);
    return { data, next_cursor: found.length > limit ? (data.at(-1)?.seq ?? null) : null };
  },
  startLink: ({ sender, request }) => link(sender, request.headers['user-agent'] ?? ''),
});

const mutationOf = (line: Mutation): ApiMutation => ({
  seq: line.seq,
  kind: line.kind,
  amount: line.amount,
  held: line.held_amount,
  available_after: line.available_after,
  messages: line.kind === 'hold' || line.kind === 'correction' ? line.items : 0,
  message: line.message && {
    id: line.message.id,
    peer: shownPeer(line.message.peer),
    name: line.message.peer_name,
  },
  memo: line.memo,
  topup: line.topup_id,
  invoice: line.invoice_id,
  created_at: line.created_at,
});

export type EventCalls = {
  /** Events after a position, or after the newest; `next` is the position to continue from. */
  readFeed: (
    sender: ApiSender,
    query: {
      after: number | typeof LATEST;
      limit: number;
      types?: readonly EventType[] | undefined;
    },
  ) => Promise<{ events: WebhookEvent[]; next: number; hasMore: boolean }>;
};

export const eventHandlers = ({ readFeed }: EventCalls): Handlers<'listEvents'> => ({
  listEvents: async ({ sender, query: { after = 0, limit = API_LIMITS.pageMax, types } }) => {
    const { events, next, hasMore } = await readFeed(sender, { after, limit, types });
    return { data: events, next, has_more: hasMore };
  },
});

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

export type OptoutCalls = {
  list: (
    sender: ApiSender,
    query: { peer?: string | undefined; cursor?: string | undefined; limit: number },
  ) => Promise<{ optouts: readonly ApiOptout[]; next: string | null }>;
  add: (
    sender: ApiSender,
    optout: { peer: string; reason?: string | undefined },
  ) => Promise<ApiOptout>;
  remove: (sender: ApiSender, peer: string) => Promise<void>;
};

export const optoutHandlers = ({
  list,
  add,
  remove,
}: OptoutCalls): Handlers<'listOptOuts' | 'addOptOut' | 'removeOptOut'> => ({
  listOptOuts: async ({ sender, query: { phone: peer, cursor, limit = PAGE } }) => {
    const { optouts, next } = await list(sender, { peer, cursor, limit });
    return { data: [...optouts], next_cursor: next };
  },
  addOptOut: ({ sender, body: { phone: peer, reason } }) => add(sender, { peer, reason }),
  removeOptOut: async ({ sender, query: { phone }, reply }) => {
    await remove(sender, phone);
    return reply.code(204).send();
  },
});

export type TemplateCalls = {
  list: (sender: ApiSender, name?: string) => Promise<Template[]>;
  add: (sender: ApiSender, template: NewTemplate) => Promise<Template>;
  remove: (sender: ApiSender, name: string, language: string | undefined) => Promise<void>;
};

export const templateHandlers = ({
  list,
  add,
  remove,
}: TemplateCalls): Handlers<
  'listTemplates' | 'addTemplate' | 'getTemplate' | 'removeTemplate'
> => ({
  listTemplates: async ({ sender }) => ({ data: await list(sender) }),
  addTemplate: ({ sender, body }) => add(sender, body),
  getTemplate: async ({ sender, id }) => ({ data: await list(sender, id) }),
  removeTemplate: async ({ sender, id, query: { language }, reply }) => {
    await remove(sender, id, language);
    return reply.code(204).send();
  },
});

type DeliveryQuery = {
  before: number | undefined;
  limit: number;
  state?: DeliveryState | undefined;
  type?: EventType | undefined;
  peer?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
};

/** Operations on the webhook of a key's token; deliveries are named by their UUID. */
export type WebhookCalls = {
  read: (sender: ApiSender) => Promise<Webhook | null>;
  save: (sender: ApiSender, webhook: NewWebhook) => Promise<SavedWebhook>;
  remove: (sender: ApiSender) => Promise<void>;
  test: (sender: ApiSender) => Promise<WebhookTest>;
  rotateSecret: (sender: ApiSender) => Promise<{ webhook: Webhook; secret: string }>;
  /** Newest first, below the position `before`; `next` is null on the last page. */
  list: (
    sender: ApiSender,
    query: DeliveryQuery,
  ) => Promise<{ rows: Delivery[]; next: number | null }>;
  get: (sender: ApiSender, deliveryId: string) => Promise<DeliveryDetail>;
  replay: (sender: ApiSender, deliveryId: string) => Promise<Delivery>;
  replayPeriod: (
    sender: ApiSender,
    period: { from: Date; to: Date; which: 'parked' | 'all' },
  ) => Promise<{ replayed: number; more: boolean }>;
};

/** Webhook operations. The portal requires the password for changes; here the scope suffices. */
export const webhookHandlers = ({
  read,
  save,
  remove,
  test,
  rotateSecret,
}: WebhookCalls): Handlers<
  'getWebhook' | 'setWebhook' | 'removeWebhook' | 'testWebhook' | 'rotateWebhookSecret'
> => ({
  getWebhook: async ({ sender }) => ({ webhook: await read(sender) }),
  setWebhook: ({ sender, body, reader: { language } }) =>
    save(sender, body).catch((error: unknown) => {
      throw inLanguage(error, language);
    }),
  removeWebhook: async ({ sender, reply }) => {
    await remove(sender);
    return reply.code(204).send();
  },
  testWebhook: ({ sender }) => test(sender),
  rotateWebhookSecret: ({ sender }) => rotateSecret(sender),
});

export const deliveryHandlers = ({
  list,
  get,
  replay,
  replayPeriod,
}: WebhookCalls): Handlers<
  'listDeliveries' | 'getDelivery' | 'replayDelivery' | 'replayDeliveries'
> => ({
  listDeliveries: async ({ sender, query: { cursor: before, limit = PAGE, ...filter } }) => {
    const { rows, next } = await list(sender, { before, limit, ...filter });
    return { data: rows, next_cursor: next };
  },
  getDelivery: async ({ sender, id }) => get(sender, deliveryIn(id)),
  replayDelivery: async ({ sender, id }) => replay(sender, deliveryIn(id)),
  replayDeliveries: ({ sender, body }) => replayPeriod(sender, body),
});

/** @throws Refusal `not_found` */
function deliveryIn(id: string): string {
  const uuid = uuidOf('delivery', id);
  if (uuid === undefined) throw new Refusal('not_found', { what: 'Pengiriman webhook' });
  return uuid;
}

const englishOf = (sentence: string): string =>
  Object.values(addressRefused).find(({ id }) => id === sentence)?.en ?? sentence;

function inLanguage(error: unknown, language: Language): unknown {
  if (!(error instanceof Refusal) || error.code !== 'input_invalid' || language !== 'en') {
    return error;
  }
  const { fields } = error.facts as FactsOf<'input_invalid'>;
  const inEnglish = Object.entries(fields).map(([name, sentence]) => [name, englishOf(sentence)]);
  return new Refusal('input_invalid', { fields: Object.fromEntries(inEnglish) });
}
