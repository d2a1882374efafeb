/**
 * Preloaded into the application (`node --import`), when `npm start` or another program stands between it and its
 * starter: makes a stop request arrive, and arrive once.
 *
 * npm forwards a signal to its shell, which dies of it silently; so an application whose parent has exited closes.
 * Ctrl-C reaches a whole process group, including the program between, which would pass it on: a signal that the
 * application has received itself is not repeated, because a second signal means "at once".
 */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const LOOK_MS = 500;
/** Our own signal may arrive a little after the forwarded one. */
const PATIENCE_MS = 100;
let received = false;

for (const signal of signals) {
  process.on(signal, () => {
    received = true;
    // Without other listeners the application has not begun.
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
