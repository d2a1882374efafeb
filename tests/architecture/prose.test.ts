import * as rules from './rules/prose.ts';
import { prove } from './rules/proof.ts';

prove([
  [
    'comments and test names are plain technical English',
    rules.plainProse,
    {
      'src/a.ts': '/** What comes back. */\n// What is this?\n// Returns the token.',
      'src/a.sql': '-- Called when somebody pays.',
      'tests/a.test.ts': "test('who pays twice is refused', () => {});\ntest('refuses', x);",
    },
    ['src/a.ts:1 says "What"', 'src/a.sql:1 says "somebody"', 'tests/a.test.ts:1 says "who"'],
  ],
  [
    'declarations have the field’s terms',
    rules.plainNames,
    { 'src/a.ts': 'const lastSaid = 1;\nconst extended = 2;\n// const told = 3;\nconst x = 4;' },
    ['src/a.ts:1 declares lastSaid'],
  ],
]);
