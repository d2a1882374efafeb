import { expect, test } from 'vitest';
import { checkWith } from '#web/ui/form/checkWith.ts';

type Values = { to: string; text: string };
const rules = { to: { required: 'Tulis nomor tujuan.' }, text: { maxLength: 5 } } as const;

test('checks a form by its own rules alone, synchronously', () => {
  expect(checkWith<Values>(rules)({ to: '', text: 'halo' })).toEqual({ to: 'Tulis nomor tujuan.' });
});

test('prefers a rule’s message over the schema’s for the same field', () => {
  const schema = () => ({ to: 'Nomor tidak dikenal.', text: 'Periksa isian ini.' });
  expect(checkWith<Values>(rules, schema)({ to: '', text: 'halo' })).toEqual({
    to: 'Tulis nomor tujuan.',
    text: 'Periksa isian ini.',
  });
});

test('waits for a schema that is loaded on demand', async () => {
  const schema = async (values: Values) => ({ text: `Bukan ${values.text}.` });
  const check = checkWith<Values>(rules, schema);
  expect(await check({ to: '62812', text: 'halo' })).toEqual({ text: 'Bukan halo.' });
});
