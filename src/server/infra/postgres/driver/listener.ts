import { backoff } from '#server/infra/backoff.ts';
import pg from 'pg';
import { sessionStatement } from './client.ts';
import { createClientClass, serversOf } from './servers.ts';

export type Listener = {
  /** Drops the connection, as if it had been lost, and reconnects at once. */
  restart(): void;
  close(): Promise<void>;
};

export type ListenerOptions = {
  url: string;
  name: string;
  channel: string;
  onNotification: (payload: string) => void;
  /** Called whenever listening begins again: notifications in between are lost. */
  onListening: () => void;
  onLost: () => void;
};

const RECONNECT_MS = { first: 50, max: 1_000 };

export function openListener(options: ListenerOptions): Listener {
  const { url, name, channel, onNotification, onListening, onLost } = options;
  const servers = serversOf(url);
  const Client = createClientClass(servers, url, { as: 'all accounts', name });
  const leaveServers = servers.join((current) => {
    const host = client && servers.hostOf(client);
    if (client && host && host !== current) lose(client);
  });
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let isClosed = false;

  const connect = () => {
    const made = new Client();
    client = made;
    made.on('error', () => lose(made));
    made.on('end', () => lose(made));
    made.on('notification', ({ payload }) => onNotification(payload ?? ''));
    const listen = async () => {
      await made.connect();
      const statement = sessionStatement(url, 'all accounts');
      if (statement !== undefined) await made.query(statement);
      await made.query(`listen ${pg.escapeIdentifier(channel)}`);
      failures = 0;
      if (client === made) onListening();
    };
    listen().catch(() => lose(made));
  };

  const lose = (lost: pg.Client) => {
    if (client !== lost) return;
    client = undefined;
    destroy(lost);
    if (isClosed) return;
    onLost();
    failures += 1;
    timer = setTimeout(connect, backoff(failures, RECONNECT_MS));
    timer.unref();
  };

  connect();
  return {
    restart: () => client && lose(client),
    async close() {
      isClosed = true;
      clearTimeout(timer);
      const last = client;
      client = undefined;
      if (last) destroy(last);
      leaveServers();
    },
  };
}

export function openListeners(
  urls: readonly string[],
  options: Omit<ListenerOptions, 'url'>,
): Listener {
  const [only, ...others] = urls;
  if (only !== undefined && others.length === 0) return openListener({ ...options, url: only });
  const listeners = urls.map((url) => openListener({ ...options, url }));
  return {
    restart: () => listeners.forEach((one) => one.restart()),
    close: async () => void (await Promise.all(listeners.map((one) => one.close()))),
  };
}

/** Closes a connection without waiting for the other side, which may be gone. */
const destroy = (client: pg.Client): void => void client.connection.stream.destroy();
