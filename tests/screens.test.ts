import { expect, test } from 'vitest';
import { screens } from '#server/http/site.ts';
import { addresses } from '#web/app/routes/addresses.ts';
import { operatorAddresses } from '#web/features/operator/addresses.ts';

/** Served by their own routes: any code, the simulator's installations. */
const ruled = ['/scan/$data', '/simulator'];

test('the server knows exactly the addresses of the web app', () => {
  const known = [...Object.keys(addresses), ...Object.keys(operatorAddresses)];
  const missing = known.filter((one) => !screens.has(one) && !ruled.includes(one));
  expect(missing, 'add them to screens in src/server/http/site.ts').toEqual([]);
  expect([...screens].filter((one) => !known.includes(one))).toEqual([]);
});
