import { businessIdOf, messageIdOf, numberIdOf } from '#contract/dialects.ts';
import { publicId } from '#contract/base/ids.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { type Caller, callerOf } from '#tests/support/app/api-caller.ts';
import { type RunningApp, test as base } from '#tests/support/app/running-app.ts';

export type CloudApp = Caller & {
  running: RunningApp;
  origin: string;
  numberId: string;
  businessId: string;
  /** The message of a `wamid.`, as `/v1` shows it. */
  stored: (
    wamid: string | undefined,
  ) => Promise<{ type: string; content: Record<string, unknown> }>;
};

/** The application on its own port, with a customer who has a key and a linked number. */
export async function cloudApp(running: RunningApp, db: TestDatabase): Promise<CloudApp> {
  const caller = await callerOf(running, db, { saldo: 100_000 });
  const origin = await running.app.listen({ host: '127.0.0.1', port: 0 });
  return {
    ...caller,
    running,
    origin,
    numberId: numberIdOf(publicId('token', caller.tokenId)),
    businessId: businessIdOf(publicId('account', caller.accountId)),
    stored: async (wamid = '') => {
      const answer = await caller.call(`/v1/messages/${messageIdOf(wamid)}`);
      if (answer.status !== 200) throw new Error(`${wamid}: ${answer.text}`);
      return answer.body;
    },
  };
}

export const test = base.extend<{ running: RunningApp; cloud: CloudApp }>({
  running: async ({ openApp }, use) => use(await openApp()),
  cloud: async ({ running, db }, use) => use(await cloudApp(running, db)),
});
