import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { settled } from './browser.ts';

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The themes differ in colours alone: in the second one only these can find anything new. */
const looks = [
  { colorScheme: 'light', runOnly: { type: 'tag', values: standards } },
  {
    colorScheme: 'dark',
    runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
  },
] as const;

const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

/**
 * What is wrong with the screen as it stands, wide and narrow, light and dark: every rule of axe, and
 * whether anything stands out sideways on a phone. The tab is left wide and light.
 *
 * @param phone for what there is on phones alone; the tab stays narrow then.
 * @returns one sentence per finding; none when all is well.
 */
export async function faultsOf(
  tab: Page,
  state: string,
  { phone = false }: { phone?: boolean } = {},
): Promise<string[]> {
  const faults: string[] = [];
  for (const size of phone ? sizes.slice(1) : sizes) {
    await tab.setViewportSize(size);
    for (const { colorScheme, runOnly } of looks) {
      await tab.emulateMedia({ colorScheme });
      await settled(tab);
      const found = [...(await broken(tab, runOnly)), ...(await standsOut(tab))];
      faults.push(...found.map((one) => `${state}, ${size.width} px, ${colorScheme}: ${one}`));
    }
  }
  if (!phone) await tab.setViewportSize(sizes[0]);
  await tab.emulateMedia({ colorScheme: 'light' });
  return faults;
}

/** The rules that are broken, each with its places. */
async function broken(tab: Page, runOnly: (typeof looks)[number]['runOnly']): Promise<string[]> {
  if (!(await tab.evaluate(() => 'axe' in window))) {
    // By the debugger: the page's own policy lets no script in from outside.
    const wire = await tab.context().newCDPSession(tab);
    await wire.send('Runtime.evaluate', { expression: axe.source });
    await wire.detach();
  }
  const options = { runOnly: { ...runOnly, values: [...runOnly.values] } } satisfies RunOptions;
  const { violations } = await tab.evaluate(
    (given): Promise<Pick<AxeResults, 'violations'>> =>
      (window as unknown as { axe: typeof axe }).axe.run(document, {
        ...given,
        resultTypes: ['violations'],
      }),
    options,
  );
  return violations.map(({ id, help, nodes }) => {
    const places = nodes.map(({ target, failureSummary = '' }) => {
      const why = failureSummary.split('\n').slice(1).join(' ').trim();
      return `${target.join(' ')} (${why})`;
    });
    return `${id}, ${help}: ${places.join('; ')}`;
  });
}

/** The page and its dialogs, where they scroll sideways. */
const standsOut = (tab: Page): Promise<string[]> =>
  tab.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('dialog[open], main')]
      .filter((place) => place.scrollWidth > place.clientWidth + 1)
      .map((place) => `${place.tagName} is ${place.scrollWidth - place.clientWidth} px too wide`),
  );
