import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ProductProxy = {
  address: string;
  /** From now on the web app is another build: its page and its worker differ by a word. */
  deploy: () => void;
  cut: () => Promise<void>;
  mend: () => Promise<void>;
};

const SCRIPT = /(<script type="module"[^>]* src=")\/(?=assets)/;

export async function openProxy(product: string): Promise<ProductProxy> {
  let deployed = false;
  const changed = (path: string, text: string): string => {
    if (!deployed) return text;
    if (path === '/sw.js') return `${text}\n// newer`;
    // The same file under another spelling: another address would run the app twice.
    return text.replace(SCRIPT, '$1/./');
  };
  const answer = (incoming: IncomingMessage, response: ServerResponse) => {
    const { method, headers, url = '/' } = incoming;
    const path = url.split('?')[0] ?? '/';
    const { 'accept-encoding': _, 'if-none-match': __, ...rest } = headers;
    const onward = request(product + url, { method, headers: rest }, (answered) => {
      const type = answered.headers['content-type'] ?? '';
      if (path !== '/sw.js' && !type.startsWith('text/html')) {
        response.writeHead(answered.statusCode ?? 502, answered.headers);
        answered.pipe(response);
        return;
      }
      const { 'content-length': ___, etag: ____, ...forwarded } = answered.headers;
      const send = async () => {
        const text = Buffer.concat(await Array.fromAsync(answered)).toString('utf8');
        response.writeHead(answered.statusCode ?? 502, forwarded);
        response.end(changed(path, text));
      };
      send().catch(() => response.destroy());
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    incoming.pipe(onward);
  };
  const server = createServer(answer);
  server.listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://localhost:${port}`,
    deploy: () => {
      deployed = true;
    },
    cut: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
    mend: async () => {
      const open = once(server, 'listening');
      server.listen(port);
      await open;
    },
  };
}
