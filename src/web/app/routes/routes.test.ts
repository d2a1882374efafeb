import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** Pages that nobody has to be signed in for; everybody else's stand under the route `app`. */
const open = [
  'authRoute',
  'authIndexRoute',
  'loginRoute',
  'registerRoute',
  'verifyOtpRoute',
  'forgotRoute',
  'forgotIndexRoute',
  'forgotPhoneRoute',
  'forgotOtpRoute',
  'forgotChangeRoute',
  'scanRoute',
  'docsRoute',
  'simulatorRoute',
  'leavingRoute',
  'appRoute',
];

test('who is not signed in is sent to login from every page but the public ones', async () => {
  const text = await readFile(new URL('routes.tsx', import.meta.url), 'utf8');
  const routes = [
    ...text.matchAll(/^const (\w+Route) = createRoute\(\{\n {2}getParentRoute: \(\) => (\w+),/gm),
  ].map(([, name = '', parent = '']) => ({ name, parent }));
  expect(routes.length).toBeGreaterThan(15);
  const signedIn = routes.filter(({ parent }) => parent === 'appRoute').map(({ name }) => name);
  expect(signedIn).toEqual(
    expect.arrayContaining([
      'homeRoute',
      'tokensRoute',
      'messagesRoute',
      'saldoRoute',
      'profileRoute',
    ]),
  );
  const others = routes.map(({ name }) => name).filter((name) => !signedIn.includes(name));
  expect(others.toSorted()).toEqual(open.toSorted());
});
