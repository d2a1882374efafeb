import { extractText, getDocumentProxy } from 'unpdf';
import { expect, test } from 'vitest';
import { formatDateTime } from '#contract/base/time.ts';
import { entryKindLabel } from '#contract/saldo.ts';
import { statementPdf } from './statement-pdf.ts';

test('fits every time and kind into its column', async () => {
  const kinds = Object.values(entryKindLabel);
  const rows = Array.from({ length: 24 }, (_, hour) => ({
    seq: hour,
    at: new Date(Date.UTC(2026, [1, 7, 9][hour % 3] ?? 0, 20, hour, 0)),
    kind: kinds[hour % kinds.length] ?? '',
    text: '',
    amount: 100_000_000,
    after: 1_000_000_000,
  }));
  const facts = { holder: 'Toko', period: '2026', only: null, opening: 0, closing: 0 };
  const drawn = statementPdf(
    { ...facts, madeAt: new Date() },
    (async function* () {
      yield* rows;
    })(),
  );
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(await drawn)));
  const words = text.join(' ').replace(/\s+/g, ' ');
  expect(words).not.toContain('…');
  for (const { at, kind } of rows) {
    expect(words).toContain(formatDateTime(at));
    expect(words).toContain(kind);
  }
});
