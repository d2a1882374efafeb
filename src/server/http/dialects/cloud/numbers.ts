import { Refusal } from '#contract/base/refusals.ts';
import { formatPhone } from '#contract/base/phone.ts';
import type { Token, TokenStatus } from '#contract/tokens.ts';
import { type TokenSubscribers, readToken, unlinkPhone } from '#server/domains/tokens/tokens.ts';
import type { KeyHolder } from '#server/infra/endpoints.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { type MediaDeps, describeMedia } from './media.ts';
import type { CloudCall, CloudRoute } from './route.ts';
import { textAt } from '#server/infra/net/json-values.ts';

export type NumberDeps = {
  /** The portal's pool. */
  sql: Sql;
  subscribers: TokenSubscribers;
};

export const tokenOf = ({ sql }: NumberDeps, { accountId, tokenId }: KeyHolder): Promise<Token> =>
  asAccount(sql, accountId, (tx) => readToken(tx, accountId, tokenId));

const statuses: Record<TokenStatus, string> = {
  unlinked: 'DISCONNECTED',
  linking: 'PENDING',
  linked: 'CONNECTED',
  disconnected: 'DISCONNECTED',
  suspended: 'RESTRICTED',
};

/** The fields of a number, and a business's numbers: only those of the key's own token. */
export const numberRoutes = (deps: NumberDeps & MediaDeps): readonly CloudRoute[] => [
  {
    method: 'GET',
    path: '',
    scope: (call) => (isMedia(call) ? 'media' : 'account.read'),
    handler: (call) => (isMedia(call) ? describeMedia(deps, call) : nodeOf(deps, call)),
  },
  {
    method: 'GET',
    path: '/phone_numbers',
    scope: 'account.read',
    handler: async (call) => {
      ownBusiness(call);
      return page([selectFields(await fieldsOf(deps, call), call)]);
    },
  },
  {
    method: 'GET',
    path: '/whatsapp_business_profile',
    scope: 'account.read',
    // Always empty: channels have no profile to read.
    handler: async (call) => {
      ownNumber(call);
      return { data: [{ messaging_product: 'whatsapp' }] };
    },
  },
  {
    method: 'POST',
    path: '/register',
    scope: 'account.read',
    handler: async (call) => {
      ownNumber(call);
      if ((await tokenOf(deps, call.sender)).phone === null)
        throw new Refusal('token_not_linked', {});
      return { success: true };
    },
  },
  {
    method: 'POST',
    path: '/deregister',
    scope: 'link',
    handler: async (call) => {
      ownNumber(call);
      await unlinkPhone(deps, call.sender.accountId, call.sender.tokenId);
      return { success: true };
    },
  },
];

const isMedia = ({ id }: Pick<CloudCall, 'id'>): boolean => id.startsWith('med_');

/** @throws Refusal `not_found` for another account's business */
export function ownBusiness({ id, businessId }: CloudCall): void {
  if (id !== businessId) throw new Refusal('not_found', { what: 'Akun' });
}

/** @throws Refusal `not_found` for any number but the key's own. */
function ownNumber({ id, numberId }: CloudCall): void {
  if (id !== numberId) throw new Refusal('not_found', { what: 'Nomor telepon' });
}

export const page = (data: readonly unknown[]) => ({
  data,
  paging: { cursors: { before: 'MQ', after: 'MQ' } },
});

async function nodeOf(deps: NumberDeps, call: CloudCall) {
  if (call.id === call.numberId) return selectFields(await fieldsOf(deps, call), call);
  if (call.id !== call.businessId) throw new Refusal('not_found', { what: 'Nomor telepon' });
  const { name } = await tokenOf(deps, call.sender);
  const fields = { id: call.businessId, name, timezone_id: '66', currency: 'IDR' };
  return selectFields(fields, call);
}

async function fieldsOf(deps: NumberDeps, { sender, numberId }: CloudCall) {
  const { name, phone, status } = await tokenOf(deps, sender);
  return {
    id: numberId,
    display_phone_number: phone === null ? '' : formatPhone(phone),
    verified_name: name,
    quality_rating: 'UNKNOWN',
    code_verification_status: phone === null ? 'NOT_VERIFIED' : 'VERIFIED',
    name_status: 'APPROVED',
    platform_type: 'NOT_APPLICABLE',
    status: statuses[status],
    throughput: { level: 'STANDARD' },
  };
}

/** The existing fields among the requested `fields`, and the id; all fields without a request. */
export function selectFields(all: Record<string, unknown>, { request }: CloudCall): object {
  const requested = textAt(request.query, 'fields');
  if (requested === undefined) return all;
  const names = new Set(['id', ...outsideBraces(requested).split(',')]);
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)));
}

function outsideBraces(fields: string): string {
  const outside: string[] = [];
  let depth = 0;
  for (const part of fields.split(/([{}])/)) {
    if (part === '{') depth += 1;
    else if (part === '}') depth = Math.max(0, depth - 1);
    else if (depth === 0) outside.push(part);
  }
  return outside.join('');
}
