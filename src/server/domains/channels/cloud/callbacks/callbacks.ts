import { storableJson } from '#contract/base/text.ts';
import type { Sinks } from '#server/domains/channels/channels.ts';
import type { PresenceDeps } from '#server/domains/channels/health/presence.ts';
import type { HealthRecorder } from '#server/domains/channels/health/recorder.ts';
import {
  type CloudNumber,
  type NumbersDeps,
  numberOfCallback,
  numbersOfAccount,
} from '#server/domains/channels/cloud/numbers.ts';
import type { Refs } from '#server/domains/channels/cloud/refs.ts';
import { sameBytes, sha256 } from '#server/infra/security/secrets.ts';
import { asJson, at, listAt, textAt } from '#server/infra/net/json-values.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { isAccountChange, takeAccountChange } from './account-changes.ts';
import type { InboundFiles } from './files.ts';
import { idOf, inboundFrom } from './inbound.ts';
import { type Change, type Status, changesIn, isSigned, statusesIn } from './read.ts';
import { type TakeStatuses, openTakeStatuses, statusesOfOurs } from './statuses.ts';

/** What became of a callback: `stored` once all that it tells is kept for good. */
export type CallbackOutcome = 'stored' | 'forged' | 'malformed' | 'unserved';

export type CallbackDeps = NumbersDeps &
  PresenceDeps & {
    refs: Refs;
    files: Pick<InboundFiles, 'add'>;
    health: HealthRecorder;
    sinks: Sinks;
    /** Something about the templates of an account has changed at Meta. */
    onTemplates: (number: CloudNumber) => Promise<void>;
    report: (error: unknown) => void;
  };

/** What Meta posts to us, and asks first (docs/channels.md#cloud-callbacks). */
export type CloudCallbacks = {
  /**
   * Answers Meta's question whether an address is ours.
   *
   * @returns what is to be answered, as text; undefined where the word is another's.
   */
  handshake(
    callbackKey: string,
    asked: {
      mode?: string | undefined;
      token?: string | undefined;
      challenge?: string | undefined;
    },
  ): Promise<string | undefined>;
  /**
   * Takes a callback. All that it tells is kept when this resolves; a repeat changes nothing.
   *
   * @throws what passes: Meta brings it again.
   */
  receive(
    callbackKey: string,
    posted: { raw: Buffer; signature: string | readonly string[] | undefined },
  ): Promise<CallbackOutcome>;
};

const KEY = /^[A-Za-z0-9_-]{32}$/;
/** Meta's challenge is a number; nothing else is echoed. */
const CHALLENGE = /^[0-9A-Za-z_-]{1,128}$/;
/** How often it is stored that a number was called back. */
const CALLED_BACK_EVERY_MS = 30_000;

/** Opens the callbacks of the Cloud API. */
export function openCallbacks(deps: CallbackDeps): CloudCallbacks {
  const calledBackAt = new Map<string, number>();
  const numberAt = openNumberCache(deps);
  const take = openTakeStatuses(deps);
  return {
    async handshake(callbackKey, { mode, token = '', challenge = '' }) {
      const number = KEY.test(callbackKey) ? await numberOfCallback(deps, callbackKey) : undefined;
      if (!number || mode !== 'subscribe' || !CHALLENGE.test(challenge)) return undefined;
      if (!sameBytes(sha256(token), sha256(number.verifyToken))) return undefined;
      await deps.allAccountsSql`
        update cloud_numbers set verified_at = ${deps.now()}
        where callback_key = ${callbackKey}`;
      return challenge;
    },
    async receive(callbackKey, { raw, signature }) {
      const number = KEY.test(callbackKey) ? await numberAt(callbackKey) : undefined;
      if (!number) return 'unserved';
      if (!isSigned(raw, signature, number.appSecret)) return 'forged';
      const changes = changesOf(raw);
      if (!changes) return 'malformed';
      await takeChanges({ ...deps, take }, number, changes);
      const nowMs = deps.now().getTime();
      if (nowMs - (calledBackAt.get(callbackKey) ?? -Infinity) > CALLED_BACK_EVERY_MS) {
        calledBackAt.set(callbackKey, nowMs);
        await deps.allAccountsSql`
          update cloud_numbers set called_back_at = ${deps.now()}
          where callback_key = ${callbackKey}`;
      }
      return 'stored';
    },
  };
}

/** What only an escape can bring into JSON: U+0000, and half of a surrogate pair. */
const MAYBE_UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

/** The parts of what was posted; undefined where it is no callback, or nested as none is. */
function changesOf(raw: Buffer): readonly Change[] | undefined {
  const text = raw.toString('utf8');
  try {
    const body = asJson(text);
    return changesIn(MAYBE_UNSTORABLE.test(text) ? storableJson(body) : body);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Numbers are read again after this long; a new secret holds on every node after that. */
const NUMBER_MS = 2_000;
const NUMBERS_MAX = 1_000;

/** Remembers numbers for two seconds: at a thousand callbacks a second each would cost a query. */
function openNumberCache(deps: NumbersDeps) {
  const known = new Map<string, { found: Promise<CloudNumber | undefined>; untilMs: number }>();
  return (callbackKey: string): Promise<CloudNumber | undefined> => {
    const cached = known.get(callbackKey);
    if (cached && cached.untilMs > performance.now()) return cached.found;
    const found = numberOfCallback(deps, callbackKey);
    known.delete(callbackKey);
    known.set(callbackKey, { found, untilMs: performance.now() + NUMBER_MS });
    found.then(
      (number) => number ?? known.delete(callbackKey),
      () => known.delete(callbackKey),
    );
    const [oldest] = known.keys();
    if (known.size > NUMBERS_MAX && oldest !== undefined) known.delete(oldest);
    return found;
  };
}

/** Takes all that a callback tells: receipts together, messages one by one, in their order. */
async function takeChanges(
  deps: CallbackDeps & { take: TakeStatuses },
  called: CloudNumber,
  changes: readonly Change[],
): Promise<void> {
  const { take } = deps;
  const numbers = await numbersNamed(deps, called, changes);
  const statuses: { number: CloudNumber; status: Status }[] = [];
  let ofTemplates: CloudNumber | undefined;
  for (const change of changes) {
    const number = numbers(change);
    // Of an app that serves other numbers, too: they are not ours to know.
    if (!number) continue;
    switch (change.field) {
      case 'messages': {
        statuses.push(...statusesIn(change.value).map((status) => ({ number, status })));
        await takeMessages(deps, number, change.value);
        break;
      }
      default:
        if (isTemplateChange(change.field)) ofTemplates = number;
        if (isAccountChange(change.field)) await takeAccountChange(deps, number, change);
    }
  }
  await take(await statusesOfOurs(deps.refs, statuses));
  // Once, however much of them is told: all are read anew.
  if (ofTemplates) await deps.onTemplates(ofTemplates);
}

/** Changes after which the templates of an account are read anew. */
const isTemplateChange = (field: string): boolean =>
  field.startsWith('message_template_') || field === 'template_category_update';

/** Which number a part is about: the one that was called, or another of the account that the same app serves. */
async function numbersNamed(
  deps: CallbackDeps,
  called: CloudNumber,
  changes: readonly Change[],
): Promise<(change: Change) => CloudNumber | undefined> {
  const isOwn = ({ phoneNumberId }: Change) =>
    phoneNumberId === undefined || phoneNumberId === called.phoneNumberId;
  const others = changes.every(isOwn) ? [] : await numbersOfAccount(deps, called.accountId);
  return (change) => {
    if (isOwn(change)) return change.wabaId === called.wabaId ? called : undefined;
    return others.find(
      (one) =>
        one.phoneNumberId === change.phoneNumberId &&
        one.wabaId === change.wabaId &&
        one.appSecret === called.appSecret,
    );
  };
}

async function takeMessages(
  deps: CallbackDeps,
  number: CloudNumber,
  value: unknown,
): Promise<void> {
  const messageOf = async (accountId: string, wamid: string) =>
    (await deps.refs.messagesOf(accountId, [wamid])).get(wamid);
  const count = (code: string) => deps.health.answered({ ...number, channel: 'cloud', code });
  for (const error of listAt(value, 'errors')) count(String(at(error, 'code')).slice(0, 40));
  for (const message of listAt(value, 'messages')) {
    if (textAt(message, 'group_id') !== undefined) {
      await keepGroupMessage(deps, number, message);
      count('inbound_group');
      continue;
    }
    const came = await inboundFrom(messageOf, number, { message, value });
    if (came.length === 0) count('inbound_unnamed');
    for (const one of came) {
      if (one.inbound.body['kind'] === 'unsupported') count('inbound_unsupported');
      if ('file' in one) await deps.files.add([one]);
      else await deps.sinks.inbound(one.inbound);
    }
  }
}

/**
 * A message to a group is not one to its writer's own chat, and opens no window: until groups have conversations it is
 * kept apart as Meta told it.
 */
async function keepGroupMessage(
  { allAccountsSql: sql }: CallbackDeps,
  { accountId, tokenId }: CloudNumber,
  message: unknown,
): Promise<void> {
  const wamid = idOf(message);
  if (wamid === undefined) return;
  await sql`
    insert into cloud_group_messages (account_id, token_id, wamid, message)
    values (${accountId}, ${tokenId}, ${wamid}, ${json(message)})
    on conflict do nothing`;
}
