/**
 * The product's thread of sockets, with a library that trusts the certificates of the benchmark's network: its key
 * replaces WhatsApp's. Baileys 7.0.0-rc14 would accept any, since its signature check ignores the result; a version
 * that checks them needs this. On request the thread collects garbage: only a thread itself can do that.
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
