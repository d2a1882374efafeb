import { connect } from 'node:net';

/** An open tab: one live stream. It only counts what it receives, unless `onEvent` is given. */
export type LiveStream = { readonly bytes: number; close: () => void };

/**
 * Opens a live stream and resolves once its first frame is there.
 *
 * @param onEvent called with the data of each frame, as it comes.
 * @throws Error with the head of the response when the stream is refused.
 */
export async function openLiveStream(
  port: number,
  session: string,
  onEvent?: (data: unknown) => void,
): Promise<LiveStream> {
  const body = new URLSearchParams({ act: 'events', fcm: '', token: session }).toString();
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const read = onEvent && frameReader(onEvent);
  let bytes = 0;
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    if (bytes === 0 && !text.startsWith('HTTP/1.1 200')) reject(new Error(text.slice(0, 300)));
    bytes += text.length;
    if (text.includes('event: ')) resolve();
    read?.(text);
  });
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the live stream was closed')));
  socket.write(
    `POST /api HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
      'Content-Type: application/x-www-form-urlencoded\r\n' +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  await promise;
  return {
    get bytes() {
      return bytes;
    },
    close: () => socket.destroy(),
  };
}

/** Reads data lines from text that may be cut anywhere; HTTP's chunk lengths are lines, too. */
function frameReader(onEvent: (data: unknown) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data: {')) onEvent(JSON.parse(line.slice('data: '.length)));
    }
  };
}
