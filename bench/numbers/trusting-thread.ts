/**
 * The product's thread of sockets, in which the library believes the certificates of the benchmark's network: its key
 * stands in the place of WhatsApp's. Baileys 7.0.0-rc14 would believe any, since its check of signatures ignores their
 * result; one that checks them needs this. On request the thread collects garbage: only a thread itself can do that.
 */
import { BroadcastChannel } from 'node:worker_threads';
import { WA_CERT_DETAILS } from 'baileys';

const collecting = new BroadcastChannel('collect');
collecting.onmessage = () => {
  globalThis.gc?.();
  collected.postMessage('collected');
};
const collected = new BroadcastChannel('collected');

WA_CERT_DETAILS.PUBLIC_KEY.set(Buffer.from(process.env['NETWORK_KEY'] ?? '', 'hex'));
await import('#server/domains/channels/web/engine/thread/socket-thread.ts');
