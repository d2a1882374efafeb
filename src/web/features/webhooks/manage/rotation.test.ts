import { expect, test } from 'vitest';
import { rotationNote } from './rotation.ts';

test('formats that carry one secret say that it changes at once', () => {
  expect(rotationNote('cloud')).toMatch(/^Tanda tangan X-Hub-Signature-256 langsung memakai/);
  expect(rotationNote('fonnte')).toMatch(/^Isian secret .* langsung memakai kunci baru/);
  for (const format of ['kabari', 'wablas'] as const) {
    expect(rotationNote(format)).toMatch(/ditandatangani dengan kunci baru dan kunci lama/);
  }
});
