import { type InputOf, PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import {
  type ConnectedNumber,
  listNumbers,
  listProviderAnswers,
} from '#contract/operator/channels.ts';
import { accountNames, maskedPhone } from '#server/domains/accounts/accounts.ts';
import { answersByCode, connectedNumbers } from '#server/domains/channels/channels.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import type { DeskDeps } from './deps.ts';

type Deps = Pick<DeskDeps, 'allAccountsSql' | 'now'>;

const DAY_MS = 24 * 3_600_000;

/** The acts about numbers in their networks. */
export const channelDeskActs = (deps: Deps): readonly ActHandler[] => [
  handle(listNumbers, (_, input) => numbersPage(deps, input)),
  handle(listProviderAnswers, async (_, { days }) => {
    const since = new Date(deps.now().getTime() - Number(days) * DAY_MS);
    return { answers: await answersByCode(deps.allAccountsSql, since) };
  }),
];

async function numbersPage(
  { allAccountsSql: sql, now }: Deps,
  { page = 0, channel, state, sort_by, sort_type }: InputOf<typeof listNumbers>,
): Promise<PageOf<ConnectedNumber>> {
  const { numbers, total } = await connectedNumbers(sql, {
    channel,
    state,
    sort: sort_by && (sort_type ?? 'desc'),
    offset: page * PAGE_SIZE,
    limit: PAGE_SIZE,
    now: now(),
  });
  const names = await accountNames(
    sql,
    numbers.map(({ accountId }) => accountId),
  );
  const rows = numbers.map(({ accountId, tokenId, tokenName, isSystem, phone, ...connection }) => ({
    ...connection,
    account_id: publicId('account', accountId),
    account_name: names.get(accountId) ?? '',
    is_system: isSystem,
    token_id: publicId('token', tokenId),
    token_name: tokenName,
    phone: phone && maskedPhone(phone),
  }));
  return { rows, total };
}
