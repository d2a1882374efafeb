import type { Page } from 'playwright-core';
import { allLooks, faultsOf, inspection, type Where } from '#tests/journeys/browser/axe.ts';

/**
 * Faults of the current screen at its own width, in the light theme. `gallery.browser.test.ts` covers all looks of
 * every piece, `accessibility.browser.test.ts` those of every page, `contrast.test.ts` the colours of both themes.
 * @returns one sentence per finding.
 */
export function faultsHere(
  tab: Page,
  state: string,
  { modalOnly = false }: Pick<Where, 'modalOnly'> = {},
): Promise<string[]> {
  const phone = (tab.viewportSize()?.width ?? 0) < 600;
  return faultsOf(tab, state, { phone, modalOnly, only: allLooks[phone ? 2 : 0] });
}

export const inspectionHere = () => inspection(faultsHere);
