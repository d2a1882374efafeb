import { createHash } from 'node:crypto';
import { captionNodes, captionText } from '#contract/messages/captions.ts';
import { phonesOf } from '#server/domains/accounts/accounts.ts';
import type { BroadcastDeps } from './deps.ts';

const AT_ONCE = 50;
/**
 * A delivery under way belongs to its process for so long; then it is tried again, after each failure a little
 * later: while the installation's own token is linked to no phone, that may take days.
 */
const LEASE_SECONDS = 120;
const LEASES_MAX = 15;
/** A message that waits longer for its turn is not worth sending. */
const MESSAGE_MS = 86_400_000;

type Claimed = {
  account_id: string;
  broadcast_id: string;
  user_id: string;
  tries: number;
  pushed_at: Date | null;
};

type Broadcast = {
  broadcast_id: string;
  title: string;
  body: string;
  by_push: boolean;
  by_message: boolean;
  until_at: Date;
  is_over: boolean;
};

type Delivery = Claimed & Broadcast;

/**
 * Tells who was written down: their browsers once, in the transaction that says so, and their phone by a
 * message whose key is the broadcast's, so that a process that died in between sends it neither never nor
 * twice. What cannot be sent now is tried again until the broadcast is over.
 */
export async function deliverDue(deps: BroadcastDeps, isClosing: () => boolean): Promise<void> {
  while (!isClosing()) {
    const due = await claim(deps);
    if (due.length === 0) return;
    const accounts = due.map(({ account_id }) => account_id);
    const people = await phonesOf(deps.allAccountsSql, accounts);
    for (const one of due) {
      const person = people.find(
        ({ accountId, userId }) => accountId === one.account_id && userId === one.user_id,
      );
      await deliver(deps, one, person?.phone).catch(deps.report);
    }
  }
}

/** What is due, with what it says. */
async function claim({ allAccountsSql, now }: BroadcastDeps): Promise<Delivery[]> {
  const at = now();
  const claimed = await allAccountsSql<Claimed[]>`
    with due as (
      select account_id, broadcast_id, user_id from broadcast_deliveries
      where ended_at is null and next_at <= ${at}
      order by next_at limit ${AT_ONCE} for update skip locked
    )
    update broadcast_deliveries d set tries = tries + 1,
      next_at = ${at}::timestamptz
        + make_interval(secs => ${LEASE_SECONDS} * least(d.tries + 1, ${LEASES_MAX}))
    from due
    where (d.account_id, d.broadcast_id, d.user_id) = (due.account_id, due.broadcast_id, due.user_id)
    returning d.account_id, d.broadcast_id, d.user_id, d.tries, d.pushed_at`;
  if (claimed.length === 0) return [];
  const broadcasts = await allAccountsSql<Broadcast[]>`
    select broadcast_id, title, body, by_push, by_message, until_at,
      stopped_at is not null or until_at <= ${at} as is_over
    from broadcasts
    where broadcast_id = any(${claimed.map(({ broadcast_id }) => broadcast_id)}::uuid[])`;
  const byId = new Map(broadcasts.map((broadcast) => [broadcast.broadcast_id, broadcast]));
  return claimed.flatMap((one) => {
    const broadcast = byId.get(one.broadcast_id);
    return broadcast ? { ...one, ...broadcast } : [];
  });
}

type Outcome = 'sent' | 'opted_out' | 'failed' | 'stopped' | null;

async function deliver(
  deps: BroadcastDeps,
  one: Delivery,
  phone: string | undefined,
): Promise<void> {
  // Nobody is left there, or nobody is to be told any more.
  if (one.is_over || phone === undefined || phone === '') {
    const wasTried = one.by_message && one.tries > 1;
    return end(deps, one, wasTried ? 'failed' : 'stopped');
  }
  if (one.by_push && one.pushed_at === null) await push(deps, one);
  if (!one.by_message) return end(deps, one, null);
  await end(deps, one, await send(deps, one, phone));
}

const push = ({ allAccountsSql, queueNotice, now }: BroadcastDeps, one: Delivery): Promise<void> =>
  allAccountsSql.begin(async (tx) => {
    const { count } = await tx`
      update broadcast_deliveries set pushed_at = ${now()}
      where account_id = ${one.account_id} and broadcast_id = ${one.broadcast_id}
        and user_id = ${one.user_id} and pushed_at is null`;
    if (count === 0) return;
    await queueNotice(tx, {
      accountId: one.account_id,
      title: one.title,
      body: captionText(one.body),
      url: '/',
      tag: `broadcast-${one.broadcast_id}`,
    });
  });

async function send(
  { sendNotice, now }: BroadcastDeps,
  { account_id, broadcast_id, user_id, title, body, until_at }: Delivery,
  phone: string,
): Promise<Outcome> {
  // A hash: the key outlives an account that is erased, and must not name it.
  const facts = [broadcast_id, account_id, user_id].join(':');
  const outcome = await sendNotice({
    to: phone,
    text: `${title}\n\n${plainText(body)}`,
    key: `broadcast:${createHash('sha256').update(facts).digest('base64url')}`,
    expiresAt: new Date(Math.min(until_at.getTime(), now().getTime() + MESSAGE_MS)),
  });
  return outcome === 'opted_out' ? 'opted_out' : 'sent';
}

/** A caption for a phone, which has no links of its own: the address stands behind its words. */
export const plainText = (caption: string): string =>
  captionNodes(caption)
    .map((node) => {
      if (node.kind === 'break') return '\n';
      if (node.kind === 'text' || node.text === node.href) return node.text;
      return node.href.startsWith(node.text) ? node.text : `${node.text} (${node.href})`;
    })
    .join('');

async function end(
  { allAccountsSql, now }: BroadcastDeps,
  { account_id, broadcast_id, user_id }: Delivery,
  outcome: Outcome,
): Promise<void> {
  await allAccountsSql`
    update broadcast_deliveries set ended_at = ${now()}, outcome = ${outcome}
    where account_id = ${account_id} and broadcast_id = ${broadcast_id} and user_id = ${user_id}`;
}
