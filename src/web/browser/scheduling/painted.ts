/** A page that is not shown paints nothing; a busy one may keep its frame back. */
const WAIT_MS = 100;

/**
 * After the next frame: what somebody pressed has answered by then, and what it leads to may take its time.
 * A hidden page does not wait.
 */
export const painted = (): Promise<void> =>
  new Promise((done) => {
    if (document.hidden) return done();
    const late = setTimeout(done, WAIT_MS);
    requestAnimationFrame(() => {
      clearTimeout(late);
      setTimeout(done);
    });
  });
