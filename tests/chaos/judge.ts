import { checkLedger } from '#server/domains/ledger/check.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type SendRequest, type RequestedMessage, isSafe } from './load/requests.ts';
import type { Journal } from './load/clients.ts';
import { countsThatDisagree } from './load/counts.ts';
import type { Broken, Rule } from './faults/rules.ts';
import { judgeDeliveries } from './webhooks/judge.ts';

export type Verdict = {
  broken: Broken[];
  messages: number;
  resubmitted: number;
  /** Messages that failed without an answer, or expired, and were later proved delivered. */
  corrected: number;
  expired: number;
};

type Stored = {
  id: string;
  account: string;
  token: string;
  peer: string;
  text: string;
  status: string;
  price: number;
  charge: string | null;
  ref: string | null;
  failure: string | null;
  unsure: boolean;
  unknowns: number;
};
type Line = {
  phone: string;
  id: string;
  peer: string;
  text: string;
  submits: number;
  unsure: boolean;
};

type End = { status: string; failure: string | null; arrives: boolean };

const read: End = { status: 'read', failure: null, arrives: true };
const cancelled: End = { status: 'cancelled', failure: null, arrives: false };
const fails = (failure: string): End => ({ status: 'failed', failure, arrives: false });
const ends: Readonly<Record<string, End>> = {
  '62800000002': { status: 'delivered', failure: null, arrives: true },
  '62800000003': fails('not_on_whatsapp'),
  '62800000005': fails('rate_limited'),
  '62800000006': fails('no_answer'),
};
/** Answers STOP to the messages it reads, which cancels all that still wait for it. */
const STOPS = '62800000007';
const expired: End = { status: 'expired', failure: null, arrives: false };

/**
 * The allowed final state. A message that its phone never saw may also have expired, if it had a ttl; been given up
 * after two unanswered tries; or been cancelled, if its phone had sent STOP.
 */
function endOf(
  request: SendRequest,
  { to }: RequestedMessage,
  { one, lines }: { one: Stored; lines: readonly Line[] },
): End {
  if (request.cancelled) return cancelled;
  if (lines.length === 0) {
    const hasTtl = request.ttl !== undefined;
    if (hasTtl && one.status === 'expired') return expired;
    if (to === STOPS && one.status === 'cancelled') return cancelled;
    if ((hasTtl || one.unknowns > 1) && one.failure === 'no_answer') return fails('no_answer');
  }
  return ends[to] ?? read;
}

type Found = Map<string, { stored: Stored[]; lines: Line[] }>;

/**
 * Compares the answers to clients with the database at rest.
 * @param allAccountsSql a pool that sees every account.
 */
export async function judge(allAccountsSql: Sql, journal: Journal): Promise<Verdict> {
  const stored = await allAccountsSql<Stored[]>`
    select message_id as id, account_id as account, token_id as token, peer, body->>'text' as text,
      status, price, charge_state as charge, ref, failure, possible_duplicate as unsure,
      (select count(*)::int from message_events e
        where e.account_id = m.account_id and e.message_id = m.message_id and e.kind = 'unknown'
      ) as unknowns
    from messages m where direction = 'out'`;
  const lines = await allAccountsSql<Line[]>`
    select phone, line_id as id, peer, body->>'text' as text, submits, possible_duplicate as unsure
    from sim_lines where direction = 'in'`;
  const found: Found = new Map();
  const at = (text: string) => {
    const known = found.get(text) ?? { stored: [], lines: [] };
    found.set(text, known);
    return known;
  };
  for (const one of stored) at(one.text).stored.push(one);
  for (const one of lines) at(one.text).lines.push(one);

  const broken: Broken[] = journal.complaints.map((what) => ({ rule: 'answered the same', what }));
  for (const request of journal.requests) {
    for (const message of request.messages) {
      broken.push(...judgeMessage(request, message, at(message.text)));
      found.delete(message.text);
    }
  }
  for (const text of found.keys()) {
    broken.push({ rule: 'nothing unasked', what: `nobody asked for "${text}"` });
  }
  broken.push(
    ...(await countsThatDisagree(allAccountsSql)),
    ...(await storedAnswers(allAccountsSql, journal)),
    ...(await judgeDeliveries(allAccountsSql, journal.posts)),
  );
  for (const { invariant, description: says, ok, offenders } of await checkLedger(allAccountsSql)) {
    if (ok) continue;
    broken.push({
      rule: 'ledger',
      what: `${invariant} (${says}): ${JSON.stringify(offenders[0])}`,
    });
  }
  const [corrected] = await allAccountsSql<{ n: number }[]>`
    select count(*)::int as n from message_events where kind = 'corrected'`;
  return {
    broken,
    messages: stored.length,
    resubmitted: lines.filter(({ submits }) => submits > 1).length,
    corrected: corrected?.n ?? 0,
    expired: stored.filter(({ status }) => status === 'expired').length,
  };
}

function* judgeMessage(
  request: SendRequest,
  message: RequestedMessage,
  { stored, lines }: { stored: readonly Stored[]; lines: readonly Line[] },
): Generator<Broken> {
  const [one] = stored;
  const say = (rule: Rule, what: string): Broken => ({ rule, what: `"${message.text}" ${what}` });
  // Only requests that may not be repeated stay open.
  if (message.outcome === 'open' && isSafe(request)) {
    yield say('answered the same', 'was never answered');
  }
  if (message.outcome === 'accepted' && !one)
    yield say('not lost', `was accepted as ${message.id}`);
  if (stored.length > 1 && !stored.every(({ unsure }) => unsure)) {
    yield say(
      'not doubled',
      `stands ${stored.length} times: ${stored.map(({ id }) => id).join(' ')}`,
    );
  }
  // An unanswered try may have been accepted although a later one was refused: no answer contradicts that.
  if (message.outcome === 'refused' && one && request.unsure === 0) {
    yield say('nothing unasked', `was refused (${message.code}) and stands`);
  }
  if (!one) {
    if (lines.length > 0) yield say('nothing unasked', 'is in a phone and stands nowhere');
    return;
  }
  yield* judgeStored(request, message, { one, lines, say });
}

function* judgeStored(
  request: SendRequest,
  message: RequestedMessage,
  {
    one,
    lines,
    say,
  }: { one: Stored; lines: readonly Line[]; say: (rule: Rule, what: string) => Broken },
): Generator<Broken> {
  const { sender } = request;
  const expected = [
    message.id ?? one.id,
    sender.accountId,
    sender.tokenId,
    message.to,
    message.ref ?? null,
  ];
  const stored = [one.id, one.account, one.token, one.peer, one.ref];
  if (JSON.stringify(expected) !== JSON.stringify(stored)) {
    yield say(
      'as it was asked',
      `was asked as ${expected.join(' ')} and stands as ${stored.join(' ')}`,
    );
  }
  const end = endOf(request, message, { one, lines });
  if (one.status !== end.status || one.failure !== end.failure) {
    const is = `is ${one.status} (${one.failure})`;
    yield say(
      'ended as its phone does',
      `to ${message.to} ${is}, not ${end.status} (${end.failure})`,
    );
  }
  const charges = ['sent', 'delivered', 'read'].includes(one.status)
    ? ['captured', 'waived']
    : ['released'];
  if (one.price === 0 || !charges.includes(one.charge ?? '')) {
    yield say('charged as it ended', `is ${one.status} and ${one.charge} at ${one.price}`);
  }
  if (!end.arrives) {
    if (lines.length > 0) yield say('in the phone once', 'is in a phone that never took it');
    return;
  }
  // The network knows our ids: the same id again is the same message, another id is a second message.
  const [line] = lines;
  if (!line) yield say('in the phone once', `(${one.status}) is not in the phone`);
  else if (lines.length > 1 && !lines.slice(1).every(({ unsure }) => unsure)) {
    yield say('in the phone once', `is in phones ${lines.length} times, unmarked`);
  } else if (line.id !== one.id || line.phone !== message.to || line.peer !== sender.phone) {
    yield say('in the phone once', `lies in ${line.phone} from ${line.peer} as ${line.id}`);
  }
}

/** Keys and refs point to the answers given for them. */
async function storedAnswers(allAccountsSql: Sql, journal: Journal): Promise<Broken[]> {
  const keys = await allAccountsSql<{ token: string; key: string }[]>`
    select token_id as token, key from idempotency_keys`;
  const refs = await allAccountsSql<{ account: string; ref: string; id: string }[]>`
    select account_id as account, ref, message_id as id from message_refs where ref like 'ref %'`;
  const knownKeys = new Set(keys.map(({ token, key }) => `${token} ${key}`));
  const knownRefs = new Map(refs.map(({ account, ref, id }) => [`${account} ${ref}`, id]));
  const broken: Broken[] = [];
  for (const request of journal.requests) {
    const accepted = request.messages.filter(({ outcome }) => outcome === 'accepted');
    const { accountId, tokenId } = request.sender;
    if (
      request.key !== undefined &&
      accepted.length > 0 &&
      !knownKeys.has(`${tokenId} ${request.key}`)
    ) {
      broken.push({ rule: 'answers kept', what: `the key of ${request.name} is forgotten` });
    }
    for (const { ref, id, text } of accepted) {
      if (ref === undefined || knownRefs.get(`${accountId} ${ref}`) === id) continue;
      broken.push({ rule: 'answers kept', what: `the ref of "${text}" is not ${id}` });
    }
  }
  return broken;
}
