import { rupiah } from '#contract/base/money.ts';
import type { ApiSender } from '#server/http/access.ts';
import type { Handlers } from '#server/http/v1/call.ts';

/** What these endpoints need of the account behind a key. */
export type AccountCalls = {
  balance: (sender: ApiSender) => Promise<{ available: number; held: number }>;
};

export const accountHandlers = ({ balance }: AccountCalls): Handlers<'getBalance'> => ({
  getBalance: async ({ sender }) => {
    const { available, held } = await balance(sender);
    return { available: rupiah(available), held: rupiah(held) };
  },
});
