import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, type ServerResponse, createServer, request as ask } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { readS3Address } from '#server/infra/file-store/address.ts';
import { type S3Options, type S3Store, openS3Store } from '#server/infra/file-store/open.ts';
import { newId } from '#server/infra/ids.ts';

type Trouble = number | 'drops' | undefined;
type Given = Partial<Pick<S3Options, 'owner' | 'pieceBytes' | 'pageKeys'>> & { prefix?: string };

export type S3Server = {
  settings: (
    prefix: string,
  ) => Record<'FILES_URL' | 'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY', string>;
  /** The store at a prefix; a new one by default. */
  open: (given?: Given) => Promise<S3Store>;
  /** From now on the store answers with this status, drops connections, or works again. */
  trouble: (what: Trouble) => void;
  /** Answers that are neither fully read nor aborted. */
  underWay: () => number;
  requests: string[];
  close: () => Promise<void>;
};

type Backend = {
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  close: () => void;
};

const { S3_TEST_ORIGIN: realOrigin, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;

/** Whether the operator chose a real store: at S3_TEST_ORIGIN, with the usual two key settings. */
export const isRealStore = realOrigin !== undefined;

const key = {
  accessKeyId: (isRealStore && AWS_ACCESS_KEY_ID) || 'S3RVER',
  secretAccessKey: (isRealStore && AWS_SECRET_ACCESS_KEY) || 'S3RVER',
};

/**
 * Starts an S3 store with the bucket `kabari`: s3rver in this process, which checks signatures and stores objects in a
 * folder. With S3_TEST_ORIGIN, such as `http://127.0.0.1:7480`, all requests go to that store.
 */
export async function startS3Server(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-s3-'));
  const backend = realOrigin !== undefined ? await passThrough(realOrigin) : await s3rver(folder);
  const requests: string[] = [];
  let trouble: Trouble;
  let underWay = 0;
  const server = createServer((request, response) => {
    underWay++;
    response.once('close', () => underWay--);
    requests.push(`${request.method} ${request.url}`);
    if (trouble === 'drops') request.socket.destroy();
    else if (trouble === undefined) backend.answer(request, response);
    else {
      request.resume();
      response.statusCode = trouble;
      response.end(`<Error><Code>${trouble === 403 ? 'AccessDenied' : 'SlowDown'}</Code></Error>`);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  const url = (prefix: string) => `s3://kabari/${prefix}?endpoint=http://127.0.0.1:${address.port}`;
  const stores: S3Store[] = [];
  return {
    underWay: () => underWay,
    settings: (prefix) => ({
      FILES_URL: url(prefix),
      AWS_ACCESS_KEY_ID: key.accessKeyId,
      AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
    }),
    open: async ({ prefix = newId(), owner = 'ours', ...given } = {}) => {
      const read = readS3Address(url(prefix));
      if ('mustBe' in read) throw new Error(read.mustBe);
      const options = { address: read, credentials: key, owner, dataFolder: folder };
      const store = await openS3Store({ ...options, ...given });
      stores.push(store);
      return store;
    },
    trouble: (what) => (trouble = what),
    requests,
    close: async () => {
      for (const store of stores) store.close();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      backend.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function s3rver(folder: string): Promise<Backend> {
  const options = { silent: true, directory: join(folder, 'objects'), vhostBuckets: false };
  const strict = new S3rver(options);
  await strict.store.putBucket('kabari');
  // It signs requests to a bucket itself as if their path had no trailing slash: these pass unchecked.
  const lenient = new S3rver({ ...options, allowMismatchedSignatures: true });
  const [answerObject, answerBucket] = [strict.callback(), lenient.callback()];
  return {
    answer: (request, response) => {
      const isOfBucket = /^\/kabari\/?(\?|$)/.test(request.url ?? '');
      void (isOfBucket ? answerBucket : answerObject)(request, response);
    },
    close: () => {
      for (const one of [strict, lenient]) one.logger.close();
    },
  };
}

async function passThrough(origin: string): Promise<Backend> {
  const client = new S3Client({
    endpoint: origin,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: key,
  });
  await client.send(new CreateBucketCommand({ Bucket: 'kabari' }));
  return {
    answer: (request, response) => {
      const { method, headers } = request;
      const passed = ask(`${origin}${request.url}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      passed.on('error', () => response.destroy());
      request.pipe(passed);
    },
    close: () => client.destroy(),
  };
}
