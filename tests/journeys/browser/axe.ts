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

const standard = { type: 'tag' as const, values: standards };
const colours = ['color-contrast', 'link-in-text-block'];

const rules = {
  all: { runOnly: standard, rules: labelInName },
  /** The themes differ only in colours, so the second one needs only these rules. */
  colours: { runOnly: { type: 'rule', values: colours } },
} satisfies Record<string, RunOptions>;

type OneLook = { size: typeof wide; colorScheme: 'light' | 'dark'; run: keyof typeof rules };

/** Each of all looks alone; a phone's in both themes. */
export const allLooks: readonly [OneLook, OneLook, OneLook, OneLook] = [
  { size: wide, colorScheme: 'light', run: 'all' },
  { size: wide, colorScheme: 'dark', run: 'colours' },
  { size: narrow, colorScheme: 'light', run: 'all' },
  { size: narrow, colorScheme: 'dark', run: 'colours' },
];
/** Phone-only parts are also checked in the dark theme. */
const phoneLooks = allLooks.slice(2);
/** For a state of a page that another state has shown in every look. */
const lesserLooks = allLooks.slice(1, 3);
const looks = allLooks.slice(0, 3);

export type Where = {
  /** For phone-only parts; the tab stays narrow afterwards. */
  phone?: boolean;
  /** A state of a page that another state has shown in every look. */
  again?: boolean;
  /** A single look: for pages so long that each one takes time. */
  only?: OneLook;
  /** Leaves out what an open modal dialog covers. */
  modalOnly?: boolean;
};

/**
 * Checks the current screen, wide and narrow, light and dark: every axe rule, and horizontal overflow. Leaves the tab
 * wide and light.
 * @returns one sentence per finding
 */
export async function faultsOf(
  tab: Page,
  state: string,
  { phone = false, again = false, only, modalOnly = false }: Where = {},
): Promise<string[]> {
  const faults: string[] = [];
  const chosen = only ? [only] : phone ? phoneLooks : again ? lesserLooks : looks;
  for (const { size, colorScheme, run } of chosen) {
    await tab.setViewportSize(size);
    await tab.emulateMedia({ colorScheme });
    await settled(tab);
    const found = [...(await broken(tab, run, modalOnly)), ...(await standsOut(tab))];
    faults.push(...found.map((one) => `${state}, ${size.width} px, ${colorScheme}: ${one}`));
  }
  if (!phone) await tab.setViewportSize(wide);
  await tab.emulateMedia({ colorScheme: 'light' });
  return faults;
}

export type Look = (tab: Page, state: string, where?: Where) => Promise<void>;

/**
 * Checks states one after the other, and reports all at the end. Once a page was checked, a modal dialog over it
 * is checked without the page.
 * @param find finds the faults of a state, in every look by default.
 */
export function inspection(find: typeof faultsOf = faultsOf): {
  faults: readonly string[];
  look: Look;
} {
  const faults: string[] = [];
  const known = new Set<string>();
  const look: Look = async (tab, state, where) => {
    const { pathname, searchParams } = new URL(tab.url());
    const view = `${pathname} ${searchParams.get('view')}`;
    faults.push(...(await find(tab, state, { ...where, modalOnly: known.has(view) })));
    known.add(view);
  };
  return { faults, look };
}

async function broken(tab: Page, run: OneLook['run'], modalOnly: boolean): Promise<string[]> {
  if (!(await tab.evaluate(() => 'axe' in window))) {
    // Through the debugger: the page's own policy blocks outside scripts.
    const wire = await tab.context().newCDPSession(tab);
    await wire.send('Runtime.evaluate', { expression: source });
    await wire.detach();
  }
  const violations = await tab.evaluate(
    async ({ given, modalOnly: isModalOnly }): Promise<AxeResults['violations']> => {
      const check = async (where: Node | HTMLElement[]) => {
        const options = {
          ...given,
          resultTypes: ['violations' as const],
          // No rule here reads style sheets or media files; fetching them took a third of the time.
          preload: false,
        };
        return (await (window as unknown as { axe: typeof axe }).axe.run(where, options))
          .violations;
      };
      const modals = [...document.querySelectorAll<HTMLElement>('dialog:modal')];
      const page = isModalOnly && modals.length > 0 ? [] : await check(document);
      if (modals.length === 0) return page;
      // axe does not know the top layer: it takes the page to lie over the modal, and leaves its contrast open.
      const root = document.documentElement;
      root.style.visibility = 'hidden';
      for (const modal of modals) modal.style.visibility = 'visible';
      const inside = await check(modals);
      root.style.visibility = '';
      for (const modal of modals) modal.style.visibility = '';
      return [...page, ...inside];
    },
    { given: rules[run], modalOnly },
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
