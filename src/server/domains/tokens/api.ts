import { publicId } from '#contract/base/ids.ts';
import { shownPeer } from '#contract/messages/peer.ts';
import type { ApiLink, Me } from '#contract/rest/account.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import { startLink } from './links/link-api.ts';
import type { OpenDeps } from './links/links.ts';
import { readToken } from './row.ts';

type Sender = { accountId: string; tokenId: string; simulated: boolean };

/** What the public API needs of tokens. */
export type ApiTokens = {
  /** Whose key calls, and how its token stands. */
  me: (sender: Sender) => Promise<Me>;
  /** See `startLink`. */
  link: (sender: Sender, agent: string) => Promise<ApiLink>;
};

export const openApiTokens = (deps: OpenDeps): ApiTokens => ({
  me: (sender) => readMe(deps, sender),
  link: (sender, agent) => startLink(deps, sender, agent),
});

const readMe = ({ sql }: OpenDeps, { accountId, tokenId, simulated }: Sender): Promise<Me> =>
  asAccount(sql, accountId, async (tx) => {
    const token = await readToken(tx, accountId, tokenId);
    const [account] = await tx<{ name: string }[]>`
      select name from accounts where account_id = ${accountId}`;
    return {
      account: { id: publicId('account', accountId), name: account?.name ?? '' },
      token: {
        id: token.id,
        name: token.name,
        status: token.status,
        phone: token.phone && shownPeer(token.phone),
        sent_today: token.sent_today,
        daily_limit: token.daily_limit,
        created_at: token.created_at,
      },
      scopes: [...token.access.scopes],
      simulated,
    };
  });
