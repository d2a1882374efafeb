import { once } from 'node:events';
import { type IncomingHttpHeaders, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Span, spansIn } from './otlp.ts';

export type Collector = {
  /** A value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  endpoint: string;
  spans: Span[];
  requests: { path: string; headers: IncomingHttpHeaders; bytes: Buffer }[];
  /** Answers from now on: by a status, or never. */
  answer: (how: number | 'never') => void;
  close: () => Promise<void>;
};

export async function startCollector(): Promise<Collector> {
  const spans: Span[] = [];
  const requests: Collector['requests'] = [];
  let answer: number | 'never' = 200;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const bytes = Buffer.concat(parts);
      requests.push({ path: request.url ?? '', headers: request.headers, bytes });
      if (answer === 'never') return;
      if (answer === 200) spans.push(...spansIn(bytes));
      response.writeHead(answer, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    requests,
    answer: (how) => {
      answer = how;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
