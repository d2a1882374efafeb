import { isolated } from '#contract/base/names.ts';
import { Readable } from 'node:stream';
import { WIB, civilDate, formatDateTimeZone } from '#contract/base/time.ts';
import type { SupportDeps } from '#server/domains/support/deps.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { signed, verifySigned } from '#server/infra/security/signed-link.ts';
import { type ThreadMessage, readThreadMessages } from '#server/domains/support/thread/line.ts';
import { nameOf } from './thread/send.ts';

/** The lifetime of a link to a transcript. */
const LINK_MS = 10 * 60_000;
const MESSAGES_AT_ONCE = 500;

type TranscriptDeps = Pick<SupportDeps, 'sql' | 'secrets' | 'now'>;

export const transcriptLink = ({ secrets, now }: TranscriptDeps, accountId: string): string => {
  const ends = now().getTime() + LINK_MS;
  return `/transcripts/${signed(secrets, 'support', { accountId, id: accountId }, ends)}`;
};

/** A transcript as it is served over HTTP: its length is unknown before its end. */
export type ServedTranscript = { name: string; stream: Readable };

export async function openTranscript(
  { sql, secrets, now }: TranscriptDeps,
  address: { id: string; key: string },
): Promise<ServedTranscript | undefined> {
  const at = now();
  const claim = verifySigned(secrets, 'support', address, at.getTime());
  if (!claim) return undefined;
  const { accountId } = claim;
  const customer = await asAccount(sql, accountId, (tx) => nameOf(tx, accountId));
  return {
    name: `layanan-pelanggan-${civilDate(at)}.txt`,
    stream: Readable.from(transcriptOf(sql, { accountId, customer, at })),
  };
}

type Facts = { accountId: string; customer: string; at: Date };

/** Read with the customer's access, so that notes are excluded. */
async function* transcriptOf(sql: Sql, { accountId, customer, at }: Facts): AsyncGenerator<string> {
  yield `Layanan pelanggan – ${oneLine(customer)}\nDicetak ${formatDateTimeZone(at, WIB)}\n\n`;
  for (let offset = 0; ; offset += MESSAGES_AT_ONCE) {
    const query = { side: 'customer', order: 'oldest', offset, limit: MESSAGES_AT_ONCE } as const;
    const lines = await asAccount(sql, accountId, async (tx) =>
      readThreadMessages(tx, accountId, query),
    );
    yield lines.map((line) => wordsOf(line, customer)).join('');
    if (lines.length < MESSAGES_AT_ONCE) return;
  }
}

/** All characters that editors treat as line ends. */
const LINE_ENDS = /[\n\v\f\r\u0085\u2028\u2029]+/;

/** A message as text. The body is indented, so that it cannot imitate another message. */
export function wordsOf(line: ThreadMessage, customer: string): string {
  const { side, author, card, at } = line;
  const who =
    side === 'customer'
      ? customer
      : side === 'operator'
        ? `${isolated(author ?? '')} (layanan pelanggan)`
        : '—';
  const about = card ? [`[${card.title} · ${card.status}]`, ...card.lines] : [];
  const words = [...about, ...bodyWords(line)]
    .flatMap((text) => text.split(LINE_ENDS))
    .filter((text) => text !== '')
    .map((text) => `    ${text}\n`)
    .join('');
  return `${formatDateTimeZone(at, WIB)}  ${oneLine(who)}\n${words}\n`;
}

function bodyWords({ type, body }: ThreadMessage): string[] {
  const text = (name: string) => (typeof body[name] === 'string' ? body[name] : '');
  if (type === 'contact') return [`Kontak: ${isolated(text('name'))} (${text('phone')})`];
  if (type === 'text') return [text('text')];
  return [`Berkas: ${text('filename')}`, text('caption')];
}

const oneLine = (words: string): string => words.replace(/[\s\u0085]+/g, ' ').trim();
