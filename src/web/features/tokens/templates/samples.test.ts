import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { sendSample } from '#web/features/tokens/templates/samples.ts';

const sending = { address: 'https://kabari.example', key: 'kbr_x', to: '6281234567890' };

/** The last argument of a command as the shell gives it to curl. */
const bodyOf = (code: string): unknown => {
  const print = 'curl() { for last; do :; done; printf %s "$last"; }';
  return JSON.parse(execFileSync('sh', ['-c', `${print}\n${code}`], { encoding: 'utf8' }));
};

test('the sample sends what was typed, also what a shell would read otherwise', () => {
  const template = { name: 'pesanan_siap', language: 'id', body: 'Halo {{2}}, {{1}} siap.' };
  const code = sendSample(sending, template, { '2': "Jum'at $HOME `ls` \\n" });
  expect(bodyOf(code)).toEqual({
    to: sending.to,
    type: 'template',
    template: {
      name: 'pesanan_siap',
      language: 'id',
      variables: ['isi 1', "Jum'at $HOME `ls` \\n"],
    },
  });
});

test('without variables none are given', () => {
  const code = sendSample(sending, { name: 'libur', language: 'id', body: 'Kami tutup.' }, {});
  expect(bodyOf(code)).toMatchObject({ template: { name: 'libur', language: 'id' } });
  expect(code).not.toContain('variables');
});
