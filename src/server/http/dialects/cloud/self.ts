import { timingSafeEqual } from 'node:crypto';
import { wibMidnight } from '#contract/base/time.ts';
import type { Scope } from '#contract/rest/scopes.ts';
import { CloudRefusal } from './errors.ts';
import { type NumberDeps, picked } from './numbers.ts';
import { phrases } from './read/phrases.ts';
import type { CloudCall, CloudRoute } from './route.ts';
import { textAt } from '#server/infra/net/json-values.ts';

const DAY_MS = 86_400_000;

/** What a key says of itself: whose it is, and whether it is good. */
export const selfRoutes = (deps: NumberDeps): readonly CloudRoute[] => [
  {
    method: 'GET',
    node: 'me',
    path: '',
    scope: 'account.read',
    handler: async (call) => {
      const { name } = await deps.numberOf(call.sender);
      return picked({ id: call.numberId, name }, call);
    },
  },
  { method: 'GET', node: 'debug_token', path: '', scope: 'account.read', handler: debugToken },
];

/**
 * What is known of a key: of the caller's own alone. Of every other text it says the same, whether it is
 * somebody's key, another one of this token, or none.
 */
async function debugToken(call: CloudCall): Promise<object> {
  const given = textAt(call.request.query, 'input_token');
  if (given === undefined) {
    throw new CloudRefusal(100, { input_token: phrases.inputToken[call.reader.language] });
  }
  return { data: isSame(given, call.key) ? ownFacts(call) : invalid };
}

function isSame(given: string, key: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(key)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const invalid = {
  error: {
    code: 190,
    message: 'The access token is not the one of this call, and nothing is told of others.',
  },
  is_valid: false,
  scopes: [],
};

function ownFacts({ businessId, numberId, sender: { expiresOn, scopes } }: CloudCall): object {
  const granted = [...new Set(scopes.flatMap((scope) => metaScopes[scope] ?? []))];
  const end = expiresOn === null ? 0 : (wibMidnight(expiresOn).getTime() + DAY_MS) / 1_000;
  return {
    app_id: businessId,
    type: 'SYSTEM_USER',
    application: 'Kabari',
    data_access_expires_at: end,
    expires_at: end,
    is_valid: true,
    scopes: granted,
    granular_scopes: granted.map((scope) => ({ scope, target_ids: [businessId] })),
    user_id: numberId,
  };
}

/** What Meta calls the permission for what a scope allows. */
const metaScopes: Partial<Record<Scope, string>> = {
  'messages.send': 'whatsapp_business_messaging',
  'account.read': 'whatsapp_business_management',
};
