import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { businessIdOf, numberIdOf } from '#contract/dialects/cloud.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type Access, bearerOf } from '#server/http/access.ts';
import { cutAfter, drained } from '#server/http/body-timeout.ts';
import { publicOrigin } from '#server/http/public-origin.ts';
import { refusalBehind } from '#server/http/v1/answers.ts';
import { readJsonOnly } from '#server/http/v1/api.ts';
import { languageIn } from '#server/http/v1/call.ts';
import { CloudRefusal, graphErrorOf } from './errors.ts';
import { type MessageDeps, messageRoutes } from './messages.ts';
import { type MediaDeps, mediaRoutes } from './media.ts';
import { type NumberDeps, numberRoutes } from './numbers.ts';
import { phrases } from './read/phrases.ts';
import type { CloudRoute } from './route.ts';
import { selfRoutes } from './self.ts';
import { type SubscriptionDeps, subscriptionRoutes } from './subscription.ts';
import { type TemplateDeps, templateRoutes } from './templates.ts';
import { textAt } from '#server/infra/net/json-values.ts';

/** What the application hands to this dialect: the same functions as to `/v1`. */
export type CloudDeps = MessageDeps &
  NumberDeps &
  MediaDeps &
  SubscriptionDeps &
  TemplateDeps & {
    access: Access;
    now: () => Date;
    /** The address people use; undefined for a local installation, which answers under any name. */
    publicUrl: string | undefined;
    report: (bug: unknown, requestId: string) => void;
  };

/** `v23.0`, whichever: the shapes are the same in all of them. One client leaves it out. */
const VERSION = '^v\\d{1,3}\\.\\d{1,2}$';
const ID = '^\\d{15,16}$|^med_[0-9A-Za-z]{26}$';
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** A file, a number or a business; or a version with nothing behind it, which is no endpoint. */
const ROOT = `:id(${ID}|${VERSION})`;
/** Everything that begins so is this dialect's, also what is no endpoint. */
const WITHIN = `/:root(${VERSION}|${ID})/*`;

/**
 * The WhatsApp Cloud API as a dialect (docs/dialects/cloud-api.md). Register it in a scope of its own, at
 * the root: its addresses begin with a version, or with a number's or a file's id.
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
  deps.access.keepRejected(app, 'cloud', keyOf);
  app.setErrorHandler((error, request, reply) => answerNo(deps, error, request, reply));
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

/** Whether an endpoint is asked for under what is no id: a phone number, or the word that a sample has in its place. */
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
        if (!sender) throw new Error('a call without its sender');
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

/** The key of a call; some clients of Meta's give it in the address, where it is never logged. */
const keyOf = (request: FastifyRequest): string | undefined =>
  bearerOf(request) ?? textAt(request.query, 'access_token');

/** Every "no" in Meta's shape; what is not a refusal is our bug, and reported. */
async function answerNo(
  { report, now }: CloudDeps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (!(await drained(request))) cutAfter(reply);
  const language = languageIn(request);
  const known = error instanceof Refusal ? error : refusalBehind(error, language);
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
