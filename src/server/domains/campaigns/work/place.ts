import { uuidOf } from '#contract/base/ids.ts';
import { Refusal, type RefusalCode } from '#contract/base/refusals.ts';
import { civilDate, wibMidnight } from '#contract/base/time.ts';
import {
  type PauseReason,
  type CampaignContent,
  fillContent,
  variableKey,
} from '#contract/campaigns.ts';
import { messagesOfRefs } from '#server/domains/messages/messages.ts';
import type { CampaignDeps } from '#server/domains/campaigns/deps.ts';
import type { StoredCampaign } from '#server/domains/campaigns/row.ts';
import { announce } from '#server/domains/campaigns/manage.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { positionOfRef, refOf } from './refs.ts';
import { writtenPeer } from '#contract/messages/peer.ts';
import { foldBlanks } from '#contract/messages/templates.ts';
import { NewMessage } from '#contract/rest/messages.ts';

export type Claimed = {
  accountId: string;
  campaignId: string;
  tokenId: string;
  content: CampaignContent;
  columns: string[];
  becoming: 'paused' | 'cancelled' | null;
  pace: number | null;
  /** Id of the worker; fences its writes. */
  owner: string;
  /** End of the lease, by `performance.now()`: a worker that stalls past it sends nothing more. */
  untilMs: number;
};

type Next = { place: number; peer: string; cells: string[]; taken_back: number };

type Outcome =
  | { place: number; state: 'placed'; messageId: string }
  | { place: number; state: 'refused' | 'opted_out'; refusal: { type: string; facts: object } };

type Halt = { reason: PauseReason } | { restsUntil: Date };

const AT_ONCE = 100;

const pauses: Partial<Record<RefusalCode, PauseReason>> = {
  saldo_short: 'saldo_short',
  bonus_only: 'bonus_only',
  wallet_frozen: 'wallet_frozen',
  token_not_linked: 'token_not_linked',
  account_suspended: 'account_suspended',
  template_not_found: 'content_refused',
  template_not_approved: 'content_refused',
  template_language_needed: 'content_refused',
  template_variables_unfit: 'content_refused',
  template_parts_unfit: 'content_refused',
  media_not_found: 'content_refused',
  media_unfit: 'content_refused',
};

/** Temporary refusals: the messages are tried again. */
const passing: ReadonlySet<RefusalCode> = new Set(['queue_full', 'request_in_flight', 'busy']);

/**
 * Accepts the next recipients' messages, up to `count`, in list order. Each has its own reference, so a repeat after a
 * crash or beside another worker accepts none twice.
 *
 * @returns how many were accepted or refused; fewer than `count` when no more are left, or the campaign stops
 */
export async function acceptNext(
  deps: CampaignDeps,
  claimed: Claimed,
  count: number,
): Promise<number> {
  let done = 0;
  while (done < count) {
    const next = await nextOf(deps.allAccountsSql, claimed, Math.min(AT_ONCE, count - done));
    if (next.length === 0) {
      await finishBatch(deps, claimed, { outcomes: [] });
      break;
    }
    const { outcomes, halt } = await place(deps, claimed, next);
    await finishBatch(deps, claimed, { outcomes, halt });
    done += outcomes.length;
    if (outcomes.length < next.length) break;
  }
  return done;
}

const nextOf = (
  allAccountsSql: Sql,
  { accountId, campaignId }: Claimed,
  limit: number,
): PromiseLike<Next[]> =>
  allAccountsSql<Next[]>`
    select place, peer, cells, taken_back from campaign_recipients
    where account_id = ${accountId} and campaign_id = ${campaignId} and state = 'waiting'
    order by place limit ${limit}`;

const unfit = (place: number): Outcome => ({
  place,
  state: 'refused',
  refusal: { type: 'input_invalid', facts: { fields: { content: 'Isinya tidak cocok.' } } },
});

async function place(
  deps: CampaignDeps,
  claimed: Claimed,
  next: readonly Next[],
): Promise<{ outcomes: Outcome[]; halt?: Halt | undefined }> {
  const { content, columns, campaignId } = claimed;
  const made = next.map((one) => ({
    place: one.place,
    message: messageFor(content, columns, { ...one, ref: refOf(campaignId, one) }),
  }));
  const outcomes = made.flatMap(({ place: at, message }) => (message ? [] : [unfit(at)]));
  const sendable = made.flatMap(({ place: at, message }) => (message ? [{ at, message }] : []));
  if (sendable.length === 0) return { outcomes };
  const results = await send(
    deps,
    claimed,
    sendable.map(({ message }) => message),
  );
  let halt: Halt | undefined;
  for (const [index, { at }] of sendable.entries()) {
    const result = results[index];
    if (result === undefined) continue;
    if (!(result instanceof Refusal)) {
      const messageId = uuidOf('message', result.id);
      if (messageId === undefined) throw new Error('a placed message has no id');
      outcomes.push({ place: at, state: 'placed', messageId });
      continue;
    }
    const stopping = haltOf(result, deps.now());
    if (stopping) halt ??= stopping;
    else if (!passing.has(result.code)) outcomes.push(refusedBy(at, result));
  }
  return { outcomes, halt };
}

type Sent = Awaited<ReturnType<CampaignDeps['send']>>['results'];

/** Results in message order; a refusal of the whole request for each; none after the lease. */
async function send(
  deps: CampaignDeps,
  { accountId, tokenId, untilMs }: Claimed,
  messages: Parameters<CampaignDeps['send']>[0]['messages'],
): Promise<Sent> {
  if (performance.now() > untilMs) return [];
  try {
    const { results } = await deps.send({
      // Marked as read long ago, so the channel is looked up again: `channel` does not count.
      sender: { accountId, tokenId, channel: 'simulator', readAtMs: -Infinity },
      messages,
      key: undefined,
      answer: { language: 'id', shape: '' },
    });
    return results;
  } catch (error) {
    if (error instanceof Refusal) return messages.map(() => error);
    throw error;
  }
}

function haltOf({ code }: Refusal, now: Date): Halt | undefined {
  const reason = pauses[code];
  if (reason) return { reason };
  if (code !== 'token_limit_reached') return undefined;
  const tomorrow = civilDate(new Date(now.getTime() + 86_400_000));
  return { restsUntil: wibMidnight(tomorrow) };
}

const refusedBy = (at: number, { code, facts }: Refusal): Outcome => ({
  place: at,
  state: code === 'recipient_opted_out' ? 'opted_out' : 'refused',
  refusal: { type: code, facts },
});

type BatchResult = { outcomes: readonly Outcome[]; halt?: Halt | undefined };

/** Stores the outcomes and the campaign's state, if this worker still holds it. */
async function finishBatch(
  { allAccountsSql, now, onStored }: CampaignDeps,
  claimed: Claimed,
  { outcomes, halt }: BatchResult,
): Promise<void> {
  const { accountId, campaignId, owner } = claimed;
  const isNews = await allAccountsSql.begin(async (tx) => {
    const [still] = await tx<Pick<StoredCampaign, 'waiting' | 'becoming'>[]>`
      select waiting, becoming from campaigns
      where account_id = ${accountId} and campaign_id = ${campaignId} and owner = ${owner} for update`;
    if (!still) return false;
    const taken = await storeOutcomes(tx, claimed, outcomes);
    const isDone = still.waiting <= taken.length && still.becoming === null;
    const isPaused = halt !== undefined && 'reason' in halt && !isDone;
    const count = (state: string) => taken.filter((one) => one.state === state).length;
    await tx`
      update campaigns set waiting = waiting - ${taken.length}, placed = placed + ${count('placed')},
        refused = refused + ${count('refused')}, opted_out = opted_out + ${count('opted_out')},
        rests_until = ${halt && 'restsUntil' in halt ? halt.restsUntil : null},
        status = case when status <> 'running' then status when ${isDone} then 'done'
          when ${isPaused} then 'paused' else status end,
        owner = case when not ${isDone || isPaused} then owner end,
        pause_reason = ${isPaused && 'reason' in halt ? halt.reason : null},
        ended_at = case when ${isDone} then ${now()}::timestamptz end
      where account_id = ${accountId} and campaign_id = ${campaignId}`;
    const isChanged = isDone || halt !== undefined;
    if (isChanged) await announce(tx, claimed);
    return isChanged;
  });
  if (isNews) onStored();
}

async function storeOutcomes(
  tx: Tx,
  { accountId, campaignId }: Claimed,
  outcomes: readonly Outcome[],
): Promise<{ state: string }[]> {
  if (outcomes.length === 0) return [];
  return tx<{ state: string }[]>`
    update campaign_recipients r set state = o.state, message_id = o.message_id, refusal = o.refusal
    from unnest(
      ${outcomes.map((one) => one.place)}::int[], ${outcomes.map(({ state }) => state)}::text[],
      ${outcomes.map((one) => ('messageId' in one ? one.messageId : null))}::uuid[],
      ${outcomes.map((one) => ('refusal' in one ? json(one.refusal) : null))}::jsonb[]
    ) as o(place, state, message_id, refusal)
    where r.account_id = ${accountId} and r.campaign_id = ${campaignId} and r.place = o.place
      and r.state = 'waiting'
    returning r.state`;
}

/** Records messages that an earlier worker sent but did not record, found by reference. */
export async function adoptAccepted(deps: CampaignDeps, claimed: Claimed): Promise<void> {
  const next = await nextOf(deps.allAccountsSql, claimed, AT_ONCE);
  const refs = next.map((one) => refOf(claimed.campaignId, one));
  const found = await messagesOfRefs(deps.allAccountsSql, claimed.accountId, refs);
  if (found.length === 0) return;
  const outcomes = found.map(({ id, ref }): Outcome => ({
    place: positionOfRef(ref),
    state: 'placed',
    messageId: id,
  }));
  await finishBatch(deps, claimed, { outcomes });
}

type Addressee = { peer: string; cells: readonly string[] };

/**
 * A recipient's message; undefined if the filled-in text is too long or empty.
 *
 * @param ref the reference it is accepted under
 */
export function messageFor(
  content: CampaignContent,
  columns: readonly string[],
  { peer, cells, ref }: Addressee & { ref: string },
): NewMessage | undefined {
  const values = new Map(columns.map((name, index) => [variableKey(name), cells[index] ?? '']));
  const read = NewMessage().safeParse({
    to: writtenPeer(peer),
    ref,
    priority: 'bulk',
    ...bodyOf(fillContent(content, values)),
  });
  return read.success ? read.data : undefined;
}

function bodyOf(content: CampaignContent): object {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: { body: content.text } };
    case 'file': {
      const { id, as, name } = content.file;
      const file = as === 'document' ? { id, filename: name } : { id };
      return { type: as, [as]: file, ...(as !== 'audio' && { caption: content.caption }) };
    }
    case 'location': {
      const { type, ...location } = content;
      return { type, location };
    }
    case 'template': {
      const { type, name, language, variables } = content;
      return { type, template: { name, language, variables: variables.map(foldBlanks) } };
    }
  }
}
