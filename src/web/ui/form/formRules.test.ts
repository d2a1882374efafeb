import fc from 'fast-check';
import { createFormControl } from 'react-hook-form';
import { expect, test } from 'vitest';
import { brokenFields, brokenRule, type FieldRules, checkWith } from '#web/ui/form/formRules.ts';

/** The result of react-hook-form, whose rules we follow (docs/screens.md#fields). */
async function oracle(value: unknown, rules: FieldRules, type?: string) {
  const form = createFormControl({ defaultValues: { field: value } });
  const { ref } = form.register('field', rules);
  if (type) ref({ name: 'field', type, value });
  await form.trigger('field');
  const error = form.control._formState.errors.field;
  return error && { rule: error.type, message: error.message };
}

const stated = <T>(value: fc.Arbitrary<T>, name: string) =>
  fc.oneof(
    value,
    value.map((one) => ({ value: one, message: `${name} dilanggar` })),
  );
const someText = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('', ' ', '0', '12', '-3', '2026-01-05', '2026-11-21', 'abc', 'NaN'),
);
const someValue = fc.oneof(
  { weight: 4, arbitrary: someText },
  fc.integer({ min: -5, max: 20 }),
  fc.constantFrom<unknown>(undefined, null, true, false, [], ['a'], ['a', 'b']),
);
const someLimit = fc.oneof(
  fc.integer({ min: -5, max: 20 }),
  fc.constantFrom('3', '2026-01-05', '2026-06-01'),
);
const someJudge = fc.constantFrom<() => string | boolean | undefined>(
  () => true,
  () => undefined,
  () => false,
  () => 'tidak cocok',
);
const someRules: fc.Arbitrary<FieldRules> = fc.record(
  {
    required: fc.oneof(fc.constant('wajib'), stated(fc.boolean(), 'required')),
    min: stated(someLimit, 'min'),
    max: stated(someLimit, 'max'),
    minLength: stated(fc.nat({ max: 6 }), 'minLength'),
    maxLength: stated(fc.nat({ max: 6 }), 'maxLength'),
    pattern: stated(fc.constantFrom(/^\d+$/, /a/g, /B/i, /^.{3}$/), 'pattern'),
    validate: fc.oneof(
      someJudge,
      fc.dictionary(fc.constantFrom('mulai', 'akhir', 'unik'), someJudge, {
        noNullPrototype: true,
      }),
    ),
  },
  { requiredKeys: [] },
);

test('every value breaks the same rule, with the same message, as in react-hook-form', async () => {
  await fc.assert(
    fc.asyncProperty(someValue, someRules, async (value, rules) => {
      const verdict = await oracle(value, rules);
      const ours = brokenRule(value, rules);
      expect(ours?.rule).toBe(verdict?.rule);
      // The library has no message for a rule without one; ours always has.
      if (verdict?.message) expect(ours?.message).toBe(verdict.message);
      if (ours) expect(ours.message).not.toBe('');
    }),
    { numRuns: 1_500 },
  );
});

test('compares times as a time field of react-hook-form does', async () => {
  const rules = { min: '08:00:00', max: '17:30:00' };
  for (const time of ['07:59:59', '08:00:00', '12:15', '17:30:00', '17:30:01', '23:00']) {
    const verdict = await oracle(time, rules, 'time');
    expect(brokenRule(time, rules)?.rule).toBe(verdict?.rule);
  }
});

test('compares dates with a time of day as moments', () => {
  const rules = { min: '2026-01-05T08:00' };
  expect(brokenRule('2026-01-05T07:59', rules)?.rule).toBe('min');
  expect(brokenRule('2026-01-05T08:00', rules)).toBeUndefined();
});

test('checks required, range, length, pattern, then custom validation', () => {
  const all: FieldRules<string> = {
    required: true,
    min: 100,
    minLength: 5,
    pattern: /^\d+$/,
    validate: () => 'terakhir',
  };
  const found = (value: string) => brokenRule(value, all)?.rule;
  expect(found('')).toBe('required');
  expect(found('12')).toBe('min');
  expect(found('200')).toBe('minLength');
  expect(found('abcdef')).toBe('pattern');
  expect(found('200000')).toBe('validate');
});

test('checks only required and validate for an empty value; a space is a value, false and [] are none', () => {
  const others = { min: 5, minLength: 3, pattern: /^\d+$/ };
  expect(brokenRule('', others)).toBeUndefined();
  expect(brokenRule('', { ...others, validate: () => false })?.rule).toBe('validate');
  expect(brokenRule(' ', { required: true })).toBeUndefined();
  expect(brokenRule(false, { required: true })?.rule).toBe('required');
  expect(brokenRule([], { required: true })?.rule).toBe('required');
  expect(brokenRule('', { required: { value: false, message: 'tidak' } })).toBeUndefined();
});

test('names the first failing validator, and passes each the whole form', () => {
  const values = { sandi: 'rahasia-1', ulang: 'rahasia-2' };
  const rules: FieldRules<string, typeof values> = {
    validate: {
      panjang: (value) => value.length >= 8,
      sama: (value, all) => value === all.sandi || 'Kedua kata sandi tidak sama.',
    },
  };
  expect(brokenRule(values.ulang, rules, values)).toEqual({
    rule: 'sama',
    message: 'Kedua kata sandi tidak sama.',
  });
});

test('uses a default message for a validator without one', () => {
  const ours = brokenRule('x', { validate: () => '' });
  expect(ours?.rule).toBe('validate');
  expect(brokenRule('x', { validate: () => false })).toEqual(ours);
});

test('returns one message per wrong field, in Indonesian if the rule has none', () => {
  const values = { name: '', amount: '5000', note: 'terlalu panjang', agree: false };
  expect(
    brokenFields(values, {
      name: { required: 'Tulis nama Anda.' },
      amount: { min: 10_000 },
      note: { maxLength: 5 },
      agree: { required: true },
    }),
  ).toEqual({
    name: 'Tulis nama Anda.',
    amount: 'Paling kecil 10.000.',
    note: 'Paling banyak 5 karakter.',
    agree: 'Wajib diisi.',
  });
});

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
