import type { Page } from 'playwright-core';
import { allLooks, faultsOf, inspection } from '#tests/journeys/browser/axe.ts';

/**
 * Faults of the present screen at its own width, in the light theme. All looks of every
 * piece are in `gallery.browser.test.ts`, of every page in `accessibility.browser.test.ts`; the colours of both
 * themes in `contrast.test.ts`.
 *
 * @returns one sentence per finding; none when all is well.
 */
export function faultsHere(tab: Page, state: string): Promise<string[]> {
  const phone = (tab.viewportSize()?.width ?? 0) < 600;
  return faultsOf(tab, state, { phone, only: allLooks[phone ? 2 : 0] });
}

/** Looks at states one after the other, each in one look. */
export const inspectionHere = () => inspection(faultsHere);
