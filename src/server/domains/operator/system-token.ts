import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import {
  type SystemToken,
  connectSystemToken,
  getSystemToken,
  linkSystemToken,
  moveSystemToken,
  testSystemToken,
  unlinkSystemToken,
} from '#contract/operator/system-token.ts';
import { formatDateTime } from '#contract/base/time.ts';
import { ChannelName } from '#contract/tokens.ts';
import type { CloudAccess, CloudConnection } from '#contract/tokens/cloud.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { codeCounts, maskedPhone, phonesOf } from '#server/domains/accounts/accounts.ts';
import { readConnection } from '#server/domains/channels/channels.ts';
import { systemFigures } from '#server/domains/messages/messages.ts';
import {
  type MoveDeps,
  type TokenRef,
  type TokenSubscribers,
  createLink,
  moveTo,
  systemTokenState,
  unlinkPhone,
} from '#server/domains/tokens/tokens.ts';
import { type ActHandler, type Person, handle } from '#server/infra/acts.ts';
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
  /** Sends what the installation itself writes; with a code, as codes are sent. */
  sendAsSystem: (text: {
    to: string;
    text: string;
    shown: string;
    key: string;
    code?: string | undefined;
  }) => Promise<void>;
  /** How a token is connected with its number of the Cloud API. */
  cloud: {
    connect: (token: TokenRef, entered: CloudAccess) => Promise<unknown>;
    read: (token: TokenRef) => Promise<CloudConnection | null>;
  };
  /** How codes are sent: as a text, by a template, or by nothing. */
  codesBy: () => Promise<string | { template: string; language: string }>;
} & Pick<MoveDeps, 'isOffered'>;

/** The installation's own token is of the account that operators are of. */
const handleOwn: typeof handle = (act, work) =>
  handle(act, (call, input) =>
    call.caller.kind === 'person'
      ? inAccount(call.caller.accountId, () => work(call, input))
      : work(call, input),
  );

/** The acts of the installation's own token. */
export const systemTokenActs = (deps: SystemTokenDeps): readonly ActHandler[] => [
  handleOwn(getSystemToken, ({ caller }) => systemTokenOf(deps, caller)),
  handleOwn(linkSystemToken, async () => {
    const { accountId, tokenId } = await systemTokenState(deps.allAccountsSql);
    return createLink(deps, accountId, tokenId);
  }),
  handleOwn(unlinkSystemToken, async ({ caller }) => {
    const { accountId, tokenId } = await systemTokenState(deps.allAccountsSql);
    await unlinkPhone(deps, accountId, tokenId);
    return systemTokenOf(deps, caller);
  }),
  handleOwn(moveSystemToken, async ({ caller }, { channel }) => {
    const { accountId, tokenId } = await systemTokenState(deps.allAccountsSql);
    await moveTo(deps, { accountId, tokenId }, channel);
    return systemTokenOf(deps, caller);
  }),
  handleOwn(connectSystemToken, async ({ caller }, entered) => {
    const { accountId, tokenId } = await systemTokenState(deps.allAccountsSql);
    await deps.cloud.connect({ accountId, tokenId }, entered);
    return systemTokenOf(deps, caller);
  }),
  handleOwn(testSystemToken, ({ caller, key }) => sendTest(deps, caller, key)),
];

async function systemTokenOf(deps: SystemTokenDeps, caller: Person): Promise<SystemToken> {
  const { sql, allAccountsSql, config, now } = deps;
  const { accountId, tokenId, status, channel, phone } = await systemTokenState(allAccountsSql);
  const [figures, codes, own, cloud, by, connection] = await Promise.all([
    systemFigures(sql, { accountId, tokenId }, now()),
    codeCounts(allAccountsSql),
    ownPhone(deps, caller),
    deps.cloud.read({ accountId, tokenId }),
    deps.codesBy(),
    readConnection(allAccountsSql, { accountId, tokenId }, now()),
  ]);
  const isParted = status !== 'linked' && channel !== 'simulator';
  return {
    status,
    channel,
    parted: isParted ? (connection?.parted ?? null) : null,
    others: ChannelName().options.filter((one) => one !== channel && deps.isOffered(one)),
    phone: phone && maskedPhone(phone),
    cloud,
    code_template: typeof by === 'string' ? null : { name: by.template, language: by.language },
    today: figures.today,
    failures: figures.failures,
    codes: {
      asked: codes.asked,
      entered: codes.entered,
      fullest: codes.fullestPot,
      cap: config.OTP_DAILY_TOTAL,
    },
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

/** What stands in a test message in place of a code. */
const TEST_CODE = '000000';

/**
 * A message to the operator's own number, in the way of codes: by the Cloud API a text would reach only who wrote
 * within 24 hours.
 *
 * @throws Refusal `system_token_parted` while nothing can be sent.
 */
async function sendTest(deps: SystemTokenDeps, caller: Person, key: string) {
  const { isConnected } = await systemTokenState(deps.allAccountsSql);
  if (!isConnected) throw new Refusal('system_token_parted', {});
  const phone = await ownPhone(deps, caller);
  const text = `Pesan uji token sistem Kabari, ${formatDateTime(deps.now())} WIB. Bila Anda membacanya, kode verifikasi juga sampai.`;
  const code = (await deps.codesBy()) === 'nothing' ? undefined : TEST_CODE;
  await deps.sendAsSystem({ to: phone, text, shown: text, key: `test:${key}`, code });
  return { to: maskedPhone(phone) };
}
