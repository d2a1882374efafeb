import { createHmac, timingSafeEqual } from 'node:crypto';
import { uuidOf } from '#contract/base/ids.ts';
import type { Receipt } from '#server/domains/channels/channels.ts';
import { meaningOf } from '#server/domains/channels/cloud/codes.ts';
import { at, listAt, textAt } from '#server/infra/net/json-values.ts';

/** A change in a callback, with its number unless it is about the whole business account. */
export type Change = {
  field: string;
  wabaId: string;
  phoneNumberId: string | undefined;
  value: unknown;
};

/** Whether a body is signed with the secret of an app: `X-Hub-Signature-256` over its raw bytes. */
export function isSigned(
  raw: Uint8Array,
  header: string | readonly string[] | undefined,
  appSecret: string,
): boolean {
  if (typeof header !== 'string' || !/^sha256=[0-9a-f]{64}$/i.test(header)) return false;
  const given = Buffer.from(header.slice('sha256='.length), 'hex');
  return timingSafeEqual(given, createHmac('sha256', appSecret).update(raw).digest());
}

export function changesIn(body: unknown): readonly Change[] | undefined {
  if (at(body, 'object') !== 'whatsapp_business_account') return undefined;
  return listAt(body, 'entry').flatMap((entry) =>
    listAt(entry, 'changes').map((change) => ({
      field: textAt(change, 'field') ?? '',
      wabaId: textAt(entry, 'id') ?? '',
      phoneNumberId: textAt(change, 'value', 'metadata', 'phone_number_id'),
      value: at(change, 'value'),
    })),
  );
}

export type Status = {
  /** Without `messageId` if it does not echo our id: found by Meta's id. */
  receipt: Omit<Receipt, 'accountId' | 'messageId'> & { messageId: string | undefined };
  wamid: string | undefined;
  code: number | undefined;
};

const statuses: ReadonlyMap<string, Receipt['status']> = new Map([
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['played', 'read'],
  ['failed', 'failed'],
]);

export function statusesIn(value: unknown): Status[] {
  return listAt(value, 'statuses').flatMap((reported) => {
    const status = statuses.get(textAt(reported, 'status') ?? '');
    const messageId = uuidOf('message', textAt(reported, 'biz_opaque_callback_data') ?? '');
    const wamid = textAt(reported, 'id');
    if (status === undefined || (messageId ?? wamid) === undefined) return [];
    const code = at(reported, 'errors', 0, 'code');
    const failed = status === 'failed';
    return {
      wamid,
      code: failed && typeof code === 'number' ? code : undefined,
      receipt: {
        messageId,
        status,
        at: timeIn(reported),
        ...(failed && {
          failure: typeof code === 'number' ? meaningOf({ code }, 0).failure : 'unexplained',
        }),
      },
    };
  });
}

/** Meta's times are texts of whole seconds since 1970. An invalid or future time becomes now. */
export function timeIn(reported: unknown): Date {
  const raw = at(reported, 'timestamp');
  const seconds = Number(raw);
  const now = Date.now();
  if (!Number.isSafeInteger(seconds) || seconds <= 0) return new Date(now);
  return new Date(Math.min(seconds * 1000, now));
}
