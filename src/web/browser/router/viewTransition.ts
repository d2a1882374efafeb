/** The browser stands still meanwhile: what somebody presses is only answered after it. */
const STILL_MS_MAX = 100;

const ignore = () => undefined;

let running = false;
/** The last change took longer than that: on this device pages change without a transition. */
let slow = false;

/**
 * Changes the page while the browser shows how the old one becomes the new one, where it can do that
 * quickly. One that a faster person cuts short is no error; a second one while the first is not yet there
 * comes without.
 *
 * @returns when the page has changed
 */
export async function withTransition(change: () => Promise<void>): Promise<void> {
  const page: Partial<Pick<Document, 'startViewTransition'>> = document;
  if (running || slow || !page.startViewTransition) return change();
  running = true;
  // With the picture of the old page, before which the browser works out every style anew.
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
