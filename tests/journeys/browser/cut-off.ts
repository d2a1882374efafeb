import type { Page } from 'playwright-core';

/**
 * Amounts and phone numbers that are partly invisible: clipped by a box around them, or beyond the window's edge.
 * Content that a person can scroll to within its own box counts as visible.
 */
export const cutOff = (tab: Page): Promise<readonly string[]> =>
  tab.evaluate(() => {
    const whole = /-?\+?Rp\s?[\d.]+|\+\d[\d -]{7,}\d/g;
    const lost: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const isHidden = (element: Element) =>
      element.closest('.sr-only, [hidden], select, option, dialog:not([open])') !== null ||
      !element.checkVisibility({ visibilityProperty: true });

    /** The innermost element that clips the box; `undefined` if all of it can be reached. */
    const hiderOf = (from: Element, box: DOMRect): Element | undefined => {
      for (let one: Element | null = from; one; one = one.parentElement) {
        const { overflowX, position } = getComputedStyle(one);
        if (overflowX === 'auto' || overflowX === 'scroll') return undefined;
        const edge = one.getBoundingClientRect();
        const isOut = box.left < edge.left - 1 || box.right > edge.right + 1;
        if (overflowX !== 'visible' && isOut) return one;
        if (position === 'fixed') return undefined;
      }
      return box.right > innerWidth + 1 || box.left < -1 ? document.documentElement : undefined;
    };
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const { parentElement: holder, textContent } = node;
      if (!holder || isHidden(holder)) continue;
      for (const { 0: found, index } of (textContent ?? '').matchAll(whole)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + found.length);
        const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);
        const hider = boxes.map((box) => hiderOf(holder, box)).find((one) => one !== undefined);
        // A text that may be cut, an excerpt or a name, may contain an amount.
        if (hider && found.length > (textContent ?? '').trim().length - 3) {
          lost.push(`${found} in ${hider.tagName}.${hider.className}`);
        }
      }
    }
    return lost;
  });
