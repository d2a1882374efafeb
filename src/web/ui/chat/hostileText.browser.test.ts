import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from '#tests/support/gallery.ts';
import { hostileTexts } from '#tests/support/hostile/hostile.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const BATCH = 250;

const allowed: Record<string, readonly string[]> = {
  Captions: ['DIV', 'BDI', 'BR', 'A', 'SPAN', 'BUTTON'],
  Contacts: ['DIV', 'SPAN', 'BDI', 'A', 'BUTTON', 'svg', 'path', 'circle', 'rect', 'line'],
  Files: ['A', 'SPAN', 'BDI', 'svg', 'path', 'circle', 'rect', 'line'],
  Senders: ['OL', 'LI', 'ARTICLE', 'BDI', 'SPAN', 'TIME'],
  Avatars: ['SPAN', 'svg', 'path', 'circle'],
};

type Found = { foreign: string[]; links: string[]; words: string[] };

function look(known: Record<string, readonly string[]>): Found {
  const found: Found = { foreign: [], links: [], words: [] };
  const safe = /^(?:https?:\/\/|tel:\+\d{1,15}$)/;
  const never = new Set(['SCRIPT', 'IFRAME', 'OBJECT', 'EMBED', 'BASE', 'META', 'LINK', 'STYLE']);
  for (const node of document.body.querySelectorAll('*')) {
    const section = node.closest('section')?.getAttribute('aria-label') ?? '';
    const stage = node.parentElement?.closest('section > div');
    const tags = stage ? known[section] : undefined;
    if ((tags && !tags.includes(node.tagName)) || never.has(node.tagName)) {
      if (!node.matches('body > script')) found.foreign.push(`${section}: ${node.outerHTML}`);
    }
    for (const { name, value } of node.attributes) {
      if (/^on|^srcdoc$|^formaction$/i.test(name)) found.foreign.push(`${section}: ${name}`);
      if (name !== 'href' || node.tagName !== 'A') continue;
      const own = value.startsWith('/') && !value.startsWith('//');
      const right = section === 'Captions' ? /^https?:\/\//.test(value) : own || safe.test(value);
      if (!right) found.links.push(`${section}: ${value}`);
    }
  }
  const captions = document.querySelector('section[aria-label="Captions"] > div');
  for (const caption of captions?.children ?? []) found.words.push(caption.textContent ?? '');
  return found;
}

async function listen(page: Page): Promise<{ ran: string[]; requests: string[] }> {
  const events = { ran: [] as string[], requests: [] as string[] };
  page.on('dialog', (dialog) => {
    events.ran.push(dialog.message());
    void dialog.dismiss();
  });
  const origin = new URL(page.url()).origin;
  page.on('request', (request) => {
    const { origin: at, pathname } = new URL(request.url());
    const ours = at === origin && /^\/(?:assets|src|node_modules|@\w+|api)\b/.test(pathname);
    if (!ours) events.requests.push(request.url());
  });
  page.on('framenavigated', (frame) => events.ran.push(`went to ${frame.url()}`));
  await page.evaluate(() => {
    const canary = window as unknown as { ran: string[] };
    canary.ran = [];
    for (const name of ['alert', 'confirm', 'prompt', 'print', 'open'] as const) {
      Object.defineProperty(window, name, { value: () => canary.ran.push(name) });
    }
    const born = new Set(['SCRIPT', 'IFRAME', 'OBJECT', 'EMBED', 'BASE', 'META', 'IMG', 'VIDEO']);
    new MutationObserver((records) => {
      for (const { addedNodes } of records) {
        for (const node of addedNodes) {
          if (!(node instanceof Element)) continue;
          for (const one of [node, ...node.querySelectorAll('*')]) {
            if (born.has(one.tagName)) canary.ran.push(`made ${one.outerHTML}`);
          }
        }
      }
    }).observe(document.body, { childList: true, subtree: true });
  });
  return events;
}

const ranIn = (page: Page): Promise<string[]> =>
  page.evaluate(() => (window as unknown as { ran: string[] }).ran);

test('hostile texts are shown as text everywhere', async ({ show }) => {
  const { texts, from } = await hostileTexts();
  expect(texts.length).toBeGreaterThan(from.length === 3 ? 3_000 : 500);
  const page = await show('hostile-text', { width: 1440 });
  const events = await listen(page);
  for (let at = 0, turn = 1; at < texts.length; at += BATCH, turn += 1) {
    const batch = texts.slice(at, at + BATCH);
    await page.getByLabel('Texts, as a JSON list').fill(JSON.stringify(batch));
    await page.getByRole('button', { name: 'Show them' }).click();
    await waitFor(async () =>
      expect(await page.getByLabel('Batches shown').textContent()).toBe(String(turn)),
    );
    const { foreign, links, words } = await page.evaluate(look, allowed);
    expect({ foreign, links }).toEqual({ foreign: [], links: [] });
    expect(words).toHaveLength(batch.length);
  }
  expect({ ...events, ran: [...events.ran, ...(await ranIn(page))] }).toEqual({
    ran: [],
    requests: [],
  });
});

test('hostile texts are shown as text in a toast', async ({ show }) => {
  const { texts } = await hostileTexts();
  const page = await show('hostile-text', { width: 390 });
  const events = await listen(page);
  await page.getByLabel('Texts, as a JSON list').fill(JSON.stringify(texts));
  await page.getByRole('button', { name: 'Say them' }).click();
  await waitFor(async () =>
    expect(await page.getByLabel('Toasts said').textContent()).toBe(String(texts.length)),
  );
  expect({ ...events, ran: [...events.ran, ...(await ranIn(page))] }).toEqual({
    ran: [],
    requests: [],
  });
});
