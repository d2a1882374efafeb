import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { boxOf, test } from '#tests/support/gallery.ts';

const caret = (field: Locator) =>
  field.evaluate((one) => {
    const { selectionStart, selectionEnd, type } = one as HTMLInputElement;
    return {
      start: selectionStart,
      end: selectionEnd,
      type,
      focus: one === document.activeElement,
    };
  });

test('showing a password keeps the caret and the focus', async ({ show }) => {
  const page = await show('password-field', { width: 390 });
  const field = page.getByLabel('Kata sandi', { exact: true });
  const toggle = page.getByRole('button', { name: 'Tampilkan kata sandi' }).first();
  expect((await boxOf(toggle)).width).toBeGreaterThanOrEqual(44);
  expect(await field.getAttribute('autocomplete')).toBe('current-password');
  await field.fill('kopi-senja');
  await field.evaluate((one) => (one as HTMLInputElement).setSelectionRange(2, 5));
  await toggle.click();
  await waitFor(async () => expect(await toggle.getAttribute('aria-pressed')).toBe('true'));
  await waitFor(async () =>
    expect(await caret(field)).toEqual({ start: 2, end: 5, type: 'text', focus: true }),
  );
  await toggle.click();
  await waitFor(async () =>
    expect(await caret(field)).toEqual({ start: 2, end: 5, type: 'password', focus: true }),
  );

  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await waitFor(async () => expect(await toggle.getAttribute('aria-pressed')).toBe('true'));
  expect(await toggle.evaluate((one) => one === document.activeElement)).toBe(true);
});

test('a password can be pasted, and its strength and Caps Lock have texts', async ({ show }) => {
  const page = await show('password-field');
  const state = page.getByRole('region', { name: 'A new one, with its strength' });
  const field = state.getByLabel('Kata sandi baru');
  await field.focus();
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData('text/plain', 'rahasia');
    const paste = new ClipboardEvent('paste', {
      clipboardData: data,
      bubbles: true,
      cancelable: true,
    });
    if (!document.activeElement?.dispatchEvent(paste)) throw new Error('the paste was blocked');
    document.execCommand('insertText', false, 'kopi senja 21');
  });
  expect(await state.getByLabel('Password length').textContent()).toBe('13');
  const live = state.locator('[aria-live="polite"]', { hasText: 'Kuat' });
  expect(await live.textContent()).toBe('Kuat');

  // A key press with Caps Lock on; no browser driver can switch it on.
  const key = (capsLock: boolean) =>
    field.evaluate((one, on) => {
      const init = { key: 'a', bubbles: true, modifierCapsLock: on };
      one.dispatchEvent(new KeyboardEvent('keyup', init));
    }, capsLock);
  await key(true);
  await live.getByText('Caps Lock menyala.').waitFor();
  await key(false);
  expect(await live.textContent()).toBe('Kuat');
});
