/** The page is frozen during the snapshot: input is handled only after it. */
const STILL_MS_MAX = 100;

const ignore = () => undefined;

let running = false;
/** The last transition took longer: pages on this device change without one. */
let slow = false;

/**
 * Changes the page in a view transition, where the browser supports it and is fast enough. An interrupted transition is
 * no error; a second change during one happens without.
 *
 * @returns when the page has changed
 */
export async function withTransition(change: () => Promise<void>): Promise<void> {
  const page: Partial<Pick<Document, 'startViewTransition'>> = document;
  if (running || slow || !page.startViewTransition) return change();
  running = true;
  // Includes the snapshot of the old page, for which the browser recomputes all styles.
  const began = performance.now();
  const transition = document.startViewTransition(async () => {
    await change();
    slow = performance.now() - began > STILL_MS_MAX;
  });
  transition.ready.catch(ignore);
  transition.finished.catch(ignore);
  await transition.updateCallbackDone.catch(ignore);
  running = false;
}
