/** A hidden page paints nothing; a busy one may delay its frame. */
const WAIT_MS = 100;

/** Resolves after the next frame, so that a press shows its response before slow work. A hidden page does not wait. */
export const painted = (): Promise<void> =>
  new Promise((done) => {
    if (document.hidden) return done();
    const late = setTimeout(done, WAIT_MS);
    requestAnimationFrame(() => {
      clearTimeout(late);
      setTimeout(done);
    });
  });
