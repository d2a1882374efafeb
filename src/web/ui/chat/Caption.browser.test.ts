import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('links name their target and that they open a tab; other tags are text', async ({ show }) => {
  const page = await show('caption', { width: 390 });
  const links = page.getByRole('region', { name: 'Links and lines' });
  const order = links.getByRole('link', { name: 'https://toko.example/pesanan_(42) (tab baru)' });
  const attributes = await order.evaluate((link) =>
    Object.fromEntries([...link.attributes].map(({ name, value }) => [name, value])),
  );
  expect(attributes).toEqual({
    href: 'https://toko.example/pesanan_(42)',
    title: 'https://toko.example/pesanan_(42)',
    target: '_blank',
    rel: 'noopener noreferrer nofollow ugc',
  });
  const map = links.getByRole('link', { name: 'di sini (tab baru)' });
  expect(await map.getAttribute('href')).toBe('https://peta.example/?a=1&b=2');
  expect(await map.getAttribute('onclick')).toBeNull();
  expect(await links.locator('br').count()).toBe(2);
  expect(await page.getByText('Harga <b>naik</b> <script>alert(1)</script>').count()).toBe(1);

  const unsafe = page.getByRole('region', { name: 'Unsafe addresses are text' });
  expect(await unsafe.getByRole('link').allTextContents()).toEqual([
    'https://xn--80ak6aa92e.com/ (tab baru)',
  ]);
  const turned = page.getByRole('region', { name: 'Right to left stays inside' }).locator('p');
  expect(await turned.evaluate((line) => line.firstElementChild?.tagName)).toBe('BDI');
});

test('a caption over 4 kB unfolds and folds by keys, and the focus stays', async ({ show }) => {
  const page = await show('caption', { width: 390 });
  const long = page.getByRole('region', { name: 'Longer than 4 kB' });
  const more = long.getByRole('button', { name: 'Selengkapnya' });
  const letters = async () => (await long.locator('bdi').first().textContent())?.length ?? 0;
  expect(await letters()).toBeLessThan(4_200);
  await more.focus();
  await page.keyboard.press('Enter');
  const less = long.getByRole('button', { name: 'Lebih sedikit', expanded: true });
  await less.waitFor();
  expect(await less.evaluate((button) => button === document.activeElement)).toBe(true);
  expect(await letters()).toBeGreaterThan(4_300);
  await page.keyboard.press('Enter');
  await more.waitFor();
});

test('typed text is shown at once, with trailing punctuation outside the link', async ({
  show,
}) => {
  const page = await show('caption', { width: 1440 });
  const yours = page.getByRole('group', { name: 'Your caption' });
  const names: [string, string][] = [
    ['(https://a.example/x).', 'https://a.example/x'],
    ['https://a.example/x_(y)!?', 'https://a.example/x_(y)'],
    ['<a href="https://a.example/">https://b.example/</a>', 'https://b.example/'],
    ['HTTPS://A.example', 'HTTPS://A.example'],
  ];
  for (const [text, name] of names) {
    await page.getByLabel('Caption text').fill(text);
    await waitFor(async () =>
      expect(await yours.getByRole('link').allTextContents()).toEqual([`${name} (tab baru)`]),
    );
  }
  for (const text of [
    'javascript:alert(1)',
    'mailto:a@b.example',
    '//a.example',
    'ftp://a.example',
  ]) {
    await page.getByLabel('Caption text').fill(text);
    await waitFor(async () => expect(await yours.getByRole('link').count()).toBe(0));
  }
});
