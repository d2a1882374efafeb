import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { settled } from './browser.ts';

/** Its small form, which each new process of the browser compiles in half the time. */
const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** WCAG 2.5.3: a control's name contains its visible label. An experiment of axe, without a tag. */
const labelInName = { 'label-content-name-mismatch': { enabled: true } } as const;

const wide = { width: 1440, height: 900 };
const narrow = { width: 390, height: 844 };

const allRules = { type: 'tag', values: standards } as const;
/** The themes differ only in colours, so the second one needs only these rules. */
const colours = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } as const;

const looks = [
  { size: wide, colorScheme: 'light', runOnly: allRules },
  { size: wide, colorScheme: 'dark', runOnly: colours },
  { size: narrow, colorScheme: 'light', runOnly: allRules },
] as const;
/** Phone-only parts are also checked in the dark theme. */
const phoneLooks = [looks[2], { size: narrow, colorScheme: 'dark', runOnly: colours }] as const;
export const allLooks = [...looks, phoneLooks[1]] as const;

type Where = {
  /** For phone-only parts; the tab stays narrow afterwards. */
  phone?: boolean;
  /** A single look: for pages so long that each one takes time. */
  only?: (typeof allLooks)[number];
};

/**
 * Checks the current screen, wide and narrow, light and dark: every axe rule, and horizontal overflow. Leaves the tab
 * wide and light.
 * @returns one sentence per finding
 */
export async function faultsOf(
  tab: Page,
  state: string,
  { phone = false, only }: Where = {},
): Promise<string[]> {
  const faults: string[] = [];
  for (const { size, colorScheme, runOnly } of only ? [only] : phone ? phoneLooks : looks) {
    await tab.setViewportSize(size);
    await tab.emulateMedia({ colorScheme });
    await settled(tab);
    const found = [...(await broken(tab, runOnly)), ...(await standsOut(tab))];
    faults.push(...found.map((one) => `${state}, ${size.width} px, ${colorScheme}: ${one}`));
  }
  if (!phone) await tab.setViewportSize(wide);
  await tab.emulateMedia({ colorScheme: 'light' });
  return faults;
}

export type Look = (tab: Page, state: string, where?: Where) => Promise<void>;

/**
 * Checks states one after the other, and reports all at the end.
 * @param find finds the faults of a state, in every look by default.
 */
export function inspection(find: typeof faultsOf = faultsOf): {
  faults: readonly string[];
  look: Look;
} {
  const faults: string[] = [];
  const look: Look = async (tab, state, where) => {
    faults.push(...(await find(tab, state, where)));
  };
  return { faults, look };
}

async function broken(tab: Page, runOnly: (typeof allLooks)[number]['runOnly']): Promise<string[]> {
  if (!(await tab.evaluate(() => 'axe' in window))) {
    // Through the debugger: the page's own policy blocks outside scripts.
    const wire = await tab.context().newCDPSession(tab);
    await wire.send('Runtime.evaluate', { expression: source });
    await wire.detach();
  }
  const options = {
    runOnly: { ...runOnly, values: [...runOnly.values] },
    ...(runOnly.type === 'tag' && { rules: labelInName }),
  } satisfies RunOptions;
  const { violations } = await tab.evaluate(
    (given): Promise<Pick<AxeResults, 'violations'>> =>
      (window as unknown as { axe: typeof axe }).axe.run(document, {
        ...given,
        resultTypes: ['violations'],
        // No rule here reads style sheets or media files; fetching them took a third of the time.
        preload: false,
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

const standsOut = (tab: Page): Promise<string[]> =>
  tab.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('dialog[open], main')]
      .filter((place) => place.scrollWidth > place.clientWidth + 1)
      .map((place) => `${place.tagName} is ${place.scrollWidth - place.clientWidth} px too wide`),
  );
