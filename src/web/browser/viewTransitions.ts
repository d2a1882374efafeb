/**
 * Lets a page's transition be overtaken in peace. One that a faster person cuts short rejects its
 * `ready`, which the router never looks at: the page changes all the same, and there is no error.
 */
export function settleTransitions(page: Pick<Document, 'startViewTransition'> = document): void {
  const { startViewTransition } = page as Partial<typeof page>;
  if (!startViewTransition) return;
  page.startViewTransition = (how) => {
    const transition = startViewTransition.call(document, how);
    transition.ready.catch(() => undefined);
    return transition;
  };
}
