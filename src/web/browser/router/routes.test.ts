import { expect, test } from 'vitest';
import { later } from '#web/browser/lazyComponent.ts';
import { matchPath, type Routes } from './routes.ts';

const page = later(async () => ({ Page: () => null }));
const routes: Routes = {
  '/': { page },
  '/auth': { redirect: '/auth/login' },
  '/auth/login': { page },
  '/scan/$data': { page },
};

test.each([
  ['/', '/', {}],
  ['/auth/login', '/auth/login', {}],
  ['/Auth/LOGIN/', '/auth/login', {}],
  ['/scan/Ab-1', '/scan/$data', { data: 'Ab-1' }],
  ['/scan/a%2Fb', '/scan/$data', { data: 'a/b' }],
  ['/scan/100%', '/scan/$data', { data: '100%' }],
  ['/scan', undefined, {}],
  ['/scan/a/b', undefined, {}],
  ['/tidak-ada', undefined, {}],
])('%s is the page of %s', (pathname, path, params) => {
  expect(matchPath(routes, pathname)).toMatchObject({ path, params });
});
