import { GraphError } from './errors.ts';
import { type FailureBook, openFailures } from './failures.ts';
import { type MediaFile, openMedia } from './media.ts';
import { type SendMode, openSender } from './messages/send.ts';
import { type Call, openGraphServer } from './server.ts';
import {
  type Accepted,
  type BusinessNumber,
  type MarkedRead,
  type MetaState,
  type StateOptions,
  openState,
} from './state.ts';
import {
  type NewTemplate,
  type Template,
  type TemplateBook,
  type TemplateStatus,
  openTemplates,
} from './templates.ts';
import { type Inbound, receive } from './webhooks/inbound.ts';
import { type Delivery, type Outbox, type WebhookMode, openOutbox } from './webhooks/outbox.ts';
import { type StatusMode, type StatusName, openStatuses } from './webhooks/statuses.ts';

export type FakeMetaOptions = StateOptions & {
  /** 0 (default) is any free port. */
  port?: number;
  /** Delay of the slow number's answer. */
  slowMs?: number;
  webhooks?: Partial<WebhookMode>;
  statuses?: Partial<StatusMode>;
  sending?: Partial<SendMode>;
};

export type FakeMeta = {
  url: string;
  wabaId: string;
  token: string;
  appId: string;
  appSecret: string;
  numbers: readonly BusinessNumber[];
  control: MetaControl;
  close(): Promise<void>;
};

export type Handshake = { isConfirmed: boolean; status: number };

export type MetaControl = Pick<FailureBook, 'failNext' | 'failAlways' | 'failFor'> & {
  webhooks: WebhookMode;
  statuses: StatusMode;
  sending: SendMode;
  /** Accepted messages in order: each request is a new message. */
  sent(): readonly Accepted[];
  read(): readonly MarkedRead[];
  calls(): readonly Call[];
  /** Performs the handshake; once confirmed, webhooks go there. */
  subscribe(url: string, verifyToken: string): Promise<Handshake>;
  /** Sends webhooks there without a handshake; `undefined` stops them. */
  setWebhook(url: string | undefined): void;
  /** Webhook posts, with the status of each answer. */
  deliveries(): readonly Delivery[];
  /** Resolves when no webhook is left to post or repeat. */
  settled(): Promise<void>;
  receiveFrom(phone: string, message: Inbound): string;
  window(phone: string, isOpen: boolean): void;
  /** A status of a sent message, true or not. @throws Error for an unknown message. */
  report(wamid: string, status: StatusName, code?: number): void;
  seedMedia(file: MediaFile, phoneNumberId?: string): string;
  templates: {
    list(): readonly Template[];
    add(template: NewTemplate): Template;
    setStatus(id: string, status: TemplateStatus, reason?: string): void;
  };
  tokens: {
    add(token: string, scopes?: readonly string[]): void;
    expire(token: string): void;
    revoke(token: string): void;
  };
  /** `phone_number_quality_update`: `FLAGGED`, `UNFLAGGED`, `UPGRADE`, `DOWNGRADE`. */
  phoneQuality(event: string, limit?: string, phoneNumberId?: string): void;
  /** `account_update`: `ACCOUNT_RESTRICTION`, `DISABLED_UPDATE`, `ACCOUNT_VIOLATION`. */
  accountUpdate(event: string, more?: Readonly<Record<string, unknown>>): void;
  change(field: string, value: Readonly<Record<string, unknown>>): void;
};

const CHALLENGE_MS = 10_000;

/** GET with a challenge that the address must return unchanged. */
async function shakeHands(url: string, verifyToken: string, challenge: string): Promise<Handshake> {
  const address = new URL(url);
  address.searchParams.set('hub.mode', 'subscribe');
  address.searchParams.set('hub.challenge', challenge);
  address.searchParams.set('hub.verify_token', verifyToken);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), CHALLENGE_MS);
  try {
    const answer = await fetch(address, { signal: late.signal, redirect: 'manual' });
    const isSame = (await answer.text()) === challenge;
    return { isConfirmed: answer.status === 200 && isSame, status: answer.status };
  } catch {
    return { isConfirmed: false, status: 0 };
  } finally {
    clearTimeout(timer);
  }
}

type Parts = { state: MetaState; outbox: Outbox; templates: TemplateBook };

function openAccountEvents({ state, outbox, templates }: Parts) {
  const change: MetaControl['change'] = (field, value) => {
    if (state.isSubscribed) void outbox.add('account', { field, value });
  };
  const phoneQuality: MetaControl['phoneQuality'] = (event, limit = 'TIER_1K', id) => {
    const number = state.numbers.find((one) => one.id === (id ?? state.numbers[0]?.id));
    if (!number) throw new Error('there is no such number');
    if (event === 'FLAGGED') number.qualityRating = 'RED';
    if (event === 'UNFLAGGED') number.qualityRating = 'GREEN';
    const value = { display_phone_number: number.phone, event, current_limit: limit };
    change('phone_number_quality_update', value);
  };
  const setStatus: MetaControl['templates']['setStatus'] = (id, status, reason = 'NONE') => {
    const template = templates.list().find((one) => one.id === id);
    if (!template) throw new Error('there is no such template');
    template.status = status;
    change('message_template_status_update', {
      event: status,
      message_template_id: Number(id),
      message_template_name: template.name,
      message_template_language: template.language,
      message_template_category: template.category,
      reason,
    });
  };
  return { change, phoneQuality, setStatus };
}

/**
 * A fake of Meta's Graph API for WhatsApp, on a port of this machine: it accepts messages, files and templates, posts
 * signed webhooks, and fails on request (`failures.ts` lists the numbers that always do).
 */
export async function startFakeMeta(options: FakeMetaOptions = {}): Promise<FakeMeta> {
  const state = openState(options);
  const store = openMedia(state);
  const templates = openTemplates(() => state.digits(15));
  const outbox = openOutbox({ ...state, mode: options.webhooks ?? {} });
  const statuses = openStatuses(state, outbox, options.statuses ?? {});
  const sender = openSender({ state, store, templates, statuses }, options.sending ?? {});
  const failures = openFailures(options.slowMs ?? 1_000);
  const events = openAccountEvents({ state, outbox, templates });
  const calls: Call[] = [];
  const subscribe: MetaControl['subscribe'] = async (url, verifyToken) => {
    const result = await shakeHands(url, verifyToken, state.digits(10));
    if (result.isConfirmed) outbox.setUrl(url);
    return result;
  };
  const setWebhook = async (url: string, verifyToken: string): Promise<void> => {
    const { isConfirmed, status } = await subscribe(url, verifyToken);
    if (isConfirmed) return;
    throw new GraphError(2200, { message: `Callback verification failed: HTTP ${status}` });
  };
  const services = { state, store, templates, sender, setWebhook };
  const server = await openGraphServer({ services, failures, calls, port: options.port ?? 0 });
  const firstNumber = () => state.numbers[0]?.id ?? '';
  const digits = (phone: string) => phone.replaceAll(/\D/g, '');
  const control: MetaControl = {
    failNext: failures.failNext,
    failAlways: failures.failAlways,
    failFor: failures.failFor,
    webhooks: outbox.mode,
    statuses: statuses.mode,
    sending: sender.mode,
    sent: () => state.sent,
    read: () => state.read,
    calls: () => calls,
    subscribe,
    setWebhook: outbox.setUrl,
    deliveries: () => outbox.deliveries,
    settled: outbox.settled,
    receiveFrom: (phone, message) => receive(digits(phone), message, { state, store, outbox }),
    window: (phone, isOpen) => state.windows.set(digits(phone), isOpen),
    report: (wamid, status, code) => {
      const message = state.sent.find((one) => one.wamid === wamid);
      if (!message) throw new Error('no such message was sent');
      void statuses.report(message, status, code);
    },
    seedMedia: (file, phoneNumberId = firstNumber()) => store.add(file, phoneNumberId).id,
    templates: { list: templates.list, add: templates.add, setStatus: events.setStatus },
    tokens: {
      add: (token, scopes = []) => void state.tokens.set(token, { isExpired: false, scopes }),
      expire: (token) => void state.tokens.set(token, { isExpired: true, scopes: [] }),
      revoke: (token) => void state.tokens.delete(token),
    },
    phoneQuality: events.phoneQuality,
    accountUpdate: (event, more = {}) => events.change('account_update', { event, ...more }),
    change: events.change,
  };
  const { wabaId, appId, appSecret, numbers } = state;
  const [token = ''] = state.tokens.keys();
  const close = async () => {
    outbox.close();
    await server.close();
  };
  return { url: server.url, wabaId, token, appId, appSecret, numbers, control, close };
}
