import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Answer, GraphError, unknownObject } from './errors.ts';
import type { Failure } from './failures.ts';
import { type MediaStore, mediaFacts, uploadMedia } from './media.ts';
import { type Fields, textIn } from './messages/fields.ts';
import type { Sender } from './messages/send.ts';
import type { BusinessNumber, MetaState } from './state.ts';
import {
  type TemplateBook,
  createTemplate,
  deleteTemplates,
  editTemplate,
  listTemplates,
  pageOf,
} from './templates.ts';

export type GraphRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Fields of JSON or of a form; empty for a file. */
  body: Fields;
  bytes: Buffer;
  origin: string;
};

export type Services = {
  state: MetaState;
  store: MediaStore;
  templates: TemplateBook;
  sender: Sender;
  /** Performs the handshake of an address that replaces the webhook's. @throws GraphError */
  setWebhook(url: string, verifyToken: string): Promise<void>;
};

const success: Answer = { status: 200, body: { success: true } };
const ok = (body: unknown): Answer => ({ status: 200, body });

/**
 * The caller's token, from a header or `access_token`.
 * @throws GraphError 190 for an unknown or expired token, 100 for a wrong `appsecret_proof`.
 */
export function checkToken(state: MetaState, { headers, query }: GraphRequest): string {
  const [, bearer] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
  const token = bearer ?? query.get('access_token') ?? '';
  const known = state.tokens.get(token);
  if (!known) throw new GraphError(190);
  if (known.isExpired) {
    throw new GraphError(190, {
      subcode: 463,
      message: 'Error validating access token: Session has expired.',
    });
  }
  const proof = query.get('appsecret_proof');
  const right = createHmac('sha256', state.appSecret).update(token).digest('hex');
  if (proof !== null && proof !== right) {
    throw new GraphError(100, { message: 'Invalid appsecret_proof provided in the API argument' });
  }
  return token;
}

const numberFields = (number: BusinessNumber) => ({
  id: number.id,
  display_phone_number: `+${number.phone}`,
  verified_name: number.verifiedName,
  quality_rating: number.qualityRating,
  code_verification_status: 'VERIFIED',
  name_status: 'APPROVED',
  platform_type: 'CLOUD_API',
  throughput: { level: 'STANDARD' },
  messaging_limit_tier: 'TIER_1K',
  status: number.isRegistered ? 'CONNECTED' : 'DISCONNECTED',
});

/** The requested fields, or Meta's default ones; always with `id`. */
function pick(all: Readonly<Record<string, unknown>>, names: string): Record<string, unknown> {
  const requestedFields = new Set([
    'id',
    ...names.split(',').map((name) => name.replace(/\{.*/, '').trim()),
  ]);
  return Object.fromEntries(Object.entries(all).filter(([name]) => requestedFields.has(name)));
}

const NUMBER_FIELDS =
  'verified_name,code_verification_status,display_phone_number,quality_rating,platform_type,throughput';

async function answerNumber(
  number: BusinessNumber,
  edge: string,
  request: GraphRequest,
  { services, failure }: { services: Services; failure: Failure | undefined },
): Promise<Answer> {
  const { method, query, body, bytes, headers } = request;
  const { store, sender } = services;
  switch (`${method} ${edge}`) {
    case 'GET ':
      return ok(pick(numberFields(number), query.get('fields') ?? NUMBER_FIELDS));
    case 'POST messages':
      return sender.send(number, body, failure);
    case 'POST media':
      return uploadMedia(store, number.id, {
        bytes,
        contentType: headers['content-type'] ?? '',
        product: body['messaging_product'],
      });
    case 'POST register':
      return register(number, body);
    case 'POST deregister':
      number.isRegistered = false;
      return success;
    case 'GET whatsapp_business_profile':
      return ok({ data: [{ messaging_product: 'whatsapp', ...number.profile }] });
    case 'POST whatsapp_business_profile': {
      const { messaging_product: _, ...fields } = body;
      Object.assign(number.profile, fields);
      return success;
    }
    default:
      throw unknownObject(`${number.id}/${edge}`, method);
  }
}

function register(number: BusinessNumber, body: Fields): Answer {
  const pin = textIn(body, 'pin', 6);
  if (!/^\d{6}$/.test(pin)) throw new GraphError(100, { details: 'Param pin must be 6 digits.' });
  if (number.pin !== undefined && number.pin !== pin) throw new GraphError(133_005);
  Object.assign(number, { pin, isRegistered: true });
  return success;
}

async function answerAccount(
  wabaId: string,
  edge: string,
  request: GraphRequest,
  { state, templates, setWebhook }: Services,
): Promise<Answer> {
  const { method, query, body, origin, path } = request;
  const address = `${origin}${path}`;
  switch (`${method} ${edge}`) {
    case 'GET ':
      return ok({ id: wabaId, name: 'Toko Contoh', currency: 'IDR', timezone_id: '66' });
    case 'GET phone_numbers': {
      const numbers = state.numbers.filter((number) => number.wabaId === wabaId);
      const fields = query.get('fields') ?? NUMBER_FIELDS;
      const shown = numbers.map((number) => pick(numberFields(number), fields));
      return pageOf(shown, query, address);
    }
    case 'GET message_templates':
      return listTemplates(templates, query, address);
    case 'POST message_templates':
      return createTemplate(templates, body);
    case 'DELETE message_templates':
      return deleteTemplates(templates, query);
    case 'GET subscribed_apps': {
      const app = { whatsapp_business_api_data: { id: state.appId, name: 'Kabari' } };
      return ok({ data: state.isSubscribed ? [app] : [] });
    }
    case 'POST subscribed_apps':
      if (body['override_callback_uri'] !== undefined) {
        const url = textIn(body, 'override_callback_uri', 2000);
        await setWebhook(url, textIn(body, 'verify_token', 1000));
      }
      state.isSubscribed = true;
      return success;
    case 'DELETE subscribed_apps':
      state.isSubscribed = false;
      return success;
    default:
      throw unknownObject(`${wabaId}/${edge}`, method);
  }
}

function debugToken(state: MetaState, query: URLSearchParams): Answer {
  const known = state.tokens.get(query.get('input_token') ?? '');
  const error = { code: 190, message: 'Invalid OAuth access token.', subcode: 463 };
  const isValid = known !== undefined && !known.isExpired;
  const facts = {
    app_id: state.appId,
    type: 'SYSTEM_USER',
    application: 'Kabari',
    expires_at: 0,
    is_valid: isValid,
    scopes: known?.scopes ?? [],
    granular_scopes: (known?.scopes ?? []).map((scope) => ({ scope, target_ids: [state.wabaId] })),
    ...(!isValid && { error }),
  };
  return ok({ data: facts });
}

/** The Graph API's answer to a request with a valid token. @throws GraphError */
export async function answerRequest(
  request: GraphRequest,
  services: Services,
  failure: Failure | undefined,
): Promise<Answer> {
  const { method, path, query, body, origin } = request;
  const { state, store, templates } = services;
  const [id = '', edge = '', ...rest] = path.slice(1).split('/');
  if (rest.length > 0) throw unknownObject(path, method);
  if (path === '/me') return ok({ id: state.appId, name: 'Kabari' });
  if (path === '/debug_token') return debugToken(state, query);
  const number = state.numbers.find((one) => one.id === id);
  if (number) return answerNumber(number, edge, request, { services, failure });
  const isAccount = id === state.wabaId || state.numbers.some(({ wabaId }) => wabaId === id);
  if (isAccount) return answerAccount(id, edge, request, services);
  const media = edge === '' ? store.get(id) : undefined;
  if (media && method === 'GET') return mediaFacts(store, media, { query, origin });
  if (media && method === 'DELETE') return ok({ success: store.remove(id) });
  const template = edge === '' ? templates.list().find((one) => one.id === id) : undefined;
  if (template && method === 'GET') return ok(template);
  if (template && method === 'POST') return editTemplate(template, body);
  throw unknownObject(id, method);
}
