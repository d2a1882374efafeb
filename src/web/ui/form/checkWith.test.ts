import { expect, test } from 'vitest';
import { checkWith } from '#web/ui/form/checkWith.ts';

type Values = { to: string; text: string };
const rules = { to: { required: 'Tulis nomor tujuan.' }, text: { maxLength: 5 } } as const;

test('a form is judged by its own rules alone, at once', () => {
  expect(checkWith<Values>(rules)({ to: '', text: 'halo' })).toEqual({ to: 'Tulis nomor tujuan.' });
});

test('where a rule and the schema both find fault, the rule is shown; others are the schema’s', () => {
  const schema = () => ({ to: 'Nomor tidak dikenal.', text: 'Periksa isian ini.' });
  expect(checkWith<Values>(rules, schema)({ to: '', text: 'halo' })).toEqual({
    to: 'Tulis nomor tujuan.',
    text: 'Periksa isian ini.',
  });
});

test('a schema that has to be fetched first is waited for', async () => {
  const schema = async (values: Values) => ({ text: `Bukan ${values.text}.` });
  const check = checkWith<Values>(rules, schema);
  expect(await check({ to: '62812', text: 'halo' })).toEqual({ text: 'Bukan halo.' });
});
