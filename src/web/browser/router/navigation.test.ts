import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { later } from '#web/browser/lazyComponent.ts';
import type { Path, Routes } from './routes.ts';
import { text, whole } from './searchFields.ts';

const page = later(async () => ({ Page: () => null }));
const routes: Routes = {
  '/': { page },
  '/saldo': { page, search: { open: text, page: whole } },
  '/auth': { redirect: '/auth/login' },
  '/auth/login': { page },
};

type Entry = { url: string; state: unknown };

function openWindow(path: string) {
  const entries: Entry[] = [{ url: path, state: null }];
  let at = 0;
  const listeners = new Map<string, (event: object) => void>();
  const url = () => new URL(entries[at]?.url ?? '', 'https://kabari.example');
  const location = {
    get href() {
      return url().href;
    },
    get pathname() {
      return url().pathname;
    },
    get search() {
      return url().search;
    },
    get hash() {
      return url().hash;
    },
  };
  const history = {
    scrollRestoration: 'auto',
    get state() {
      return entries[at]?.state;
    },
    pushState: (state: unknown, _: string, to: string) => {
      entries.splice(++at, Infinity, { url: to, state });
    },
    replaceState: (state: unknown, _: string, to?: string) => {
      entries[at] = { url: to ?? entries[at]?.url ?? '', state };
    },
    go: (by: number) => step(by),
  };
  const step = (by: number) => {
    at += by;
    listeners.get('popstate')?.({ state: history.state });
  };
  const page = {
    location,
    scrollY: 0,
    addEventListener: (name: string, listener: (event: object) => void) =>
      void listeners.set(name, listener),
  };
  vi.stubGlobal('window', page);
  vi.stubGlobal('history', history);
  return { page, entries, step, history };
}

/** The router in a new window; records what it shows as `path?query @ scroll`. */
async function start(path: string) {
  vi.resetModules();
  const browser = openWindow(path);
  const navigation = await import('./navigation.ts');
  navigation.startNavigation(routes);
  const shown: string[] = [];
  navigation.onScreen(async ({ path: one, search, scroll }) => {
    shown.push(`${one}${Object.keys(search).length > 0 ? JSON.stringify(search) : ''} @ ${scroll}`);
  });
  return { ...browser, ...navigation, shown };
}

const to = (path: string) => path as Path;

beforeEach(() => vi.stubGlobal('scrollY', 0));
afterEach(() => void vi.unstubAllGlobals());

test('adds a history entry for a navigation, none for a repeated or replacing one', async () => {
  const { navigate, goTo, shown, entries } = await start('/');
  await navigate({ to: to('/saldo'), search: { open: 'TU-1' } });
  await goTo('/saldo?open=TU-1');
  await goTo('/', { replace: true });
  expect(shown).toEqual(['/saldo{"open":"TU-1"} @ 0', '/saldo{"open":"TU-1"} @ 0', '/ @ 0']);
  expect(entries.map(({ url }) => url)).toEqual(['/', '/']);
});

test('replaces a forwarding address by its target', async () => {
  const { address, goTo, shown, entries } = await start('/auth?from=/token');
  expect(address.get()).toMatchObject({ pathname: '/auth/login', search: '?from=/token' });
  expect(entries[0]?.url).toBe('/auth/login?from=/token');
  await goTo('/auth');
  expect(shown).toEqual(['/auth/login @ 0']);
});

test('changes the current query on its own page, and sets all of it on another', async () => {
  const { hrefOf } = await start('/saldo?page=3&open=TU-1&strange=1');
  const change = { open: undefined };
  expect(hrefOf({ to: to('/saldo'), change })).toBe('/saldo?page=3');
  expect(hrefOf({ to: to('/'), change: { open: 'x' } })).toBe('/?open=x');
  expect(hrefOf({ to: to('/saldo'), search: { open: 'TU-2' }, hash: 'atas' })).toBe(
    '/saldo?open=TU-2#atas',
  );
});

test('keeps the same query object while the query is the same', async () => {
  const { address, screenOf } = await start('/saldo?open=TU-1');
  const { search, params } = screenOf(address.get());
  expect(screenOf({ pathname: '/saldo', search: '?open=TU-1', hash: '#x' }).search).toBe(search);
  expect(screenOf({ pathname: '/saldo', search: '?open=TU-1', hash: '' }).params).toBe(params);
  expect(screenOf({ pathname: '/saldo', search: '?open=TU-2', hash: '' }).search).not.toBe(search);
});

test('restores the scroll position on Back, and leaves it for a dialog', async () => {
  const { page: view, navigate, step, shown, history } = await start('/');
  view.scrollY = 300;
  await navigate({ to: to('/saldo') });
  expect(history.scrollRestoration).toBe('manual');
  view.scrollY = 120;
  await navigate({ to: to('/saldo'), change: { open: 'TU-1' }, resetScroll: false });
  step(-1);
  step(-1);
  step(1);
  expect(shown).toEqual([
    '/saldo @ 0',
    '/saldo{"open":"TU-1"} @ undefined',
    '/saldo @ 120',
    '/ @ 300',
    '/saldo @ 120',
  ]);
});

test('asks the dialog that holds the page once on Back and Forward, and stays', async () => {
  const { navigate, step, shown, entries, history, address, holdPage } = await start('/');
  await navigate({ to: to('/saldo') });
  await navigate({ to: to('/saldo'), search: { open: 'TU-1' } });
  step(-1);
  const asked: string[] = [];
  const below = holdPage(() => asked.push('below'));
  const stop = holdPage(() => asked.push('above'));
  step(-1);
  step(1);
  expect(asked).toEqual(['above', 'above']);
  stop();
  step(-1);
  expect(asked).toEqual(['above', 'above', 'below']);
  expect(address.get().pathname).toBe('/saldo');
  expect(entries.map(({ state }) => state)).toEqual([
    { at: 0 },
    history.state,
    expect.objectContaining({ at: 2 }),
  ]);
  below();
  step(-1);
  expect(shown.slice(2)).toEqual(['/saldo @ 0', '/ @ 0']);
});

test('adds an entry for a link to a part of the page', async () => {
  const { step, entries, history, address, navigate, shown } = await start('/');
  history.pushState(null, '', '/#harga');
  step(0);
  expect(history.state).toMatchObject({ at: 1 });
  history.replaceState(null, '');
  step(0);
  expect(history.state).toMatchObject({ at: 1 });
  await navigate({ to: to('/saldo') });
  expect(entries.at(-1)?.state).toMatchObject({ at: 2 });
  step(-1);
  expect(address.get()).toMatchObject({ pathname: '/', hash: '#harga' });
  step(-1);
  expect(address.get().hash).toBe('');
  expect(shown).toHaveLength(5);
});
