import { publicId } from '#contract/base/ids.ts';
import type { Refusal } from '#contract/base/refusals.ts';
import { sentenceFor } from '#contract/language/indonesian.ts';
import {
  type Refused,
  cancelMessages,
  checkResend as checkResendAct,
  resendMessage,
  resendMessages,
  rescheduleMessage,
} from '#contract/messages/history.ts';
import { withdrawMany } from '#server/domains/messages/dispatch/withdraw.ts';
import { rescheduleFromPortal } from '#server/domains/messages/schedule.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { type ResendDeps, checkResend, resend, resendOne } from './resend.ts';

type Deps = ResendDeps & {
  onWork: (tokenIds: readonly string[]) => void;
};

export const resendActs = (deps: Deps): readonly ActHandler[] => [
  handle(resendMessage, ({ caller: { accountId }, key }, { message_id: id }) =>
    resendOne(deps, { accountId, id, key }),
  ),
  handle(checkResendAct, async ({ caller: { accountId } }, { message_ids: ids }) => {
    const { count, price, byQuota, refused } = await checkResend(deps, { accountId, ids });
    return {
      count,
      price,
      by_quota: byQuota,
      refused: refused.map(({ id, refusal }) => refusedOf(id, refusal)),
    };
  }),
  handle(resendMessages, async ({ caller: { accountId }, key }, { message_ids: ids }) => {
    const resent = await resend(deps, { accountId, ids, key });
    return {
      sent: resent.flatMap(({ id, as }) =>
        typeof as === 'string'
          ? [{ message_id: publicId('message', id), as: publicId('message', as) }]
          : [],
      ),
      refused: resent.flatMap(({ id, as }) => (typeof as === 'string' ? [] : [refusedOf(id, as)])),
    };
  }),
  handle(cancelMessages, async ({ caller: { accountId } }, { message_ids: ids }) => {
    const results = await withdrawMany(deps.sql, accountId, ids);
    return {
      cancelled: results.flatMap(({ id, refusal }) => (refusal ? [] : [publicId('message', id)])),
      refused: results.flatMap(({ id, refusal }) => (refusal ? [refusedOf(id, refusal)] : [])),
    };
  }),
  handle(rescheduleMessage, async ({ caller: { accountId } }, { message_id: id, send_at: at }) => {
    const { row, tokenId } = await rescheduleFromPortal(deps, accountId, id, new Date(at));
    deps.onWork([tokenId]);
    return row;
  }),
];

const refusedOf = (id: string, refusal: Refusal): Refused => ({
  message_id: publicId('message', id),
  error: { type: refusal.code, msg: sentenceFor(refusal) },
});
