/** `kabari tail` and `forward`: live events, in the format of webhooks. */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { interrupted, isLoopback } from './api.mjs';
import { EXIT, Stop, jsonLine, printable, rupiah } from './terminal.mjs';

const PAGE = 100;
const POLL_MS = 1_000;
const TARGET_MS_MAX = 10_000;
const RETRY_MS_MAX = 30_000;

const wait = (ms, signal) =>
  pause(ms, undefined, { signal }).catch(() => {
    throw interrupted();
  });

const pageAfter = (api, after) => api.get('/v1/events', { after, limit: PAGE });

/** The cursor behind the newest event, where a new run begins. */
const endOf = async (api) => (await pageAfter(api, 'latest')).next;

/** Every event after a cursor, live; each with the cursor behind it. */
async function* follow(api, after) {
  for (;;) {
    const { data, next, has_more: more } = await pageAfter(api, after);
    for (const event of data) yield { event, place: event.data.seq };
    if (next !== after) yield { place: next };
    after = next;
    if (!more) await wait(POLL_MS, api.signal);
  }
}

function placeIn(given) {
  if (given === undefined) return undefined;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw new Stop('--after takes a whole number: the seq of an event.', EXIT.usage);
}

/**
 * The cursor of `--after`; warns if it is ahead of the newest event, as no event shows until then.
 */
async function placeGiven({ api, options, warn }) {
  const after = placeIn(options.after);
  if (after === undefined) return undefined;
  const end = await endOf(api);
  if (after > end) warn(`The newest event is ${end}: nothing is shown until one after ${after}.`);
  return after;
}

export async function tail({ api, options, print, warn }) {
  const after = (await placeGiven({ api, options, warn })) ?? (await endOf(api));
  for await (const { event } of follow(api, after)) {
    if (event) print(options.json ? jsonLine(event) : lineOf(event));
  }
}

const lineOf = ({ type, timestamp, data }) =>
  printable([data.seq, timestamp, type, ...wordsOf(data)].filter(Boolean).join(' '));

function wordsOf(data) {
  const { content, failure, peer, id, ref, name, phone, number } = data;
  const text = content?.text ?? content?.caption ?? (content && data.type);
  const amount = data.available ?? data.amount ?? data.total;
  return [
    peer ?? name,
    phone,
    content ? text : id,
    ref,
    failure?.code,
    number,
    amount !== undefined && rupiah(amount),
    data.source,
  ];
}

/**
 * Posts events to a local program, signed and formatted as webhooks, in order, until Ctrl-C. An event without a 2xx
 * response is sent again before any later one. The cursor is saved for the next run.
 */
export async function forward({ api, given: [target, ...more], options, print, warn, env }) {
  const url = URL.canParse(target ?? '') ? new URL(target) : undefined;
  if (!url || more.length > 0 || !/^https?:$/.test(url.protocol)) {
    throw new Stop('Where to? kabari forward http://localhost:4000/hook', EXIT.usage);
  }
  if (!isLoopback(url.hostname)) {
    throw new Stop(
      `Only addresses of this machine are taken (localhost, 127.…, [::1]), not ${printable(url.host)}. For others set a webhook.`,
      EXIT.usage,
    );
  }
  const file = stateFile(env, api.home.href, url.href);
  const kept = await readState(file);
  const secret = kept.secret ?? `whsec_${randomBytes(32).toString('base64')}`;
  const begin = (await placeGiven({ api, options, warn })) ?? kept.after ?? (await endOf(api));
  await writeState(file, { secret, after: begin });
  print(`Secret: ${secret}`);
  print(`Events after ${begin} go to ${url.href}; Ctrl-C ends it.`);
  for await (const { event, place } of follow(api, begin)) {
    if (event) {
      const status = await deliver(url, event, { secret, warn, signal: api.signal });
      print(`${status} ${lineOf(event)}`);
    }
    await writeState(file, { secret, after: place });
  }
}

/** Sends one event until it is accepted. @returns the accepting status. */
async function deliver(url, event, { secret, warn, signal }) {
  const { type, timestamp, data } = event;
  const body = JSON.stringify({ type, timestamp, data });
  for (let waitMs = 1_000; ; waitMs = Math.min(RETRY_MS_MAX, 2 * waitMs)) {
    let status;
    try {
      const answer = await fetch(url, {
        method: 'POST',
        body,
        headers: signedHeaders(`evt_${data.seq}`, body, secret),
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(TARGET_MS_MAX)]),
      });
      await answer.body?.cancel();
      if (answer.ok) return answer.status;
      status = answer.status;
    } catch (error) {
      if (signal.aborted) throw interrupted();
      status = error?.cause?.code ?? error?.name;
    }
    warn(`${url.origin}: ${printable(status)}; again in ${waitMs / 1_000} s.`);
    await wait(waitMs, signal);
  }
}

/** The headers of Standard Webhooks. */
export function signedHeaders(id, body, secret, now = Date.now()) {
  const seconds = Math.floor(now / 1_000);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}

/** One file for each key and target; it does not contain the key itself. */
function stateFile(env, home, target) {
  const folder = env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local/state');
  const name = createHash('sha256').update([env.KABARI_KEY, home, target].join('\n')).digest('hex');
  return join(folder, 'kabari', `forward-${name.slice(0, 32)}.json`);
}

async function readState(file) {
  try {
    const { secret, after } = JSON.parse(await readFile(file, 'utf8'));
    return { secret, after };
  } catch {
    return {};
  }
}

async function writeState(file, state) {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
  await rename(`${file}.new`, file);
}
