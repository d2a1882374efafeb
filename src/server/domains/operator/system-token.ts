import {
  type SystemToken,
  getSystemToken,
  linkSystemToken,
  moveSystemToken,
  testSystemToken,
  unlinkSystemToken,
} from '#contract/operator/system-token.ts';
import { formatDateTime } from '#contract/base/time.ts';
import { ChannelName } from '#contract/tokens.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { codeCounts, maskedPhone, phonesOf } from '#server/domains/accounts/accounts.ts';
import { systemFigures } from '#server/domains/messages/messages.ts';
import {
  type MoveDeps,
  type TokenSubscribers,
  createLink,
  moveTo,
  systemTokenState,
  unlinkPhone,
} from '#server/domains/tokens/tokens.ts';
import { type ActHandler, type Person, handle } from '#server/infra/acts/act.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';

/** What the page of the installation's own token needs. */
export type SystemTokenDeps = {
  /** Sees one account at a time. */
  sql: Sql;
  allAccountsSql: Sql;
  secrets: Secrets;
  subscribers: TokenSubscribers;
  config: Pick<Config, 'OTP_DAILY_PER_ADDRESS' | 'OTP_DAILY_TOTAL'>;
  now: () => Date;
  sendSystemText: (phone: string, text: string, shown?: string, key?: string) => Promise<void>;
} & Pick<MoveDeps, 'isOffered' | 'isSending'>;

/** The acts of the installation's own token. */
export const systemTokenActs = (deps: SystemTokenDeps): readonly ActHandler[] => [
  handle(getSystemToken, ({ caller }) => systemTokenOf(deps, caller)),
  handle(linkSystemToken, async () => {
    const { accountId, tokenId } = await systemTokenState(deps.allAccountsSql);
    return createLink(deps, accountId, tokenId);
  }),
  handle(unlinkSystemToken, async ({ caller }) => {
    const { accountId, tokenId } = await systemTokenState(deps.allAccountsSql);
    await unlinkPhone(deps, accountId, tokenId);
    return systemTokenOf(deps, caller);
  }),
  handle(moveSystemToken, async ({ caller }, { channel }) => {
    const { accountId, tokenId } = await systemTokenState(deps.allAccountsSql);
    if (!isForCodes(channel)) throw new Refusal('channel_off', {});
    await moveTo(deps, { accountId, tokenId }, channel);
    return systemTokenOf(deps, caller);
  }),
  handle(testSystemToken, ({ caller, key }) => sendTest(deps, caller, key)),
];

/** Codes and notices are texts to people who have not written before: by the Cloud API those are refused. */
const isForCodes = (channel: ChannelName): boolean => channel !== 'cloud';

async function systemTokenOf(deps: SystemTokenDeps, caller: Person): Promise<SystemToken> {
  const { sql, allAccountsSql, config, now } = deps;
  const { accountId, tokenId, status, channel, phone } = await systemTokenState(allAccountsSql);
  const [figures, codes, own] = await Promise.all([
    systemFigures(sql, { accountId, tokenId }, now()),
    codeCounts(allAccountsSql),
    ownPhone(deps, caller),
  ]);
  return {
    status,
    channel,
    others: ChannelName().options.filter(
      (one) => one !== channel && isForCodes(one) && deps.isOffered(one),
    ),
    phone: phone && maskedPhone(phone),
    today: figures.today,
    failures: figures.failures,
    codes: { asked: codes.asked, entered: codes.entered, cap: config.OTP_DAILY_TOTAL },
    address: { asked: codes.fullestAddress, cap: config.OTP_DAILY_PER_ADDRESS },
    last: figures.last.map(({ to, ...facts }) => ({ to: maskedPhone(to), ...facts })),
    own_phone: maskedPhone(own),
  };
}

async function ownPhone({ allAccountsSql }: SystemTokenDeps, caller: Person): Promise<string> {
  const people = await phonesOf(allAccountsSql, [caller.accountId]);
  const own = people.find(({ userId }) => userId === caller.userId);
  if (!own) throw new Refusal('not_signed_in', {});
  return own.phone;
}

/** @throws Refusal `system_token_parted` while nothing can be sent. */
async function sendTest(deps: SystemTokenDeps, caller: Person, key: string) {
  const { isConnected } = await systemTokenState(deps.allAccountsSql);
  if (!isConnected) throw new Refusal('system_token_parted', {});
  const phone = await ownPhone(deps, caller);
  const text = `Pesan uji token sistem Kabari, ${formatDateTime(deps.now())} WIB. Bila Anda membacanya, kode verifikasi juga sampai.`;
  await deps.sendSystemText(phone, text, text, `test:${key}`);
  return { to: maskedPhone(phone) };
}
