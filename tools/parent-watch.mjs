/**
 * Loaded into the application before itself (`node --import`), when `npm start` or another program stands
 * between it and whoever started it: a request to stop arrives, and arrives once.
 *
 * npm hands a signal to its shell, which dies of it and tells nobody: an application whose parent has gone
 * closes. Ctrl-C reaches a whole group, the program between us included, which would pass it on: what
 * the application has heard itself is not said to it again, because a second signal means "at once".
 */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const LOOK_MS = 500;
/** A signal of our own may come a little later than word of it. */
const PATIENCE_MS = 100;
let received = false;

for (const signal of signals) {
  process.on(signal, () => {
    received = true;
    // Nothing else listens yet: the application has not begun.
    if (process.listenerCount(signal) === 1) process.exit(1);
  });
}

const stop = (signal) => {
  setTimeout(() => received || process.kill(process.pid, signal), PATIENCE_MS);
};

if (process.channel) {
  process.on('message', stop);
  process.on('disconnect', () => stop('SIGTERM'));
  process.channel.unref();
} else if (process.env.npm_lifecycle_event) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop('SIGTERM');
  }, LOOK_MS);
  timer.unref();
}
