import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { sendSample } from '#web/features/tokens/templates/samples.ts';

const sending = { address: 'https://kabari.example', key: 'kbr_x', to: '6281234567890' };

const noParts = { header_file: null, header_variable: null, button_values: [] };

const bodyOf = (code: string): unknown => {
  const print = 'curl() { for last; do :; done; printf %s "$last"; }';
  return JSON.parse(execFileSync('sh', ['-c', `${print}\n${code}`], { encoding: 'utf8' }));
};

test('the sample sends exactly the typed values, even with shell metacharacters', () => {
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

test('a template without variables has none in the sample', () => {
  const template = { ...noParts, name: 'libur', language: 'id', body: 'Kami tutup.' };
  const code = sendSample(sending, template, {});
  expect(bodyOf(code)).toMatchObject({ template: { name: 'libur', language: 'id' } });
  expect(code).not.toContain('variables');
});

test('a file, a variable in the header and the values of buttons have their samples', () => {
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
