/** Resolves in the browser's next task; input and paint may come first. No timer delays it. */
export const nextTask = (): Promise<void> =>
  new Promise((go) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      go();
    });
    port1.start();
    port2.postMessage(null);
  });
