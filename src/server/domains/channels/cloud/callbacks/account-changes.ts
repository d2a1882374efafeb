import { isolated } from '#contract/base/names.ts';
import { normalizePhone } from '#contract/base/written-number.ts';
import { international } from '#contract/messages/peer.ts';
import type { Restriction } from '#contract/tokens/connection.ts';
import {
  type CloudNumber,
  type NumbersDeps,
  numbersOfAccount,
} from '#server/domains/channels/cloud/numbers.ts';
import { liftRestriction } from '#server/domains/channels/health/health.ts';
import { endPause } from '#server/domains/channels/health/pauses.ts';
import {
  type PresenceDeps,
  noticeOf,
  restrictNumber,
} from '#server/domains/channels/health/presence.ts';
import type { HealthRecorder } from '#server/domains/channels/health/recorder.ts';
import { at, listAt, textAt } from '#server/infra/net/json-values.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { beginIn } from '#server/infra/postgres/distribution/scope.ts';
import type { Change } from './read.ts';

type Deps = NumbersDeps & PresenceDeps & { health: HealthRecorder };

/** The effect of a change on a number. */
type Effect = {
  /** The code under which it is counted. */
  code: string;
  restrict?: { kind: Restriction; until?: Date | undefined };
  lift?: readonly Restriction[];
  /** A notice for the owner, where the change restricts no message. */
  tell?: string;
  /** The number may send again: end its pause. */
  retries?: boolean;
};

/** Changes of numbers and of business accounts, by their fields. */
const effects: Readonly<Record<string, (value: unknown) => Effect | undefined>> = {
  phone_number_quality_update: qualityOf,
  phone_number_name_update: nameOf,
  account_update: accountOf,
  account_alerts: alertOf,
  message_template_quality_update: templateQualityOf,
};

export const isAccountChange = (field: string): boolean => Object.hasOwn(effects, field);

/**
 * Takes what Meta tells of a number or of a whole business account. One that names a number is about that one, the others
 * are about all numbers of the account that the same app serves.
 */
export async function takeAccountChange(
  deps: Deps,
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
  deps: Deps,
  number: CloudNumber,
  { restrict, lift, tell, retries }: Effect,
): Promise<void> {
  const ref = { accountId: number.accountId, tokenId: number.tokenId, channel: 'cloud' } as const;
  if (restrict) {
    const { kind, until } = restrict;
    await restrictNumber(tx, deps, ref, { kind, ...(until && { until }) });
  }
  for (const kind of lift ?? []) await liftRestriction(tx, ref, kind);
  if (retries) await endPause(tx, deps, ref);
  if (lift || retries) await deps.subscribers.tokenChanged(tx, ref);
  if (tell === undefined) return;
  const [token] = await tx<{ name: string }[]>`
    select name from tokens where account_id = ${ref.accountId} and token_id = ${ref.tokenId}`;
  if (!token) return;
  const title = `Kabar dari Meta untuk token "${isolated(token.name)}"`;
  await deps.queueNotice(tx, noticeOf(ref, title, tell));
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
      return { code, retries: true, tell: 'Meta menyetujui nama tampilan nomor ini.' };
    case 'REJECTED':
    case 'DECLINED':
      return {
        code,
        tell: 'Meta menolak nama tampilan nomor ini. Ajukan nama lain di WhatsApp Manager.',
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
      return accountWords[code] === undefined ? { code } : { code, tell: accountWords[code] };
  }
}

/** Disabling is announced, done, or taken back. */
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

/** The restriction here of each of Meta's. */
const stops: Readonly<Record<string, Restriction>> = {
  RESTRICTED_BIZ_INITIATED_MESSAGING: 'templates',
  RESTRICTED_USER_INITIATED_MESSAGING: 'replies',
  RESTRICTED_CUSTOMER_INITIATED_MESSAGING: 'replies',
};

/** Several restrictions may hold at once, each with an end of its own: until the last of them ends. */
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
    const tell =
      'Meta membatasi akun ini menambah nomor baru. Nomor yang ada tetap dapat mengirim.';
    return { code, tell };
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

/** Later times are "until further notice", and beyond what a time can be written as. */
const UNTIL_SECONDS_MAX = Date.UTC(9999, 0) / 1000;

/** When a restriction ends, where Meta says it: in seconds since 1970, or as an ISO time. */
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
  const tell = `Meta memberi peringatan untuk akun WhatsApp Business ini (${type || 'tanpa nama'}). Rinciannya ada di WhatsApp Manager.`;
  return { code, tell };
}

function templateQualityOf(value: unknown): Effect | undefined {
  const score = textAt(value, 'new_quality_score');
  if (score !== 'RED') return undefined;
  const name = textAt(value, 'message_template_name') ?? '';
  const tell = `Mutu templat "${isolated(name)}" rendah: banyak penerima tidak menyukainya. Bila tetap begitu, Meta menjedanya.`;
  return { code: 'TEMPLATE_RED', tell };
}
