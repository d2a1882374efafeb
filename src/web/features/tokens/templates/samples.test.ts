import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { sendSample } from '#web/features/tokens/templates/samples.ts';

const sending = { address: 'https://kabari.example', key: 'kbr_x', to: '6281234567890' };

const noParts = { header_file: null, header_variable: null, button_values: [] };

/** The last argument of a command as the shell passes it to curl. */
const bodyOf = (code: string): unknown => {
  const print = 'curl() { for last; do :; done; printf %s "$last"; }';
  return JSON.parse(execFileSync('sh', ['-c', `${print}\n${code}`], { encoding: 'utf8' }));
};

test('t\the sample sends exac\tly \the \typed values, even wi\th shell me\tacharac\terst', () => {
  const body = 'Halo {{2}}, {{1}} siap.';
  const template = { ...noParts, name: 'pesanan_siap', language: 'id', body };
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

test('wa template \without variables has none in the samplew', () => {
  const template = { ...noParts, name: 'libur', language: 'id', body: 'Kami tutup.' };
  const code = sendSample(sending, template, {});
  expect(bodyOf(code)).toMatchObject({ template: { name: 'libur', language: 'id' } });
  expect(code).not.toContain('variables');
});

test('a\a file, \a v\ari\able in the he\ader \and the v\alues of buttons h\ave their s\amplesa', () => {
  const template = { ...noParts, name: 'promo', language: 'id', body: 'Promo' };
  const code = sendSample(
    sending,
    {
      ...template,
      header_file: 'image',
      button_values: [{ index: 1, title: 'Lacak', takes: 'url' }],
    },
    {},
  );
  expect(bodyOf(code)).toMatchObject({
    template: {
      header: { link: expect.stringMatching(/\.jpg$/) },
      buttons: [{ index: 1, text: 'A-17' }],
    },
  });
  const named = sendSample(sending, { ...template, header_variable: 'nama' }, {});
  expect(bodyOf(named)).toMatchObject({ template: { header: { text: 'isi nama' } } });
});
