import type { Locator, Page, Request } from 'playwright-core';

export type Payload = { name: string; mimeType: string; buffer: Buffer };

export const text = (name: string, words = 'halo dari Kabari\n'): Payload => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(words),
});

export const onUploads = '**/api/uploads**';
export const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
export const several = (page: Page) => part(page, 'Several files, in any order');
export const one = (page: Page) => part(page, 'One file');
export const zoneOf = (place: Locator) => place.locator('[class*="zone"]');
export const itemsOf = (place: Locator) => place.getByRole('list').getByRole('listitem');
export const itemOf = (place: Locator, name: string) => itemsOf(place).filter({ hasText: name });
export const namesOf = async (place: Locator) =>
  (await itemsOf(place).locator('bdi').allTextContents()).join(' ');
export const spoken = (place: Locator, words: string | RegExp) =>
  place.getByRole('status').filter({ hasText: words }).last().waitFor({ state: 'attached' });

/**
 * Records a widget's announcements to screen readers from now on, because some are soon replaced.
 * @returns all announcements so far.
 */
export async function recordAnnouncements(place: Locator): Promise<() => Promise<string>> {
  const announcements = await place.evaluateHandle((part) => {
    const texts: string[] = [];
    new MutationObserver(() => {
      for (const { textContent } of part.querySelectorAll('[role="status"]'))
        texts.push(textContent);
    }).observe(part, { subtree: true, childList: true, characterData: true });
    return texts;
  });
  return () => announcements.evaluate((texts) => texts.join('\n'));
}

export const done = (item: Locator) => item.getByText('Upload complete').waitFor();

export function listen(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request: Request) => {
    if (!new URL(request.url()).pathname.endsWith('/api/uploads')) return;
    const offset = request.headers()['upload-offset'];
    sent.push(offset === undefined ? request.method() : `${request.method()} ${offset}`);
  });
  return sent;
}

/** Drags real files over an element. @returns the effect that the page allows. */
export async function drag(page: Page, target: Locator, files: string[], part = 0.5) {
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  if (!box) throw new Error('nothing to drop on');
  const session = await page.context().newCDPSession(page);
  const at = { x: box.x + box.width / 2, y: box.y + box.height * part };
  const data = { items: [], files, dragOperationsMask: 1 };
  const send = (type: 'dragEnter' | 'dragOver' | 'drop' | 'dragCancel') =>
    session.send('Input.dispatchDragEvent', { type, ...at, data });
  await page.evaluate(() =>
    window.addEventListener('dragover', ({ dataTransfer }) => {
      document.body.dataset['effect'] = dataTransfer?.dropEffect ?? '';
    }),
  );
  await send('dragEnter');
  await send('dragOver');
  const effect = await page.locator('body').getAttribute('data-effect');
  return { effect, drop: () => send('drop'), cancel: () => send('dragCancel') };
}

export const dropLink = (place: Locator, link: string, names: readonly string[] = []) =>
  place.evaluate(
    (element, [uri, files]) => {
      const dataTransfer = new DataTransfer();
      for (const name of files) {
        dataTransfer.items.add(new File(['%PDF-1.7'], name, { type: 'application/pdf' }));
      }
      dataTransfer.setData('text/uri-list', uri);
      for (const kind of ['dragenter', 'dragover', 'drop']) {
        const event = { dataTransfer, bubbles: true, cancelable: true };
        element.dispatchEvent(new DragEvent(kind, event));
      }
    },
    [link, names] as const,
  );
