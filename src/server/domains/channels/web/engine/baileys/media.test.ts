import { createCipheriv, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import {
  type WAMessage,
  downloadContentFromMessage,
  downloadExternalBlob,
  downloadHistory,
  downloadMediaMessage,
  getMediaKeys,
  type proto,
} from 'baileys';
import { expect, test as base, vi } from 'vitest';
import { FetchError, openFileClient } from '#server/infra/net/outbound-file.ts';
import { privateHosts } from '#tests/support/private-hosts.ts';
import { download, libraryFetch, openNetworkFiles, referenceOf } from './media.ts';

const mediaKey = Buffer.alloc(32, 3);
const key = { remoteJid: '6281299999999@s.whatsapp.net', id: 'A1', fromMe: false };
const never = async (): Promise<never> => {
  throw new Error('not asked for');
};

/** An encrypted file, as WhatsApp stores it. */
async function sealed(plain: Buffer): Promise<Buffer> {
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, 'image');
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  const mac = createHmac('sha256', macKey!).update(iv).update(body).digest().subarray(0, 10);
  return Buffer.concat([body, mac]);
}

const filesOf = (answers: Record<string, Buffer | FetchError>) => {
  const requested: { url: string; bytesMax: number }[] = [];
  return {
    requested,
    fetch: never,
    read: async ({ url, bytesMax }: { url: string; bytesMax: number }) => {
      requested.push({ url, bytesMax });
      const answer = answers[new URL(url).pathname];
      if (answer instanceof FetchError) throw answer;
      if (!answer) throw new FetchError('missing', '404');
      return answer;
    },
  };
};

const image = (file: proto.Message.IImageMessage): string =>
  referenceOf({ key }, { kind: 'image', file: { mediaKey, ...file } });

const test = base.extend<{ canary: { port: number; visits: () => number } }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  canary: async ({}, use) => {
    let visits = 0;
    const server = createServer((socket) => {
      visits += 1;
      socket.destroy();
    });
    server.listen(0, '::');
    await once(server, 'listening');
    await use({ port: (server.address() as AddressInfo).port, visits: () => visits });
    server.close();
  },
});

test('reads a file from WhatsApp’s host by its path, within the announced length', async () => {
  const plain = Buffer.from('picture');
  const files = filesOf({ '/v/t62?x=1': plain, '/v/t62': await sealed(plain) });
  const url = 'https://evil.example/x';
  const reference = image({ url, directPath: '/v/t62?x=1', fileLength: 7 });
  expect(await download(files, reference, never)).toEqual(plain);
  expect(files.requested).toEqual([{ url: 'https://mmg.whatsapp.net/v/t62?x=1', bytesMax: 33 }]);
});

test('refuses a file without a path or key, or with a length above the limit, before any request', async () => {
  const files = filesOf({});
  for (const file of [
    { directPath: '@evil.example/x' },
    { directPath: '.evil.example/x' },
    { directPath: ':8443/x' },
    { url: 'https://mmg.whatsapp.net/x' },
    { directPath: '/x', mediaKey: null },
    { directPath: '/x', fileLength: 2 ** 40 },
  ]) {
    expect(await download(files, image(file), never), JSON.stringify(file)).toBe('refused');
  }
  expect(files.requested).toEqual([]);
});

test('rejects a file that is not the sender’s', async () => {
  const other = await sealed(Buffer.from('other'));
  other[0]! ^= 1;
  const files = filesOf({ '/x': other });
  await expect(download(files, image({ directPath: '/x' }), never)).rejects.toThrow('not the one');
});

test('requests a deleted file again once, and reports temporary failures', async () => {
  const plain = Buffer.from('picture');
  const files = filesOf({ '/new': await sealed(plain), '/down': new FetchError('trouble', '503') });
  const requested: (string | null | undefined)[] = [];
  const uploaded = (directPath: string) => async (message: WAMessage) => {
    requested.push(message.key.id);
    message.message!.imageMessage!.directPath = directPath;
    return message;
  };
  expect(await download(files, image({ directPath: '/old' }), uploaded('/new'))).toEqual(plain);
  expect(requested).toEqual(['A1']);
  expect(await download(files, image({ directPath: '/old' }), uploaded('/older'))).toBe('gone');
  const refuses = async () => {
    throw Object.assign(new Error('no such file'), { output: { statusCode: 404 } });
  };
  expect(await download(files, image({ directPath: '/old' }), refuses)).toBe('gone');
  await expect(download(files, image({ directPath: '/down' }), never)).rejects.toThrow('503');
});

test('connects to no address in a message when the library downloads', async ({ canary }) => {
  const fetch = libraryFetch(openNetworkFiles());
  vi.stubGlobal('fetch', fetch);
  const { port } = canary;
  const directPath = `/x`;
  for (const host of [...privateHosts, 'evil.example', 'whatsapp.net.evil.example']) {
    for (const url of [`https://${host}:${port}/x`, `http://${host}:${port}/x`]) {
      const media = { url, mediaKey, fileLength: 1 };
      const message = { imageMessage: media };
      const downloads = [
        downloadMediaMessage({ key, message }, 'buffer', {}),
        downloadMediaMessage({ key, message: { stickerMessage: media } }, 'buffer', {}),
        // The library takes the host of `url` for a path.
        downloadContentFromMessage({ ...media, directPath }, 'thumbnail-link'),
        downloadHistory({ ...media, directPath }, {}),
        downloadExternalBlob({ mediaKey, directPath: `@${host}:${port}/x` }, {}),
        fetch(url),
      ];
      const outcomes = await Promise.allSettled(downloads);
      expect(outcomes.map(({ status }) => status)).toEqual(downloads.map(() => 'rejected'));
    }
  }
  vi.unstubAllGlobals();
  expect(canary.visits()).toBe(0);
});

test('follows no redirect of WhatsApp’s host, and ends an endless body', async ({ canary }) => {
  const server = createHttp((request, response) => {
    if (request.url === '/away') {
      response.writeHead(302, { location: `https://127.0.0.1:${canary.port}/` }).end();
      return;
    }
    response.writeHead(200);
    const pour = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on('drain', pour);
    pour();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const files = openFileClient({ listed: [origin], hosts: /\.whatsapp\.net$/ });
  await expect(files.read({ url: `${origin}/away`, bytesMax: 10 })).rejects.toMatchObject({
    reason: 'refused',
  });
  await expect(libraryFetch(files)(`${origin}/endless`)).rejects.toMatchObject({
    reason: 'too_large',
  });
  server.closeAllConnections();
  server.close();
  expect(canary.visits()).toBe(0);
});
