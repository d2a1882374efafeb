import { appConfig, checkToken, logoutUser } from '#contract/accounts.ts';
import { type KeptAct, on } from '#server/platform/act.ts';
import { asAccount } from '#server/platform/database.ts';
import type { AccountsDeps } from './deps.ts';
import { userOf } from './people.ts';

/** Ends the caller's own session, and no other. */
export const loggingOut = ({ sessions }: AccountsDeps): KeptAct =>
  on(logoutUser, async ({ caller }) => {
    await sessions.end(caller.sessionId);
    return {};
  });

export const checkingToken = ({ sql }: AccountsDeps): KeptAct =>
  on(checkToken, ({ caller: { accountId, userId } }) =>
    asAccount(sql, accountId, (tx) => userOf(tx, accountId, userId)),
  );

/** An empty `api_url` means the address the page came from. */
export const configuring = ({ config, build }: AccountsDeps): KeptAct =>
  on(appConfig, async () => ({
    product: 'Kabari',
    simulator: config.SIMULATOR,
    production: config.production,
    return_origins: [...config.RETURN_ORIGINS],
    api_url: config.API_URL ?? '',
    captcha: { provider: config.CAPTCHA_PROVIDER, site_key: '' },
    build,
  }));
