import { shownPeer } from '#contract/messages/peer.ts';
import { rupiah } from '#contract/base/money.ts';
import type { ApiLink, ApiMutation, Me } from '#contract/rest/account.ts';
import type { LineKind, Mutation } from '#contract/saldo.ts';
import type { ApiSender } from '#server/http/access.ts';
import type { Handlers } from '#server/http/v1/call.ts';

/** What these endpoints need of the account behind a key. */
export type AccountCalls = {
  me: (sender: ApiSender) => Promise<Me>;
  balance: (sender: ApiSender) => Promise<{ available: number; held: number }>;
  /** Lines of the statement before a number, the newest first. */
  mutations: (
    sender: ApiSender,
    query: { before: number | undefined; kind?: LineKind; limit: number },
  ) => Promise<readonly Mutation[]>;
  /** @param agent what calls, as it names itself */
  link: (sender: ApiSender, agent: string) => Promise<ApiLink>;
};

/** Lines on a page, unless asked otherwise. */
const PAGE = 50;

export const accountHandlers = ({
  me,
  balance,
  mutations,
  link,
}: AccountCalls): Handlers<'getMe' | 'getBalance' | 'listMutations' | 'startLink'> => ({
  getMe: ({ sender }) => me(sender),
  getBalance: async ({ sender }) => {
    const { available, held } = await balance(sender);
    return { available: rupiah(available), held: rupiah(held) };
  },
  listMutations: async ({ sender, query: { cursor: before, kind, limit = PAGE } }) => {
    const page = { before, limit: limit + 1, ...(kind && { kind }) };
    const found = await mutations(sender, page);
    const data = found.slice(0, limit).map(mutationOf);
    return { data, next_cursor: found.length > limit ? (data.at(-1)?.seq ?? null) : null };
  },
  startLink: ({ sender, request }) => link(sender, request.headers['user-agent'] ?? ''),
});

const mutationOf = (line: Mutation): ApiMutation => ({
  seq: line.seq,
  kind: line.kind,
  amount: line.amount,
  held: line.held_amount,
  available_after: line.available_after,
  messages: line.kind === 'hold' || line.kind === 'correction' ? line.items : 0,
  message: line.message && { ...line.message, peer: shownPeer(line.message.peer) },
  memo: line.memo,
  topup: line.topup_id,
  invoice: line.invoice_id,
  created_at: line.created_at,
});
