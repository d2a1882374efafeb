import { international } from '#contract/messages/peer.ts';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { normalizePhone } from '#contract/base/written-number.ts';
import {
  type CloudConnection,
  type CloudAccess as Entered,
  connectCloud,
  getCloud,
} from '#contract/channels.ts';
import {
  extendSpans,
  endPause,
  type PresenceDeps,
  connectNumber,
} from '#server/domains/channels/health.ts';
import {
  type TokenRef,
  linkNumber,
  readToken,
  untilSettled,
} from '#server/domains/tokens/tokens.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { textAt } from '#server/infra/net/json-values.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { type Graph, askOrRefuse, pagesOf, wordAt } from './graph.ts';
import { type CloudAccess, type CloudNumber, type NumbersDeps, storeNumber } from './numbers.ts';

export type ConnectDeps = NumbersDeps &
  PresenceDeps & {
    sql: Sql;
    graph: Graph;
    origin: string;
    onConnected: (number: Pick<CloudNumber, 'accountId' | 'tokenId'>) => void;
  };

export type CloudConnecting = {
  /**
   * Connects a token with its number, after Meta has confirmed both; a repeat stores the new secrets.
   *
   * @throws Refusal `channel_other`, `cloud_refused`, `cloud_unreachable`, `phone_taken`
   */
  connect(token: TokenRef, entered: Entered): Promise<CloudConnection>;
  read(token: TokenRef): Promise<CloudConnection | null>;
};

export const openConnecting = (deps: ConnectDeps): CloudConnecting => ({
  connect: (ref, entered) => inAccount(ref.accountId, () => connect(deps, ref, entered)),
  read: (ref) => readCloud(deps, ref),
});

async function connect(
  deps: ConnectDeps,
  ref: TokenRef,
  entered: Entered,
): Promise<CloudConnection> {
  const { accountId, tokenId } = ref;
  const token = await asAccount(deps.sql, accountId, (tx) => readToken(tx, accountId, tokenId));
  if (token.channel !== 'cloud') throw new Refusal('channel_other', {});
  const access = accessOf(entered);
  const [confirmed] = await Promise.all([
    confirmNew(deps.graph, access),
    untilSettled(deps.allAccountsSql, ref),
  ]);
  await deps.allAccountsSql.begin(async (tx) => {
    const { phone, name, quality } = confirmed;
    if (!(await storeNumber(tx, deps, { ...ref, ...access, name, quality })))
      throw new Refusal('phone_taken', {});
    await linkNumber(tx, deps.subscribers, { ...ref, channel: 'cloud', phone });
    await connectNumber(tx, deps, { ...ref, channel: 'cloud' });
    await endPause(tx, deps, ref);
  });
  await extendSpans(deps.allAccountsSql, [ref], deps.now());
  deps.onConnected(ref);
  const cloud = await readCloud(deps, ref);
  if (!cloud) throw new Error('a number that was stored is not there');
  return cloud;
}

const accessOf = (entered: Entered): CloudAccess => ({
  phoneNumberId: entered.phone_number_id,
  wabaId: entered.waba_id,
  accessToken: entered.access_token,
  appSecret: entered.app_secret,
});

export const connectActs = (
  { sql }: Pick<ConnectDeps, 'sql'>,
  { connect, read }: CloudConnecting,
): readonly ActHandler[] => {
  const tokenOf = ({ accountId, tokenId }: TokenRef) =>
    asAccount(sql, accountId, (tx) => readToken(tx, accountId, tokenId));
  return [
    handle(getCloud, async ({ caller: { accountId } }, { token_id: tokenId }) => {
      await tokenOf({ accountId, tokenId });
      return read({ accountId, tokenId });
    }),
    handle(connectCloud, async ({ caller: { accountId } }, { token_id: tokenId, ...entered }) => {
      const cloud = await connect({ accountId, tokenId }, entered);
      return { token: await tokenOf({ accountId, tokenId }), cloud };
    }),
  ];
};

export type Confirmed = { phone: string; name: string | undefined; quality: string | undefined };

/**
 * Confirms a number and its business account with Meta, using the entered access.
 *
 * @throws Refusal `cloud_refused`, `cloud_unreachable`
 */
export async function confirm(
  graph: Graph,
  { phoneNumberId, wabaId, accessToken }: Omit<CloudAccess, 'appSecret'>,
): Promise<Confirmed> {
  const fields = 'id,display_phone_number,verified_name,quality_rating';
  const number = await askOrRefuse(graph, {
    accessToken,
    path: `${phoneNumberId}?fields=${fields}`,
  });
  const phone = normalizePhone(international(wordAt(number, 'display_phone_number') ?? ''));
  if (!/^[1-9][0-9]{7,14}$/.test(phone)) throw new Refusal('cloud_refused', { code: 100 });
  await askOrRefuse(graph, { accessToken, path: `${wabaId}/message_templates?limit=1` });
  return {
    phone,
    name: wordAt(number, 'verified_name'),
    quality: wordAt(number, 'quality_rating'),
  };
}

/** Like `confirm`, and requires the number to be of that business account, whose templates it sends. */
async function confirmNew(graph: Graph, access: CloudAccess): Promise<Confirmed> {
  const { phoneNumberId, wabaId, accessToken } = access;
  const confirmed = await confirm(graph, access);
  const path = `${wabaId}/phone_numbers?limit=100&fields=id`;
  for await (const numbers of pagesOf(graph, { accessToken, path })) {
    if (numbers.some((one) => textAt(one, 'id') === phoneNumberId)) return confirmed;
  }
  throw new Refusal('cloud_refused', { code: 100 });
}

type Row = {
  phone_number_id: string;
  waba_id: string;
  verified_name: string | null;
  quality: string | null;
  callback_key: string;
  verify_token: Buffer;
  verified_at: Date | null;
  called_back_at: Date | null;
};

async function readCloud(
  { allAccountsSql, secrets, origin }: ConnectDeps,
  { accountId, tokenId }: TokenRef,
): Promise<CloudConnection | null> {
  const [row] = await allAccountsSql<Row[]>`
    select phone_number_id, waba_id, verified_name, quality, callback_key, verify_token,
      verified_at, called_back_at
    from cloud_numbers where account_id = ${accountId} and token_id = ${tokenId}`;
  if (!row) return null;
  const { callback_key, verify_token, ...shown } = row;
  const word = secrets.open(verify_token, `cloud-number:${tokenId}:verify-token`);
  return {
    ...shown,
    callback_url: new URL(`/callbacks/cloud/${callback_key}`, origin).href,
    verify_token: word?.toString('utf8') ?? '',
  };
}
