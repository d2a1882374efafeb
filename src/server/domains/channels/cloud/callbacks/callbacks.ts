import { storableJson } from '#contract/base/text.ts';
import type { Sinks, Receipt } from '#server/domains/channels/channels.ts';
import {
  type PresenceDeps,
  noticeOf,
  restrictNumber,
  liftRestriction,
  endPause,
  type HealthRecorder,
} from '#server/domains/channels/health.ts';
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
import type { InboundFiles } from './files.ts';
import { idOf, inboundFrom } from './inbound.ts';
import { type Change, type Status, changesIn, isSigned, statusesIn } from './read.ts';
import { gather } from '#server/infra/postgres/gather.ts';
import { isolated } from '#contract/base/names.ts';
import { normalizePhone } from '#contract/base/written-number.ts';
import { international } from '#contract/messages/peer.ts';
import type { Restriction } from '#contract/channels.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { beginIn } from '#server/infra/postgres/distribution/scope.ts';

/** Result of a callback: `stored` once its contents are stored for good. */
export type CallbackOutcome = 'stored' | 'forged' | 'malformed' | 'unserved';

export type CallbackDeps = NumbersDeps &
  PresenceDeps & {
    refs: Refs;
    files: Pick<InboundFiles, 'add'>;
    health: HealthRecorder;
    sinks: Sinks;
    onTemplates: (number: CloudNumber) => Promise<void>;
    report: (error: unknown) => void;
  };

/** Meta's callbacks, and its verification of their address (docs/channels.md#cloud-callbacks). */
export type CloudCallbacks = {
  /**
   * Answers Meta's verification of an address.
   *
   * @returns the text to answer; undefined if the verify token is another one
   */
  handshake(
    callbackKey: string,
    query: {
      mode?: string | undefined;
      token?: string | undefined;
      challenge?: string | undefined;
    },
  ): Promise<string | undefined>;
  /**
   * Handles a callback. Its contents are stored when this resolves; a repeat changes nothing.
   *
   * @throws temporary errors: Meta sends it again
   */
  receive(
    callbackKey: string,
    posted: { raw: Buffer; signature: string | readonly string[] | undefined },
  ): Promise<CallbackOutcome>;
};

const KEY = /^[A-Za-z0-9_-]{32}$/;
/** Meta's challenge is a number; nothing else is echoed. */
const CHALLENGE = /^[0-9A-Za-z_-]{1,128}$/;
const CALLED_BACK_EVERY_MS = 30_000;

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

/** Escapes of text that cannot be stored: U+0000, and half of a surrogate pair. */
const MAYBE_UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

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

/** Cache time of a number; a new secret holds on every node after this. */
const NUMBER_MS = 2_000;
const NUMBERS_MAX = 1_000;

/** Caches numbers for two seconds: at a thousand callbacks a second, each would cost a query. */
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
  if (ofTemplates) await deps.onTemplates(ofTemplates);
}

const isTemplateChange = (field: string): boolean =>
  field.startsWith('message_template_') || field === 'template_category_update';

/** The number that a change is about: the called one, or another that the same app serves. */
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
      await storeGroupMessage(deps, number, message);
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

/** Stores a group message as Meta sent it: it belongs to no chat here, and opens no window. */
async function storeGroupMessage(
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

type NumberStatus = {
  number: CloudNumber;
  status: Omit<Status, 'receipt'> & { receipt: Omit<Receipt, 'accountId'> };
};

/** Finds messages of statuses without our id by Meta's; the rest are another program's. */
async function statusesOfOurs(
  refs: Pick<Refs, 'messagesOf'>,
  reported: readonly { number: CloudNumber; status: Status }[],
): Promise<NumberStatus[]> {
  const unnamed = reported.filter(({ status }) => status.receipt.messageId === undefined);
  const known = new Map<string, string>();
  for (const [accountId, some] of Map.groupBy(unnamed, ({ number }) => number.accountId)) {
    const wamids = some.flatMap(({ status }) => status.wamid ?? []);
    for (const [wamid, id] of await refs.messagesOf(accountId, wamids))
      known.set(`${accountId} ${wamid}`, id);
  }
  return reported.flatMap(({ number, status: { receipt, ...status } }) => {
    const messageId = receipt.messageId ?? known.get(`${number.accountId} ${status.wamid}`);
    if (messageId === undefined) return [];
    return { number, status: { ...status, receipt: { ...receipt, messageId } } };
  });
}

/** Handles the statuses of a callback. @throws temporary errors: Meta sends it again */
type TakeStatuses = (statuses: readonly NumberStatus[]) => Promise<void>;

/** Callbacks wait one turn of the event loop for each other; settling batches them further. */
const GATHER = { waitMs: 0, sizeMax: 500, runsMax: 8 };

/**
 * Handles statuses in batches: a query for each would cost too much. They change only messages of their own number.
 */
function openTakeStatuses(deps: CallbackDeps): TakeStatuses {
  const take = gather<readonly NumberStatus[], void>(
    async (jobs) => {
      const failed = await store(deps, jobs.flat());
      return jobs.map((statuses) => {
        const error = statuses.map((one) => failed.get(one)).find((one) => one !== undefined);
        return error === undefined ? undefined : Promise.reject(error);
      });
    },
    { ...GATHER, sizeOf: (statuses) => statuses.length },
  );
  return async (statuses) => {
    if (statuses.length > 0) await take(statuses);
  };
}

/** @returns the statuses that could not be stored, each with its error */
async function store(
  { sinks, health, refs, report }: CallbackDeps,
  statuses: readonly NumberStatus[],
): Promise<ReadonlyMap<NumberStatus, Error>> {
  const failed = await storeStatuses(sinks, statuses);
  for (const { number, status } of statuses) {
    health.receipt(number);
    const { code, receipt, wamid } = status;
    if (code !== undefined) health.answered({ ...number, channel: 'cloud', code: String(code) });
    // If the answer to the try was lost, Meta's id becomes known only here.
    if (receipt.status === 'sent' && wamid !== undefined) {
      refs.addFromCallback({ ...number, messageId: receipt.messageId, wamid }).catch(report);
    }
  }
  return failed;
}

/**
 * Meta accepted a message whose failure it reports by callback, so it was sent and failed, and stays charged
 * (docs/decisions/003-charging-and-uncertain-sends.md), even before Meta's answer to the try. `sent` is stored first
 * and alone: for a message that was given up, both at once would only prove that it was sent.
 *
 * @returns the statuses that could not be stored, each with its error
 */
async function storeStatuses(
  sinks: Sinks,
  statuses: readonly NumberStatus[],
): Promise<ReadonlyMap<NumberStatus, Error>> {
  const failures = statuses.filter(({ status }) => status.receipt.status === 'failed');
  const unstoredSent = await storeReceipts(
    sinks,
    new Map(failures.map((one) => [sentReceiptOf(one), one])),
  );
  const rest = statuses.filter((one) => !unstoredSent.has(one));
  const unstoredOthers = await storeReceipts(
    sinks,
    new Map(rest.map((one) => [receiptOf(one), one])),
  );
  return new Map([...unstoredSent, ...unstoredOthers]);
}

async function storeReceipts(
  sinks: Sinks,
  receipts: ReadonlyMap<Receipt, NumberStatus>,
): Promise<Map<NumberStatus, Error>> {
  const failed = new Map<NumberStatus, Error>();
  if (receipts.size === 0) return failed;
  for (const { item, error } of await sinks.receipts([...receipts.keys()])) {
    const one = receipts.get(item);
    if (one) failed.set(one, error instanceof Error ? error : new Error('a status was not stored'));
  }
  return failed;
}

const receiptOf = ({ number, status: { receipt } }: NumberStatus): Receipt => {
  const { accountId, tokenId } = number;
  return { accountId, tokenId, ...receipt };
};

const sentReceiptOf = (one: NumberStatus): Receipt => {
  const { failure: _, ...receipt } = receiptOf(one);
  return { ...receipt, status: 'sent' };
};

type Effect = {
  code: string;
  restrict?: { kind: Restriction; until?: Date | undefined };
  lift?: readonly Restriction[];
  notice?: string;
  retries?: boolean;
};

const effects: Readonly<Record<string, (value: unknown) => Effect | undefined>> = {
  phone_number_quality_update: qualityOf,
  phone_number_name_update: nameOf,
  account_update: accountOf,
  account_alerts: alertOf,
  message_template_quality_update: templateQualityOf,
};

const isAccountChange = (field: string): boolean => Object.hasOwn(effects, field);

/**
 * Handles a change of the number that it names, or of all numbers of the account that the same app serves.
 */
async function takeAccountChange(
  deps: CallbackDeps,
  called: CloudNumber,
  { field, value }: Change,
): Promise<void> {
  const effect = effects[field]?.(value);
  if (!effect) return;
  const numbers = (await numbersOfAccount(deps, called.accountId)).filter(
    ({ wabaId, appSecret }) => wabaId === called.wabaId && appSecret === called.appSecret,
  );
  const written = textAt(value, 'display_phone_number');
  const named = written === undefined ? undefined : normalizePhone(international(written));
  for (const number of numbers) {
    if (named !== undefined && number.phone !== named) continue;
    deps.health.answered({ ...number, channel: 'cloud', code: effect.code.slice(0, 40) });
    await beginIn(deps.allAccountsSql, number.accountId, (tx) => apply(tx, deps, number, effect));
  }
}

async function apply(
  tx: Tx,
  deps: CallbackDeps,
  number: CloudNumber,
  { restrict, lift, notice, retries }: Effect,
): Promise<void> {
  const ref = { accountId: number.accountId, tokenId: number.tokenId, channel: 'cloud' } as const;
  if (restrict) {
    const { kind, until } = restrict;
    await restrictNumber(tx, deps, ref, { kind, ...(until && { until }) });
  }
  for (const kind of lift ?? []) await liftRestriction(tx, ref, kind);
  if (retries) await endPause(tx, deps, ref);
  if (lift || retries) await deps.subscribers.tokenChanged(tx, ref);
  if (notice === undefined) return;
  const [token] = await tx<{ name: string }[]>`
    select name from tokens where account_id = ${ref.accountId} and token_id = ${ref.tokenId}`;
  if (!token) return;
  const title = `Kabar dari Meta untuk nomor "${isolated(token.name)}"`;
  await deps.queueNotice(tx, noticeOf(ref, title, notice));
}

function qualityOf(value: unknown): Effect | undefined {
  const code = textAt(value, 'event') ?? 'phone_number_quality_update';
  switch (code) {
    case 'FLAGGED':
    case 'DOWNGRADE':
      return { code, restrict: { kind: 'quality' } };
    case 'UNFLAGGED':
    case 'UPGRADE':
      return { code, lift: ['quality'] };
    default:
      return { code };
  }
}

function nameOf(value: unknown): Effect {
  const decision = textAt(value, 'decision') ?? '';
  const code = `NAME_${decision}`;
  switch (decision) {
    case 'APPROVED':
      return { code, retries: true, notice: 'Meta menyetujui nama tampilan nomor ini.' };
    case 'REJECTED':
    case 'DECLINED':
      return {
        code,
        notice: 'Meta menolak nama tampilan nomor ini. Ajukan nama lain di WhatsApp Manager.',
      };
    default:
      return { code };
  }
}

const ALL_RESTRICTIONS = ['blocked', 'templates', 'replies', 'disabling'] as const;

const accountWords: Readonly<Record<string, string>> = {
  ACCOUNT_VIOLATION:
    'Meta mencatat pelanggaran kebijakan pada akun WhatsApp Business ini. Bila berulang, akun dibatasi; lihat rinciannya di WhatsApp Manager.',
  ACCOUNT_DELETED:
    'Akun WhatsApp Business ini dihapus di Meta. Nomornya tidak dapat mengirim lagi dari sini.',
  PARTNER_REMOVED:
    'Aplikasi yang menghubungkan nomor ini dilepas dari akun WhatsApp Business. Hubungkan lagi di Meta, lalu masukkan access token yang baru.',
};

function accountOf(value: unknown): Effect {
  const code = textAt(value, 'event') ?? 'account_update';
  switch (code) {
    case 'ACCOUNT_RESTRICTION':
      return restrictionOf(value);
    case 'DISABLED_UPDATE':
      return banOf(value);
    default:
      return accountWords[code] === undefined ? { code } : { code, notice: accountWords[code] };
  }
}

function banOf(value: unknown): Effect {
  const state = textAt(value, 'ban_info', 'waba_ban_state') ?? '';
  switch (state) {
    case 'REINSTATE':
      return { code: 'REINSTATE', lift: ALL_RESTRICTIONS, retries: true };
    case 'SCHEDULE_FOR_DISABLE':
      return { code: state, restrict: { kind: 'disabling' } };
    default:
      return { code: 'DISABLED_UPDATE', restrict: { kind: 'blocked' } };
  }
}

const stops: Readonly<Record<string, Restriction>> = {
  RESTRICTED_BIZ_INITIATED_MESSAGING: 'templates',
  RESTRICTED_USER_INITIATED_MESSAGING: 'replies',
  RESTRICTED_CUSTOMER_INITIATED_MESSAGING: 'replies',
};

/** Several restrictions may hold at once, each with its own end; the last end counts. */
function restrictionOf(value: unknown): Effect {
  const code = 'ACCOUNT_RESTRICTION';
  const restrictions = listAt(value, 'restriction_info').map((one) => ({
    type: textAt(one, 'restriction_type') ?? '',
    until: untilOf(one),
  }));
  if (
    restrictions.length > 0 &&
    restrictions.every(({ type }) => type === 'RESTRICTED_ADD_PHONE_NUMBER_ACTION')
  ) {
    const notice =
      'Meta membatasi akun ini menambah nomor baru. Nomor yang ada tetap dapat mengirim.';
    return { code, notice };
  }
  const stopping = restrictions.filter(({ type }) => type !== 'RESTRICTED_ADD_PHONE_NUMBER_ACTION');
  const kinds = new Set(stopping.map(({ type }) => stops[type] ?? 'blocked'));
  const [only = 'blocked'] = kinds;
  const ends = stopping.map(({ until }) => until);
  const until = ends.every((end) => end !== undefined)
    ? ends.toSorted((a, b) => b.getTime() - a.getTime())[0]
    : undefined;
  return { code, restrict: { kind: kinds.size === 1 ? only : 'blocked', until } };
}

/** Later times mean "until further notice", and cannot be written as a timestamp. */
const UNTIL_SECONDS_MAX = Date.UTC(9999, 0) / 1000;

/** End of a restriction, if Meta gives one: in seconds since 1970, or as an ISO time. */
function untilOf(one: unknown): Date | undefined {
  const expiration = at(one, 'expiration');
  const seconds =
    typeof expiration === 'string' && expiration.includes('T')
      ? Math.floor(Date.parse(expiration) / 1000)
      : Number(expiration);
  const isTime = Number.isSafeInteger(seconds) && seconds > 0 && seconds < UNTIL_SECONDS_MAX;
  return isTime ? new Date(seconds * 1000) : undefined;
}

function alertOf(value: unknown): Effect {
  const type = textAt(value, 'alert_info', 'alert_type') ?? textAt(value, 'alert_type') ?? '';
  const code = `ALERT_${type}`;
  const notice = `Meta memberi peringatan untuk akun WhatsApp Business ini (${type || 'tanpa nama'}). Rinciannya ada di WhatsApp Manager.`;
  return { code, notice };
}

function templateQualityOf(value: unknown): Effect | undefined {
  const score = textAt(value, 'new_quality_score');
  if (score !== 'RED') return undefined;
  const name = textAt(value, 'message_template_name') ?? '';
  const notice = `Mutu templat "${isolated(name)}" rendah: banyak penerima tidak menyukainya. Bila tetap begitu, Meta menjedanya.`;
  return { code: 'TEMPLATE_RED', notice };
}
