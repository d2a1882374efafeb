import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { encoded } from './uploads.ts';
import { createHash } from 'node:crypto';
import {
  type InvoiceKind,
  type InvoiceStatus,
  invoiceKindLabel,
  invoiceStatusLabel,
} from '#contract/billing.ts';
import { formatRupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { sentenceFor } from '#contract/language/indonesian.ts';
import { WIB, formatDateTimeZone } from '#contract/base/time.ts';

export type StatementsDeps = {
  /** Undefined when the signature is invalid or expired. */
  open: (address: {
    id: string;
    key: string;
  }) => Promise<{ name: string; stream: Readable } | undefined>;
  /** @throws Refusal `too_many_requests`, because each download is generated anew. */
  allow: (ip: string) => Promise<void>;
};

/** Saldo statements at signed addresses, streamed while they are generated, and never cached. */
export const registerStatements = (app: FastifyInstance, deps: StatementsDeps): void =>
  serveGenerated(app, '/statements/:id', deps);

/** Customer-service threads as text, likewise. */
export const registerTranscripts = (app: FastifyInstance, deps: StatementsDeps): void =>
  serveGenerated(app, '/transcripts/:id', deps);

/** Audit entries as CSV, likewise. */
export const registerAuditExports = (app: FastifyInstance, deps: StatementsDeps): void =>
  serveGenerated(app, '/audit-exports/:id', deps);

function serveGenerated(app: FastifyInstance, url: string, { open, allow }: StatementsDeps): void {
  app.route<{ Params: { id: string }; Querystring: { k?: unknown } }>({
    method: 'GET',
    url,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      await allow(request.ip);
      const { k } = request.query;
      const found =
        typeof k === 'string' ? await open({ id: request.params.id, key: k }) : undefined;
      if (!found) return reply.callNotFound();
      reply.headers({
        'cache-control': 'private, no-store',
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename*=UTF-8''${encoded(found.name)}`,
        'content-security-policy': "sandbox; default-src 'none'",
      });
      return reply.send(found.stream);
    },
  });
}

type Verified = {
  kind: InvoiceKind;
  status: InvoiceStatus;
  number: string | null;
  issuedAt: Date;
  total: number;
  seller: string;
  buyer: string;
  corrects: string | null;
  creditNotes: readonly { number: string; total: number; issuedAt: Date }[];
};

type VerifyDeps = {
  find: (docRef: string) => Promise<Verified | undefined>;
  /** @throws Refusal `too_many_requests`, against guessing references. */
  allow: (ip: string) => Promise<void>;
};

/**
 * `/faktur/{ref}`: confirms to anyone that a document with this QR is genuine. A separate page without the portal or
 * scripts, since its readers have no account.
 */
export function registerVerifyPage(app: FastifyInstance, { find, allow }: VerifyDeps): void {
  app.get<{ Params: { ref: string } }>('/faktur/:ref', async (request, reply) => {
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex, nofollow',
    });
    try {
      await allow(request.ip);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return reply.code(429).send(pageOf('Coba lagi nanti', card('wait', sentenceFor(error), '')));
    }
    const found = await find(request.params.ref);
    if (found) return reply.send(pageOf('Dokumen asli', verifiedCard(found)));
    return reply.code(404).send(pageOf('Dokumen tidak dikenal', unknownCard));
  });
}

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);

const fact = (label: string, value: string): string =>
  `<div><dt>${escaped(label)}</dt><dd><bdi>${escaped(value)}</bdi></dd></div>`;

const day = (at: Date): string => formatDateTimeZone(at, WIB);

type Mood = 'good' | 'bad' | 'wait';
const marks: Record<Mood, string> = { good: '✓', bad: '✕', wait: '…' };

const card = (mood: Mood, title: string, body: string): string =>
  `<p class="mark ${mood}" aria-hidden="true">${marks[mood]}</p><h1>${escaped(title)}</h1>${body}`;

const unknownCard = card(
  'bad',
  'Dokumen tidak dikenal',
  '<p>Tidak ada dokumen dengan kode ini. Periksa kembali alamatnya, atau pindai lagi QR pada dokumen. Bila tetap tidak dikenal, jangan anggap dokumen itu sebagai bukti.</p>',
);

function verifiedCard(found: Verified): string {
  const isNote = found.kind === 'credit_note';
  const credited = found.creditNotes.reduce((sum, { total }) => sum + total, 0);
  const facts = [
    fact('Jenis', isNote ? 'Nota kredit' : `Tagihan (${invoiceKindLabel[found.kind]})`),
    fact('Nomor', found.number ?? 'Belum ada: nomor diberikan saat lunas'),
    fact('Tanggal', day(found.issuedAt)),
    fact('Status', isNote ? 'Diterbitkan' : invoiceStatusLabel[found.status]),
    fact('Total', formatRupiah(found.total)),
    fact('Penjual', found.seller),
    fact('Pembeli', found.buyer),
    ...(found.corrects === null ? [] : [fact('Atas tagihan', found.corrects)]),
    ...found.creditNotes.map(({ number, total }) =>
      fact('Nota kredit', `${number}, ${formatRupiah(total)}`),
    ),
    ...(credited > 0 ? [fact('Setelah koreksi', formatRupiah(found.total - credited))] : []),
  ].join('');
  const hint =
    '<p>Cocokkan nomor, tanggal, dan total dengan dokumen Anda. Bila berbeda, dokumen itu sudah diubah.</p>';
  return card('good', 'Dokumen ini asli', `${hint}<dl>${facts}</dl>`);
}

const style = `
:root{color-scheme:light dark;--page:#faf9f5;--card:#fffefe;--text:#1c2526;--muted:#566567;--line:#e0ddd7;--brand:#026064;--good:#1b7f4b;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--page:#0d1518;--card:#141e22;--text:#efede9;--muted:#a3b3b3;--line:#2b373c;--brand:#6fc5c2;--good:#62c48f;--bad:#f08a80}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;background:var(--page);color:var(--text);font:16px/1.5 system-ui,sans-serif;display:grid;place-items:center;padding:24px 16px}
main{width:100%;max-width:480px;background:var(--card);border:1px solid var(--line);border-radius:16px;padding:28px}
header{display:flex;align-items:center;gap:10px;font-weight:700;color:var(--brand);font-size:18px;margin-bottom:20px}
header svg{width:28px;height:28px}
h1{font-size:22px;line-height:1.25;margin:0 0 8px}
p{margin:0 0 16px;color:var(--muted)}
.mark{width:44px;height:44px;border-radius:50%;display:grid;place-items:center;font-size:22px;font-weight:700;color:var(--card);margin:0 0 14px}
.good{background:var(--good)}.bad{background:var(--bad)}.wait{background:var(--muted)}
dl{margin:0}
dl div{display:flex;justify-content:space-between;gap:16px;padding:10px 0;border-top:1px solid var(--line)}
dt{color:var(--muted);flex:none}dd{margin:0;min-width:0;text-align:right;font-weight:600;overflow-wrap:break-word}
`;
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const logo =
  '<svg viewBox="0 0 64 64" aria-hidden="true"><path fill="#026064" d="M18 6h28a14 14 0 0 1 14 14v20a14 14 0 0 1-14 14H25.5l-12.3 7.4A2.5 2.5 0 0 1 9.4 59.2V51.7A14 14 0 0 1 4 40V20A14 14 0 0 1 18 6Z"/><path fill="none" stroke="#fefdfb" stroke-width="6.5" stroke-linecap="round" stroke-linejoin="round" d="M23.5 17v26M41.5 22.5 24.5 33.2M30.5 29.5 42 43"/></svg>';

const pageOf = (title: string, body: string): string =>
  `<!doctype html><html lang="id"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex,nofollow"><title>${escaped(title)} · Kabari</title><style>${style}</style></head><body><main><header>${logo}<span>Kabari</span></header>${body}</main></body></html>`;
