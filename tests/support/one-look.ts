import type { Page } from 'playwright-core';
import { allLooks, faultsOf } from '#tests/journeys/browser/axe.ts';

/**
 * What is wrong with the screen as it stands, at the width it has and in the light. All looks of every
 * piece are in `gallery.browser.test.ts`, of every page in `accessibility.browser.test.ts`; the colours of both
 * themes in `contrast.test.ts`.
 *
 * @returns one sentence per finding; none when all is well.
 */
export function faultsHere(tab: Page, state: string): Promise<string[]> {
  const phone = (tab.viewportSize()?.width ?? 0) < 600;
  return faultsOf(tab, state, { phone, only: allLooks[phone ? 2 : 0] });
}

/** Looks at states one after the other, and tells of everything at the end. */
export function inspectionHere() {
  const faults: string[] = [];
  const look = async (tab: Page, state: string): Promise<void> => {
    faults.push(...(await faultsHere(tab, state)));
  };
  return { faults, look };
}
