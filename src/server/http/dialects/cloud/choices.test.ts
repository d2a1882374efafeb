import { describe, expect, test } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import { CloudRefusal } from '#server/http/dialects/cloud/errors.ts';
import { readCloudRequest } from '#server/http/dialects/cloud/request.ts';

const to = '6281234567890';

function messageOf(fields: object) {
  const read = readCloudRequest({ to, ...fields }, { language: 'en' });
  if (read instanceof Refusal) throw new Error(JSON.stringify(read.facts));
  if (read.kind !== 'message') throw new Error('a receipt');
  return read.message;
}

function refusalOf(fields: object): { code: number; fields: Record<string, string> } {
  const read = readCloudRequest({ to, ...fields }, { language: 'en' });
  if (!(read instanceof CloudRefusal)) throw new Error(JSON.stringify(read));
  return { code: read.graphCode, fields: read.facts.fields };
}

describe('an interactive message', () => {
  const interactive = (given: object) =>
    messageOf({ type: 'interactive', interactive: { body: { text: 'Jadi?' }, ...given } });
  const buttons = ['Ya', 'Tidak'].map((title, id) => ({
    type: 'reply',
    reply: { id: String(id), title },
  }));

  test('stores the options beside the text', () => {
    expect(interactive({ type: 'button', action: { buttons } })).toMatchObject({
      choices: {
        type: 'button',
        options: [
          { id: '0', title: 'Ya' },
          { id: '1', title: 'Tidak' },
        ],
      },
    });
    const sections = [
      { rows: [{ id: 'a', title: 'Tawar', description: 'Rp10.000' }] },
      { title: 'Kue', rows: [{ id: '\u0001 b', title: 'Lapis', description: '' }] },
    ];
    expect(interactive({ type: 'list', action: { button: 'Pilih', sections } })).toMatchObject({
      choices: {
        type: 'list',
        options: [
          { id: 'a', title: 'Tawar', description: 'Rp10.000' },
          { id: '\u0001 b', title: 'Lapis' },
        ],
      },
    });
    const parameters = { display_text: 'Buka', url: 'https://contoh.id' };
    const link = interactive({ type: 'cta_url', action: { name: 'cta_url', parameters } });
    expect(link).not.toHaveProperty('choices');
  });

  test('accepts equal titles, also of characters with two code units', () => {
    const twice = ['a', 'b'].map((id) => ({
      type: 'reply',
      reply: { id, title: '👍'.repeat(20) },
    }));
    expect(interactive({ type: 'button', action: { buttons: twice } })).toMatchObject({
      choices: { options: [{ id: 'a' }, { id: 'b' }] },
    });
  });

  const refusedAt = (action: object, type = 'button') =>
    refusalOf({ type: 'interactive', interactive: { type, body: { text: 'x' }, action } });
  const reply = (fields: object) => ({ buttons: [{ reply: { id: 'a', title: 'Ya', ...fields } }] });
  const rows = (n: number, fields: object = {}) => ({
    sections: [
      { rows: Array.from({ length: n }, (_, id) => ({ id: `${id}`, title: 'x', ...fields })) },
    ],
  });
  const first = 'interactive.action.buttons.0.reply';
  const row = 'interactive.action.sections.0.rows.0';
  const refused: [string, object, string, string, number?][] = [
    ['no id', reply({ id: undefined }), 'button', `${first}.id`, 131008],
    ['an id that is none', reply({ id: { a: 1 } }), 'button', `${first}.id`],
    ['an empty id', reply({ id: '' }), 'button', `${first}.id`],
    ['an id of 257 characters', reply({ id: 'x'.repeat(257) }), 'button', `${first}.id`],
    ['half a pair in an id', reply({ id: 'a\uD800' }), 'button', `${first}.id`],
    ['U+0000 in an id', reply({ id: '\0' }), 'button', `${first}.id`],
    ['a title of 21 characters', reply({ title: 'x'.repeat(21) }), 'button', `${first}.title`],
    ['a title of blanks', reply({ title: '  ' }), 'button', `${first}.title`],
    ['a title of two lines', reply({ title: 'Ya\n2. Tidak' }), 'button', `${first}.title`],
    ['a title with a bell', reply({ title: 'Ya\u0007' }), 'button', `${first}.title`],
    [
      'four buttons',
      { buttons: [1, 2, 3, 4].map((id) => ({ reply: { id: `${id}`, title: 'x' } })) },
      'button',
      'interactive.action.buttons',
    ],
    [
      'an id twice',
      { buttons: Array(2).fill({ reply: { id: 'a', title: 'x' } }) },
      'button',
      'interactive.action.buttons',
    ],
    ['eleven rows', rows(11), 'list', 'interactive.action.sections'],
    ['an id of a row of 201', rows(1, { id: 'x'.repeat(201) }), 'list', `${row}.id`],
    ['a title of a row of 25', rows(1, { title: 'x'.repeat(25) }), 'list', `${row}.title`],
    ['a description of 73', rows(1, { description: 'x'.repeat(73) }), 'list', `${row}.description`],
  ];
  for (const [what, action, type, field, code = 131009] of refused) {
    test(`reports ${what} at its field`, () => {
      const no = refusedAt(action, type);
      expect([no.code, Object.keys(no.fields)]).toEqual([code, [field]]);
      expect(no.fields[field]).toMatch(/^[A-Z].*\.$/);
    });
  }
});

describe('a template', () => {
  const quickReply = (index: unknown, payload: unknown) => ({
    type: 'button',
    sub_type: 'quick_reply',
    index,
    parameters: [{ type: 'payload', payload }],
  });
  const templateWith = (...components: object[]) => ({
    type: 'template',
    template: { name: 'siap', language: { code: 'id' }, components },
  });

  test('stores quick-reply payloads at the positions of their buttons', () => {
    const url = { type: 'button', sub_type: 'url', index: '2', parameters: [{ text: 'a' }] };
    const components = [
      quickReply('1', 'BATAL'),
      quickReply(0, 'JADI'),
      quickReply('99', 'x'),
      url,
    ];
    const { payloads } = messageOf(templateWith(...components));
    expect(payloads?.slice(0, 3)).toEqual(['JADI', 'BATAL', undefined]);
    expect(messageOf(templateWith(url))).not.toHaveProperty('payloads');
    for (const payload of ['', 7, '\uD800', 'x'.repeat(257)]) {
      const no = refusalOf({ ...templateWith(quickReply('0', payload)) });
      expect([no.code, Object.keys(no.fields)]).toEqual([131009, ['template.components']]);
    }
  });
});
