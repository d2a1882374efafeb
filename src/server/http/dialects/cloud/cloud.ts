import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { businessIdOf, numberIdOf, wamidOf } from '#contract/dialects.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type ApiMessages,
  templatesOf,
  templateVariablesOf,
} from '#server/domains/messages/messages.ts';
import { type WebhookCalls, unconfirmed } from '#server/domains/webhooks/webhooks.ts';
import { type Access, bearerOf } from '#server/http/access.ts';
import { cutAfter, drainBody } from '#server/http/connections.ts';
import { publicOrigin } from '#server/http/origin.ts';
import { refusalOfError } from '#server/http/v1/answers.ts';
import { readJsonOnly } from '#server/http/v1/api.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { languageIn, idempotencyKey } from '#server/http/v1/send.ts';
import { CloudRefusal, graphErrorOf } from './errors.ts';
import { type MediaDeps, mediaRoutes } from './media.ts';
import { type NumberDeps, numberRoutes, tokenOf, selectFields, ownBusiness } from './numbers.ts';
import { phrases, namedTemplateIn, readCloudRequest } from './request.ts';
import type { CloudRoute, CloudCall } from './route.ts';
import { textAt, at } from '#server/infra/net/json-values.ts';
import { timingSafeEqual, createHash } from 'node:crypto';
import { wibMidnight } from '#contract/base/time.ts';
import type { Scope } from '#contract/tokens.ts';
import { type Webhook, isVerifyToken } from '#contract/webhooks.ts';
import { isHiddenPeer, storedPeer } from '#contract/messages/peer.ts';
import type { Template } from '#contract/messages/templates.ts';

export type CloudDeps = MessageDeps &
  NumberDeps &
  MediaDeps &
  SubscriptionDeps & {
    access: Access;
    now: () => Date;
    /**
     * The public address; undefined for a local installation, which answers under any host name.
     */
    publicUrl: string | undefined;
    report: (bug: unknown, requestId: string) => void;
  };

/** Any version, such as `v23.0`: the formats are the same. One client omits it. */
const VERSION = '^v\\d{1,3}\\.\\d{1,2}$';
const ID = '^\\d{15,16}$|^med_[0-9A-Za-z]{26}$';
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** A file, number or business id; or a version alone, which is no endpoint. */
const ROOT = `:id(${ID}|${VERSION})`;
const WITHIN = `/:root(${VERSION}|${ID})/*`;

/**
 * The WhatsApp Cloud API as a dialect (docs/dialects/cloud-api.md). Register it in a separate scope at the root: its
 * addresses begin with a version, or with the id of a number or file.
 */
export function openCloud(app: FastifyInstance, deps: CloudDeps): void {
  app.decorateRequest('apiSender', undefined);
  readJsonOnly(app);
  void app.register(multipart);
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('cache-control', 'no-store');
    void reply.header('x-fb-trace-id', request.id);
    await deps.access.admit(request, reply, keyOf(request));
  });
  deps.access.recordRejectedCall(app, 'cloud', keyOf);
  app.setErrorHandler((error, request, reply) => sendError(deps, error, request, reply));
  const routes = [
    ...selfRoutes(deps),
    ...messageRoutes(deps),
    ...numberRoutes(deps),
    ...mediaRoutes(deps),
    ...subscriptionRoutes(deps),
    ...templateRoutes(deps),
  ];
  for (const route of routes) open(app, deps, route);
  const known = new Set(routes.map(({ path }) => path));
  const taken = routes.flatMap(({ node, path, method }) => (node || path ? [] : [method]));
  for (const [url, method] of [
    [`/${ROOT}`, methods.filter((one) => !taken.some((other) => other === one))],
    [WITHIN, methods],
  ] as const) {
    app.route({
      method: [...method],
      url,
      exposeHeadRoute: false,
      config: { named: 'cloud' },
      handler: (request) => {
        throw isWrongId(request.url, known)
          ? new CloudRefusal(100, { phone_number_id: phrases.numberId[languageIn(request)] })
          : new Refusal('path_unknown', {});
      },
    });
  }
}

/** An endpoint called with an invalid id, such as a phone number or a placeholder. */
function isWrongId(url: string, known: ReadonlySet<string>): boolean {
  const [, version = '', id = '', ...rest] = (url.split('?', 1)[0] ?? '').split('/');
  if (!new RegExp(VERSION).test(version) || id === '' || new RegExp(ID).test(id)) return false;
  return rest.length === 0 ? /^\d+$/.test(id) : known.has(`/${rest.join('/')}`);
}

function open(app: FastifyInstance, deps: CloudDeps, route: CloudRoute): void {
  const { path } = route;
  for (const version of [`/:version(${VERSION})`, '']) {
    const node = route.node ?? (version === '' && path === '' ? ROOT : `:id(${ID})`);
    app.route({
      method: route.method,
      url: `${version}/${node}${path}`,
      config: {
        named: `cloud/${route.node ?? ':id'}${path}`,
        longBody: route.takesFile ?? false,
      },
      handler: async (request, reply) => {
        const sender = request.apiSender;
        if (!sender) throw new Error('the call has no sender');
        const { id = '' } = request.params as { id?: string };
        if (new RegExp(VERSION).test(id)) throw new Refusal('path_unknown', {});
        const { scope } = route;
        deps.access.allow(sender, typeof scope === 'function' ? scope({ id, request }) : scope);
        const answer = await route.handler({
          sender,
          key: keyOf(request) ?? '',
          reader: { language: languageIn(request), origin: publicOrigin(deps, request) },
          id,
          numberId: numberIdOf(publicId('token', sender.tokenId)),
          businessId: businessIdOf(publicId('account', sender.accountId)),
          request,
          reply,
        });
        return answer === reply || reply.sent ? reply : reply.code(200).send(answer);
      },
    });
  }
}

/** The key of a call; some Meta clients send it in the address, which is never logged. */
const keyOf = (request: FastifyRequest): string | undefined =>
  bearerOf(request) ?? textAt(request.query, 'access_token');

async function sendError(
  { report, now }: CloudDeps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (!(await drainBody(request))) cutAfter(reply);
  const language = languageIn(request);
  const known = error instanceof Refusal ? error : refusalOfError(error, language);
  if (!known) report(error, request.id);
  const no = known ?? new Refusal('our_fault', { request: request.id });
  request.apiRefusals = [no];
  const shown = graphErrorOf(no, { requestId: request.id, language, now: now() });
  return reply
    .code(shown.status)
    .headers(shown.headers)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(shown.body));
}

const DAY_MS = 86_400_000;

const selfRoutes = (deps: NumberDeps): readonly CloudRoute[] => [
  {
    method: 'GET',
    node: 'me',
    path: '',
    scope: 'account.read',
    handler: async (call) => {
      const { name } = await tokenOf(deps, call.sender);
      return selectFields({ id: call.numberId, name }, call);
    },
  },
  { method: 'GET', node: 'debug_token', path: '', scope: 'account.read', handler: debugToken },
];

/**
 * Describes the caller's own key. Any other text gets the same answer, whether it is another account's key, another
 * key of this token, or none.
 */
async function debugToken(call: CloudCall): Promise<object> {
  const given = textAt(call.request.query, 'input_token');
  if (given === undefined) {
    throw new CloudRefusal(100, { input_token: phrases.inputToken[call.reader.language] });
  }
  return { data: isSame(given, call.key) ? ownFacts(call) : invalid };
}

function isSame(given: string, key: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(key)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const invalid = {
  error: {
    code: 190,
    message: 'The access token is not the one of this call, and nothing is told of others.',
  },
  is_valid: false,
  scopes: [],
};

function ownFacts({ businessId, numberId, sender: { expiresOn, scopes } }: CloudCall): object {
  const granted = [...new Set(scopes.flatMap((scope) => metaScopes[scope] ?? []))];
  const end = expiresOn === null ? 0 : (wibMidnight(expiresOn).getTime() + DAY_MS) / 1_000;
  return {
    app_id: businessId,
    type: 'SYSTEM_USER',
    application: 'Kabari',
    data_access_expires_at: end,
    expires_at: end,
    is_valid: true,
    scopes: granted,
    granular_scopes: granted.map((scope) => ({ scope, target_ids: [businessId] })),
    user_id: numberId,
  };
}

const metaScopes: Partial<Record<Scope, string>> = {
  'messages.send': 'whatsapp_business_messaging',
  'account.read': 'whatsapp_business_management',
};

type SubscriptionDeps = { webhook: Pick<WebhookCalls, 'read' | 'save' | 'setOn'> };

const PATH = '/subscribed_apps';

/**
 * `/{account-id}/subscribed_apps`: with an address and verify token it sets the webhook of the key's token, in the
 * format `cloud`; without them it does nothing.
 */
const subscriptionRoutes = ({ webhook }: SubscriptionDeps): readonly CloudRoute[] => [
  {
    method: 'GET',
    path: PATH,
    scope: 'account.read',
    handler: async (call) => {
      ownBusiness(call);
      const found = await webhook.read(call.sender);
      return { data: isSubscribed(found) ? [appOf(call, found)] : [] };
    },
  },
  {
    method: 'POST',
    path: PATH,
    scope: (call) => (givesCallback(call) ? 'webhooks' : 'account.read'),
    handler: async (call) => {
      ownBusiness(call);
      if (givesCallback(call)) await subscribe(webhook, call);
      return { success: true };
    },
  },
  {
    method: 'DELETE',
    path: PATH,
    scope: 'webhooks',
    handler: async (call) => {
      ownBusiness(call);
      if (isSubscribed(await webhook.read(call.sender))) await webhook.setOn(call.sender, false);
      return { success: true };
    },
  },
];

const isSubscribed = (webhook: Webhook | null): webhook is Webhook =>
  webhook?.format === 'cloud' && webhook.state === 'on';

const appOf = ({ businessId, reader }: CloudCall, { url }: Webhook) => ({
  whatsapp_business_api_data: { id: businessId, name: 'Kabari', link: reader.origin },
  override_callback_uri: url,
});

const names = ['override_callback_uri', 'verify_token'] as const;

/** A field from the body or the address, since clients use both. */
const fieldIn = ({ request }: Pick<CloudCall, 'request'>, name: string): unknown =>
  at(request.body, name) ?? at(request.query, name);

const givesCallback = (call: Pick<CloudCall, 'request'>): boolean =>
  names.some((name) => fieldIn(call, name) !== undefined);

/** @throws CloudRefusal, Refusal `webhook_unconfirmed` where the address fails the handshake */
async function subscribe(webhook: SubscriptionDeps['webhook'], call: CloudCall): Promise<void> {
  const [url, verifyToken] = names.map((name) => textAt({ value: fieldIn(call, name) }, 'value'));
  if (url === undefined || verifyToken === undefined || !isVerifyToken(verifyToken)) {
    const [name] = url === undefined ? names : names.slice(1);
    throw new CloudRefusal(100, { [name ?? '']: phrases.callback[call.reader.language] });
  }
  const { test } = await webhook.save(call.sender, {
    url,
    verify_token: verifyToken,
    format: 'cloud',
  });
  if (test && !test.ok) throw unconfirmed(test);
}

type MessageDeps = {
  messages: Pick<ApiMessages, 'send' | 'one' | 'markRead'>;
  /** The portal's pool. */
  sql: Sql;
};

/** `POST /{phone-number-id}/messages`: sends, or marks as read. */
const messageRoutes = (deps: MessageDeps): readonly CloudRoute[] => [
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

async function readBody({ sql }: MessageDeps, { request, sender, reader }: CloudCall) {
  const { body } = request;
  const template = namedTemplateIn(body);
  const variableNames = template && (await templateVariablesOf(sql, sender.accountId, template));
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
  if (!result) throw new Error('sending one message returned no result');
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

/** Marks the sender's whole conversation as read, as the portal does. */
async function markRead({ messages }: MessageDeps, call: CloudCall, messageId: string) {
  const { sender, reader } = call;
  const message = await messages.one(sender, messageId, reader);
  if (message.direction !== 'in') {
    throw new CloudRefusal(131009, { message_id: phrases.notReceived[reader.language] });
  }
  await messages.markRead(sender, storedPeer(message.peer));
  return { success: true };
}

const PAGE = 25;
const PAGE_MAX = 250;

/** `GET /{account-id}/message_templates`: the templates of the account as Meta lists them. */
const templateRoutes = ({ sql }: Pick<MessageDeps, 'sql'>): readonly CloudRoute[] => [
  {
    method: 'GET',
    path: '/message_templates',
    scope: 'messages.read',
    handler: async (call) => {
      ownBusiness(call);
      const limit = limitOf(call);
      const all = (await templatesOf(sql, call.sender.accountId)).filter(filterOf(call));
      return pageOf(call, all, limit);
    },
  },
];

/** @throws CloudRefusal for anything but a number from 1 */
function limitOf({ request, reader }: CloudCall): number {
  const given = textAt(request.query, 'limit');
  if (given === undefined) return PAGE;
  if (!/^[1-9]\d{0,8}$/.test(given)) {
    throw new CloudRefusal(100, { limit: phrases.limit[reader.language] });
  }
  return Math.min(Number(given), PAGE_MAX);
}

/** As at Meta, names match by substring, and other fields exactly. */
function filterOf({ request: { query } }: CloudCall): (template: Template) => boolean {
  const filter = (name: string) => textAt(query, name)?.toLowerCase();
  const [name, status, category, language] = ['name', 'status', 'category', 'language'].map(filter);
  return (one) =>
    (name === undefined || one.name.includes(name)) &&
    (status === undefined || one.status === status) &&
    (category === undefined || one.category === category) &&
    (language === undefined || one.language.toLowerCase() === language);
}

function pageOf(call: CloudCall, all: readonly Template[], limit: number): object {
  const { request, reader } = call;
  const after = rowIndexOf(textAt(request.query, 'after'));
  const before = rowIndexOf(textAt(request.query, 'before'));
  const start = after === undefined ? Math.max(0, (before ?? 0) - limit) : after + 1;
  const end = after === undefined && before !== undefined ? before : start + limit;
  const rows = all.slice(start, end);
  const data = rows.map((one) => selectFields(nodeOf(one, call), call));
  if (rows.length === 0) return { data };
  const cursors = { before: cursorOf(start), after: cursorOf(start + rows.length - 1) };
  const addressOf = (cursor: object) => {
    const address = new URL(request.url, reader.origin);
    for (const name of ['after', 'before', 'access_token']) address.searchParams.delete(name);
    const key = textAt(request.query, 'access_token');
    const added = { ...(key !== undefined && { access_token: key }), limit: `${limit}`, ...cursor };
    for (const [name, value] of Object.entries(added)) address.searchParams.set(name, value);
    return address.href;
  };
  return {
    data,
    paging: {
      cursors,
      ...(start + rows.length < all.length && { next: addressOf({ after: cursors.after }) }),
      ...(start > 0 && { previous: addressOf({ before: cursors.before }) }),
    },
  };
}

const cursorOf = (place: number): string => Buffer.from(String(place)).toString('base64url');

function rowIndexOf(cursor: string | undefined): number | undefined {
  const text = Buffer.from(cursor ?? '', 'base64url').toString('latin1');
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function nodeOf(template: Template, { businessId }: CloudCall): Record<string, unknown> {
  const { name, language, category, status, reason, variables } = template;
  const isNamed = variables.some((one) => !/^\d+$/.test(one));
  return {
    id: idOf(businessId, template),
    name,
    language,
    category: category.toUpperCase(),
    status: status.toUpperCase(),
    ...(status === 'rejected' && { rejected_reason: reason ?? 'NONE' }),
    parameter_format: isNamed ? 'NAMED' : 'POSITIONAL',
    components: componentsOf(template),
  };
}

function componentsOf(template: Template): object[] {
  const { header, header_file: file, body, footer, buttons, button_values: values } = template;
  const takes = new Map(values.map((one) => [one.index, one.takes]));
  return [
    ...(file === null ? [] : [{ type: 'HEADER', format: file.toUpperCase() }]),
    ...(file !== null || header === null ? [] : [{ type: 'HEADER', format: 'TEXT', text: header }]),
    { type: 'BODY', text: body },
    ...(footer === null ? [] : [{ type: 'FOOTER', text: footer }]),
    ...(buttons.length === 0
      ? []
      : [
          {
            type: 'BUTTONS',
            buttons: buttons.map((text, index) => buttonOf(text, takes.get(index))),
          },
        ]),
  ];
}

/** Only the end of a button's address is known. */
function buttonOf(text: string, takes: 'url' | 'code' | undefined): object {
  if (takes === 'url') return { type: 'URL', text, url: '{{1}}' };
  return { type: takes === 'code' ? 'COPY_CODE' : 'QUICK_REPLY', text };
}

function idOf(businessId: string, { name, language }: Template): string {
  const hash = createHash('sha256').update(`${businessId} ${name} ${language}`).digest();
  return String(1_000_000_000_000_000n + (hash.readBigUInt64BE() % 7_000_000_000_000_000n));
}
